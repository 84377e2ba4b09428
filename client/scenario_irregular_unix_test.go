//go:build unix

package client_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// Sockets, pipes and devices where entries are or could be: each is told by name,
// none is sent, deleted for others or replaced, and all the rest syncs. Once they
// are gone, what the server has is there.
func TestSync_WhatIsNoFile(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"pipe.md": "1\n", "sub/socket.md": "1\n", "device.md": "1\n", "z.md": "z\n"})
	want := map[string]memory.Code{}
	for name, make := range map[string]func(file string) error{
		"pipe.md": pipe, "new/pipe.md": pipe, "sub/socket.md": socket, "new/socket.md": socket, "device.md": device, "new/device.md": device,
	} {
		file := filepath.Join(a.tree(), name)
		mkdir(t, filepath.Dir(file))
		old, _ := os.ReadFile(file)
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			must(t, err)
		}
		switch err := make(file); {
		case errors.Is(err, fs.ErrPermission): // only root may make a device
			if old != nil {
				a.write(t, name, string(old))
			}
		default:
			must(t, err)
			want[name] = memory.Code(tree.KindIrregular)
		}
	}
	for _, name := range []string{"pipe.md", "sub/socket.md", "device.md"} {
		b.write(t, name, "2\n")
	}
	b.sync(t)
	a.write(t, "y.md", "y\n")
	r := a.sync(t)
	if diff := cmp.Diff(want, refused(r)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	served := map[string]string{"pipe.md": "2\n", "sub/socket.md": "2\n", "device.md": "2\n", "y.md": "y\n", "z.md": "z\n"}
	if diff := cmp.Diff(served, tm.served(t)); diff != "" {
		t.Errorf("the server (-want +got):\n%s", diff)
	}
	for name := range want {
		must(t, os.Remove(filepath.Join(a.tree(), name)))
	}
	must(t, os.Remove(filepath.Join(a.tree(), "new")))
	for _, name := range []string{"pipe.md", "sub/socket.md", "device.md"} { // or it is deleted for all
		a.write(t, name, "1\n")
	}
	a.sync(t)
	tm.equal(t, a)
}

func pipe(file string) error { return syscall.Mkfifo(file, 0o600) }

// socket makes one at which nobody listens. Its name is short, as it must be, until
// it is there.
func socket(file string) error {
	short, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s")})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return errors.Join(os.Rename(filepath.Join(short, "s"), file), os.Remove(short), l.Close())
}

// device makes one that looks like an empty text.
func device(file string) error {
	return unix.Mknod(file, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3)))
}
