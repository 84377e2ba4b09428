//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A mistyped folder makes a new instance, since that is how every instance
// begins; but not without a word, also where the command itself fails.
func TestAdmin_SaysThatItMadeAnInstance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	allowOthers(t, dir)
	data := filepath.Join(dir, "typo")
	for _, step := range []struct {
		args []string
		says bool
	}{
		{args: []string{"token", "create", "--member", "nobody", "--scope", "sync:read"}, says: true},
		{args: []string{"member", "add", "mara"}},
	} {
		c := program(t.Context(), dir, append([]string{"admin", "--data", data}, step.args...)...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		err := c.Run()
		if says := strings.Contains(stderr.String(), "made a new instance in "+data); says != step.says {
			t.Errorf("%v: says it %v, want %v: %s (%v)", step.args, says, step.says, &stderr, err)
		}
	}
}

// A server whose cluster is gone ends. A new one in its place would answer
// under the old instance's name.
func TestServe_DataFolderGone(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir()}
	allowOthers(t, tm.dir)
	tm.start(t, "127.0.0.1:0")
	data := filepath.Join(tm.dir, "instance", "postgres")
	raw, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(data, data+".gone"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := tm.server.Wait(); err == nil || !strings.Contains(tm.log.String(), "find a cluster") {
		t.Errorf("ended with %v: %s", err, tm.log)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("a new cluster: %v", err)
	}
}
