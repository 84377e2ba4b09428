//go:build unix

package tree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// hidden returns where a new folder is that nobody sees yet, by a name in it.
func (b *bundle) hidden(name string) string {
	b.Helper()
	for _, leftover := range b.list().Leftovers {
		dir := filepath.Join(b.dir, leftover)
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return dir
		}
	}
	b.Fatalf("no hidden folder has %s", name)
	return ""
}

// wantOurs compares the kept texts with whether each was taken for one of ours.
func (b *bundle) wantOurs(want map[string]bool) {
	b.Helper()
	got := map[string]bool{}
	for _, o := range b.kept {
		got[string(o.Content)] = o.Ours
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("kept texts, and whether they are ours (-want +got):\n%s", diff)
	}
}

// A crash leaves texts of every age in a hidden folder. Whatever somebody did to
// them there, each is kept, and ours are told from theirs.
func TestSweep_HiddenTexts(t *testing.T) {
	t.Parallel()
	now := time.Now()
	tests := []struct {
		name string
		at   time.Time
		then func(file string) error
		want map[string]bool
	}{
		{"old", longAgo(), nil, map[string]bool{"ours\n": true}},
		{"of no known time", time.Time{}, nil, map[string]bool{"ours\n": true}},
		{"just written", now, nil, map[string]bool{"ours\n": true}},
		{"of the future", now.Add(time.Hour), nil, map[string]bool{"ours\n": true}},
		{"of another mode", longAgo(), func(file string) error { return os.Chmod(file, 0o640) }, map[string]bool{"ours\n": true}},
		{"edited", longAgo(), func(file string) error { return os.WriteFile(file, []byte("theirs\n"), 0o600) }, map[string]bool{"theirs\n": false}},
		{"edited, of no known time", time.Time{}, func(file string) error {
			return os.WriteFile(file, []byte("theirs\n"), 0o600)
		}, map[string]bool{"theirs\n": false}},
		{"saved as another file", longAgo(), func(file string) error {
			saved := filepath.Join(filepath.Dir(file), "saved")
			return errors.Join(os.WriteFile(saved, []byte("theirs\n"), 0o600), os.Rename(saved, file))
		}, map[string]bool{"theirs\n": false}},
		{"a second name", longAgo(), func(file string) error {
			return os.Link(file, filepath.Join(filepath.Dir(file), "..", "..", "..", "second"))
		}, map[string]bool{"ours\n": false}},
		{"an old file beside it", longAgo(), func(file string) error {
			theirs := filepath.Join(filepath.Dir(file), "notes")
			return errors.Join(os.WriteFile(theirs, []byte("theirs\n"), 0o600), os.Chtimes(theirs, time.Time{}, longAgo()))
		}, map[string]bool{"ours\n": true, "theirs\n": false}},
		{"emptied", longAgo(), func(file string) error { return os.Truncate(file, 0) }, map[string]bool{"": true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			batch := b.Begin()
			batch.Put(mustPath(t, "a/b/x.md"), "a/b/x.md", []byte("ours\n"), tt.at, memory.Hash{})
			batch.close() // as a crash would
			if tt.then != nil {
				must(t, tt.then(filepath.Join(b.hidden("b"), "b", "x.md")))
			}
			b.open()
			must(t, b.Sweep(t.Context(), b.list(), nil))
			b.wantOnDisk()
			b.wantOurs(tt.want)
		})
	}
}

// The time that a text has while it is hidden is not the one it appears with.
func TestBatch_NewFolderHasItsTimes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begun := time.Now()
	future := begun.Add(time.Hour).Truncate(time.Microsecond)
	batch := b.Begin()
	for name, at := range map[string]time.Time{"none": {}, "future": future, "past": longAgo(), "edited": future} {
		batch.Put(mustPath(t, "a/"+name+".md"), "a/"+name+".md", []byte(name+"\n"), at, memory.Hash{})
	}
	batch.writers.wait()
	edited := filepath.Join(b.hidden("edited.md"), "edited.md")
	must(t, os.WriteFile(edited, []byte("mine\n"), 0o600))
	results, err := batch.Commit(t.Context())
	must(t, err)
	for _, r := range results {
		must(t, r.Err)
		if r.Stamp.IsZero() {
			t.Errorf("%s: got no stamp", r.Disk)
		}
	}
	for _, f := range b.list().Files {
		at := time.Unix(0, f.Stamp.MTime)
		switch want := map[string]time.Time{"a/future.md": future, "a/past.md": longAgo()}[f.Disk]; {
		case want.IsZero() && (at.Before(begun.Add(-30*time.Second)) || at.After(begun.Add(30*time.Minute))):
			t.Errorf("%s: got time %s, want about %s", f.Disk, at, begun)
		case !want.IsZero() && !at.Equal(want):
			t.Errorf("%s: got time %s, want %s", f.Disk, at, want)
		}
	}
	b.wantText("a/edited.md", "mine\n")
}

