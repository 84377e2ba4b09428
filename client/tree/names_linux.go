package tree

import (
	"time"

	"golang.org/x/sys/unix"
)

// date sets when a file was read, unless that is zero, and written, in one call
// that follows nothing.
func (d *folder) date(name string, atime, mtime time.Time) error {
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, unix.NsecToTimespec(mtime.UnixNano())}
	if !atime.IsZero() {
		times[0] = unix.NsecToTimespec(atime.UnixNano())
	}
	return pathError("chtimes", d.join(name), restarted(func() error {
		return unix.UtimesNanoAt(d.fd(), name, times, unix.AT_SYMLINK_NOFOLLOW)
	}))
}

// renameFree gives a file another name, unless there is something.
func (t *Tree) renameFree(from *folder, a string, to *folder, b string) error {
	return pathError("rename", to.join(b), restarted(func() error {
		return unix.Renameat2(from.fd(), a, to.fd(), b, unix.RENAME_NOREPLACE)
	}))
}

// exchange swaps two names in one step.
func (t *Tree) exchange(d *folder, a, b string) error {
	return pathError("exchange", d.join(b), restarted(func() error {
		return unix.Renameat2(d.fd(), a, d.fd(), b, unix.RENAME_EXCHANGE)
	}))
}
