//go:build linux || darwin

package tree

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// identity tells two files apart, together with the inode number.
type identity struct {
	dev   uint64
	owner uint32
}

func (i info) same(o info) bool { return i.dev == o.dev && i.Inode == o.Inode }

// junction reports whether the name is a kind of link that Windows alone has.
func (i info) junction() bool { return false }

func (i info) sameDevice(o info) bool { return i.dev == o.dev }

// lstat looks at a name in the folder. It asks the folder's own descriptor and
// follows nothing, so it is as confined as [os.Root.Lstat], at a third of the cost.
func (d *folder) lstat(name string) (info, error) {
	var st unix.Stat_t
	if err := restarted(func() error { return unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return infoOf(&st), nil
}

// fstat looks at an open file.
func fstat(f *os.File) (info, error) {
	var i info
	err := onFD(f, func(fd int) (err error) { i, err = statFD(fd, f.Name()); return err })
	return i, err
}

func statFD(fd int, name string) (info, error) {
	var st unix.Stat_t
	if err := restarted(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return info{}, &fs.PathError{Op: "fstat", Path: name, Err: err}
	}
	return infoOf(&st), nil
}

// onFD runs a system call on the descriptor of an open file.
func onFD(f *os.File, call func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var callErr error
	err = conn.Control(func(fd uintptr) { callErr = restarted(func() error { return call(int(fd)) }) })
	if err != nil {
		return err
	}
	return callErr
}

// restarted repeats a system call that a signal interrupted.
func restarted(call func() error) error {
	for {
		if err := call(); err != unix.EINTR { //nolint:errorlint // a bare system call returns bare numbers
			return err
		}
	}
}

// infoOf converts what the kernel said. The widths of the fields differ
// between systems, which is why some conversions look needless.
func infoOf(st *unix.Stat_t) info {
	return info{
		Stamp: Stamp{
			Size:  st.Size,
			MTime: st.Mtim.Nano(),
			CTime: st.Ctim.Nano(),
			Inode: st.Ino,
		},
		ATime:    st.Atim.Nano(),
		mode:     modeOf(uint32(st.Mode)),
		nlink:    uint64(st.Nlink),
		identity: identity{dev: uint64(st.Dev), owner: st.Uid},
	}
}

func modeOf(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	switch m & unix.S_IFMT {
	case unix.S_IFREG:
		return mode
	case unix.S_IFDIR:
		return mode | fs.ModeDir
	case unix.S_IFLNK:
		return mode | fs.ModeSymlink
	default:
		return mode | fs.ModeIrregular
	}
}
