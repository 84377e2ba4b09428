//go:build unix

package hook

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Links that cannot be read, as on a disk that hangs, do not hold up the agent:
// neither the answer nor the note about it waits for them.
func TestRun_LinksHang(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.hurried = true
	defer m.hang(filepath.Join(m.dirs.Config, "links.json"))()
	if r := m.put(m.team("a.md"), "a\n"); r.raw != "" {
		t.Errorf("got %s", r.raw)
	}
	if f := m.noted(); len(f) != 1 || !strings.Contains(f[0], "not done within 2s") {
		t.Errorf("noted %q", f)
	}
}

// A disk that hangs when something is to be kept does not hold up the agent
// either: it has its answer by then, and the program ends.
func TestRun_KeepingHangs(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.hurried = true
	note := failures{dir: stateDir(m.dirs)}
	m.mkdir(note.folder())
	defer m.hang(filepath.Join(note.folder(), short(PreToolUse, "the disk is slow")+".json"))()
	remembered := make(chan struct{})
	var out bytes.Buffer
	began, h := time.Now(), m.hooks()
	e, _ := eventOf(PreToolUse)
	m.must(h.finish(e, outcome{answer: answer{Message: "hello"}, err: errors.New("the disk is slow"), remember: func() error {
		close(remembered)
		return nil
	}}, &out))
	if took := time.Since(began); took > hung || !strings.Contains(out.String(), "hello") {
		t.Errorf("after %v the answer is %q", took, out.String())
	}
	select {
	case <-remembered:
		t.Error("the note was not waited for at all")
	default:
	}
}

// hang lets whoever reads a file wait until the returned function is called.
func (m *member) hang(file string) (goOn func()) {
	m.Helper()
	m.must(os.RemoveAll(file))
	m.must(syscall.Mkfifo(file, 0o600))
	return func() {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		m.must(err)
		m.must(os.Remove(file))
		m.must(f.Close())
	}
}
