//go:build unix

package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// variants runs a test on file systems with fewer and fewer features.
func variants(t *testing.T, test func(t *testing.T, b *bundle)) {
	t.Helper()
	for _, v := range []struct {
		name  string
		adapt func(*Tree)
	}{
		{"full", func(*Tree) {}},
		{"no exchange", func(tr *Tree) { tr.noExchange = true }},
		{"no hard links", func(tr *Tree) { tr.noExchange, tr.noLink = true, true }},
		{"no leases", func(tr *Tree) {
			tr.noLease = true
			tr.options.Clock = func() time.Time { return time.Now().Add(time.Hour) }
		}},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			v.adapt(b.Tree)
			test(t, b)
		})
	}
}

func TestBatch_PutCreates(t *testing.T) {
	t.Parallel()
	variants(t, func(t *testing.T, b *bundle) {
		at := time.Unix(1_700_000_000, 123_000_000)
		r := b.one(func(batch *Batch) {
			batch.Put(mustPath(t, "a/b/c.md"), "a/b/c.md", []byte("new\n"), at, memory.Hash{})
		})
		must(t, r.Err)
		b.wantText("a/b/c.md", "new\n")
		b.wantOnDisk("a", "a/b", "a/b/c.md")
		b.wantKept()
		if diff := cmp.Diff(b.list().Files[0].Stamp, r.Stamp); diff != "" {
			t.Errorf("stamp (-listed +result):\n%s", diff)
		}
		if r.Stamp.MTime != at.UnixNano() {
			t.Errorf("got mtime %d, want the server's, %d", r.Stamp.MTime, at.UnixNano())
		}
		for name, want := range map[string]os.FileMode{"a": 0o700, "a/b": 0o700, "a/b/c.md": 0o600} {
			fi, err := os.Stat(filepath.Join(b.dir, name))
			must(t, err)
			if fi.Mode().Perm() != want {
				t.Errorf("%s: got mode %o, want %o", name, fi.Mode().Perm(), want)
			}
		}
	})
}

func TestBatch_PutReplaces(t *testing.T) {
	t.Parallel()
	variants(t, func(t *testing.T, b *bundle) {
		b.write("a.md", "old\n")
		r := b.put("a.md", "new\n", sum("old\n"))
		must(t, errors.Join(r.Err, r.Left))
		b.wantText("a.md", "new\n")
		b.wantOnDisk("a.md")
		want := []Old{{
			Path: mustPath(t, "a.md"), Disk: "a.md", Content: []byte("old\n"),
			Sum: sum("old\n"), Expected: sum("old\n"),
		}}
		if diff := cmp.Diff(want, b.kept, cmp.AllowUnexported(memory.Path{})); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
		if want := b.list().Files[0].Stamp; r.Stamp != want {
			t.Errorf("got stamp %+v, want %+v", r.Stamp, want)
		}
	})
}

func TestBatch_DeleteRemovesEmptiedFolders(t *testing.T) {
	t.Parallel()
	variants(t, func(t *testing.T, b *bundle) {
		b.write("a/b/c.md", "text\n")
		b.write("a/x.md", "stays\n")
		must(t, os.Mkdir(filepath.Join(b.dir, "other"), 0o700))
		r := b.one(func(batch *Batch) {
			batch.Delete(mustPath(t, "a/b/c.md"), "a/b/c.md", sum("text\n"))
		})
		must(t, errors.Join(r.Err, r.Left))
		if !r.Stamp.IsZero() {
			t.Errorf("got stamp %+v of a file that is gone", r.Stamp)
		}
		b.wantOnDisk("a", "a/x.md", "other")
		b.wantKept("text\n")
	})
}

func TestBatch_Move(t *testing.T) {
	t.Parallel()
	variants(t, func(t *testing.T, b *bundle) {
		b.write("a/old.md", "text\n")
		r := b.one(func(batch *Batch) {
			batch.Move("a/old.md", mustPath(t, "b/new.md"), "b/new.md", sum("text\n"))
		})
		must(t, errors.Join(r.Err, r.Left))
		b.wantOnDisk("b", "b/new.md")
		b.wantText("b/new.md", "text\n")
		b.wantKept()
		if want := b.list().Files[0].Stamp; r.Stamp != want {
			t.Errorf("got stamp %+v, want %+v", r.Stamp, want)
		}
	})
}