// What somebody writes into a text that is still hidden outlives every end that
// a batch can come to.
func TestBatch_EditedWhileHidden(t *testing.T) {
	t.Parallel()
	commit := func(t *testing.T, batch *Batch) {
		_, err := batch.Commit(t.Context())
		must(t, err)
	}
	for name, end := range map[string]func(t *testing.T, b *bundle, batch *Batch){
		"discarded": func(_ *testing.T, _ *bundle, batch *Batch) { batch.Discard() },
		"not wanted": func(t *testing.T, _ *bundle, batch *Batch) {
			batch.Retain(func(memory.Path) bool { return false })
			commit(t, batch)
		},
		"cancelled": func(t *testing.T, _ *bundle, batch *Batch) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := batch.Commit(ctx)
			must(t, err)
		},
		"name taken": func(t *testing.T, b *bundle, batch *Batch) {
			must(t, os.Mkdir(filepath.Join(b.dir, "a"), 0o700))
			commit(t, batch)
			must(t, os.Remove(filepath.Join(b.dir, "a")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, at := range []time.Time{{}, longAgo()} {
				b := setup(t)
				batch := b.Begin()
				batch.Put(mustPath(t, "a/b/x.md"), "a/b/x.md", []byte("ours\n"), at, memory.Hash{})
				batch.Put(mustPath(t, "a/b/y.md"), "a/b/y.md", []byte("ours\n"), at, memory.Hash{})
				batch.writers.wait()
				must(t, os.WriteFile(filepath.Join(b.hidden("b"), "b", "x.md"), []byte("mine\n"), 0o600))
				end(t, b, batch)
				b.open()
				must(t, b.Sweep(t.Context(), b.list(), nil))
				b.wantOnDisk()
				b.wantOurs(map[string]bool{"mine\n": false})
			}
		})
	}
}

// A text that somebody removed while it was hidden did not arrive, so that it
// cannot look deleted later.
func TestBatch_RemovedWhileHidden(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"b/00.md", "b"} {
		t.Run(gone, func(t *testing.T) {
			t.Parallel()
			variants(t, func(t *testing.T, b *bundle) {
				batch := b.Begin()
				disks := putNew(t, batch, 2)
				must(t, os.RemoveAll(filepath.Join(b.hidden("b"), gone)))
				batch.folders.forget()
				results, err := batch.Commit(t.Context())
				must(t, err)
				want := []string{"c"}
				for i, r := range results {
					if removed := strings.HasPrefix(r.Disk, "a/"+gone); removed != errors.Is(r.Err, ErrChanged) {
						t.Errorf("%s: got error %v", r.Disk, r.Err)
					} else if !removed {
						want = append(want, disks[i])
					}
				}
				if gone != "b" {
					want = append(want, "a", "a/b")
				}
				b.wantOnDisk(want...)
			})
		})
	}
}

// The folder that somebody made where ours was to be is theirs, empty as it is,
// and what the same batch moves there arrives.
func TestBatch_FolderTakenByAnEmptyOne(t *testing.T) {
	t.Parallel()
	for _, moves := range []bool{false, true} {
		variants(t, func(t *testing.T, b *bundle) {
			b.write("x.md", "x\n")
			batch := b.Begin()
			putNew(t, batch, 2)
			want := []string{"a", "c", "c/00.md", "c/01.md", "x.md"}
			if moves {
				batch.Move("x.md", mustPath(t, "a/x.md"), "a/x.md", sum("x\n"))
				want[4] = "a/x.md"
			}
			must(t, os.Mkdir(filepath.Join(b.dir, "a"), 0o700))
			_, err := batch.Commit(t.Context())
			must(t, err)
			b.wantOnDisk(want...)
		})
	}
}

// Nothing that is no file of ours can stop the runs to come. It is told of.
func TestSweep_ForeignInHiddenFolder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.Begin()
	putNew(t, batch, 1)
	batch.close() // as a crash would
	in := filepath.Join(b.hidden("b"), "b")
	must(t, os.Symlink("nowhere", filepath.Join(in, "link.md")))
	must(t, syscall.Mkfifo(filepath.Join(in, "fifo"), 0o600))
	name := filepath.Base(filepath.Dir(in))
	for range 2 {
		b.open()
		must(t, b.Sweep(t.Context(), b.list(), nil))
		b.wantOnDisk(name, name+"/b", name+"/b/fifo", name+"/b/link.md")
		got := map[string]Kind{}
		for _, bl := range b.list().Blocked {
			got[bl.Disk] = bl.Kind
		}
		want := map[string]Kind{name + "/b/fifo": KindIrregular, name + "/b/link.md": KindSymlink}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("blocked (-want +got):\n%s", diff)
		}
	}
	b.wantOurs(map[string]bool{"a/b/00.md\n": true, "c/00.md\n": true})
}

// What is removed from a hidden folder after a flush is flushed as well, or the
// folder would come with it after a power cut.
func TestBatch_RetainIsFlushed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var flushes atomic.Int32
	b.options.OnSync = func() { flushes.Add(1) }
	batch := b.Begin()
	putNew(t, batch, fewFiles+1)
	batch.Settle()
	must(t, batch.ahead.wait())
	before := flushes.Load()
	batch.Retain(func(p memory.Path) bool { return p.String() != "c/03.md" })
	_, err := batch.ready(t.Context())
	must(t, err)
	if canFlush && flushes.Load() == before {
		t.Error("nothing was flushed after a text was dropped")
	}
	batch.Discard()
}

// What was waited for is not thrown away.
func TestBatch_CancelledWhileFlushing(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"few": 1, "many": fewFiles + 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			batch := b.Begin()
			putNew(t, batch, n)
			ctx, cancel := context.WithCancel(t.Context())
			var waits atomic.Int32
			b.options.OnSync = func() {
				if int(waits.Add(1)) == len(batch.unsynced) || batch.many {
					cancel()
				}
			}
			results, err := batch.Commit(ctx)
			must(t, err)
			for _, r := range results {
				must(t, r.Err)
				b.wantText(r.Disk, r.Disk+"\n")
			}
			if ctx.Err() == nil {
				t.Error("the batch was not cancelled")
			}
		})
	}
}
