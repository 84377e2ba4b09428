package embedded

import (
	"syscall"
)

const haveNamespaces = false

func supported() error { return nil }

// attr starts a process as o in a process group of its own. This system has no
// signal for a parent's death: a server that outlives teammem has to be stopped
// by hand, and the next start says so.
func (o owner) attr(syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if o.how == asOther {
		attr.Credential = &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)}
	}
	return attr
}

// isPostmaster reports whether pid lives; whose it is cannot be seen here.
func isPostmaster(pid int, _ string) bool { return processExists(pid) }
