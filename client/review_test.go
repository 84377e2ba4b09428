package client_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// reviewed is a team in which a reviewer, who has no tree, decides on
// everything.
type reviewed struct {
	*team

	reviewer memory.Principal
}

func newReviewed(t testing.TB) reviewed {
	t.Helper()
	tm := newTeamWith(t, memory.Limits{}, memory.PresetStrict)
	rita, err := tm.service.AddMember(t.Context(), root(), "rita", true)
	must(t, err)
	return reviewed{tm, memory.Principal{
		Member: rita.ID, Name: rita.Name, Admin: true, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeReview},
	}}
}

// pending returns what waits, by path.
func (tm reviewed) pending(t testing.TB) map[string]memory.Proposal {
	t.Helper()
	all, err := tm.service.Proposals(t.Context(), tm.reviewer, tm.project.ID, memory.ProposalQuery{State: memory.ProposalPending})
	must(t, err)
	byPath := map[string]memory.Proposal{}
	for _, p := range all {
		if _, twice := byPath[p.Path.String()]; twice {
			t.Fatalf("two proposals wait for %s", p.Path)
		}
		byPath[p.Path.String()] = p
	}
	return byPath
}

// proposed returns the only thing that waits, which is about the path.
func (tm reviewed) proposed(t testing.TB, path string) memory.Proposal {
	t.Helper()
	all := tm.pending(t)
	p, ok := all[path]
	if !ok || len(all) != 1 {
		t.Fatalf("%v wait, want %s alone", all, path)
	}
	return p
}

func (tm reviewed) approve(t testing.TB, paths ...string) {
	t.Helper()
	for _, path := range paths {
		p := tm.pending(t)[path]
		_, err := tm.service.Approve(t.Context(), tm.reviewer, tm.project.ID, p.ID, memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev})
		must(t, err)
	}
}

func (tm reviewed) reject(t testing.TB, path string, reason memory.Reason, note string) {
	t.Helper()
	p := tm.pending(t)[path]
	_, err := tm.service.Reject(t.Context(), tm.reviewer, tm.project.ID, p.ID, memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev}, reason, note)
	must(t, err)
}

// seeded brings files to all members, as approved.
func (tm reviewed) seeded(t testing.TB, files map[string]string, members ...*member) {
	t.Helper()
	for path, text := range files {
		members[0].write(t, path, text)
	}
	members[0].sync(t)
	for path := range files {
		tm.approve(t, path)
	}
	for _, m := range members {
		m.sync(t)
	}
	tm.equal(t, members...)
}

// waits returns what a report lists, as "path state".
func waits(all []client.Waiting) []string {
	lines := []string{}
	for _, w := range all {
		lines = append(lines, w.Path.String()+" "+string(w.State))
	}
	return lines
}

func (m *member) waits(t testing.TB, r *client.Report, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), waits(r.Waiting)); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(waits(r.Waiting), waits(m.known(t).Waiting)); diff != "" {
		t.Errorf("what is known differs from the report (-report +known):\n%s", diff)
	}
}

// has fails unless the member's tree has just these files.
func (m *member) has(t testing.TB, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, m.files(t)); diff != "" {
		t.Errorf("the tree of %s (-want +got):\n%s", m.id.Name, diff)
	}
}

// A new file waits, stays as it is, and is not sent again; once it is approved
// it is everybody's, and nothing is left to tell.
func TestReview_Create(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "x.md", "ann's\n")
	r := a.sync(t)
	a.waits(t, r, "x.md pending")
	p := tm.proposed(t, "x.md")
	if w := r.Waiting[0]; w.Proposal != p.ID || w.Action != memory.ActionPut || !w.At.Equal(p.At) || w.New || r.NewRefusals() {
		t.Errorf("waiting is %+v, the proposal %+v", w, p)
	}
	if r = a.sync(t); r.Requests != 2 || len(r.Done) != 0 {
		t.Errorf("%d requests and %v while it waits, want 2 and nothing", r.Requests, r.Done)
	}
	a.waits(t, r, "x.md pending")
	b.waits(t, b.sync(t))
	b.has(t, map[string]string{})

	tm.approve(t, "x.md")
	a.waits(t, a.sync(t))
	b.waits(t, b.sync(t))
	a.has(t, map[string]string{"x.md": "ann's\n"})
	tm.equal(t, a, b)
	if r = a.sync(t); r.Requests != 1 {
		t.Errorf("%d requests when nothing waits, want 1", r.Requests)
	}
	if got := byAuthor(b.known(t)); got["x.md"] != "ann" {
		t.Errorf("authors %v", got)
	}
}

