package client_test

import (
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
	if all, err := b.dirs.Conflicts(b.link); err != nil || len(all) != 1 || !all[0].Mirrored {
		t.Errorf("conflicts %v, %v; want that the server has it, too", all, err)
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
}

// S25 and F25: an edit outlives a delete, in either order, and both hear of it.
func TestScenario_S25_EditAgainstDelete(t *testing.T) {
	t.Parallel()
	for name, editorFirst := range map[string]bool{"the edit comes first": true, "the delete comes first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, a, b := together(t, map[string]string{"a.md": "one\n"})
			a.write(t, "a.md", "one\ntwo\n")
			b.remove(t, "a.md")
			second := a
			if editorFirst {
				a.sync(t)
				second = b
			} else {
				b.sync(t)
			}
			if r := second.sync(t); len(r.Notices) == 0 {
				t.Error("nobody is told")
			}
			a.sync(t)
			b.sync(t)
			has(t, b, map[string]string{"a.md": "one\ntwo\n"})
			tm.equal(t, a, b)
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
	if r := b.sync(t); len(r.Done) > 0 {
		t.Errorf("line ends were sent: %v", r.Done)
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
