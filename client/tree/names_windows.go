package tree

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// canHide says whether a folder can be renamed while it is open.
const canHide = false

// newFile is a file that was just made, open for writing.
type newFile struct{ file *os.File }

// create makes a file that is not there yet.
func (d *folder) create(name string) (*newFile, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return &newFile{f}, err
}

// write writes all of the content.
func (f *newFile) write(content []byte) error {
	_, err := f.file.Write(content)
	return err
}

func (f *newFile) stat() (info, error) { return fstat(f.file) }

func (f *newFile) sync() error { return f.file.Sync() }

func (f *newFile) close() error { return f.file.Close() }

// date sets when a file was read, unless that is zero, and written.
func (d *folder) date(name string, atime, mtime time.Time) error {
	return d.root.Chtimes(name, atime, mtime)
}

// rename gives a file another name, and replaces what is there.
func (t *Tree) rename(from *folder, a string, to *folder, b string) error {
	return patient(func() error { return t.team.root.Rename(from.join(a), to.join(b)) })
}

// link gives a file a second name.
func (t *Tree) link(from *folder, a string, to *folder, b string) error {
	return patient(func() error { return t.team.root.Link(from.join(a), to.join(b)) })
}

// unlink takes a name from a file.
func (d *folder) unlink(name string) error {
	i, err := d.lstat(name)
	if err != nil {
		return err
	}
	if i.dir() {
		return &os.PathError{Op: "unlink", Path: d.join(name), Err: windows.ERROR_ACCESS_DENIED}
	}
	return patient(func() error { return d.root.Remove(name) })
}

// rmdir removes an empty folder.
func (d *folder) rmdir(name string) error {
	i, err := d.lstat(name)
	if err != nil {
		return err
	}
	if !i.dir() {
		return &os.PathError{Op: "rmdir", Path: d.join(name), Err: windows.ERROR_DIRECTORY}
	}
	return patient(func() error { return d.root.Remove(name) })
}

// sync does nothing: Windows has no such operation for folders.
func (d *folder) sync() error { return nil }

// renameFree and exchange do not exist here.
func (t *Tree) renameFree(*folder, string, *folder, string) error { return windows.ERROR_NOT_SUPPORTED }

func (t *Tree) exchange(*folder, string, string) error { return windows.ERROR_NOT_SUPPORTED }

// unsupported reports whether the file system has no such operation.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, windows.ERROR_NOT_SUPPORTED) ||
		errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_TOO_MANY_LINKS)
}

// patient repeats what failed because another program, often a virus scanner,
// has the file open for a moment.
func patient(op func() error) error {
	var err error
	for _, pause := range []time.Duration{0, 0, 1, 10, 20, 40} {
		time.Sleep(pause * time.Millisecond)
		err = op()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			return err
		}
	}
	return err
}

// links returns how many names an open file has.
func links(f *os.File) uint64 {
	var i windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &i); err != nil {
		return 1 // not a file that has names, and refused for that
	}
	return uint64(i.NumberOfLinks)
}