// What a reviewer said no to stays as it is, is listed with who, why and when,
// and is sent again once it says something else.
func TestReview_Reject(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"old.md": "old\n"}, a, b)
	a.write(t, "new.md", "new\n")
	a.write(t, "old.md", "edited\n")
	a.waits(t, a.sync(t), "new.md pending", "old.md pending")
	tm.reject(t, "new.md", memory.ReasonOther, "not for all of us")
	tm.reject(t, "old.md", memory.ReasonOutdated, "")

	r := a.sync(t)
	a.waits(t, r, "new.md rejected", "old.md rejected")
	w := r.Waiting[0]
	if w.By != "rita" || w.Reason != memory.ReasonOther || w.Note != "not for all of us" || w.At.IsZero() || !w.New || !r.NewRefusals() {
		t.Errorf("the rejection reads %+v", w)
	}
	for range 2 {
		r = a.sync(t)
		a.waits(t, r, "new.md rejected", "old.md rejected")
		if r.NewRefusals() || r.Requests != 1 || len(r.Done) != 0 {
			t.Errorf("a later run: news %t, %d requests, did %v", r.NewRefusals(), r.Requests, r.Done)
		}
	}
	st, err := a.syncer("").Status(t.Context(), false)
	must(t, err)
	a.waits(t, &st.Report, "new.md rejected", "old.md rejected")
	if len(tm.pending(t)) != 0 {
		t.Errorf("%v wait, want nothing", tm.pending(t))
	}
	a.has(t, map[string]string{"new.md": "new\n", "old.md": "edited\n"})

	a.write(t, "new.md", "new, for all of us\n")
	a.write(t, "old.md", "old\n") // reverted
	a.waits(t, a.sync(t), "new.md pending")
	tm.approve(t, "new.md")
	a.waits(t, a.sync(t))
	b.sync(t)
	tm.equal(t, a, b)
}

// Another text takes the place of the one that waits; the text from before
// comes back as a new proposal.
func TestReview_EditedWhileItWaits(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"old.md": "old\n"}, a, b)
	for _, text := range []string{"1\n", "2\n", "1\n"} {
		a.write(t, "old.md", text)
		a.write(t, "new.md", "new "+text)
		a.waits(t, a.sync(t), "new.md pending", "old.md pending")
	}
	if len(tm.pending(t)) != 2 {
		t.Errorf("%v wait", tm.pending(t))
	}
	tm.approve(t, "old.md", "new.md")
	a.waits(t, a.sync(t))
	b.sync(t)
	tm.equal(t, a, b)
	b.has(t, map[string]string{"old.md": "1\n", "new.md": "new 1\n"})
}

// Edited again, but not synced before the reviewer approved: that is an edit of
// what was approved, and no conflict, whatever a team-mate did on top of it.
func TestReview_ApprovedBehindAnEdit(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]string{"edited": "third\n", "as approved": "second\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newReviewed(t)
			a, b := tm.join(t, "ann"), tm.join(t, "ben")
			tm.seeded(t, map[string]string{"old.md": "first\n"}, a, b)
			a.write(t, "old.md", "second\n")
			a.write(t, "new.md", "second\n")
			a.sync(t)
			a.write(t, "old.md", edit)
			a.write(t, "new.md", edit)
			tm.approve(t, "old.md", "new.md")
			r := a.sync(t)
			if len(r.Conflicts) != 0 {
				t.Errorf("conflicts %v", r.Conflicts)
			}
			a.has(t, map[string]string{"old.md": edit, "new.md": edit})
			if edit == "second\n" {
				a.waits(t, r)
				return
			}
			a.waits(t, r, "new.md pending", "old.md pending")
			b.sync(t)
			b.write(t, "new.md", "ben's\n")
			b.sync(t)
		})
	}
}

