package tree

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const nonBlocking = unix.O_NONBLOCK

// leased runs read under a read lease: the kernel grants one only while nobody
// has the file open for writing, and makes whoever wants to wait until it ends.
// It breaks the lease with SIGIO, which Go ignores. Where leases do not work
// the error is errNoLease, and read was not run.
func leased(f *os.File, read func() ([]byte, info, error)) (content []byte, i info, err error) {
	err = onFD(f, func(fd int) error { return setLease(fd, unix.F_RDLCK) })
	switch {
	case err == nil:
	case errors.Is(err, unix.EAGAIN):
		return nil, info{}, errMoving
	default: // EACCES: another user's file; EINVAL, ENOLCK: not on this file system
		return nil, info{}, errNoLease
	}
	content, i, err = read()
	if e := onFD(f, func(fd int) error { return setLease(fd, unix.F_UNLCK) }); err == nil && e != nil {
		err = fmt.Errorf("end read lease: %w", e)
	}
	return content, i, err
}

func setLease(fd, kind int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, kind)
	return err
}
