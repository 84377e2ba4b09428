//go:build unix

package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// long ago is when the server's texts were written.
func longAgo() time.Time { return time.Unix(1_700_000_000, 0) }

// putNew plans n new files in each of two new folders.
func putNew(t testing.TB, batch *Batch, n int) (disks []string) {
	t.Helper()
	for i := range n {
		for _, dir := range []string{"a/b", "c"} {
			disk := fmt.Sprintf("%s/%02d.md", dir, i)
			batch.Put(mustPath(t, disk), disk, []byte(disk+"\n"), longAgo(), memory.Hash{})
			disks = append(disks, disk)
		}
	}
	batch.writers.wait()
	return disks
}

func TestBatch_NewFoldersAppearWhole(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"few": 3, "many": fewFiles + 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variants(t, func(t *testing.T, b *bundle) {
				batch := b.Begin()
				disks := putNew(t, batch, n)
				for _, name := range b.onDisk() {
					if !strings.HasPrefix(name, ownPrefix) {
						t.Errorf("%s can be seen before the commit", name)
					}
				}
				if l := b.list(); len(l.Files)+len(l.Blocked)+l.Ignored != 0 || len(l.Leftovers) != 2 {
					t.Errorf("got listing %+v, want two leftovers and nothing else", l)
				}
				results, err := batch.Commit(t.Context())
				must(t, err)
				got := map[string]Stamp{}
				for _, r := range results {
					must(t, r.Err)
					got[r.Disk] = r.Stamp
				}
				want := map[string]Stamp{}
				for _, f := range b.list().Files {
					want[f.Disk] = f.Stamp
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("stamps (-listed +result):\n%s", diff)
				}
				b.wantOnDisk(append(slices.Clone(disks), "a", "a/b", "c")...)
				for _, disk := range disks {
					b.wantText(disk, disk+"\n")
				}
			})
		})
	}
}

// What somebody puts where a new folder was to be stays, and the rest of the
// batch is carried out.
func TestBatch_FolderTakenMeanwhile(t *testing.T) {
	t.Parallel()
	for name, theirs := range map[string]string{"a folder": "a/mine.md", "the same file": "a/b/00.md", "a file": "a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variants(t, func(t *testing.T, b *bundle) {
				batch := b.Begin()
				putNew(t, batch, 2)
				b.write(theirs, "mine\n")
				results, err := batch.Commit(t.Context())
				must(t, err)
				for _, r := range results {
					if taken := strings.HasPrefix(r.Disk, "a/"); taken != errors.Is(r.Err, ErrChanged) {
						t.Errorf("%s: got error %v", r.Disk, r.Err)
					}
				}
				b.wantText(theirs, "mine\n")
				want := []string{"c", "c/00.md", "c/01.md"}
				for name := theirs; name != ""; name, _ = split(name) {
					want = append(want, name)
				}
				b.wantOnDisk(want...)
			})
		})
	}
}

// Whoever removes a folder of ours while it is filled gets no half of it, and
// what was in it does not look deleted.
func TestBatch_HiddenFolderRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	putNew(t, batch, 1)
	for _, name := range b.list().Leftovers {
		must(t, os.RemoveAll(filepath.Join(b.dir, name)))
	}
	batch.folders.forget()
	batch.Put(mustPath(t, "a/b/late.md"), "a/b/late.md", []byte("late\n"), longAgo(), memory.Hash{})
	results, err := batch.Commit(t.Context())
	must(t, err)
	for _, r := range results {
		if !errors.Is(r.Err, ErrChanged) {
			t.Errorf("%s: got error %v, want %v", r.Disk, r.Err, ErrChanged)
		}
	}
	b.wantOnDisk()
}

func TestBatch_Retain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	putNew(t, batch, fewFiles+1)
	batch.Settle()
	batch.Retain(func(p memory.Path) bool { return p.String() == "c/03.md" })
	results, err := batch.Commit(t.Context())
	must(t, err)
	if len(results) != 1 || results[0].Err != nil {
		t.Errorf("got results %+v, want one without error", results)
	}
	b.wantOnDisk("c", "c/03.md")
}

// New texts of more folders than are kept open at a time all arrive, each once,
// and each result is about its own.
func TestBatch_ManyNewFolders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	var disks []string
	for i := range maxCached + maxWriters {
		for _, name := range []string{"a", "b", "a"} {
			disk := fmt.Sprintf("d%03d/%s.md", i, name)
			batch.Put(mustPath(t, disk), disk, []byte(disk+"\n"), longAgo(), memory.Hash{})
			disks = append(disks, disk)
		}
	}
	results, err := batch.Commit(t.Context())
	must(t, err)
	for i, r := range results {
		if again := i%3 == 2; r.Disk != disks[i] || again != errors.Is(r.Err, ErrChanged) || !again && r.Err != nil {
			t.Errorf("%s: got error %v for %s", disks[i], r.Err, r.Disk)
		}
		b.wantText(disks[i], disks[i]+"\n")
	}
}

func TestBatch_DiscardNewFolders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	putNew(t, batch, fewFiles+1)
	batch.Settle()
	batch.Discard()
	b.wantOnDisk()
}

func TestBatch_CancelledBeforeNewFolders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	putNew(t, batch, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results, err := batch.Commit(ctx)
	must(t, err)
	for _, r := range results {
		if !errors.Is(r.Err, context.Canceled) {
			t.Errorf("%s: got error %v", r.Disk, r.Err)
		}
	}
	b.wantOnDisk()
}

// A text that somebody wrote into while it was hidden is kept when a crash left
// it there. So is a file that somebody put beside it.
func TestSweep_HiddenFolder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	putNew(t, batch, 3)
	batch.close() // as a crash would
	in := filepath.Join(b.hidden("b"), "b")
	must(t, os.WriteFile(filepath.Join(in, "01.md"), []byte("edited\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(in, "theirs.md"), []byte("theirs\n"), 0o600))
	b.open()
	must(t, b.Sweep(t.Context(), b.list(), nil))
	b.wantOnDisk()
	b.wantOurs(map[string]bool{
		"a/b/00.md\n": true, "a/b/02.md\n": true, "c/00.md\n": true, "c/01.md\n": true, "c/02.md\n": true,
		"edited\n": false, "theirs\n": false,
	})
}