// A team-mate's newer text over ours, which was approved, just arrives.
func TestReview_ApprovedAndEditedByAnother(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"old.md": "first\n"}, a, b)
	a.write(t, "old.md", "ann's\n")
	a.sync(t)
	tm.approve(t, "old.md")
	b.sync(t)
	b.write(t, "old.md", "ben's over ann's\n")
	b.sync(t)
	tm.approve(t, "old.md")
	if r := a.sync(t); len(r.Conflicts) != 0 {
		t.Errorf("conflicts %v", r.Conflicts)
	}
	b.sync(t)
	tm.equal(t, a, b)
	b.has(t, map[string]string{"old.md": "ben's over ann's\n"})
}

// What the member takes back is withdrawn: a new file that goes, an edit that is
// reverted, a delete and a rename that are undone.
func TestReview_Withdraw(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	files := map[string]string{"edited.md": "1\n", "deleted.md": "2\n", "renamed.md": "3\n", "kept.md": "4\n"}
	tm.seeded(t, files, a, b)
	a.write(t, "new.md", "new\n")
	a.write(t, "edited.md", "edited\n")
	a.remove(t, "deleted.md")
	a.rename(t, "renamed.md", "sub/other.md")
	a.waits(t, a.sync(t), "deleted.md pending", "edited.md pending", "new.md pending", "sub/other.md pending")
	if len(tm.pending(t)) != 4 {
		t.Fatalf("%v wait, want 4", tm.pending(t))
	}
	b.sync(t)
	b.has(t, files)

	a.remove(t, "new.md")
	a.write(t, "edited.md", "1\n")
	a.write(t, "deleted.md", "2\n")
	a.rename(t, "sub/other.md", "renamed.md")
	a.waits(t, a.sync(t))
	if got := tm.pending(t); len(got) != 0 {
		t.Errorf("%v wait, want nothing", got)
	}
	a.has(t, files)
	tm.equal(t, a, b)
	if r := a.sync(t); r.Requests != 1 {
		t.Errorf("%d requests afterwards, want 1", r.Requests)
	}
}

// A delete and a rename wait without coming back in between, and are everybody's
// once they are approved.
func TestReview_DeleteAndRename(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"gone.md": "gone\n", "old.md": "text\n", "kept.md": "kept\n"}, a, b)
	a.remove(t, "gone.md")
	a.rename(t, "old.md", "new.md")
	mine := map[string]string{"new.md": "text\n", "kept.md": "kept\n"}
	for range 3 {
		r := a.sync(t)
		a.waits(t, r, "gone.md pending", "new.md pending")
		a.has(t, mine)
	}
	b.sync(t)
	tm.equal(t, b)
	tm.approve(t, "gone.md", "new.md")
	a.waits(t, a.sync(t))
	b.sync(t)
	a.has(t, mine)
	tm.equal(t, a, b)
}

