//go:build unix

package tree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Whatever happens to names, to look again where it happened finds what a look
// at everything finds.
func TestTree_Relist(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r := rand.New(rand.NewPCG(seed, 1))
			b.write("a/b/first.md", "x")
			b.write("c/second.md", "x")
			before, err := b.List(t.Context())
			must(t, err)
			for range 20 {
				touched := b.mess(r)
				after, err := b.Relist(t.Context(), &before, touched)
				must(t, err)
				all, err := b.List(t.Context())
				must(t, err)
				if diff := cmp.Diff(all.said(), after.said(), cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("after changes in %q (-all +again):\n%s", touched, diff)
				}
				before = after
			}
		})
	}
}

// A name that is no entry's is told, and makes no look at the others necessary.
func TestTree_RelistOddName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a/x.md", "x")
	b.write("a/x.md.bak", "x")
	b.write("c/y.md", "y")
	before, err := b.List(t.Context())
	must(t, err)
	b.write("c/z.md", "z")
	after, err := b.Relist(t.Context(), &before, []string{"c"})
	must(t, err)
	if !after.Partly || len(after.Files) != 3 || len(after.Blocked) != 1 || after.Blocked[0].Disk != "a/x.md.bak" {
		t.Errorf("in part %t, files %v, blocked %v", after.Partly, after.Files, after.Blocked)
	}
}

// To look again at a tree finds what to list it finds, though it is told of
// nothing that happened.
func TestTree_Relook(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.options.Clock = func() time.Time { return time.Now().Add(coarse) } // else no time of a folder proves anything
			r := rand.New(rand.NewPCG(seed, 2))
			b.write("first.md", "x")
			b.write("a/b/second.md", "x")
			before, err := b.List(t.Context())
			must(t, err)
			for range 20 {
				b.tick()
				if r.IntN(3) > 0 {
					b.mess(r)
				}
				after, err := b.Relook(t.Context(), &before, nil)
				must(t, err)
				all, err := b.List(t.Context())
				must(t, err)
				if diff := cmp.Diff(all.said(), after.said(), cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("(-all +again):\n%s", diff)
				}
				before = after
			}
		})
	}
}

// Names are read again only where something happened; what happened so shortly
// before the earlier listing proves nothing.
func TestTree_RelookQuiet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a/x.md", "x")
	listed, err := b.List(t.Context())
	must(t, err)
	was := listed.looked["a"]
	changed := time.Unix(0, max(was.MTime, was.CTime))
	for later, want := range map[time.Duration]bool{0: false, coarse: false, coarse + 1: true} {
		b.options.Clock = func() time.Time { return changed.Add(later) }
		before, err := b.List(t.Context())
		must(t, err)
		after, err := b.Relook(t.Context(), &before, nil)
		must(t, err)
		if after.Partly != want || len(after.Files) != 1 || after.Started.Before(before.Started) {
			t.Errorf("%s after: in part %t, want %t; %d files", later, after.Partly, want, len(after.Files))
		}
	}
}

// A look at other folders makes no time of a folder prove more than when it was
// looked at.
func TestTree_RelookAfterRelist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a/x.md", "x")
	l, err := b.List(t.Context())
	must(t, err)
	was := l.looked["a"]
	now := time.Unix(0, max(was.MTime, was.CTime))
	b.options.Clock = func() time.Time { return now }
	l, err = b.List(t.Context())
	must(t, err)
	for i, want := range []bool{false, true, true} {
		now = now.Add(time.Hour)
		listed, err := b.Relist(t.Context(), &l, []string{""})
		must(t, err)
		now = now.Add(time.Hour)
		l, err = b.Relook(t.Context(), &listed, nil)
		must(t, err)
		if l.Partly != want {
			t.Errorf("look %d: in part %t, want %t", i, l.Partly, want)
		}
	}
}

// tick waits until the file system's clock has moved on.
func (b *bundle) tick() {
	b.Helper()
	file := filepath.Join(b.TempDir(), "clock")
	var first time.Time
	for end := time.Now().Add(time.Minute); ; {
		if time.Now().After(end) {
			b.Fatal("the file system's clock stands still")
		}
		must(b, os.WriteFile(file, nil, 0o600))
		i, err := os.Stat(file)
		must(b, err)
		if first.IsZero() {
			first = i.ModTime()
		} else if !i.ModTime().Equal(first) {
			return
		}
		must(b, os.Remove(file))
	}
}

// A folder that has its name from another is another folder.
func TestTree_RelistReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a/x.md", "x")
	b.write("a/below/y.md", "y")
	before, err := b.List(t.Context())
	must(t, err)
	must(t, os.Rename(filepath.Join(b.dir, "a"), filepath.Join(b.dir, "b")))
	must(t, os.Mkdir(filepath.Join(b.dir, "a"), 0o700))
	for _, touched := range [][]string{{""}, {"a"}, {"", "a"}} {
		after, err := b.Relist(t.Context(), &before, touched)
		must(t, err)
		all, err := b.List(t.Context())
		must(t, err)
		if diff := cmp.Diff(all.said(), after.said(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after changes in %q (-all +again):\n%s", touched, diff)
		}
	}
}

// said is what a listing says of a tree.
func (l *Listing) said() map[string]any {
	var files, blocked []string
	for _, f := range l.Files {
		files = append(files, fmt.Sprint(f.Path, " < ", f.Disk, f.Stamp))
	}
	for _, b := range l.Blocked {
		blocked = append(blocked, fmt.Sprint(b.Kind, " ", b.Disk))
	}
	folders := slices.Sorted(slices.Values(l.Folders))
	return map[string]any{"files": files, "blocked": blocked, "folders": folders, "spelled": l.spelled, "unknown": l.unknown}
}

// mess changes a few names, and returns the folders of those names.
func (b *bundle) mess(r *rand.Rand) (touched []string) {
	folders := []string{"", "a", "a/b", "c", "d", "d/e/f", "Caf\u00e9", "cafe\u0301"}
	names := []string{"x.md", "X.md", "y.md", nfc, nfd, "notes.txt", "y.md.bak", "Z.MD"}
	seen := map[string]bool{}
	touch := func(path string) {
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) { // folders that are made on the way are names, too
			if dir == "." {
				dir = ""
			}
			seen[dir] = true
			if dir == "" {
				return
			}
		}
	}
	for range 1 + r.IntN(3) {
		folder := folders[r.IntN(len(folders))]
		path := filepath.Join(folder, names[r.IntN(len(names))])
		switch r.IntN(6) {
		case 0, 1, 2:
			b.write(path, fmt.Sprint(r.Uint64()))
			touch(path)
		case 3:
			_ = os.Remove(filepath.Join(b.dir, path)) // it may not be there
			touch(path)
		case 4:
			if folder != "" {
				must(b, os.RemoveAll(filepath.Join(b.dir, folder)))
				touch(folder)
			}
		case 5:
			if _, err := os.Lstat(filepath.Join(b.dir, "g")); folder != "" && err != nil {
				_ = os.Rename(filepath.Join(b.dir, folder), filepath.Join(b.dir, "g"))
				touch(folder)
				touch("g")
			} else {
				must(b, os.RemoveAll(filepath.Join(b.dir, "g")))
				touch("g")
			}
		}
	}
	for dir := range seen {
		touched = append(touched, dir)
	}
	return touched
}
