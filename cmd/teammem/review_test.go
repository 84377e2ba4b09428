package main

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize/secrets"
	"github.com/teammem/teammem/store"
)

// reviewer decides on the same database as the server, as the console does.
type reviewer struct {
	service *memory.Service
	who     memory.Principal
	project memory.ProjectID
}

// review makes the project strict, and gives it a reviewer.
func (tm *team) review(t *testing.T) reviewer {
	t.Helper()
	tm.must(t, append(tm.admin, "project", "set", "acme/app", "--review", "strict")...)
	tm.must(t, append(tm.admin, "member", "add", "rita")...)
	tm.must(t, append(tm.admin, "role", "set", "--project", "acme/app", "--member", "rita", "--role", "reviewer")...)
	return tm.inPerson(t, "rita")
}

// inPerson is a member who is signed in to the console.
func (tm *team) inPerson(t *testing.T, name string) reviewer {
	t.Helper()
	s, err := store.Open(t.Context(), tm.database, store.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	scanner, err := secrets.New()
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.MemberByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	projects, err := s.Projects(t.Context(), "acme/app", "")
	if err != nil {
		t.Fatal(err)
	}
	return reviewer{
		memory.NewService(s, scanner, api.NewHub(), time.Now, memory.Limits{}),
		memory.Principal{Member: m.ID, Name: m.Name, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview}},
		projects[0].ID,
	}
}

// pending returns what waits, by path.
func (r reviewer) pending(t *testing.T) map[string]memory.Proposal {
	t.Helper()
	all := map[string]memory.Proposal{}
	q := memory.ProposalQuery{State: memory.ProposalPending}
	for {
		page, err := r.service.Proposals(t.Context(), r.who, r.project, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		for _, p := range page {
			all[p.Path.String()] = p
			q.After = memory.ProposalCursor{At: p.At, ID: p.ID}
		}
	}
}

func (r reviewer) approve(t *testing.T, paths ...string) {
	t.Helper()
	all := r.pending(t)
	for _, path := range paths {
		p := all[path]
		if _, err := r.service.Approve(t.Context(), r.who, r.project, p.ID, memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev}); err != nil {
			t.Fatalf("approve %s: %v", path, err)
		}
	}
}

func (r reviewer) reject(t *testing.T, path string, reason memory.Reason, note string) {
	t.Helper()
	p := r.pending(t)[path]
	if _, err := r.service.Reject(t.Context(), r.who, r.project, p.ID, memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev}, reason, note); err != nil {
		t.Fatalf("reject %s: %v", path, err)
	}
}

// tells fails unless the output has all of the texts.
func tells(t *testing.T, output string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(output, text) {
			t.Errorf("the output has no %q:\n%s", text, output)
		}
	}
}

// waitingLines returns the lines of --json about what waits, by path.
func waitingLines(t *testing.T, stdout string) map[string]waitingLine {
	t.Helper()
	all := map[string]waitingLine{}
	for line := range strings.Lines(stdout) {
		var l waitingLine
		if err := json.Unmarshal([]byte(line), &l); err == nil && l.Type == "waiting" {
			all[l.Path] = l
		}
	}
	return all
}

