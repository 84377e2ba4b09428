package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// willingly runs one sync, and says yes to whatever it holds.
func (m *member) willingly(ctx context.Context) (*client.Report, error) {
	r, err := m.try(ctx)
	if len(r.Held) == 0 {
		return r, err
	}
	changes := 0
	for _, h := range r.Held {
		changes += len(h.Paths)
	}
	return m.syncer("").Sync(ctx, client.SyncOptions{AllowDeletes: r.HeldDeletes(), AllowChanges: changes - r.HeldDeletes()})
}

// syncAllowing runs one sync that holds nothing in the end.
func (m *member) syncAllowing(t testing.TB, o client.SyncOptions) *client.Report {
	t.Helper()
	r, err := m.syncer("").Sync(t.Context(), o)
	if err != nil || !r.Proven || len(r.Held) > 0 {
		t.Fatalf("sync: proven %t, held %v, %v\nnotices: %q", r.Proven, r.Held, err, r.Notices)
	}
	return r
}

// allow runs one sync that carries out so many held deletes.
func (m *member) allow(t testing.TB, deletes int) *client.Report {
	t.Helper()
	return m.syncAllowing(t, client.SyncOptions{AllowDeletes: deletes})
}

// holds runs one sync, which must hold so many ops of one kind.
func (m *member) holds(t testing.TB, o client.SyncOptions, kind msync.Kind, why msync.Danger, n int) *client.Report {
	t.Helper()
	r, err := m.syncer("").Sync(t.Context(), o)
	if err != nil || len(r.Held) != 1 || r.Held[0].Kind != kind || r.Held[0].Why != why || len(r.Held[0].Paths) != n || r.Held[0].ID == "" {
		t.Fatalf("held %v, %v; want %s of %d: %s", r.Held, err, kind, n, why)
	}
	return r
}

// flat makes a team of two that have so many entries side by side.
func flat(t *testing.T, n int) (tm *team, a, b *member) {
	t.Helper()
	files := map[string]string{}
	for i := range n {
		files[entryName(i)] = fmt.Sprintf("entry %d\n", i)
	}
	return together(t, files)
}

func entryName(n int) string { return fmt.Sprintf("entry-%03d.md", n) }

func (m *member) removeEntries(t testing.TB, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		m.remove(t, entryName(n))
	}
}

// S01 and F28: a folder that is empty, as a disk that is not mounted leaves it,
// deletes nothing.
func TestScenario_S01_F28_EmptyRoot(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 50)
	aside := filepath.Join(a.home, "aside")
	must(t, os.Rename(a.tree(), aside))
	mkdir(t, a.tree())
	if _, err := a.try(t.Context()); !errors.Is(err, client.ErrMarker) || !strings.Contains(err.Error(), "marker") {
		t.Errorf("%v, want that the marker is missing", err)
	}
	if got := tm.served(t); len(got) != 50 || tm.deletesOf(t) > 0 || len(a.files(t)) > 0 {
		t.Errorf("the server has %d entries, want 50; the tree has %d files", len(got), len(a.files(t)))
	}
	must(t, os.Remove(a.tree()))
	must(t, os.Rename(aside, a.tree()))
	a.sync(t)
	tm.equal(t, a)
}

// S02: without its marker a tree is nobody's, until it is linked anew.
func TestScenario_S02_MarkerMissing(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 50)
	b.write(t, "new.md", "new\n")
	b.sync(t)
	a.removeEntries(t, 0, 3)
	a.write(t, "mine.md", "mine\n")
	must(t, os.Remove(filepath.Join(a.tree(), ".teammem")))
	if _, err := a.try(t.Context()); !errors.Is(err, client.ErrMarker) {
		t.Errorf("%v, want that the marker is missing", err)
	}
	if len(a.files(t)) != 48 || len(tm.served(t)) != 51 {
		t.Errorf("%d files, %d entries; want that nothing moved", len(a.files(t)), len(tm.served(t)))
	}
	a.relink(t, true)
	a.sync(t)
	if len(tm.served(t)) != 52 || tm.deletesOf(t) > 0 {
		t.Errorf("%d entries, want 52", len(tm.served(t)))
	}
	tm.equal(t, a)
}

