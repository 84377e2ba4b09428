package client

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
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