func TestBatch_OrderHolds(t *testing.T) {
	t.Parallel()
	variants(t, func(t *testing.T, b *bundle) {
		b.write("a.md", "a\n")
		b.write("b.md", "b\n")
		batch := b.Begin()
		batch.Move("b.md", mustPath(t, "c.md"), "c.md", sum("b\n"))
		batch.Move("a.md", mustPath(t, "b.md"), "b.md", sum("a\n"))
		batch.Put(mustPath(t, "c.md"), "c.md", []byte("c\n"), time.Time{}, sum("b\n"))
		batch.Put(mustPath(t, "a.md"), "a.md", []byte("new\n"), time.Time{}, memory.Hash{})
		results, err := batch.Commit(t.Context())
		must(t, err)
		for _, r := range results {
			must(t, errors.Join(r.Err, r.Left))
		}
		b.wantText("a.md", "new\n")
		b.wantText("b.md", "a\n")
		b.wantText("c.md", "c\n")
		b.wantKept("b\n")
	})
}

// What is not as planned is left alone, and leaves no trace of the plan.
func TestBatch_DropsWhatChanged(t *testing.T) {
	t.Parallel()
	p := mustPath(t, "a.md")
	plans := map[string]func(*Batch){
		"put over another text": func(b *Batch) { b.Put(p, "a.md", []byte("new"), time.Time{}, sum("planned")) },
		"put over nothing":      func(b *Batch) { b.Put(p, "a.md", []byte("new"), time.Time{}, memory.Hash{}) },
		"put over what is gone": func(b *Batch) {
			b.Put(mustPath(t, "x/gone.md"), "x/gone.md", []byte("new"), time.Time{}, sum("x"))
		},
		"delete another text":  func(b *Batch) { b.Delete(p, "a.md", sum("planned")) },
		"delete what is gone":  func(b *Batch) { b.Delete(mustPath(t, "x/gone.md"), "x/gone.md", sum("x")) },
		"delete without a sum": func(b *Batch) { b.Delete(p, "a.md", memory.Hash{}) },
		"move another text":    func(b *Batch) { b.Move("a.md", mustPath(t, "b.md"), "b.md", sum("planned")) },
		"move what is gone":    func(b *Batch) { b.Move("x/gone.md", mustPath(t, "b.md"), "b.md", sum("x")) },
	}
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variants(t, func(t *testing.T, b *bundle) {
				b.write("a.md", "edited\n")
				if r := b.one(plan); !errors.Is(r.Err, ErrChanged) {
					t.Errorf("got error %v, want %v", r.Err, ErrChanged)
				}
				b.wantText("a.md", "edited\n")
				b.wantOnDisk("a.md")
				b.wantKept()
			})
		})
	}
}