// A delete that was rejected brings the entry back, and a rename goes back; both
// are told, also to those who look later. Who insists may ask again.
func TestReview_RejectDeleteAndRename(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	files := map[string]string{"gone.md": "gone\n", "old.md": "text\n", "kept.md": "kept\n"}
	tm.seeded(t, files, a, b)
	for round := range 2 {
		a.remove(t, "gone.md")
		a.rename(t, "old.md", "new.md")
		a.waits(t, a.sync(t), "gone.md pending", "new.md pending")
		tm.reject(t, "gone.md", memory.ReasonWrong, "we need it")
		tm.reject(t, "new.md", memory.ReasonShape, "")
		st, err := a.syncer("").Status(t.Context(), false)
		must(t, err)
		if st.Pending != 2 {
			t.Errorf("round %d: status plans %v", round, st.Done)
		}
		r := a.sync(t)
		a.waits(t, r, "gone.md rejected", "new.md rejected")
		if !r.NewRefusals() || len(r.Notices) < 2 {
			t.Errorf("round %d: news %t, notices %q", round, r.NewRefusals(), r.Notices)
		}
		a.has(t, files)
		r = a.sync(t)
		a.waits(t, r, "gone.md rejected", "new.md rejected")
		if r.NewRefusals() || len(r.Done) != 0 || r.Requests != 1 {
			t.Errorf("round %d, later: news %t, did %v in %d requests", round, r.NewRefusals(), r.Done, r.Requests)
		}
	}
	info, err := os.Stat(filepath.Join(a.tree(), "gone.md"))
	must(t, err)
	if at := entryAt(a.known(t).Entries, "gone.md").At; !info.ModTime().Equal(at) {
		t.Errorf("what came back is of %s, its revision of %s", info.ModTime(), at)
	}
	later := time.Now().Add(8 * 24 * time.Hour)
	a.now = func() time.Time { return later }
	a.waits(t, a.sync(t))
	b.sync(t)
	tm.equal(t, a, b)
}

// A name that a team-mate's entry took while a rename waited: the rename is
// undone and withdrawn, and the other entry arrives.
func TestReview_RenameIsTaken(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"old.md": "text\n"}, a, b)
	a.rename(t, "old.md", "new.md")
	a.sync(t)
	b.write(t, "new.md", "ben's\n")
	b.sync(t)
	for _, p := range mustList(t, tm) {
		if p.Creates {
			_, err := tm.service.Approve(t.Context(), tm.reviewer, tm.project.ID, p.ID, memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev})
			must(t, err)
		}
	}
	a.waits(t, a.sync(t))
	b.sync(t)
	tm.equal(t, a, b)
	a.has(t, map[string]string{"old.md": "text\n", "new.md": "ben's\n"})
	if left := mustList(t, tm); len(left) != 0 {
		t.Errorf("%v wait, want nothing", left)
	}
}

func mustList(t testing.TB, tm reviewed) []memory.Proposal {
	t.Helper()
	all, err := tm.service.Proposals(t.Context(), tm.reviewer, tm.project.ID, memory.ProposalQuery{State: memory.ProposalPending})
	must(t, err)
	return all
}

// The head moves while a change waits: an edit becomes a conflict, a delete is
// off, a rename goes on over the new text. No text is lost.
func TestReview_HeadMoves(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"edited.md": "1\n", "deleted.md": "2\n", "renamed.md": "3\n", "gone.md": "4\n", "moved.md": "5\n"}, a, b)
	a.write(t, "edited.md", "ann's\n")
	a.remove(t, "deleted.md")
	a.rename(t, "renamed.md", "new.md")
	a.write(t, "gone.md", "ann's too\n")
	a.write(t, "moved.md", "ann's as well\n")
	a.sync(t)
	b.write(t, "edited.md", "ben's\n")
	b.write(t, "deleted.md", "ben's\n")
	b.write(t, "renamed.md", "ben's\n")
	b.remove(t, "gone.md")
	b.rename(t, "moved.md", "by-ben.md")
	b.sync(t)
	for _, p := range mustList(t, tm) {
		if p.Author.Name == "ben" {
			_, err := tm.service.Approve(t.Context(), tm.reviewer, tm.project.ID, p.ID, memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev})
			must(t, err)
		}
	}
	for range 2 {
		r := a.sync(t)
		a.waits(t, r, "by-ben.md pending", "gone.md pending", "new.md pending")
		if len(r.Conflicts) != 1 || a.kept(t, "ann's\n") != "conflicts" {
			t.Errorf("conflicts %v", r.Conflicts)
		}
		a.has(t, map[string]string{
			"edited.md": "ben's\n", "deleted.md": "ben's\n", "new.md": "ben's\n", "gone.md": "ann's too\n", "by-ben.md": "ann's as well\n",
		})
	}
	if got := tm.pending(t); len(got) != 3 {
		t.Errorf("%v wait, want the rename and two texts", got)
	}
	tm.approve(t, "new.md", "gone.md", "by-ben.md")
	a.waits(t, a.sync(t))
	b.sync(t)
	tm.equal(t, a, b)
}

