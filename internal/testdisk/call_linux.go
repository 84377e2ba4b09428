package testdisk

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Call is one system call that names or changes a file.
type Call struct {
	Name  string // such as "openat"
	Path  string // what it is about, absolute; "" if that is no file
	To    string // of a rename or link: the other name
	Flags int    // of an open, a rename, an unlink

	number int
	args   [6]uint64
	pid    int
}

// shape says where a call has its names.
type shape struct {
	name    string
	dir     int  // argument with a folder's descriptor, before the one with a name
	to      int  // the same for the other name; 0 for none
	file    bool // the first argument is a descriptor, and there is no name
	flags   int  // argument with flags; 0 for none
	changes bool
}

// calls are those that Go's standard library and ours use on files.
func calls() map[int]shape {
	return map[int]shape{
		unix.SYS_OPENAT:     {name: "openat", flags: 2},
		unix.SYS_NEWFSTATAT: {name: "newfstatat"},
		unix.SYS_READLINKAT: {name: "readlinkat"},
		unix.SYS_UTIMENSAT:  {name: "utimensat", changes: true},
		unix.SYS_FCHMODAT:   {name: "fchmodat", changes: true},
		unix.SYS_MKDIRAT:    {name: "mkdirat", changes: true},
		unix.SYS_UNLINKAT:   {name: "unlinkat", flags: 2, changes: true},
		unix.SYS_SYMLINKAT:  {name: "symlinkat", dir: 1, changes: true},
		unix.SYS_RENAMEAT:   {name: "renameat", to: 2, changes: true},
		unix.SYS_RENAMEAT2:  {name: "renameat2", to: 2, flags: 4, changes: true},
		unix.SYS_LINKAT:     {name: "linkat", to: 2, changes: true},
		unix.SYS_WRITE:      {name: "write", file: true, changes: true},
		unix.SYS_PWRITE64:   {name: "pwrite64", file: true, changes: true},
		unix.SYS_FTRUNCATE:  {name: "ftruncate", file: true, changes: true},
		unix.SYS_FCHMOD:     {name: "fchmod", file: true, changes: true},
		unix.SYS_FSYNC:      {name: "fsync", file: true},
		unix.SYS_FDATASYNC:  {name: "fdatasync", file: true},
		unix.SYS_SYNCFS:     {name: "syncfs", file: true},

		unix.SYS_INOTIFY_INIT1:     {name: "inotify_init1", file: true},
		unix.SYS_INOTIFY_ADD_WATCH: {name: "inotify_add_watch"},
	}
}

// Changes reports whether the call changes what is on the disk.
func (c Call) Changes() bool {
	if c.number == unix.SYS_OPENAT {
		return c.Flags&(unix.O_CREAT|unix.O_TRUNC) != 0
	}
	return calls()[c.number].changes
}

// Flushes reports whether the call waits for the disk.
func (c Call) Flushes() bool { return strings.Contains(c.Name, "sync") }

func (c Call) String() string {
	if c.To != "" {
		return fmt.Sprintf("%s %s %s", c.Name, c.Path, c.To)
	}
	return c.Name + " " + c.Path
}

// decode reads what a call is about from the memory of who calls.
func decode(n *notification) (Call, error) {
	c := Call{number: int(n.data.number), args: n.data.args, pid: int(n.pid)}
	s := calls()[c.number]
	c.Name = s.name
	if s.flags > 0 {
		c.Flags = int(c.args[s.flags])
	}
	if s.file {
		c.Path = c.descriptor(c.args[0])
		return c, nil
	}
	var err error
	if c.Path, err = c.named(s.dir); err == nil && s.to > 0 {
		c.To, err = c.named(s.to)
	}
	return c, err
}

// named joins a folder and a name in it.
func (c Call) named(dir int) (string, error) {
	name, err := c.text(c.args[dir+1])
	if err != nil {
		return "", err
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	above := c.descriptor(c.args[dir])
	if int32(c.args[dir]) == unix.AT_FDCWD {
		if above, err = os.Readlink(c.proc("cwd")); err != nil {
			return "", err
		}
	}
	if name == "" || name == "." {
		return above, nil
	}
	return above + "/" + name, nil
}

// descriptor is the file of a descriptor, "" if it is none.
func (c Call) descriptor(fd uint64) string {
	name, err := os.Readlink(c.proc("fd", strconv.Itoa(int(int32(fd)))))
	if err != nil || !filepath.IsAbs(name) {
		return ""
	}
	return name
}

func (c Call) proc(parts ...string) string {
	return filepath.Join(append([]string{"/proc", strconv.Itoa(c.pid)}, parts...)...)
}

// text reads a string of the caller's.
func (c Call) text(at uint64) (string, error) {
	if at == 0 {
		return "", nil
	}
	memory, err := os.Open(c.proc("mem"))
	if err != nil {
		return "", err
	}
	defer memory.Close()
	buf := make([]byte, unix.PathMax)
	n, err := memory.ReadAt(buf, int64(at))
	if end := bytes.IndexByte(buf[:n], 0); end >= 0 {
		return string(buf[:end]), nil
	}
	return "", fmt.Errorf("read a name: %w", err)
}

// give writes into the memory of the caller.
func (c Call) give(at uint64, b []byte) error {
	memory, err := os.OpenFile(c.proc("mem"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	_, err = memory.WriteAt(b, int64(at))
	return err
}
