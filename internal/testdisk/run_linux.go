package testdisk

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Judge decides about one call. It is asked about one after the other.
type Judge func(Call) Verdict

// Verdict is what becomes of a call.
type Verdict struct {
	die   bool
	errno unix.Errno
	path  string
	to    string
}

// Go lets a call be as it is.
var Go Verdict //nolint:gochecknoglobals // a constant

// Die ends the process before the call, as kill -9 would.
func Die() Verdict { return Verdict{die: true} }

// Fail refuses a call.
func Fail(errno unix.Errno) Verdict { return Verdict{errno: errno} }

// Elsewhere carries out a call under other names; to is "" where there is one.
func Elsewhere(path, to string) Verdict { return Verdict{path: path, to: to} }

// Run starts a program that calls [Submit], and waits for it while judge is
// asked. The error is what [exec.Cmd.Wait] says, or what kept it from judging.
func Run(cmd *exec.Cmd, judge Judge) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("judge a program: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "guest")
	cmd.ExtraFiles = []*os.File{theirs}
	// A thread that is interrupted for Go's sake would make its call again.
	cmd.Env = append(cmd.Environ(), "GODEBUG=asyncpreemptoff=1")
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = unix.Close(pair[0])
		return err
	}
	ended := make(chan struct{})
	judged := make(chan error, 1)
	go func() { judged <- serve(pair[0], cmd.Process, judge, ended) }()
	err = cmd.Wait()
	close(ended)
	return errors.Join(err, <-judged)
}

// serve takes the listener and answers until the process has ended.
func serve(socket int, process *os.Process, judge Judge, ended <-chan struct{}) error {
	defer unix.Close(socket) //nolint:errcheck // it was only read from
	listener, err := receive(socket)
	if err != nil {
		return fmt.Errorf("judge a program: %w", errors.Join(err, process.Kill()))
	}
	defer unix.Close(listener) //nolint:errcheck // whoever asked is gone
	h := &host{listener: listener, process: process, judge: judge}
	for {
		select {
		case <-ended:
			return nil
		default:
		}
		const look = 50 // milliseconds; the kernel says so as well when all have gone
		poll := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, look); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("judge a program: %w", errors.Join(err, process.Kill()))
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			if poll[0].Revents&unix.POLLHUP != 0 {
				<-ended
			}
			continue
		}
		if err := h.answer(); err != nil {
			return fmt.Errorf("judge a program: %w", errors.Join(err, process.Kill()))
		}
	}
}

// receive takes the descriptor that [Submit] sends.
func receive(socket int) (int, error) {
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) == 0 {
		return 0, errors.Join(errors.New("it did not submit"), err)
	}
	files, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return files[0], nil
}

// host answers the kernel's questions about one program.
type host struct {
	listener int
	process  *os.Process
	judge    Judge
	dead     bool // it was killed, and what its threads still ask is not answered
}

// notification, response and addition are the kernel's seccomp_notif,
// seccomp_notif_resp and seccomp_notif_addfd.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	data  struct {
		number int32
		arch   uint32
		at     uint64
		args   [6]uint64
	}
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

type addition struct {
	id       uint64
	flags    uint32
	file     uint32
	newFile  uint32
	newFlags uint32
}

// answer takes one question and answers it.
func (h *host) answer() error {
	var n notification
	if err := ioctl(h.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); err != nil {
		return ignoreGone(err)
	}
	if h.dead {
		return nil
	}
	c, err := decode(&n)
	if err != nil {
		return h.gone(n, err)
	}
	v := h.judge(c)
	switch {
	case v.die:
		h.dead = true
		return h.process.Kill()
	case v.errno != 0:
		return h.reply(response{id: n.id, errno: -int32(v.errno)})
	case v.path == "" || v.path == c.Path && v.to == c.To:
		return h.reply(response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
	case c.number == unix.SYS_OPENAT:
		return h.open(n, c, v.path)
	}
	errno, _ := errors.AsType[unix.Errno](c.perform(v.path, v.to))
	return h.reply(response{id: n.id, errno: -int32(errno)})
}

// gone is err, unless whoever asked does not wait any more.
func (h *host) gone(n notification, err error) error {
	id := n.id
	if ioctl(h.listener, notifIDValid, unsafe.Pointer(&id)) == nil {
		return err
	}
	return nil
}

// notifIDValid is SECCOMP_IOCTL_NOTIF_ID_VALID.
const notifIDValid = 0x40082102

func (h *host) reply(r response) error {
	return ignoreGone(ioctl(h.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)))
}

// open opens a file for the caller.
func (h *host) open(n notification, c Call, path string) error {
	fd, err := unix.Open(path, c.Flags|unix.O_CLOEXEC, uint32(c.args[3]))
	if errno, failed := errors.AsType[unix.Errno](err); failed {
		return h.reply(response{id: n.id, errno: -int32(errno)})
	}
	defer unix.Close(fd) //nolint:errcheck // the caller has it
	a := addition{id: n.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, file: uint32(fd), newFlags: uint32(c.Flags & unix.O_CLOEXEC)}
	return ignoreGone(ioctl(h.listener, notifAddFD, unsafe.Pointer(&a)))
}

// notifAddFD is SECCOMP_IOCTL_NOTIF_ADDFD.
const notifAddFD = 0x40182103

func ioctl(fd int, request uintptr, argument unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		return nil
	}
}

// ignoreGone drops the error that says that the caller is not waiting any more.
func ignoreGone(err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINPROGRESS) {
		return nil
	}
	return err
}

// perform carries out a call that opens nothing.
func (c Call) perform(path, to string) error {
	flags := c.Flags
	switch c.number {
	case unix.SYS_NEWFSTATAT:
		var st unix.Stat_t
		if err := unix.Fstatat(unix.AT_FDCWD, path, &st, int(c.args[3])); err != nil {
			return err
		}
		return c.give(c.args[2], unsafe.Slice((*byte)(unsafe.Pointer(&st)), unsafe.Sizeof(st)))
	case unix.SYS_MKDIRAT:
		return unix.Mkdir(path, uint32(c.args[2]))
	case unix.SYS_UNLINKAT:
		return unix.Unlinkat(unix.AT_FDCWD, path, flags)
	case unix.SYS_FCHMODAT:
		return unix.Fchmodat(unix.AT_FDCWD, path, uint32(c.args[2]), 0)
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		return unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, to, uint(flags))
	case unix.SYS_LINKAT:
		return unix.Linkat(unix.AT_FDCWD, path, unix.AT_FDCWD, to, int(c.args[4]))
	}
	return unix.Errno(unix.ENOSYS) // nothing that a test needs under another name
}
