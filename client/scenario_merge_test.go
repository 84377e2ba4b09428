package client_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// together makes a team of two that have the same entries.
func together(t *testing.T, files map[string]string) (tm *team, a, b *member) {
	t.Helper()
	tm = newTeam(t, memory.Limits{})
	a, b = tm.join(t, "ann"), tm.join(t, "ben")
	for path, text := range files {
		a.write(t, path, text)
	}
	a.sync(t)
	b.sync(t)
	return tm, a, b
}

func has(t *testing.T, m *member, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, m.files(t)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// newest is the last revision of an entry, and whose it is.
func (m *member) newest(t *testing.T, path string) (r memory.Revision, author string) {
	t.Helper()
	known, err := m.dirs.Known(m.link)
	must(t, err)
	for _, e := range known.Entries {
		if e.Path.String() == path {
			history, err := m.http.History(t.Context(), m.link.Project, e.EntryID, 1)
			must(t, err)
			return history[0], history[0].Author.Name
		}
	}
	t.Fatalf("%s is not known", path)
	return r, ""
}

// S22: edits of different lines are merged, whoever comes first.
func TestScenario_S22_DifferentLines(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "---\nname: a\n---\ntop\nmiddle\nbottom\n"})
	a.write(t, "a.md", "---\nname: a\n---\nTOP\nmiddle\nbottom\n")
	b.write(t, "a.md", "---\nname: a\ndescription: d\n---\ntop\nmiddle\nBOTTOM\n")
	a.sync(t)
	server, _ := a.newest(t, "a.md")
	if r := b.sync(t); len(r.Conflicts) > 0 {
		t.Errorf("conflicts %v, want a merge", r.Conflicts)
	}
	if merged, author := b.newest(t, "a.md"); merged.BaseRev != server.Rev || author != "ben" {
		t.Errorf("revision %d is of %s, made from %d; want ben, and %d", merged.Rev, author, merged.BaseRev, server.Rev)
	}
	a.sync(t)
	has(t, a, map[string]string{"a.md": "---\nname: a\ndescription: d\n---\nTOP\nmiddle\nBOTTOM\n"})
	tm.equal(t, a, b)
	if r := b.sync(t); len(r.Done) > 0 {
		t.Errorf("one more sync did %v", r.Done)
	}
}

// S23: of two edits of one line the server's is in both trees, and the other is
// kept, here and there.
func TestScenario_S23_SameLine(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\ntwo\n"})
	a.write(t, "a.md", "ONE\ntwo\n")
	b.write(t, "a.md", "eins\ntwo\n")
	a.sync(t)
	if r := b.sync(t); len(r.Conflicts) != 1 || b.kept(t, "eins\ntwo\n") != "conflicts" {
		t.Errorf("conflicts %v, want ben's text kept", r.Conflicts)
	}
	has(t, b, map[string]string{"a.md": "ONE\ntwo\n"})
	tm.equal(t, a, b)
	kept := b.open(t)["a.md"]
	if s := b.sides(t, kept); string(s.Base) != "one\ntwo\n" || string(s.Ours) != "eins\ntwo\n" || string(s.Theirs) != "ONE\ntwo\n" {
		t.Errorf("kept are %q over %q, against %q", s.Ours, s.Base, s.Theirs)
	}
	there, err := tm.store.Conflicts(t.Context(), tm.project.ID, memory.ConflictQuery{Limit: 10})
	must(t, err)
	if len(there) != 1 || there[0].Sum != memory.Sum([]byte("eins\ntwo\n")) || !kept.Mirrored {
		t.Errorf("the server has %+v, want ben's text, too", there)
	}
}

// S24: two new files of one name both live; two with one text are one entry.
func TestScenario_S24_BothCreate(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, nil)
	a.write(t, "x.md", "ann's\n")
	b.write(t, "x.md", "ben's\n")
	a.write(t, "same.md", "same\n")
	b.write(t, "same.md", "same\n")
	a.sync(t)
	r := b.sync(t)
	if len(r.Conflicts) > 0 || !strings.Contains(strings.Join(r.Notices, " "), "yours got a number") {
		t.Errorf("conflicts %v, notices %q", r.Conflicts, r.Notices)
	}
	a.sync(t)
	has(t, a, map[string]string{"x.md": "ann's\n", "x-2.md": "ben's\n", "same.md": "same\n"})
	tm.equal(t, a, b)
	for _, m := range []*member{a, b} {
		if got := m.duplicates(t); !slices.Equal(got, []string{"x-2.md: this may be a duplicate of x.md"}) {
			t.Errorf("%s is told of %q", m.id.Name, got)
		}
	}
	a.remove(t, "x.md")
	a.sync(t)
	if got := a.duplicates(t); len(got) > 0 {
		t.Errorf("one of the two is gone, and told is %q", got)
	}
}

// duplicates are what status flags as one.
func (m *member) duplicates(t *testing.T) (all []string) {
	t.Helper()
	st, err := m.syncer("").Status(t.Context(), false)
	must(t, err)
	for _, h := range st.Hints {
		if h.Rule == memory.LintDuplicate {
			what, _, _ := strings.Cut(h.Message, ":")
			all = append(all, h.Path.String()+": "+what)
		}
	}
	return all
}

