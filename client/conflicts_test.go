package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// A conflict follows its entry: to another name, and back from a delete.
func TestResolve_EntryWentOn(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "moved.md", "gone.md")
	open := b.open(t)
	a.rename(t, "moved.md", "notes/new.md")
	a.remove(t, "gone.md")
	a.sync(t)
	b.sync(t)
	for _, k := range open {
		b.resolve(t, k, client.Resolution{Take: client.TakeOurs})
	}
	b.sync(t)
	a.sync(t)
	has(t, a, map[string]string{"notes/new.md": "ben's moved.md\n", "gone.md": "ben's gone.md\n"})
	tm.equal(t, a, b)
}

// What the server got meanwhile is merged with, or in conflict again: it is
// never overwritten by a person who has not seen it.
func TestResolve_ServerWentOn(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "a.md")
	a.write(t, "a.md", "ann's newer\n")
	a.sync(t)
	b.resolve(t, b.open(t)["a.md"], client.Resolution{Take: client.TakeOurs})
	if r := b.sync(t); len(r.Conflicts) != 1 || b.kept(t, "ben's a.md\n") == "" {
		t.Errorf("conflicts %v, want ben's text kept again", r.Conflicts)
	}
	has(t, b, map[string]string{"a.md": "ann's newer\n"})
	tm.equal(t, a, b)
}

// A text that nobody has seen is not replaced, and the conflict stays open.
func TestResolve_KeepsWhatIsNotShared(t *testing.T) {
	t.Parallel()
	tm, _, b := apart(t, "a.md")
	k := b.open(t)["a.md"]
	seen := b.sides(t, k)
	b.write(t, "a.md", "written since\n")
	for name, r := range map[string]client.Resolution{
		"ours":                   {Take: client.TakeOurs},
		"a text made of another": {Take: client.TakeText, Text: []byte("of both\n"), Seen: seen},
		"a text of this one":     {Take: client.TakeText, Text: []byte("of both\n"), Seen: b.sides(t, k)},
		"nothing":                {Take: client.TakeText, Text: []byte(" \n"), Seen: b.sides(t, k)},
	} {
		if _, err := b.syncer("").Resolve(t.Context(), k, r); memory.CodeOf(err) == "" || memory.CodeOf(err) == memory.CodeInternal {
			t.Errorf("%s: %v, want a reason", name, err)
		}
	}
	if len(b.open(t)) != 1 {
		t.Error("the conflict is closed")
	}
	has(t, b, map[string]string{"a.md": "written since\n"})

	// Both texts can still be kept, and other line ends are no other text.
	b.write(t, "a-2.md", "taken\n")
	if to := b.resolve(t, k, client.Resolution{Take: client.TakeBoth}); to != "a-3.md" {
		t.Errorf("ben's text is %s, want the first free number", to)
	}
	b.sync(t)
	tm.equal(t, b)
	if _, err := b.syncer("").Resolve(t.Context(), k, client.Resolution{}); memory.CodeOf(err) != memory.CodeNotFound {
		t.Errorf("resolved twice: %v", err)
	}
}

// Where the member leaves out every name beside the entry's, there is none.
func TestResolve_NoFreeName(t *testing.T) {
	t.Parallel()
	_, _, b := apart(t, "draft.md")
	b.write(t, ignoreFile, "draft-*.md\n")
	if _, err := b.syncer("").Resolve(t.Context(), b.open(t)["draft.md"], client.Resolution{Take: client.TakeBoth}); memory.CodeOf(err) != memory.CodeInvalid {
		t.Errorf("%v, want a reason", err)
	}
	if len(b.open(t)) != 1 {
		t.Error("the conflict is closed")
	}
}

// What differs in line ends only is what the server has.
func TestResolve_LineEnds(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "a.md")
	b.write(t, "a.md", "ann's a.md\r\n")
	b.sync(t)
	b.resolve(t, b.open(t)["a.md"], client.Resolution{Take: client.TakeOurs})
	b.sync(t)
	a.sync(t)
	has(t, a, map[string]string{"a.md": "ben's a.md\n"})
	tm.equal(t, a, b)
}

// A file that cannot be read keeps nobody from closing the conflict.
func TestResolve_Unreadable(t *testing.T) {
	t.Parallel()
	_, _, b := apart(t, "a.md")
	k := b.open(t)["a.md"]
	b.remove(t, "a.md")
	must(t, os.Symlink(filepath.Join(b.home, "elsewhere"), filepath.Join(b.tree(), "a.md")))
	if _, err := b.syncer("").Resolve(t.Context(), k, client.Resolution{Take: client.TakeOurs}); err == nil {
		t.Error("a symbolic link is replaced")
	}
	b.resolve(t, k, client.Resolution{Take: client.TakeTheirs})
	if len(b.open(t)) != 0 || b.kept(t, "ben's a.md\n") != "trash" {
		t.Error("the conflict is not closed")
	}
}

// What a team-mate deleted comes back as an edit of the member's, once, and takes
// nobody's place.
func TestRestore(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\n", "stays.md": "stays\n"})
	a.remove(t, "a.md")
	a.sync(t)
	b.sync(t)
	trash, err := b.dirs.Trash(b.link)
	must(t, err)
	k, err := client.Choose(trash, "a.md")
	must(t, err)
	restore := func(as string) (bool, error) {
		t.Helper()
		var p memory.Path
		if as != "" {
			p = key(t, as)
		}
		return b.syncer("").Restore(t.Context(), k, p)
	}
	if done, err := restore("stays.md"); done || memory.CodeOf(err) != memory.CodeConflict {
		t.Errorf("over another text: %t, %v", done, err)
	}
	if done, err := restore("STAYS.md"); done || memory.CodeOf(err) != memory.CodeConflict {
		t.Errorf("beside its twin: %t, %v", done, err)
	}
	for i, want := range []bool{true, false} {
		if done, err := restore(""); err != nil || done != want {
			t.Errorf("restore %d: %t, %v", i, done, err)
		}
	}
	b.sync(t)
	a.sync(t)
	has(t, a, map[string]string{"a.md": "one\n", "stays.md": "stays\n"})
	tm.equal(t, a, b)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all := []client.Kept{
		{Path: key(t, "a.md"), ID: "11112222", File: "/kept/1"},
		{Path: key(t, "b.md"), ID: "11113333", File: "/kept/2"},
		{Path: key(t, "b.md"), ID: "44444444", File: "/kept/3"},
		{Path: key(t, "c.md"), ID: "44444444", File: "/kept/4"},
	}
	for name, want := range map[string]string{
		"11112222": "/kept/1", "11113": "/kept/2", "a.md": "/kept/1", "team/c.md": "/kept/4", "/kept/3": "/kept/3",
		"1111": "11112222, 11113333", "b.md": "11113333, 44444444", "44": "/kept/3, /kept/4", "d.md": "not found", "": "not found",
	} {
		k, err := client.Choose(all, name)
		switch {
		case err == nil && k.File != want:
			t.Errorf("%q is %s, want %s", name, k.File, want)
		case err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}
