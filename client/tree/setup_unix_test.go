//go:build unix

package tree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// bundle is an opened tree with a record of what it gave to the keeper.
type bundle struct {
	testing.TB
	*Tree
	home string // holds the memory folder, and is outside of the tree
	dir  string // team/

	mu      sync.Mutex
	kept    []Old
	keepErr error
}

// setup opens an empty tree.
func setup(t testing.TB) *bundle {
	t.Helper()
	return setupIn(t, t.TempDir())
}

func setupIn(t testing.TB, home string) *bundle {
	t.Helper()
	b := &bundle{TB: t, home: home, dir: filepath.Join(home, "memory", FolderName)}
	must(t, os.MkdirAll(filepath.Dir(b.dir), 0o700))
	b.open()
	return b
}

// open opens the tree again, as the next run would.
func (b *bundle) open() {
	b.Helper()
	tr, err := Open(filepath.Dir(b.dir), Options{Clock: time.Now, Keep: b.keep, Home: b.home, Create: true})
	must(b, err)
	b.Cleanup(func() { must(b, tr.Close()) })
	b.Tree = tr
}

func (b *bundle) keep(_ context.Context, old Old) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.keepErr != nil {
		return b.keepErr
	}
	b.kept = append(b.kept, old)
	return nil
}

func (b *bundle) keptTexts() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var texts []string
	for _, o := range b.kept {
		texts = append(texts, string(o.Content))
	}
	return texts
}

// write puts a file into team/ as another program would.
func (b *bundle) write(disk, content string) {
	b.Helper()
	name := filepath.Join(b.dir, disk)
	must(b, os.MkdirAll(filepath.Dir(name), 0o700))
	must(b, os.WriteFile(name, []byte(content), 0o600))
}

// names lists all that is below team/, our own files included.
func (b *bundle) onDisk() []string {
	b.Helper()
	var names []string
	must(b, filepath.WalkDir(b.dir, func(name string, _ os.DirEntry, err error) error {
		if name != b.dir {
			names = append(names, strings.TrimPrefix(name, b.dir+"/"))
		}
		return err
	}))
	return names
}

func (b *bundle) list() Listing {
	b.Helper()
	l, err := b.List(context.Background())
	must(b, err)
	return l
}

// one commits a batch with one operation.
func (b *bundle) one(plan func(*Batch)) Result {
	b.Helper()
	batch := b.Begin()
	plan(batch)
	results, err := batch.Commit(context.Background())
	must(b, err)
	if len(results) != 1 {
		b.Fatalf("got %d results, want 1", len(results))
	}
	return results[0]
}

func (b *bundle) put(disk, content string, expect memory.Hash) Result {
	b.Helper()
	return b.one(func(batch *Batch) {
		batch.Put(mustPath(b, disk), disk, []byte(content), time.Time{}, expect)
	})
}

func (b *bundle) wantText(disk, want string) {
	b.Helper()
	got, err := os.ReadFile(filepath.Join(b.dir, disk))
	must(b, err)
	if string(got) != want {
		b.Errorf("%s: got text %q, want %q", disk, got, want)
	}
}

func (b *bundle) wantOnDisk(want ...string) {
	b.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, b.onDisk()); diff != "" {
		b.Errorf("names below team/ (-want +got):\n%s", diff)
	}
}

func (b *bundle) wantKept(want ...string) {
	b.Helper()
	if diff := cmp.Diff(want, b.keptTexts()); diff != "" {
		b.Errorf("kept texts (-want +got):\n%s", diff)
	}
}

func wantKind(t testing.TB, err error, want Kind) {
	t.Helper()
	if b := blockedBy(t, err, want); b == nil {
		t.Errorf("got no block, want %s", want)
	}
}

// blockedBy is wantKind for a test that looks at the block as well.
func blockedBy(t testing.TB, err error, want Kind) *Blocked {
	t.Helper()
	b, ok := errors.AsType[*Blocked](err)
	if !ok {
		t.Fatalf("got error %v, want a %s block", err, want)
	}
	if b.Kind != want {
		t.Errorf("got %v, want kind %s", b, want)
	}
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustPath(t testing.TB, s string) memory.Path {
	t.Helper()
	p, err := memory.ParsePath(s)
	must(t, err)
	return p
}

func sum(s string) memory.Hash { return memory.Sum([]byte(s)) }
