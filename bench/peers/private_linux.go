package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate gives the command a network of its own. Whoever is not root needs a
// user namespace for that, in which it keeps the right to raise the loopback.
func isolate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		return
	}
	c.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
	c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	c.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
}

// raiseLoopback sets up the loopback of a new network; one that is up stays.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, r); err != nil || r.Uint16()&unix.IFF_UP != 0 {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// wireBytes counts what has passed the loopback so far. It reports false where
// others use it, too.
func wireBytes() (int64, bool) {
	mine, err := os.Readlink("/proc/self/ns/net")
	parents, perr := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", os.Getppid()))
	if err != nil || perr != nil || mine == parents {
		return 0, false
	}
	devices, err := os.ReadFile("/proc/self/net/dev")
	if err != nil {
		return 0, false
	}
	for line := range strings.SplitSeq(string(devices), "\n") {
		if rest, is := strings.CutPrefix(strings.TrimSpace(line), "lo:"); is {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// listens reports whether somebody listens on the port. It is looked up, since
// a connection that says nothing upsets Unison.
func listens(port int) bool {
	table, _ := os.ReadFile("/proc/self/net/tcp")
	wanted := fmt.Appendf(nil, ":%04X ", port)
	for line := range bytes.Lines(table) {
		if fields := bytes.Fields(line); len(fields) > 3 && string(fields[3]) == "0A" && bytes.Contains(line, wanted) {
			return true
		}
	}
	return false
}

// peakKB is the largest memory of a command.
func peakKB(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss
	}
	return 0
}

// settle writes out what is still on its way to a disk.
func settle() { syscall.Sync() }
