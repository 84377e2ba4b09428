//go:build linux || darwin

package tree

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// canHide says whether a folder can be renamed while it is open.
const canHide = true

// The calls below take two open folders and single names, so they are as
// confined as those of [os.Root], which has none for two folders.

// newFile is a file that was just made, open for writing. An [os.File] would cost
// as much again as making a small file does.
type newFile struct {
	fd   int
	name string
}

// create makes a file that is not there yet. It follows nothing.
func (d *folder) create(name string) (*newFile, error) {
	fd := -1
	err := restarted(func() (err error) {
		fd, err = unix.Openat(d.fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		return err
	})
	if err != nil {
		return nil, pathError("create", d.join(name), err)
	}
	return &newFile{fd, d.join(name)}, nil
}

// write writes all of the content.
func (f *newFile) write(content []byte) error {
	for len(content) > 0 {
		n := 0
		err := restarted(func() (err error) { n, err = unix.Write(f.fd, content); return err })
		if err != nil {
			return pathError("write", f.name, err)
		}
		content = content[n:]
	}
	return nil
}

func (f *newFile) stat() (info, error) { return statFD(f.fd, f.name) }

func (f *newFile) sync() error {
	return pathError("sync", f.name, restarted(func() error { return unix.Fsync(f.fd) }))
}

func (f *newFile) close() error { return pathError("close", f.name, unix.Close(f.fd)) }

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
