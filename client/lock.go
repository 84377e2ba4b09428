package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked means that another process held the lock for too long.
var ErrLocked = errors.New("another teammem process is at work")

// lock is held for one cycle, so that a sync, a hook and a watch can work
// beside each other. The kernel frees it when the process dies.
type lock struct{ f *flock.Flock }

// lockPatience is how long a cycle waits for another one to end.
const lockPatience = 10 * time.Second

// takeLock waits for the lock file. Its content, the holder's process id, is
// only for the message.
func takeLock(ctx context.Context, path string) (*lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make folder for the lock: %w", err)
	}
	f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	patient, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	const retry = 20 * time.Millisecond
	ok, err := f.TryLockContext(patient, retry)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded) || (err == nil && !ok):
		return nil, fmt.Errorf("%w: process %s holds %s; run again when it has ended", ErrLocked, holder(path), path)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if holder(path) != strconv.Itoa(os.Getpid()) {
		// The lock holds without the note; a full disk must not stop a sync.
		_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	return &lock{f}, nil
}

func (l *lock) release() error { return l.f.Unlock() }

func holder(path string) string {
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return "(unknown)"
	}
	return strings.TrimSpace(string(b))
}

// exclusive runs an update of the member's own settings, so that two programs
// do not undo each other's.
func (d Dirs) exclusive(update func() error) (err error) {
	if err := makeDir(d.Config); err != nil {
		return fmt.Errorf("make folder for settings: %w", err)
	}
	f := flock.New(filepath.Join(d.Config, "lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if err := f.Lock(); err != nil {
		return fmt.Errorf("lock settings: %w", err)
	}
	defer func() { err = errors.Join(err, f.Unlock()) }()
	sweepTemps(d.Config, time.Time{})
	return update()
}
