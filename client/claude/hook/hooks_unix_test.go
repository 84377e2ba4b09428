//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Links that cannot be read, as on a disk that hangs, do not hold up the agent:
// neither the answer nor the note about it waits for them.
func TestRun_LinksHang(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.hurried = true
	file := filepath.Join(m.dirs.Config, "links.json")
	m.must(os.Remove(file))
	m.must(syscall.Mkfifo(file, 0o600))
	defer func() { // lets go of whoever waits at the other end
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		m.must(err)
		m.must(os.Remove(file))
		m.must(f.Close())
	}()
	if r := m.put(m.team("a.md"), "a\n"); r.raw != "" {
		t.Errorf("got %s", r.raw)
	}
	if f := m.failures(); len(f) != 1 || !strings.Contains(f[0], "not done within 2s") {
		t.Errorf("noted %q", f)
	}
}
