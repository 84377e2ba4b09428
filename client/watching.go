package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"github.com/teammem/teammem/client/tree"
	msync "github.com/teammem/teammem/sync"
)

// WatchLock is held for as long as a process watches. The kernel frees it when
// the process dies.
type WatchLock struct {
	f    *flock.Flock
	path string
}

// LockWatch makes this process the only one that watches all trees.
func (d Dirs) LockWatch() (*WatchLock, error) { return lockWatch(filepath.Join(d.State, "watch.lock")) }

// LockWatchOf makes this process the only one that watches the tree of a link.
func (d Dirs) LockWatchOf(l Link) (*WatchLock, error) { return lockWatch(d.watchLock(l)) }

func (d Dirs) watchLock(l Link) string { return filepath.Join(d.stateDir(l), "watch.lock") }

func lockWatch(path string) (*WatchLock, error) {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("make folder for the lock: %w", err)
	}
	f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		pid, _ := noted(path)
		return nil, fmt.Errorf("%w: process %s watches already (it holds %s)", ErrLocked, pid, path)
	}
	l := &WatchLock{f, path}
	_ = l.Note("") // the lock holds without it; a full disk must not stop a watcher
	return l, nil
}

// Note keeps who holds the lock, and the socket where they can be asked.
func (l *WatchLock) Note(socket string) error {
	text := strconv.Itoa(os.Getpid()) + "\n" + socket + "\n"
	if err := os.WriteFile(l.path, []byte(text), private); err != nil {
		return fmt.Errorf("note who watches: %w", err)
	}
	return nil
}

// Release lets others watch.
func (l *WatchLock) Release() error { return l.f.Unlock() }

// WatchSocket returns where whoever watches, or last watched, the tree of a
// link can be asked; "" for nowhere.
func (d Dirs) WatchSocket(l Link) string {
	_, socket := noted(d.watchLock(l))
	return socket
}

func noted(path string) (pid, socket string) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return "(unknown)", ""
	}
	pid, rest, _ := strings.Cut(string(b), "\n")
	socket, _, _ = strings.Cut(rest, "\n")
	return pid, socket
}

// TreeID tells linked trees apart, on this computer.
func (d Dirs) TreeID(l Link) string { return l.Instance + "/" + string(l.Project) + "/" + l.tag() }

// SameTree reports whether two links mirror one tree, as those of a repository
// and its worktrees do.
func (d Dirs) SameTree(a, b Link) bool { return d.TreeID(a) == d.TreeID(b) }

// Watched returns the files of logins and of links, which change when a member
// logs in or links a folder.
func (d Dirs) Watched() (credentials, links string) { return d.credentialsFile(), d.linksFile() }

// Touch changes when team/ was last read, and nothing else of it: no name, no
// text, no marker. A watcher hears of it if it hears of anything.
func (s *Syncer) Touch() error {
	t, err := tree.Open(s.link.MemoryDir, tree.Options{Clock: s.clock, Home: s.home, Keep: func(context.Context, tree.Old) error {
		return errors.New("a touch replaces no file")
	}})
	if err != nil {
		return err
	}
	return errors.Join(t.Touch(), t.Close())
}

// list looks at the names in the tree: at all of them, unless whoever watches it
// can say where something happened since the last run of the same Syncer. What
// they missed does no harm: before a file is replaced, removed or deleted for
// all it is looked at, and all names are, now and then.
func (c *cycle) list(ctx context.Context, verify bool) (tree.Listing, error) {
	before := c.last
	listing := before.listing
	before.listing = nil
	if c.options.Touched == nil {
		return c.tree.List(ctx)
	}
	const most = 32 // folders; more are better looked at all together
	touched, all := c.options.Touched()
	if all || verify || listing == nil || !c.sameMarker() || len(touched)+len(before.folders) > most {
		return c.tree.List(ctx)
	}
	for _, f := range before.folders {
		if !slices.Contains(touched, f) {
			touched = append(touched, f)
		}
	}
	if c.options.Relook {
		return c.tree.Relook(ctx, listing, touched)
	}
	return c.tree.Relist(ctx, listing, touched)
}

// leaveUnsettled takes out of a plan what may still be half of a save or of a
// move, by the word of whoever has watched the tree for longer: deletes, what comes
// in the place of a file that is gone, and new files without a text. A listing
// reads one folder after the other, so a file that is moved meanwhile may be in none.
func (c *cycle) leaveUnsettled(plan []msync.Op) []msync.Op {
	c.report.Settling = nil
	if c.options.Settled == nil {
		return plan
	}
	kept := make([]msync.Op, 0, len(plan))
	for _, op := range plan {
		gone := op.Kind == msync.Download && op.Base.EntryID != "" && op.Local.Sum.IsZero()
		half := op.Kind == msync.DeleteRemote || gone || op.Kind == msync.Create && op.Local.Blank
		if half && !c.options.Settled(op.Path) {
			c.report.Settling = append(c.report.Settling, op.Path)
			continue
		}
		kept = append(kept, op)
	}
	return kept
}
