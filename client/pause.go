package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrPaused means that a member wished for nothing to happen by itself.
var ErrPaused = errors.New("syncing is paused")

// Pause is a member's wish that nothing happens by itself in a tree.
type Pause struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"` // zero: until it is ended
}

func (d Dirs) pauseFile(l Link) string { return filepath.Join(d.stateDir(l), "paused") }

// Pause keeps watchers and hooks from syncing the tree of a link.
func (d Dirs) Pause(l Link, p Pause) error { return writeJSON(d.pauseFile(l), p) }

// Resume ends a pause, and reports whether there was one.
func (d Dirs) Resume(l Link) (was bool, err error) {
	err = os.Remove(d.pauseFile(l))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("end the pause: %w", err)
	}
	return true, nil
}

// Paused returns the pause that a tree is in, if it is in one. A file that
// cannot be read is a pause: somebody wished for it.
func (d Dirs) Paused(l Link, now time.Time) (Pause, bool) {
	var p Pause
	err := readJSON(d.pauseFile(l), &p)
	if errors.Is(err, fs.ErrNotExist) {
		return Pause{}, false
	}
	return p, err != nil || p.Until.IsZero() || now.Before(p.Until)
}
