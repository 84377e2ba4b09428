//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Beside the server of a private cluster a backup is taken and everything
// examined; only into a folder that nobody serves it is restored. With the epochs
// kept, members' clients do not notice.
func TestBackup_PrivateCluster(t *testing.T) {
	t.Parallel()
	tm := &team{dir: privateFolder(t)}
	tm.start(t, anyPort())
	data := filepath.Join(tm.dir, "instance")
	tm.admin = []string{"admin", "--data", data}
	tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	ana := tm.join(t, "ana")
	ana.write(t, "a.md", "one\n")
	ana.sync(t, exitOK)
	file := filepath.Join(tm.dir, "backup.tar.zst")
	tm.must(t, append(tm.admin, "backup", file)...)

	examined := tm.must(t, "doctor", "--data", data)
	for _, want := range []string{
		"postgres ", "data folder  belongs to ", " run by teammem, process ", "schema ", "project acme/app  seq 1 without a gap",
		"master key ", "its owner's alone; it seals ", "all is well",
	} {
		if !strings.Contains(strings.Join(strings.Fields(examined), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q is not in:\n%s", want, examined)
		}
	}
	if err := os.Chmod(filepath.Join(data, "master.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := run(t, tm.dir, "doctor", "--data", data); r.code != exitRetry || !strings.Contains(r.stdout, "chmod 600") {
		t.Errorf("exit %d:\n%s", r.code, r.stdout)
	}
	if r := run(t, tm.dir, append(tm.admin, "restore", file)...); r.code != exitLocked {
		t.Errorf("restore into a folder that is served: exit %d: %s", r.code, r.stderr)
	}
	tm.stop(syscall.SIGTERM)

	address := tm.address()
	if err := os.Rename(data, filepath.Join(tm.dir, "lost")); err != nil {
		t.Fatal(err)
	}
	tm.must(t, append(tm.admin, "restore", file, "--keep-epoch")...)
	if examined := tm.must(t, "doctor", "--data", data); !strings.Contains(examined, "started for this examination") {
		t.Errorf("doctor without a server:\n%s", examined)
	}
	tm.start(t, address)
	ana.write(t, "a.md", "two\n")
	ana.sync(t, exitOK)
}
