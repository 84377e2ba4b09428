package client_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/teammem/teammem/client"
)

// A lock that cannot be noted down is held all the same, by whoever asked.
func TestLockWatch_FullDisk(t *testing.T) {
	t.Parallel()
	dirs := client.Dirs{State: t.TempDir()}
	must(t, os.Symlink("/dev/full", filepath.Join(dirs.State, "watch.lock")))
	l, err := dirs.LockWatch()
	must(t, err)
	must(t, l.Release())
}
