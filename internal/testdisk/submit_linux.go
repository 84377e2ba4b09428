package testdisk

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hostFile is the descriptor over which a guest sends its listener.
const hostFile = 3

// Submit has the kernel ask the process that started this one with [Run] about
// each call that names or changes a file, until this process ends.
func Submit() error {
	host := os.NewFile(hostFile, "host")
	defer host.Close() //nolint:errcheck // it was only written to
	listener, err := listen()
	if err != nil {
		return fmt.Errorf("have calls judged: %w", err)
	}
	defer unix.Close(listener) //nolint:errcheck // the host has one of its own
	// Sending is no call that is judged, so nobody has to listen yet.
	if err := unix.Sendmsg(hostFile, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("have calls judged: %w", err)
	}
	return nil
}

// listen puts all threads under the filter, and returns where it asks.
func listen() (int, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	filter := program()
	run := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&run)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return 0, errno
	}
	return int(listener), nil
}

// program asks about the calls of the table, and lets all others pass.
func program() []unix.SockFilter {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}} // the call's number
	numbers := calls()
	left := len(numbers)
	for number := range numbers {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(left), K: uint32(number)})
		left--
	}
	return append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF},
	)
}