func TestBatch_Refuses(t *testing.T) {
	t.Parallel()
	put := func(disk string) func(*testing.T, *Batch) {
		return func(t *testing.T, b *Batch) {
			b.Put(mustPath(t, "a/b.md"), disk, []byte("new"), time.Time{}, memory.Hash{})
		}
	}
	outside := func(b *bundle) string { return filepath.Join(b.home, "outside") }
	tests := []struct {
		name string
		make func(t *testing.T, b *bundle)
		plan func(t *testing.T, b *Batch)
		want Kind
	}{
		{"another name", nil, put("a/c.md"), KindPathRejected},
		{"a way out", nil, put("../a/b.md"), KindPathRejected},
		{"move from the outside", nil, func(t *testing.T, b *Batch) {
			b.Move("../../outside/x.md", mustPath(t, "x.md"), "x.md", sum("x"))
		}, KindPathRejected},
		{"no path", nil, func(_ *testing.T, b *Batch) {
			b.Put(memory.Path{}, "", []byte("new"), time.Time{}, memory.Hash{})
		}, KindPathRejected},
		{"ignored name", nil, func(t *testing.T, b *Batch) {
			b.Put(mustPath(t, "a.sync-conflict-1.md"), "a.sync-conflict-1.md", nil, time.Time{}, memory.Hash{})
		}, KindIgnored},
		{"folder is a link out", func(t *testing.T, b *bundle) {
			must(t, os.Symlink(outside(b), filepath.Join(b.dir, "a")))
		}, put("a/b.md"), KindSymlink},
		{"new folder below a link out", func(t *testing.T, b *bundle) {
			must(t, os.Symlink(outside(b), filepath.Join(b.dir, "a")))
		}, func(t *testing.T, b *Batch) {
			b.Put(mustPath(t, "a/n/b.md"), "a/n/b.md", []byte("new"), time.Time{}, memory.Hash{})
		}, KindSymlink},
		{"delete below a link out", func(t *testing.T, b *bundle) {
			must(t, os.Symlink(outside(b), filepath.Join(b.dir, "a")))
		}, func(t *testing.T, b *Batch) { b.Delete(mustPath(t, "a/x.md"), "a/x.md", sum("outside\n")) }, KindSymlink},
		{"move out of a link out", func(t *testing.T, b *bundle) {
			must(t, os.Symlink(outside(b), filepath.Join(b.dir, "a")))
		}, func(t *testing.T, b *Batch) { b.Move("a/x.md", mustPath(t, "x.md"), "x.md", sum("outside\n")) }, KindSymlink},
		{"move into a link out", func(t *testing.T, b *bundle) {
			b.write("b.md", "b")
			must(t, os.Symlink(outside(b), filepath.Join(b.dir, "a")))
		}, func(t *testing.T, b *Batch) { b.Move("b.md", mustPath(t, "a/b.md"), "a/b.md", sum("b")) }, KindSymlink},
		{"move a link out", func(t *testing.T, b *bundle) {
			must(t, os.Symlink(filepath.Join(outside(b), "x.md"), filepath.Join(b.dir, "a.md")))
		}, func(t *testing.T, b *Batch) { b.Move("a.md", mustPath(t, "b.md"), "b.md", sum("outside\n")) }, KindSymlink},
		{"delete a link out", func(t *testing.T, b *bundle) {
			must(t, os.Symlink(filepath.Join(outside(b), "x.md"), filepath.Join(b.dir, "a.md")))
		}, func(t *testing.T, b *Batch) { b.Delete(mustPath(t, "a.md"), "a.md", sum("outside\n")) }, KindSymlink},
		{"folder is a link inside", func(t *testing.T, b *bundle) {
			b.write("other/x.md", "x")
			must(t, os.Symlink("other", filepath.Join(b.dir, "a")))
		}, put("a/b.md"), KindSymlink},
		{"folder is a link loop", func(t *testing.T, b *bundle) {
			must(t, os.Symlink("a", filepath.Join(b.dir, "a")))
		}, put("a/b.md"), KindSymlink},
		{"folder is a file", func(_ *testing.T, b *bundle) { b.write("a", "x") }, put("a/b.md"), KindIrregular},
		{"file is a link out", func(t *testing.T, b *bundle) {
			b.write("a/x.md", "x")
			must(t, os.Symlink(filepath.Join(outside(b), "x.md"), filepath.Join(b.dir, "a/b.md")))
		}, put("a/b.md"), KindSymlink},
		{"file is a dangling link inside", func(t *testing.T, b *bundle) {
			b.write("a/x.md", "x")
			must(t, os.Symlink("y.md", filepath.Join(b.dir, "a/b.md")))
		}, put("a/b.md"), KindSymlink},
		{"file is a FIFO", func(t *testing.T, b *bundle) {
			b.write("a/x.md", "x")
			must(t, syscall.Mkfifo(filepath.Join(b.dir, "a/b.md"), 0o600))
		}, put("a/b.md"), KindIrregular},
		{"file is a folder", func(_ *testing.T, b *bundle) { b.write("a/b.md/x.md", "x") }, put("a/b.md"), KindIrregular},
		{"file is a hard link to the outside", func(t *testing.T, b *bundle) {
			b.write("a/x.md", "x")
			must(t, os.Link(filepath.Join(outside(b), "x.md"), filepath.Join(b.dir, "a/b.md")))
		}, func(t *testing.T, b *Batch) {
			b.Put(mustPath(t, "a/b.md"), "a/b.md", []byte("new"), time.Time{}, sum("outside\n"))
		}, KindHardlink},
		{"delete a hard link to the outside", func(t *testing.T, b *bundle) {
			must(t, os.Link(filepath.Join(outside(b), "x.md"), filepath.Join(b.dir, "b.md")))
		}, func(t *testing.T, b *Batch) { b.Delete(mustPath(t, "b.md"), "b.md", sum("outside\n")) }, KindHardlink},
		{"move over a file", func(_ *testing.T, b *bundle) {
			b.write("a.md", "a")
			b.write("b.md", "b")
		}, func(t *testing.T, b *Batch) { b.Move("a.md", mustPath(t, "b.md"), "b.md", sum("a")) }, KindClash},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			variants(t, func(t *testing.T, b *bundle) {
				must(t, os.Mkdir(outside(b), 0o700))
				must(t, os.WriteFile(filepath.Join(outside(b), "x.md"), []byte("outside\n"), 0o600))
				if tt.make != nil {
					tt.make(t, b)
				}
				before := b.onDisk()
				wantKind(t, b.one(func(batch *Batch) { tt.plan(t, batch) }).Err, tt.want)
				if diff := cmp.Diff(before, b.onDisk()); diff != "" {
					t.Errorf("names below team/ (-before +after):\n%s", diff)
				}
				entries, err := os.ReadDir(outside(b))
				must(t, err)
				text, err := os.ReadFile(filepath.Join(outside(b), "x.md"))
				must(t, err)
				if len(entries) != 1 || string(text) != "outside\n" {
					t.Errorf("the outside was touched: %v, %q", entries, text)
				}
			})
		})
	}
}

