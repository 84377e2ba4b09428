package client

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	dir := filepath.Join(t.TempDir(), "deep", "trash")
	v := vault{dir: dir, temps: filepath.Join(dir, ".new-a"), device: "dev_0123456789", clock: func() time.Time { return now }}
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

// A folder that another tree's run removes meanwhile hides no other.
func TestVault_ListedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "conflicts")
	v := vault{dir: dir, temps: filepath.Join(dir, ".new-a"), device: "dev_0123456789", clock: time.Now}
	if _, err := v.keepConflict(memory.StoredPath("z/b.md"), []byte("mine"), nil, conflictMeta{}); err != nil {
		t.Fatal(err)
	}
	gone, err := v.keepConflict(memory.StoredPath("z/c.md"), []byte("mine"), nil, conflictMeta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := closeConflict(gone); err != nil {
		t.Fatal(err)
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
				for i := range 20 {
					_ = os.MkdirAll(filepath.Join(dir, "a", strconv.Itoa(i)), 0o700)
				}
				_ = os.RemoveAll(filepath.Join(dir, "a"))
			}
		}
	}()
	for range 200 {
		open, err := v.conflicts()
		closed, err2 := v.closed()
		if err != nil || err2 != nil || len(open) != 1 || len(closed) != 1 {
			t.Errorf("%d conflicts, %d closed, %v, %v", len(open), len(closed), err, err2)
			break
		}
	}
	close(done)
	<-stopped
}

// What is thrown away once more, shortly before it would be gone, is kept as long
// as if it had not been there.
func TestVault_ThrownAwayAgain(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := start
	dir := filepath.Join(t.TempDir(), "trash")
	v := vault{dir: dir, temps: filepath.Join(dir, ".new-a"), device: "dev_0123456789", clock: func() time.Time { return now }}
	ages := func() (days []int) {
		t.Helper()
		all, err := v.list()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range all {
			days = append(days, int(k.At.Sub(start).Hours())/24)
		}
		return days
	}
	for _, step := range []struct {
		day   int
		throw string // "": nothing
		want  []int  // the days of the stamps, after pruning
	}{
		{0, "text", []int{0}},
		{1, "other", []int{0, 1}},
		{29, "text", []int{1, 29}},
		{20, "text", []int{1, 29}}, // a clock that was set back makes nothing older
		{58, "", []int{29}},
		{59, "", []int{29}},
		{60, "", nil},
	} {
		now = start.Add(time.Duration(step.day) * 24 * time.Hour)
		if step.throw != "" {
			if err := v.keepYoung(memory.StoredPath("a/b.md"), []byte(step.throw)); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.prune(now.Add(-trashAge)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, ages()); diff != "" {
			t.Errorf("day %d (-want +got):\n%s", step.day, diff)
		}
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