// S03: more deletes than anybody makes wait for a word, and for the right number.
func TestScenario_S03_MassDeleteHere(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 40)
	a.removeEntries(t, 0, 30)
	a.write(t, "new.md", "new\n")
	first := a.holds(t, syncOnce, msync.DeleteRemote, msync.MassDelete, 30)
	if got := tm.served(t); len(got) != 41 || got["new.md"] != "new\n" {
		t.Errorf("the server has %d entries, want all 40 and the new one", len(got))
	}
	for _, o := range []client.SyncOptions{{DryRun: true}, {AllowDeletes: 29}, {AllowDeletes: 31}, {AllowChanges: 30}} {
		if r := a.holds(t, o, msync.DeleteRemote, msync.MassDelete, 30); r.Held[0].ID != first.Held[0].ID {
			t.Errorf("the hold is %s, and was %s", r.Held[0].ID, first.Held[0].ID)
		}
	}
	b.sync(t)
	tm.equal(t, b)

	a.allow(t, 30)
	if got := len(tm.served(t)); got != 11 {
		t.Errorf("the server has %d entries, want 11", got)
	}
	a.remove(t, entryName(30))
	a.holds(t, syncOnce, msync.DeleteRemote, msync.MassDelete, 1)
	a.allow(t, 1)
	tm.equal(t, a)
}

// S04, the member's half: what others deleted is held too, and what is edited
// meanwhile lives on.
func TestScenario_S04_MassDeleteThere(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 40)
	b.removeEntries(t, 0, 30)
	b.allow(t, 30)
	b.write(t, "new.md", "new\n")
	b.sync(t)
	a.holds(t, syncOnce, msync.DeleteLocal, msync.MassDelete, 30)
	if got := a.files(t); len(got) != 41 || got["new.md"] != "new\n" {
		t.Errorf("%d files, want all 40 and the new one", len(got))
	}
	a.write(t, entryName(0), "edited by ann\n")
	a.holds(t, syncOnce, msync.DeleteLocal, msync.MassDelete, 29)
	a.allow(t, 29)
	if got := a.files(t); len(got) != 12 || a.kept(t, "entry 1\n") != "trash" {
		t.Errorf("%d files, want 12, and the others in the trash", len(got))
	}
	b.sync(t)
	tm.equal(t, a, b)
}

// S04, the other answer: what others deleted is shared again.
func TestScenario_S04_OfferedAgain(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 10)
	b.removeEntries(t, 0, 6)
	b.allow(t, 6)
	a.holds(t, syncOnce, msync.DeleteLocal, msync.MassDelete, 6)
	a.syncAllowing(t, client.SyncOptions{RestoreHeld: true})
	if got := tm.served(t); len(got) != 10 || len(a.files(t)) != 10 {
		t.Errorf("%d entries and %d files, want 10", len(got), len(a.files(t)))
	}
	b.sync(t)
	tm.equal(t, a, b)
	if r := a.sync(t); len(r.Done) > 0 {
		t.Errorf("one more sync did %v", r.Done)
	}
}

// S05 and F27: a new computer receives, and deletes nothing, wherever its first
// runs are cut off.
func TestScenario_S05_F27_FreshClient(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 12)
	want := len(tm.served(t))
	c := tm.join(t, "cem")
	for cut := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		var requests atomic.Int32
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if int(requests.Add(1)) > cut {
				cancel()
			}
			next.ServeHTTP(w, r)
		})
		_, _ = c.try(ctx) // however it ends
		cancel()
		tm.between(nil)
		if got := len(tm.served(t)); got != want {
			t.Errorf("cut %d: the server has %d entries, want %d", cut, got, want)
		}
	}
	for _, d := range c.sync(t).Done {
		if d.Kind != msync.Download && d.Kind != msync.Adopt {
			t.Errorf("%s %s, want nothing but downloads", d.Kind, d.Path)
		}
	}
	tm.equal(t, a, c)
}

// S06: right after a download there is nothing to do.
func TestScenario_S06_PlanAfterDownload(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 100)
	c := tm.join(t, "cem")
	s := c.syncer("")
	for _, o := range []client.SyncOptions{{}, {DryRun: true}, {DryRun: true, Verify: true}} {
		r, err := s.Sync(t.Context(), o)
		if err != nil || o.DryRun && (r.Pending != 0 || len(r.Done)+len(r.Held) != 0) {
			t.Errorf("pending %d, held %v, %v", r.Pending, r.Held, err)
		}
	}
	tm.equal(t, a, c)
}