// One bad operation stops no other.
func TestBatch_GoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, os.Symlink(b.home, filepath.Join(b.dir, "link")))
	batch := b.Begin()
	for i := range 40 { // enough for the common flush
		disk := fmt.Sprintf("f%d/a.md", i%10)
		batch.Put(mustPath(t, "link/a.md"), "link/a.md", nil, time.Time{}, memory.Hash{})
		if i < 10 {
			batch.Put(mustPath(t, disk), disk, []byte("x"), time.Time{}, memory.Hash{})
		} else {
			disk = fmt.Sprintf("f%d/%d.md", i%10, i)
			batch.Put(mustPath(t, disk), disk, []byte("x"), time.Time{}, memory.Hash{})
		}
	}
	results, err := batch.Commit(t.Context())
	must(t, err)
	for i, r := range results {
		if i%2 == 0 {
			wantKind(t, r.Err, KindSymlink)
			continue
		}
		must(t, r.Err)
	}
	if got := len(b.list().Files); got != 40 {
		t.Errorf("got %d files, want 40", got)
	}
}

func TestBatch_ManyFolders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	for i := range 3 * maxCached {
		disk := fmt.Sprintf("f%d/g/a.md", i)
		batch.Put(mustPath(t, disk), disk, []byte("x"), time.Time{}, memory.Hash{})
	}
	_, err := batch.Commit(t.Context())
	must(t, err)
	batch = b.Begin()
	for i := range 3 * maxCached {
		disk := fmt.Sprintf("f%d/g/a.md", i)
		to := fmt.Sprintf("h%d/a.md", i)
		batch.Move(disk, mustPath(t, to), to, sum("x"))
	}
	results, err := batch.Commit(t.Context())
	must(t, err)
	for _, r := range results {
		must(t, r.Err)
	}
	if l := b.list(); len(l.Files) != 3*maxCached || len(l.Folders) != 1+3*maxCached {
		t.Errorf("got %d files in %d folders, want %d in one each", len(l.Files), len(l.Folders)-1, 3*maxCached)
	}
}

