package tree

import (
	"time"

	"golang.org/x/sys/unix"
)

// date sets when a file was read, unless that is zero, and written.
func (d *folder) date(name string, atime, mtime time.Time) error {
	return d.root.Chtimes(name, atime, mtime)
}

// renameFree gives a file another name, unless there is something.
func (t *Tree) renameFree(from *folder, a string, to *folder, b string) error {
	return pathError("rename", to.join(b), restarted(func() error {
		return unix.RenameatxNp(from.fd(), a, to.fd(), b, unix.RENAME_EXCL)
	}))
}

// exchange swaps two names in one step.
func (t *Tree) exchange(d *folder, a, b string) error {
	return pathError("exchange", d.join(b), restarted(func() error {
		return unix.RenameatxNp(d.fd(), a, d.fd(), b, unix.RENAME_SWAP)
	}))
}