// The index is merged while it waits: the merged text waits instead. Once a
// reviewer said no, team-mates' lines still arrive, and the text is not offered
// again because of them.
func TestReview_IndexMerges(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"MEMORY.md": "- [one](one.md)\n"}, a, b)
	approveBens := func() {
		b.sync(t)
		for _, p := range mustList(t, tm) {
			if p.Author.Name == "ben" {
				_, err := tm.service.Approve(t.Context(), tm.reviewer, tm.project.ID, p.ID, memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev})
				must(t, err)
			}
		}
		b.sync(t)
	}
	a.write(t, "MEMORY.md", "- [one](one.md)\n- [ann](ann.md)\n")
	a.sync(t)
	b.write(t, "MEMORY.md", "- [one](one.md)\n- [ben](ben.md)\n")
	approveBens()
	for range 2 {
		a.waits(t, a.sync(t), "MEMORY.md pending")
	}
	merged := a.files(t)["MEMORY.md"]
	for _, line := range []string{"one.md", "ann.md", "ben.md"} {
		if strings.Count(merged, line) != 1 {
			t.Errorf("%s is not once in\n%s", line, merged)
		}
	}
	if p := tm.proposed(t, "MEMORY.md"); p.Sum != memory.Sum([]byte(merged)) {
		t.Error("what waits is not what is in the tree")
	}

	tm.reject(t, "MEMORY.md", memory.ReasonDerivable, "")
	a.waits(t, a.sync(t), "MEMORY.md rejected")
	b.write(t, "MEMORY.md", b.files(t)["MEMORY.md"]+"- [more](more.md)\n")
	approveBens()
	for range 2 {
		a.waits(t, a.sync(t), "MEMORY.md rejected")
	}
	if got := a.files(t)["MEMORY.md"]; !strings.Contains(got, "more.md") || !strings.Contains(got, "ann.md") {
		t.Errorf("the tree has\n%s", got)
	}
	if got := mustList(t, tm); len(got) != 0 {
		t.Errorf("%v wait, want nothing", got)
	}
	a.write(t, "MEMORY.md", b.files(t)["MEMORY.md"])
	a.waits(t, a.sync(t))
	tm.equal(t, a, b)
}

// What another computer of the member's did to a proposal: the same text there
// is the same proposal, and another text or a withdrawal is not undone by the
// next run here.
func TestReview_OtherComputer(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a := tm.join(t, "ann")
	tm.seeded(t, map[string]string{"x.md": "x\n", "y.md": "y\n"}, a)
	second := newMember(t, tm.url, a.id.Token)
	second.team = tm.team
	second.sync(t)
	a.write(t, "x.md", "edited\n")
	second.write(t, "x.md", "edited\n")
	a.waits(t, a.sync(t), "x.md pending")
	second.waits(t, second.sync(t), "x.md pending")
	tm.proposed(t, "x.md")

	second.write(t, "x.md", "edited there\n")
	second.waits(t, second.sync(t), "x.md pending")
	for range 2 {
		a.waits(t, a.sync(t), "x.md superseded")
		second.waits(t, second.sync(t), "x.md pending")
	}
	second.write(t, "x.md", "x\n")
	second.waits(t, second.sync(t))
	a.write(t, "x.md", "edited here\n")
	a.waits(t, a.sync(t), "x.md pending")
	must(t, a.http.Withdraw(t.Context(), tm.project.ID, tm.proposed(t, "x.md").ID))
	for range 2 {
		a.waits(t, a.sync(t), "x.md withdrawn")
	}
	if got := tm.pending(t); len(got) != 0 {
		t.Errorf("%v wait, want nothing", got)
	}
	a.has(t, map[string]string{"x.md": "edited here\n", "y.md": "y\n"})
}

