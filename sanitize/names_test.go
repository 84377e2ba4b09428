package sanitize_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/teammem/teammem/sanitize"
)

func namesOf(keys ...string) *sanitize.Names {
	var n sanitize.Names
	for _, key := range keys {
		n.Add(key)
	}
	return &n
}

func TestNames_Check(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		existing []string
		key      string
		offset   int // -1: no twin
		hint     string
	}{
		{"zero value", nil, "a.md", -1, ""},
		{"itself", []string{"a.md"}, "a.md", -1, ""},
		{"neighbour", []string{"a.md"}, "b.md", -1, ""},
		{"same folder", []string{"Dir/a.md"}, "Dir/b.md", -1, ""},
		{"file and folder", []string{"a.md"}, "A/b.md", -1, ""},
		{"same name in another folder", []string{"x/a.md"}, "y/A.md", -1, ""},
		{"file", []string{"notes.md"}, "Notes.md", 0, `"notes.md" is there already`},
		{"file in a folder", []string{"dir/notes.md"}, "dir/Notes.md", 4, `"dir/notes.md" is there already`},
		{"folder", []string{"Dir/a.md"}, "dir/b.md", 0, `"Dir" is there already`},
		{"inner folder", []string{"a/b/c.md"}, "a/B/d.md", 2, `"a/b" is there already`},
		{"outer folder before the file", []string{"A/b.md"}, "a/B.md", 0, `"A" is there already`},
		{"skeleton of another length", []string{"straße/ﬁ/x.md"}, "straße/fi/y.md", 8, `"stra\u00dfe/\ufb01" is there already`},
		{"both spellings there", []string{"a.md", "A.md"}, "a.md", 0, `"A.md" is there already`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := namesOf(tt.existing...).Check(tt.key)
			if tt.offset < 0 {
				if err != nil {
					t.Fatalf("got %v, want no twin", err)
				}
				return
			}
			got, ok := errors.AsType[*sanitize.PathError](err)
			if !ok || got.Layer != sanitize.LayerCase || got.Offset != tt.offset || !strings.HasPrefix(got.Hint, tt.hint) {
				t.Errorf("got %v, want case at byte %d: %s…", err, tt.offset, tt.hint)
			}
		})
	}
}

func TestNames_RemoveMakesRoom(t *testing.T) {
	t.Parallel()
	n := namesOf("Dir/a.md", "Dir/b.md", "Dir/b.md")
	n.Remove("Dir/b.md")
	n.Remove("dir/a.md") // never added: must not count
	n.Remove("x.md")
	if err := n.Check("dir/c.md"); err == nil {
		t.Error("folder forgotten while a key is in it")
	}
	n.Remove("Dir/a.md")
	if err := n.Check("dir/c.md"); err != nil {
		t.Errorf("folder remembered without a key in it: %v", err)
	}
	n.Add("dir/c.md")
	if err := n.Check("Dir/c.md"); err == nil {
		t.Error("new spelling not recorded")
	}
}

func TestNames_AddFolder(t *testing.T) {
	t.Parallel()
	var n sanitize.Names
	n.AddFolder("Dir/Sub")
	n.Add("Dir/Sub/a.md")
	n.Remove("Dir/Sub/a.md")
	for _, twin := range []string{"dir/b.md", "Dir/sub/b.md"} {
		if n.Check(twin) == nil {
			t.Errorf("%q passes beside the folder Dir/Sub", twin)
		}
	}
	if err := n.Check("Dir/Sub/a.md"); err != nil {
		t.Error(err)
	}
}

func TestNames_RemoveFromZeroValue(t *testing.T) {
	t.Parallel()
	var n sanitize.Names
	n.Remove("a.md")
	if err := n.Check("a.md"); err != nil {
		t.Error(err)
	}
}

// Names agrees with going through a list of all keys, whatever is added and
// removed, twins included.
func TestNames_Model(t *testing.T) {
	t.Parallel()
	pool := []string{"a.md", "A.md", "a/b.md", "A/b.md", "a/B.md", "a/b/c.md", "a/B/c.md", "ß/x.md", "ss/x.md", "SS/y.md"}
	rapid.Check(t, func(t *rapid.T) {
		var names sanitize.Names
		var list []string
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			key := rapid.SampledFrom(pool).Draw(t, "key")
			if rapid.Bool().Draw(t, "add") {
				names.Add(key)
				if !slices.Contains(list, key) {
					list = append(list, key)
				}
			} else {
				names.Remove(key)
				list = slices.DeleteFunc(list, func(k string) bool { return k == key })
			}
			for _, key := range pool {
				if got, want := names.Check(key) != nil, hasTwin(list, key); got != want {
					t.Fatalf("with %q: %q has a twin: got %t, want %t", list, key, got, want)
				}
			}
		}
	})
}

func hasTwin(list []string, key string) bool {
	for _, ours := range foldersAndFile(key) {
		for _, other := range list {
			for _, theirs := range foldersAndFile(other) {
				if ours != theirs && sanitize.Skeleton(ours) == sanitize.Skeleton(theirs) {
					return true
				}
			}
		}
	}
	return false
}

func foldersAndFile(key string) []string {
	var all []string
	for i, c := range key {
		if c == '/' {
			all = append(all, key[:i])
		}
	}
	return append(all, key)
}

// A set can hold what was stored under older rules, so nothing that is added
// may break it.
func FuzzNames(f *testing.F) {
	f.Add("a/b.md", "A/b.md")
	f.Add("\u2100/\u2101", "//")
	f.Add("\xff/\x00", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		var n sanitize.Names
		n.Add(a)
		n.Add(b)
		_ = n.Check(a)
		n.Remove(a)
		n.Remove(b)
		for _, key := range []string{a, b} {
			if err := n.Check(key); err != nil {
				t.Errorf("%+q after all was removed: %v", key, err)
			}
		}
	})
}
