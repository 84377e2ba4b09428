package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/teammem/teammem/client"
)

// patience bounds what must not hang.
const patience = 15 * time.Second

// ending fails the test if f does not end.
func ending(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s hangs", what)
	}
}

// quiet is a project of a watcher that does not run.
func quiet(t *testing.T) *project {
	t.Helper()
	w := New(Options{Clock: time.Now})
	p := newProject(w, client.Link{MemoryReal: t.TempDir()}, nil)
	if err := os.Mkdir(p.team, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// A watch that ends by itself while it is being ended is an error to the
// watcher, which tells so in the middle of it. Nobody may wait for it then.
func TestEars_MovedOut(t *testing.T) {
	t.Parallel()
	p := quiet(t)
	outside := t.TempDir()
	p.ears.open()
	go p.ears.listen(t.Context())
	folders := []string{""}
	for i := range 8 {
		folders = append(folders, fmt.Sprint(i))
	}
	for range 20 {
		for _, f := range folders[1:] {
			if err := os.Mkdir(filepath.Join(p.team, f), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		ending(t, "to watch folders", func() { p.ears.follow(p, folders, true) })
		for _, f := range folders[1:] {
			moved := filepath.Join(outside, f)
			if err := os.Rename(filepath.Join(p.team, f), moved); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(moved); err != nil {
				t.Fatal(err)
			}
		}
	}
	ending(t, "to end", p.ears.close)
}

// A folder whose name went, or went to another, is not watched any more, and
// where things are now has to be looked for everywhere.
func TestEars_FolderReplaced(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]fsnotify.Op{"made": fsnotify.Create, "moved": fsnotify.Rename, "removed": fsnotify.Remove} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := quiet(t)
			folder, below := filepath.Join(p.team, "a"), filepath.Join(p.team, "a", "b")
			p.proven = true
			p.ears.note(p.team, p)
			p.ears.note(folder, p)
			p.ears.note(below, p)
			p.ears.hear(fsnotify.Event{Name: folder, Op: op})
			if p.ears.knows(folder, p) || p.ears.knows(below, p) {
				t.Error("it is still taken for watched")
			}
			if _, all := p.where(); !all {
				t.Error("not everything is looked at")
			}
		})
	}
}

// Whatever happened while one watcher was put in the place of another, in any
// tree, was not heard of.
func TestEars_Open(t *testing.T) {
	t.Parallel()
	p := quiet(t)
	p.proven = true
	p.ears.open()
	t.Cleanup(p.ears.close)
	p.ears.follow(p, []string{""}, true)
	if _, all := p.where(); all {
		t.Fatal("nothing happened, and everything is looked at")
	}
	p.ears.open()
	if !p.ears.knows(p.team, p) {
		t.Error("the tree is not watched any more")
	}
	if _, all := p.where(); !all || p.agenda.edited.IsZero() {
		t.Error("not everything is looked at")
	}
}