// A change waits without being anybody else's, and is everybody's once it was
// approved. What was rejected is told with who, why and what they said, and
// stays as it is until it changes.
func TestReview_PushApproveReject(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	rita := tm.review(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	a.write(t, "good.md", "good\n")
	a.write(t, "bad.md", "bad\n")
	r := a.sync(t, 0)
	tells(t, r.stdout, "waiting for review: bad.md\n", "waiting for review: good.md\n", "in sync with acme/app: 0 entries, and 2 changes waiting for review")
	if r.stderr != "" {
		t.Errorf("waiting is no problem, and stderr has\n%s", r.stderr)
	}
	b.sync(t, 0)
	if got := b.files(t); len(got) != 0 {
		t.Errorf("jo has %q before anything was approved", got)
	}
	lines := waitingLines(t, a.sync(t, 0, "--json").stdout)
	if l := lines["good.md"]; l.State != "pending" || l.Op != "put" || l.Proposal != string(rita.pending(t)["good.md"].ID) || !l.Known {
		t.Errorf("--json has %+v", l)
	}

	rita.approve(t, "good.md")
	rita.reject(t, "bad.md", memory.ReasonOther, "not here,\nbut in your own notes")
	r = a.sync(t, 7)
	told := "not approved: bad.md (other), by rita on " + time.Now().UTC().Format(time.DateOnly) + ": not here, but in your own notes"
	tells(t, r.stderr, told, "change the text to propose it again")
	tells(t, r.stdout, "1 entry, and 1 file not shared")
	r = a.sync(t, 0) // it is known now
	tells(t, r.stderr, told)
	a.sync(t, 7, "--strict")
	st := a.run(t, "status", a.work())
	if st.code != 0 {
		t.Errorf("status: exit %d", st.code)
	}
	tells(t, st.stderr, told)
	if l := waitingLines(t, a.must(t, "status", a.work(), "--json"))["bad.md"]; l.State != "rejected" || l.Reason != "other" || l.By != "rita" ||
		l.Note != "not here,\nbut in your own notes" || !l.Known || l.At.IsZero() {
		t.Errorf("--json has %+v", l)
	}
	if got := a.read(t, "bad.md"); got != "bad\n" {
		t.Errorf("the rejected file holds %q", got)
	}
	if got := rita.pending(t); len(got) != 0 {
		t.Errorf("%v wait: the rejected text was sent again", got)
	}
	b.sync(t, 0)
	if got := b.files(t); !maps.Equal(got, map[string]string{"good.md": "good\n"}) {
		t.Errorf("jo has %q", got)
	}

	a.write(t, "bad.md", "better\n")
	tells(t, a.sync(t, 0).stdout, "waiting for review: bad.md")
	rita.approve(t, "bad.md")
	r = a.sync(t, 0)
	tells(t, r.stdout, "in sync with acme/app: 2 entries\n")
	b.sync(t, 0)
	equalTrees(t, a, b)
	digests(t, a, b)
}

// A delete and a rename wait; rejected, they are undone and told.
func TestReview_DeleteAndRename(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	rita := tm.review(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	for _, path := range []string{"gone.md", "old.md", "other.md"} {
		a.write(t, path, path+"\n")
	}
	a.sync(t, 0)
	rita.approve(t, "gone.md", "old.md", "other.md")
	a.sync(t, 0)
	b.sync(t, 0)
	want := a.files(t)

	a.remove(t, "gone.md")
	a.rename(t, "old.md", "new.md")
	for range 2 {
		tells(t, a.sync(t, 0).stdout, "waiting for review: gone.md (delete)", "waiting for review: new.md (rename from old.md)")
	}
	b.sync(t, 0)
	if !maps.Equal(b.files(t), want) {
		t.Errorf("jo has %q", b.files(t))
	}
	rita.reject(t, "gone.md", memory.ReasonWrong, "")
	rita.reject(t, "new.md", memory.ReasonShape, "")
	r := a.sync(t, 7)
	tells(t, r.stdout, "received gone.md", "renamed new.md to old.md", "in sync with acme/app: 3 entries\n")
	tells(t, r.stderr, "not approved: gone.md (delete) (wrong), by rita", "not approved: new.md (rename from old.md) (shape), by rita",
		"the tree is as before", "gone.md is brought back: deleting it was not approved")
	if !maps.Equal(a.files(t), want) {
		t.Errorf("mara has %q", a.files(t))
	}

	a.remove(t, "gone.md")
	a.rename(t, "old.md", "new.md")
	a.sync(t, 0)
	rita.approve(t, "gone.md", "new.md")
	a.sync(t, 0)
	b.sync(t, 0)
	equalTrees(t, a, b)
	if got := b.files(t); !maps.Equal(got, map[string]string{"new.md": "old.md\n", "other.md": "other.md\n"}) {
		t.Errorf("jo has %q", got)
	}

	a.write(t, "taken-back.md", "for a moment\n")
	a.sync(t, 0)
	a.remove(t, "taken-back.md")
	tells(t, a.sync(t, 0).stderr, "taken-back.md: your proposal was withdrawn")
	if got := rita.pending(t); len(got) != 0 {
		t.Errorf("%v wait, want nothing", got)
	}
}

// The client may be killed at any time while it proposes: its tree is as it
// was, the next run ends in sync, and each change waits once.
func TestReview_Kill(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	rita := tm.review(t)
	trap := &trap{target: tm.address()}
	real := tm.url
	tm.url = trap.start(t)
	a := tm.join(t, "mara")
	tm.url = real
	rounds := 2
	if os.Getenv(soak) != "" {
		rounds = 20
	}
	const files = 450 // two pushes and a half
	for round := range rounds {
		for i := range files {
			a.write(t, fmt.Sprintf("note-%03d.md", i), fmt.Sprintf("text %d of round %d\n", i, round))
		}
		want := a.files(t)
		a.syncUntilKilled(t, trap)
		if !maps.Equal(a.files(t), want) {
			t.Fatalf("round %d: the tree changed", round)
		}
		r := a.sync(t, 0)
		tells(t, r.stdout, fmt.Sprintf("%d changes waiting for review", files), "… and 430 more waiting")
		waits := rita.pending(t)
		if len(waits) != files {
			t.Errorf("round %d: %d wait, want %d", round, len(waits), files)
		}
		for path, text := range want {
			if waits[path].Sum != memory.Sum([]byte(text)) {
				t.Errorf("round %d: what waits for %s is not what is in the tree", round, path)
			}
		}
	}
}

// What nobody asked for costs nothing: a run with nothing to do makes one
// request, also in a project in which everything is reviewed.
func TestReview_NothingWaits(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	rita := tm.review(t)
	a := tm.join(t, "mara")
	a.write(t, "x.md", "x\n")
	a.sync(t, 0)
	requests := func() int { return summaryOf(t, a.sync(t, 0, "--json").stdout).Counts["requests"] }
	if n := requests(); n != 2 {
		t.Errorf("%d requests while something waits, want 2", n)
	}
	rita.approve(t, "x.md")
	a.sync(t, 0)
	if n := requests(); n != 1 {
		t.Errorf("%d requests when nothing waits, want 1", n)
	}
}