func TestBatch_DiscardLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, os.Mkdir(filepath.Join(b.dir, "mine"), 0o700))
	batch := b.Begin()
	batch.Put(mustPath(t, "a/b/c.md"), "a/b/c.md", []byte("x"), time.Time{}, memory.Hash{})
	batch.Put(mustPath(t, "mine/too/c.md"), "mine/too/c.md", []byte("x"), time.Time{}, memory.Hash{})
	batch.Discard()
	b.wantOnDisk("mine")
}

func TestBatch_CancelledStartsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a.md", "a")
	ctx, cancel := context.WithCancel(t.Context())
	batch := b.Begin()
	batch.Put(mustPath(t, "b.md"), "b.md", []byte("x"), time.Time{}, memory.Hash{})
	batch.Delete(mustPath(t, "a.md"), "a.md", sum("a"))
	cancel()
	results, err := batch.Commit(ctx)
	must(t, err)
	for _, r := range results {
		if !errors.Is(r.Err, context.Canceled) {
			t.Errorf("got error %v, want %v", r.Err, context.Canceled)
		}
	}
	b.wantOnDisk("a.md")
}

// A text that the keeper cannot take stays on disk.
func TestBatch_KeeperFails(t *testing.T) {
	t.Parallel()
	full := errors.New("trash is full")
	variants(t, func(t *testing.T, b *bundle) {
		b.keepErr = full
		b.write("a.md", "old a\n")
		b.write("b.md", "old b\n")
		if r := b.put("a.md", "new\n", sum("old a\n")); r.Err != nil || !errors.Is(r.Left, full) {
			t.Errorf("put: got %v and left %v, want it done and %v", r.Err, r.Left, full)
		}
		r := b.one(func(batch *Batch) { batch.Delete(mustPath(t, "b.md"), "b.md", sum("old b\n")) })
		if !errors.Is(r.Err, full) {
			t.Errorf("delete: got error %v, want %v", r.Err, full)
		}
		b.wantText("a.md", "new\n")
		b.wantText("b.md", "old b\n")
		l := b.list()
		if len(l.Leftovers) != 1 || len(l.Files) != 2 {
			t.Fatalf("got leftovers %q and %d files, want one and 2", l.Leftovers, len(l.Files))
		}
		b.keepErr = nil
		must(t, b.Sweep(t.Context(), l, nil))
		b.wantKept("old a\n")
		b.wantOnDisk("a.md", "b.md")
		if b.kept[0].Path != mustPath(t, "a.md") {
			t.Errorf("got path %q, want a.md", b.kept[0].Path)
		}
	})
}

// On a file system that takes two spellings for one name, none is replaced
// under another spelling. The folding is claimed, so only the checks before
// the disk are tested here.
func TestBatch_FoldingFileSystem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.folding = func() (bool, error) { return true, nil }
	b.write("Docs/Readme.md", "x")
	for _, disk := range []string{"Docs/README.md", "docs/other.md"} {
		bl := blockedBy(t, b.put(disk, "new", memory.Hash{}).Err, KindClash)
		if bl.Disk == disk {
			t.Errorf("got spelling %q, want that of the file in the way", bl.Disk)
		}
	}
	must(t, b.put("Docs/Other.md", "new", memory.Hash{}).Err)
	r := b.one(func(batch *Batch) {
		batch.Move("Docs/Readme.md", mustPath(t, "Docs/README.md"), "Docs/README.md", sum("x"))
	})
	must(t, r.Err)
	b.wantOnDisk("Docs", "Docs/Other.md", "Docs/README.md")
}

func TestTree_ProbeLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	folding, err := b.folding()
	must(t, err)
	if folding {
		t.Error("got a folding file system, want one that tells names apart")
	}
	b.wantOnDisk()
}
