package client_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/internal/testdisk"
)

// S49: a disk that is full when one text is written, and a file that may not be
// read. That one op fails, and is told; everything else goes on, nothing is
// deleted, and what was agreed on before stays so until the disk is well again.
func TestScenario_S49_DiskTrouble(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\n", "b.md": "one\n", "closed.md": "one\n"})
	for _, path := range []string{"a.md", "b.md", "new.md"} {
		a.write(t, path, "two\n")
	}
	a.sync(t)

	full := 0
	o, _ := b.guest(t, func(c testdisk.Call) testdisk.Verdict {
		if c.Name == "write" && filepath.Dir(c.Path) == b.tree() && strings.HasPrefix(filepath.Base(c.Path), ".teammem-") {
			if full++; full == 1 {
				return testdisk.Fail(unix.ENOSPC)
			}
		}
		return testdisk.Go
	})
	if full != 3 || o.Proven || !strings.Contains(o.Err+strings.Join(o.Notices, "\n"), "no space left on device") {
		t.Errorf("%d texts written, proven %t, %q, %s", full, o.Proven, o.Notices, o.Err)
	}
	var missing []string
	for path, text := range tm.served(t) {
		if b.files(t)[path] != text {
			missing = append(missing, "download "+path)
		}
	}
	if got := b.planned(t); len(missing) != 1 || !slices.Equal(got, missing) || len(b.files(t)) > 4 {
		t.Errorf("missing are %q, and planned is %q; the tree has %q", missing, got, b.files(t))
	}
	b.sync(t)
	tm.equal(t, a, b)

	b.write(t, "closed.md", "three\n")
	b.write(t, "open.md", "three\n")
	o, _ = b.guest(t, func(c testdisk.Call) testdisk.Verdict {
		if c.Name == "openat" && c.Path == filepath.Join(b.tree(), "closed.md") {
			return testdisk.Fail(unix.EACCES)
		}
		return testdisk.Go
	})
	if o.Refused["closed.md"] != "unreadable" || len(o.Refused) != 1 {
		t.Errorf("refused %q, %s", o.Refused, o.Err)
	}
	if got := tm.served(t); got["closed.md"] != "one\n" || got["open.md"] != "three\n" || tm.deletesOf(t) != 0 {
		t.Errorf("the server has %q, after %d deletes", got, tm.deletesOf(t))
	}
	if got := b.planned(t); !slices.Equal(got, []string{"upload closed.md"}) {
		t.Errorf("planned is %q, want what could not be read", got)
	}
	b.sync(t)
	a.sync(t)
	tm.equal(t, a, b)
}

// planned lists what a sync would do now.
func (m *member) planned(t *testing.T) []string {
	t.Helper()
	r, err := m.syncer("").Sync(t.Context(), client.SyncOptions{DryRun: true})
	must(t, err)
	var ops []string
	for _, d := range r.Done {
		ops = append(ops, fmt.Sprintf("%s %s", d.Kind, d.Path))
	}
	return ops
}
