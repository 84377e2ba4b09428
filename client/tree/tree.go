package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/teammem/teammem/memory"
)

// FolderName is the one folder of a memory tree that is shared.
const FolderName = "team"

// Options say how to open a tree. Clock and Keep are required.
type Options struct {
	Clock memory.Clock
	// Keep takes over a text that an operation moved out of the way: into the
	// trash, or into the conflict store. When it returns nil the text must be
	// as durable as the caller wants it, since the old file is removed next.
	Keep func(ctx context.Context, old Old) error
	// Home is where the check of the folders above the tree starts; it should
	// be the member's home folder. Nothing above it is looked at.
	Home string
	// Create makes team/ if it is missing.
	Create bool
	// OnSync is called before each wait for the disk; nil for nobody. A test
	// makes a disk slow with it.
	OnSync func()
}

// Old is a text that was replaced or removed.
type Old struct {
	Path     memory.Path // zero if a crash left the text behind and no path fits
	Disk     string      // where it was, or the folder that it was in
	Content  []byte
	Sum      memory.Hash
	Expected memory.Hash // what the plan knew of; zero from [Tree.Sweep], which has no plan
	Ours     bool        // it looks like a new text that a crash left behind, and that nobody wrote to
}

// Tree is an opened team/ folder. Its methods may be used by several
// goroutines, but only one writes at a time.
type Tree struct {
	options Options
	dir     string   // the memory folder, as it was given
	memory  *os.Root // the memory folder
	team    *folder  // team/ in it

	rules    Rules           // what the member leaves out
	changed  map[string]bool // folders in which we changed names, on disk below team/
	warnings []string
	folding  func() (bool, error) // whether two spellings can name one file; asked once

	// What some file systems cannot do; set by tests only, since a system call
	// tells it just as well.
	noExchange, noLink, noLease bool
}

// Open checks the folders on the way to team/ and opens it. A missing team/ is
// fs.ErrNotExist. It refuses, with [ErrUnsafe], a team/ that is a link, that
// another user owns, or that everybody may write to.
func Open(memoryDir string, o Options) (*Tree, error) {
	if o.Clock == nil || o.Keep == nil {
		return nil, errors.New("open tree: a clock and a place for replaced text are required")
	}
	dir, err := filepath.Abs(memoryDir)
	if err != nil {
		return nil, fmt.Errorf("open tree: %w", err)
	}
	t := &Tree{options: o, dir: dir, changed: map[string]bool{}}
	t.folding = sync.OnceValues(t.probe)
	if err := t.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open tree %s: %w", dir, err), t.Close())
	}
	return t, nil
}

func (t *Tree) open() (err error) {
	if t.warnings, err = checkChain(t.options.Home, t.dir); err != nil {
		return err
	}
	if t.memory, err = os.OpenRoot(t.dir); err != nil {
		return err
	}
	if t.options.Create {
		if err := t.memory.Mkdir(FolderName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	above, err := newFolder(t.memory, "")
	if err != nil {
		return err
	}
	defer above.closeDir()
	i, err := above.lstat(FolderName)
	if err != nil {
		return err
	}
	warnings, err := checkFolder(FolderName, i)
	if err != nil {
		return err
	}
	t.warnings = append(t.warnings, warnings...)
	if t.team, err = above.open(FolderName); err != nil {
		return err
	}
	t.team.disk = "" // all spellings start below it
	return nil
}

// Warnings tells what is unusual about the folders on the way to the tree but
// no reason to refuse it.
func (t *Tree) Warnings() []string { return t.warnings }

// Changed returns the folders in which names were changed through t, in their
// spelling on disk.
func (t *Tree) Changed() []string { return slices.Collect(maps.Keys(t.changed)) }

// Verify returns [ErrReplaced] unless the opened folders are still the ones at
// their names: writes would follow the folder that was moved away.
func (t *Tree) Verify() error {
	at, err := os.Stat(t.dir)
	if err != nil {
		return fmt.Errorf("verify tree: %w", err)
	}
	opened, err := t.memory.Stat(".")
	if err != nil {
		return fmt.Errorf("verify tree: %w", err)
	}
	if !os.SameFile(at, opened) {
		return fmt.Errorf("verify tree %s: %w", t.dir, ErrReplaced)
	}
	named, err := t.memory.Lstat(FolderName)
	if err != nil {
		return fmt.Errorf("verify tree: %w", err)
	}
	team, err := t.team.root.Stat(".")
	if err != nil {
		return fmt.Errorf("verify tree: %w", err)
	}
	if !os.SameFile(named, team) {
		return fmt.Errorf("verify tree %s: %w", FolderName, ErrReplaced)
	}
	return nil
}

// await waits for the disk.
func (t *Tree) await(sync func() error) error {
	if t.options.OnSync != nil {
		t.options.OnSync()
	}
	return sync()
}

// Close lets go of the folders.
func (t *Tree) Close() error {
	if t.team != nil {
		t.team.close()
	}
	if t.memory == nil {
		return nil
	}
	return t.memory.Close()
}