// S16: a file that a power cut left without a byte is never sent, and gets its
// text back once nobody can be writing it.
func TestScenario_S16_EmptyFile(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "text\n", "b.md": "text too\n", "none.md": ""})
	before, err := tm.store.Head(t.Context(), tm.project.ID)
	must(t, err)
	b.write(t, "a.md", "")
	b.write(t, "b.md", " \n\t\n")
	r := b.sync(t)
	if got := refused(r); got["a.md"] != memory.CodeSuspectEmpty || got["b.md"] != memory.CodeSuspectEmpty || len(got) != 2 || !r.NewRefusals() {
		t.Errorf("refused %v", got)
	}
	if r := b.sync(t); r.NewRefusals() || len(r.Refused) != 2 || len(r.Done) != 0 {
		t.Errorf("a second run: refused %v, did %v", refused(r), r.Done)
	}
	b.now = func() time.Time { return time.Now().Add(11 * time.Second) }
	if r := b.sync(t); len(r.Done) != 1 || len(r.Refused) != 1 || b.kept(t, "text\n") != "" {
		t.Errorf("did %v, refused %v", r.Done, refused(r))
	}
	has(t, b, map[string]string{"a.md": "text\n", "b.md": " \n\t\n", "none.md": ""})
	if after, err := tm.store.Head(t.Context(), tm.project.ID); err != nil || after != before {
		t.Errorf("the server is at %v, was at %v: %v", after, before, err)
	}

	b.syncAllowing(t, client.SyncOptions{AllowEmpty: true})
	a.sync(t)
	tm.equal(t, a, b)
	if got := tm.served(t)["b.md"]; got != " \n\t\n" {
		t.Errorf("the server has %q, want what was meant", got)
	}
}

// S50: an agent that clears out its memory does not clear out the team's.
func TestScenario_S50_AgentDeletes(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 60)
	a.removeEntries(t, 0, 23)
	a.holds(t, syncOnce, msync.DeleteRemote, msync.MassDelete, 23)
	a.syncAllowing(t, client.SyncOptions{RestoreHeld: true})
	if got := len(tm.served(t)); got != 60 {
		t.Errorf("the server has %d entries, want 60", got)
	}
	tm.equal(t, a, b)
	a.remove(t, entryName(1))
	a.sync(t)
	tm.equal(t, a)
}

// F22: what the server never had is no entry that was deleted there.
func TestField_F22_NotYetPushed(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 2)
	tm.between(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusBadGateway) })
	a.write(t, "new.md", "new\n")
	if _, err := a.try(t.Context()); err == nil {
		t.Error("a run without the server ended well")
	}
	tm.between(nil)
	a.sync(t)
	b.sync(t)
	tm.equal(t, a, b)
	if got := b.files(t)["new.md"]; got != "new\n" {
		t.Errorf("the new file reads %q", got)
	}
}

// A trickle counts as what it adds up to, for an hour of the server's.
func TestGuard_Trickle(t *testing.T) {
	t.Parallel()
	tm, a, _ := flat(t, 12)
	later := func(by time.Duration) {
		tm.ahead.Store(int64(by))
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			w.Header().Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
			next.ServeHTTP(w, r)
		})
	}
	later(0)
	for n := range 5 {
		a.remove(t, entryName(n))
		a.sync(t)
	}
	later(30 * time.Minute)
	a.remove(t, entryName(5))
	a.holds(t, syncOnce, msync.DeleteRemote, msync.MassDelete, 1)
	later(2 * time.Hour) // what is held stays so
	a.holds(t, syncOnce, msync.DeleteRemote, msync.MassDelete, 1)
	a.syncAllowing(t, client.SyncOptions{RestoreHeld: true})
	a.remove(t, entryName(5))
	a.sync(t)
	if got := len(tm.served(t)); got != 6 {
		t.Errorf("the server has %d entries, want 6", got)
	}
}

// An emptied folder is held, also when a team-mate puts something into it.
func TestGuard_EmptiedFolder(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a/x.md": "x\n", "a/y.md": "y\n", "b.md": "b\n", "c.md": "c\n"})
	must(t, os.RemoveAll(filepath.Join(a.tree(), "a")))
	a.remove(t, "b.md")
	a.holds(t, syncOnce, msync.DeleteRemote, msync.EmptiedFolder, 2)
	b.write(t, "a/new.md", "new\n")
	b.sync(t)
	a.holds(t, syncOnce, msync.DeleteRemote, msync.EmptiedFolder, 2)
	has(t, a, map[string]string{"a/new.md": "new\n", "c.md": "c\n"})
	a.allow(t, 2)
	b.sync(t)
	tm.equal(t, a, b)
}

// That every file changed at once is no edit, whatever comes from others.
func TestGuard_AllChanged(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 5)
	b.write(t, "new.md", "new\n")
	b.sync(t)
	for n := range 5 {
		a.write(t, entryName(n), "garbled\n")
	}
	a.holds(t, syncOnce, msync.Upload, msync.AllChanged, 5)
	a.holds(t, client.SyncOptions{AllowDeletes: 5}, msync.Upload, msync.AllChanged, 5)
	a.write(t, entryName(0), "entry 0\n")
	a.holds(t, syncOnce, msync.Upload, msync.AllChanged, 4)
	if tm.served(t)[entryName(1)] != "entry 1\n" || a.files(t)["new.md"] != "new\n" {
		t.Error("a held text was sent, or the team-mate's did not come")
	}
	a.syncAllowing(t, client.SyncOptions{AllowChanges: 4})
	b.sync(t)
	tm.equal(t, a, b)
}
