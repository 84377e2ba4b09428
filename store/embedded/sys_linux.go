package embedded

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const haveNamespaces = true

func supported() error { return nil }

// attr starts a process as o in a process group of its own (Ctrl-C in the
// terminal is for teammem, which then stops Postgres in order), and has the
// kernel send it the signal death when the starting thread ends.
func (o owner) attr(death syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	switch o.how {
	case asSelf:
	case asOther:
		attr.Credential = &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)} //nolint:gosec // ids fit by definition
	case asMapped:
		inner := innerUID()
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: inner, HostID: o.uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: inner, HostID: os.Getegid(), Size: 1}}
	}
	return attr
}

// isPostmaster reports whether pid is a living server of the data folder, which
// it has as its working directory.
func isPostmaster(pid int, data string) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	comm, err := os.ReadFile(proc + "/comm")
	if err != nil || strings.TrimSpace(string(comm)) != "postgres" {
		return false
	}
	cwd, err := os.Stat(proc + "/cwd")
	if errors.Is(err, fs.ErrNotExist) {
		return false // dead, only its parent has not asked for its status yet
	}
	want, wantErr := os.Stat(data)
	if err != nil || wantErr != nil {
		return true // not ours to see: assume the dangerous case
	}
	return os.SameFile(cwd, want)
}
