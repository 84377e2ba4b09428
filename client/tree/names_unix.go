//go:build linux || darwin

package tree

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// canHide says whether a folder can be renamed while it is open.
const canHide = true

// The calls below take two open folders and single names, so they are as
// confined as those of [os.Root], which has none for two folders.

// create makes a file that is not there yet, for writing. It follows nothing,
// and costs a third of what [os.Root.OpenFile] does around the same call.
func (d *folder) create(name string) (*os.File, error) {
	fd := -1
	err := restarted(func() (err error) {
		fd, err = unix.Openat(d.fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		return err
	})
	if err != nil {
		return nil, pathError("create", d.join(name), err)
	}
	return os.NewFile(uintptr(fd), d.join(name)), nil
}

// rename gives a file another name, and replaces what is there.
func (t *Tree) rename(from *folder, a string, to *folder, b string) error {
	return pathError("rename", to.join(b), restarted(func() error { return unix.Renameat(from.fd(), a, to.fd(), b) }))
}

// link gives a file a second name.
func (t *Tree) link(from *folder, a string, to *folder, b string) error {
	return pathError("link", to.join(b), restarted(func() error { return unix.Linkat(from.fd(), a, to.fd(), b, 0) }))
}

// unlink takes a name from a file; it never removes a folder.
func (d *folder) unlink(name string) error {
	return pathError("unlink", d.join(name), restarted(func() error { return unix.Unlinkat(d.fd(), name, 0) }))
}

// rmdir removes an empty folder; it never removes a file.
func (d *folder) rmdir(name string) error {
	return pathError("rmdir", d.join(name), restarted(func() error { return unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR) }))
}

// sync makes the names in the folder durable.
func (d *folder) sync() error { return d.dir.Sync() }

// unsupported reports whether the file system has no such operation. EPERM is
// what Linux says of hard links on FAT.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, unix.EINVAL) ||
		errors.Is(err, unix.EPERM) || errors.Is(err, unix.EMLINK)
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
