//go:build linux || darwin

package embedded

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// idsOf returns the owner and group of a file.
func idsOf(info fs.FileInfo) (uid, gid int) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, -1
	}
	return int(st.Uid), int(st.Gid)
}

func processExists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// segmentInUse reports whether a process is attached to the shared memory
// segment that the postmaster creator noted. Its children are, until the last
// one has noticed that it died; Postgres does not start before that. Numbers
// are given again after a reboot, so the creator has to match.
func segmentInUse(id, creator int) bool {
	if id < 0 {
		return false
	}
	var desc unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &desc); err != nil {
		return false
	}
	return int(desc.Cpid) == creator && desc.Nattch > 0
}

// freeBytes is how much an ordinary account may still write where dir is.
func freeBytes(dir string) int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return -1
	}
	return int64(st.Bavail) * int64(st.Bsize) //nolint:gosec // their types differ between systems
}