// S25 and F25: an edit outlives a delete, in either order, and whoever deleted
// hears of it, once.
func TestScenario_S25_F25_EditAgainstDelete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		editorFirst bool
		told        []string
	}{
		"the edit comes first":   {true, []string{"a.md: edited by a team-mate after you deleted it"}},
		"the delete comes first": {false, []string{"a.md: shared again after you deleted it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, a, b := together(t, map[string]string{"a.md": "one\n"})
			a.write(t, "a.md", "one\ntwo\n")
			b.remove(t, "a.md")
			if c.editorFirst {
				a.sync(t)
			} else {
				b.sync(t)
				if r := a.sync(t); !slices.Equal(r.Notices, []string{"a.md: deleted by a team-mate, but you edited it"}) {
					t.Errorf("ann is told %q", r.Notices)
				}
			}
			if r := b.sync(t); !slices.Equal(r.Notices, c.told) || len(r.Conflicts) > 0 {
				t.Errorf("ben is told %q, conflicts %v; want %q", r.Notices, r.Conflicts, c.told)
			}
			a.sync(t)
			if r := b.sync(t); len(r.Notices) > 0 {
				t.Errorf("ben is told again: %q", r.Notices)
			}
			has(t, b, map[string]string{"a.md": "one\ntwo\n"})
			tm.equal(t, a, b)
			if got := a.versions(t, "a.md"); got[len(got)-1] != "one\ntwo\n" || len(filesBelow(t, a.dirs.Data))+len(filesBelow(t, b.dirs.Data)) > 0 {
				t.Errorf("the versions are %q, and something was kept aside", got)
			}
		})
	}
}

// S26: what both delete is gone in silence, and a new file of that name lives.
func TestScenario_S26_DeleteTwice(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\n", "b.md": "b\n"})
	a.remove(t, "a.md")
	b.remove(t, "a.md")
	a.sync(t)
	if r := b.sync(t); len(r.Notices)+len(r.Conflicts) > 0 {
		t.Errorf("notices %q, conflicts %v, want none", r.Notices, r.Conflicts)
	}
	b.write(t, "a.md", "one\n")
	b.sync(t)
	a.sync(t)
	has(t, a, map[string]string{"a.md": "one\n", "b.md": "b\n"})
	tm.equal(t, a, b)
}

// S37: a rename and an edit of the old name are one entry at the new name.
func TestScenario_S37_RenameAgainstEdit(t *testing.T) {
	t.Parallel()
	for name, renamerFirst := range map[string]bool{"the rename comes first": true, "the edit comes first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, a, b := together(t, map[string]string{"old.md": "one\ntwo\n"})
			a.rename(t, "old.md", "new.md")
			b.write(t, "old.md", "one\ntwo\nthree\n")
			if renamerFirst {
				a.sync(t)
			}
			b.sync(t)
			a.sync(t)
			b.sync(t)
			has(t, a, map[string]string{"new.md": "one\ntwo\nthree\n"})
			tm.equal(t, a, b)
		})
	}
}

// S37, the other case: one member renames and rewrites, which is no rename that
// anybody could recognise. The edit of the old name lives there, and is told.
func TestScenario_S37_RewriteAgainstEdit(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"old.md": "one\ntwo\n"})
	a.remove(t, "old.md")
	a.write(t, "new.md", "something else\n")
	b.write(t, "old.md", "one\ntwo\nthree\n")
	a.sync(t)
	if r := b.sync(t); len(r.Notices) == 0 {
		t.Error("nobody is told")
	}
	a.sync(t)
	has(t, a, map[string]string{"new.md": "something else\n", "old.md": "one\ntwo\nthree\n"})
	tm.equal(t, a, b)
}

// S45: saving as CRLF is no edit, and a merge with one keeps both changes.
func TestScenario_S45_CRLF(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\ntwo\nthree\n"})
	b.write(t, "a.md", "one\r\ntwo\r\nthree\r\n")
	for _, m := range []*member{b, a, b} {
		if r := m.sync(t); len(r.Done) > 0 {
			t.Errorf("line ends were sent: %v", r.Done)
		}
	}
	if got := b.files(t)["a.md"]; got != "one\r\ntwo\r\nthree\r\n" {
		t.Errorf("what the editor saved reads %q", got)
	}
	b.write(t, "a.md", "one\r\ntwo\r\nTHREE\r\n")
	a.write(t, "a.md", "ONE\ntwo\nthree\n")
	a.sync(t)
	b.sync(t)
	a.sync(t)
	has(t, b, map[string]string{"a.md": "ONE\ntwo\nTHREE\n"})
	tm.equal(t, a, b)
}

// A merge whose answer got lost is not made twice.
func TestMerge_AnswerLost(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\ntwo\nthree\n"})
	a.write(t, "a.md", "zero\none\ntwo\nthree\n")
	a.sync(t)
	b.write(t, "a.md", "one\ntwo\nthree\nfour\n")
	tm.loseAnswers()
	b.fail(t)
	tm.between(nil)
	b.sync(t)
	a.sync(t)
	has(t, a, map[string]string{"a.md": "zero\none\ntwo\nthree\nfour\n"})
	tm.equal(t, a, b)
}
