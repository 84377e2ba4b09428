package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// heard is one hint that a process heard.
type heard struct {
	project memory.ProjectID
	at      memory.Cursor
}

// process runs hints as a server process does, until the test ends.
func process(tb testing.TB, s *store.Store, every time.Duration) (*store.Hints, <-chan heard) {
	tb.Helper()
	all := make(chan heard, 10_000)
	h := s.Hints(func(project memory.ProjectID, at memory.Cursor) { all <- heard{project, at} })
	h.LookEvery(every)
	ctx, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(ctx)
	}()
	tb.Cleanup(func() {
		stop()
		<-ended
	})
	return h, all
}

func await(all <-chan heard, want heard) (hints int) {
	for got := range all {
		if hints++; got == want {
			break
		}
	}
	return hints
}

// What one process writes others hear of: the first at once, and of many the
// last.
func TestHints_BetweenProcesses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, err := store.Open(t.Context(), b.url, store.Options{MaxConns: 2})
	must(t, err)
	t.Cleanup(other.Close)
	here, _ := process(t, b.Store, time.Hour)
	_, there := process(t, other, time.Hour)
	cursor := func(seq int64) heard {
		return heard{b.project.ID, memory.Cursor{Epoch: b.project.Head.Epoch, Seq: seq}}
	}
	await(there, cursor(0)) // the look after it began to listen

	here.Notify(b.project.ID, cursor(1).at)
	await(there, cursor(1))
	start := time.Now()
	const last = 5000
	for i := range int64(last - 1) {
		here.Notify(b.project.ID, cursor(i+2).at)
	}
	n := await(there, cursor(last))
	if most := int(time.Since(start)/store.AnnounceEvery) + 2; n > most {
		t.Errorf("%d hints of one project, at most %d in that time", n, most)
	}
	here.Notify("prj_quiet", cursor(9).at)
	await(there, heard{"prj_quiet", cursor(9).at})
	// That more is allowed in a project takes nothing from where it stands.
	here.Notify("prj_new", cursor(3).at)
	here.Notify("prj_new", memory.Cursor{})
	for want := map[heard]bool{{"prj_new", cursor(3).at}: true, {"prj_new", memory.Cursor{}}: true}; len(want) > 0; {
		delete(want, <-there)
	}
}

// Nonsense on the channel, which is open to everybody in the database, is
// nothing to hear.
func TestHints_Nonsense(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, all := process(t, b.Store, time.Hour)
	<-all
	for _, payload := range []string{"", "x", "prj_a", "prj_a:", "prj_a:e1", "prj_a:e1:x", "prj_a:e1:-1", "prj_a:e1:01", "mem_a:e1:2", "prj_a:E 1:2", "mem_a:finding", "prj_a:findings"} {
		b.exec(t, "select pg_notify('teammem', $1)", payload)
	}
	b.exec(t, "select pg_notify('teammem', 'prj_a:e1:2')")
	if got := <-all; got != (heard{"prj_a", memory.Cursor{Epoch: "e1", Seq: 2}}) {
		t.Errorf("heard %+v", got)
	}
}

// A change of which no hint arrives is found all the same.
func TestHints_Look(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, all := process(t, b.Store, 10*time.Millisecond)
	<-all
	b.push(t, put(t, "a.md", "x"))
	await(all, heard{b.project.ID, memory.Cursor{Epoch: b.project.Head.Epoch, Seq: 1}})
}

// What is due when a process ends is still told.
func TestHints_LastOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, all := process(t, b.Store, time.Hour)
	<-all
	ending := b.Hints(func(memory.ProjectID, memory.Cursor) {})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	ending.Notify(b.project.ID, memory.Cursor{Epoch: "e1", Seq: 7})
	ending.Run(ctx)
	await(all, heard{b.project.ID, memory.Cursor{Epoch: "e1", Seq: 7}})
}

func TestCursors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.addProject(t, "acme/other")
	b.exec(t, "insert into project_roles (project_id, member_id, role) values ($1, $2, 'reviewer')", b.project.ID, b.member.ID)
	b.exec(t, "update projects set default_role = 'viewer' where project_id = $1", other.ID)
	b.push(t, put(t, "a.md", "x"))
	all, err := b.Cursors(t.Context(), b.member.ID)
	must(t, err)
	got := map[memory.ProjectID]memory.ProjectCursor{}
	for _, c := range all {
		got[c.Project] = c
	}
	want := map[memory.ProjectID]memory.ProjectCursor{
		b.project.ID: {
			Project: b.project.ID, At: memory.Cursor{Epoch: b.project.Head.Epoch, Seq: 1}, DefaultRole: got[b.project.ID].DefaultRole,
			Role: memory.RoleReviewer, Given: true,
		},
		other.ID: {Project: other.ID, At: memory.Cursor{Epoch: other.Head.Epoch}, DefaultRole: memory.RoleViewer},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cursors (-want +got):\n%s", diff)
	}
}
