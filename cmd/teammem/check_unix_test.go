//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is no ordinary file is not waited for: a FIFO without a writer never
// ends, and neither does a device.
func TestReadOrdinary_Others(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo.md"), filepath.Join(dir, "link.md")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink(fifo, link)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{fifo, link, dir, "/dev/zero"} {
		if content, _, err := readOrdinary(file); !errors.Is(err, errNotOrdinary) || content != nil {
			t.Errorf("%s: got %d bytes, %v", filepath.Base(file), len(content), err)
		}
	}
}
