package client

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/teammem/teammem/memory"
)

// A text that was found under any name gets a path that is allowed.
func TestRescuedPath(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		disk := rapid.OneOf(rapid.String(), rapid.StringMatching(`[./\\:*"-]{0,5}(con|nul|a)?[./ -]{0,80}`)).Draw(t, "disk")
		p := rescuedPath(disk)
		if _, err := memory.ParsePath(p.String()); err != nil || p.Dir() != "rescued" {
			t.Fatalf("%q becomes %q: %v", disk, p, err)
		}
	})
}

func TestVault(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v := vault{dir: filepath.Join(t.TempDir(), "deep", "trash"), device: "dev_0123456789", clock: func() time.Time { return now }}
	keep := func(p, text string) string {
		t.Helper()
		file, err := v.keep(memory.StoredPath(p), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Fatalf("%s holds %q, %v", file, got, err)
		}
		return file
	}
	first := keep("a/b.md", "one")
	if again := keep("a/b.md", "one"); again != first {
		t.Errorf("one text is kept twice: %s and %s", first, again)
	}
	if other := keep("a/c.md", "one"); other == first {
		t.Error("two paths share a file")
	}
	if _, err := v.keep(memory.Path{}, nil); err == nil {
		t.Error("a text without a path is kept")
	}
	now = now.Add(40 * 24 * time.Hour)
	keep("a/b.md", "two")
	all, err := v.list()
	if err != nil || len(all) != 3 || all[2].Path.String() != "a/b.md" {
		t.Errorf("%d texts, %v; want 3, the newest last", len(all), err)
	}
	if err := v.prune(now.Add(-trashAge)); err != nil {
		t.Fatal(err)
	}
	if all, err := v.list(); err != nil || len(all) != 1 {
		t.Errorf("%d texts after pruning, %v; want the one that is young", len(all), err)
	}

	// Conflicts keep what both started from beside the text, and nothing hides it.
	c, err := v.keepConflict(memory.StoredPath("a/b.md"), []byte("mine"), []byte("base"), conflictMeta{})
	if err != nil {
		t.Fatal(err)
	}
	open, err := v.conflicts()
	if err != nil || len(open) != 2 || open[1] != c {
		t.Errorf("conflicts %v, %v", open, err)
	}
}

// A file of our own is replaced as a whole, in folders that are made for it.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a", "b", "c", "file")
	for _, text := range []string{"one", "two"} {
		if err := WriteFile(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if names, err := os.ReadDir(filepath.Dir(file)); err != nil || len(names) != 1 {
		t.Errorf("%d files are left, %v", len(names), err)
	}
	if err := WriteFile(filepath.Join(file, "below"), nil); err == nil {
		t.Error("a file is taken for a folder")
	}
}