// A tree from a backup takes nothing back, and a file that cannot be read
// neither.
func TestReview_UnknownIsNotTakenBack(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a := tm.join(t, "ann")
	tm.seeded(t, map[string]string{"old.md": "old\n"}, a)
	backup := filepath.Join(a.home, "backup")
	must(t, os.CopyFS(backup, os.DirFS(a.tree())))
	a.write(t, "new.md", "new\n")
	a.write(t, "old.md", "edited\n")
	a.sync(t)
	must(t, os.Remove(filepath.Join(a.tree(), "new.md")))
	must(t, os.Symlink("old.md", filepath.Join(a.tree(), "new.md")))
	r := a.sync(t)
	a.waits(t, r, "new.md pending", "old.md pending")

	must(t, os.RemoveAll(a.tree()))
	must(t, os.CopyFS(a.tree(), os.DirFS(backup)))
	must(t, os.Chmod(a.tree(), 0o700))
	a.sync(t)
	a.sync(t)
	if got := tm.pending(t); len(got) != 2 {
		t.Errorf("%v wait, want both", got)
	}
	tm.approve(t, "new.md", "old.md")
	a.sync(t)
	tm.equal(t, a)
}

// A lost index costs no text, and makes no second proposal.
func TestReview_LostIndex(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a := tm.join(t, "ann")
	tm.seeded(t, map[string]string{"old.md": "old\n"}, a)
	a.write(t, "new.md", "new\n")
	a.write(t, "old.md", "edited\n")
	a.sync(t)
	must(t, os.Remove(a.index()))
	a.waits(t, a.sync(t), "new.md pending")
	if len(tm.pending(t)) != 2 {
		t.Errorf("%v wait, want the same two", tm.pending(t))
	}
	if a.files(t)["old.md"] != "edited\n" && a.kept(t, "edited\n") != "conflicts" {
		t.Errorf("the edit is in %q", a.kept(t, "edited\n"))
	}
	tm.approve(t, "new.md", "old.md")
	a.waits(t, a.sync(t))
	tm.equal(t, a)
}

// A run may be cut off before any request: the next one ends in sync, with the
// same proposals, and every text is where it was.
func TestReview_CrashAtEveryRequest(t *testing.T) {
	t.Parallel()
	for cut := 1; ; cut++ {
		tm := newReviewed(t)
		a, b := tm.join(t, "ann"), tm.join(t, "ben")
		tm.seeded(t, map[string]string{"edited.md": "1\n", "deleted.md": "2\n", "renamed.md": "3\n", "MEMORY.md": "- [one](one.md)\n"}, a, b)
		a.write(t, "new.md", "new\n")
		a.write(t, "edited.md", "first\n")
		a.sync(t)
		a.write(t, "edited.md", "edited\n")
		a.remove(t, "deleted.md")
		a.rename(t, "renamed.md", "other.md")
		a.write(t, "MEMORY.md", "- [one](one.md)\n- [ann](ann.md)\n")
		want := a.files(t)
		var requests atomic.Int32
		before, err := os.ReadFile(a.index())
		must(t, err)
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if int(requests.Add(1)) > cut {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
		_, err = a.try(t.Context())
		tm.between(nil)
		if cut%2 == 0 { // as if the process had died before it wrote the index
			must(t, os.WriteFile(a.index(), before, 0o600))
		}
		a.waits(t, a.sync(t), "MEMORY.md pending", "deleted.md pending", "edited.md pending", "new.md pending", "other.md pending")
		a.has(t, want)
		if got := tm.pending(t); len(got) != 5 || got["edited.md"].Sum != memory.Sum([]byte("edited\n")) {
			t.Errorf("cut %d: %v wait", cut, got)
		}
		if err == nil {
			return
		}
	}
}
