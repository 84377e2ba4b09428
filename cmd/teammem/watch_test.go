package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// watch runs teammem watch until the test ends, or it is stopped.
func (m *member) watch(t *testing.T) *exec.Cmd {
	t.Helper()
	c := program(t.Context(), m.home, "watch")
	c.Stdout, c.Stderr = &strings.Builder{}, &strings.Builder{}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		halt(c, syscall.SIGKILL)
		if t.Failed() {
			t.Logf("watch of %s:\n%s%s", filepath.Base(m.home), c.Stdout, c.Stderr)
		}
	})
	return c
}

func halt(c *exec.Cmd, sig syscall.Signal) {
	if c.ProcessState == nil {
		_ = c.Process.Signal(sig)
		_ = c.Wait() // the signal is the reason
	}
}

// arrives waits until a member has the same files as another.
func arrives(t *testing.T, what string, from, to *member) {
	t.Helper()
	const patience = time.Minute
	var diff string
	for end := time.Now().Add(patience); time.Now().Before(end); <-nextLook() {
		if diff = cmp.Diff(from.texts(t), to.texts(t)); diff == "" {
			return
		}
	}
	t.Fatalf("%s did not arrive (-there +here):\n%s", what, diff)
}

// texts returns the entries of a tree in which somebody may be at work.
func (m *member) texts(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(m.tree()), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".teammem") && d.IsDir() {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return ignoreGone(err)
		}
		b, err := os.ReadFile(filepath.Join(m.tree(), path))
		if err == nil {
			files[path] = string(b)
		}
		return ignoreGone(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Two members who watch have the same files, whatever is done to them and to
// the server.
func TestWatch_TwoProcesses(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ada, bob := tm.join(t, "ada"), tm.join(t, "bob")
	ada.write(t, "first.md", "was there\n")
	watcher := ada.watch(t)
	bob.watch(t)
	arrives(t, "what was there", ada, bob)

	second := ada.run(t, "watch")
	if want := fmt.Sprintf("process %d watches already", watcher.Process.Pid); second.code != 5 || !strings.Contains(second.stderr, want) {
		t.Errorf("a second watch: exit %d, %q; want 5, %q", second.code, second.stderr, want)
	}
	shows(t, ada, fmt.Sprintf("watch     watching (process %d)\nnews      by stream", watcher.Process.Pid))

	ada.write(t, "made.md", "made\n")
	arrives(t, "a new file", ada, bob)
	bob.write(t, "made.md", "edited\n")
	arrives(t, "an edit", bob, ada)
	ada.rename(t, "made.md", "folder/renamed.md")
	arrives(t, "a rename", ada, bob)
	bob.remove(t, "first.md")
	for i := range 200 {
		bob.write(t, fmt.Sprintf("topic-%d/%03d.md", i%5, i), fmt.Sprintf("text %d\n", i))
	}
	arrives(t, "a delete and a burst", bob, ada)

	halt(watcher, syscall.SIGKILL)
	bob.write(t, "topic-1/while-dead.md", "written\n")
	ada.write(t, "topic-1/by-the-dead.md", "written\n")
	watcher = ada.watch(t)
	arrives(t, "what was written beside a killed watcher", ada, bob)

	address := tm.address()
	tm.stop(syscall.SIGKILL)
	ada.write(t, "offline.md", "written offline\n")
	shows(t, ada, "offline since")
	tm.start(t, address)
	arrives(t, "what was written offline", ada, bob)

	ada.must(t, "pause", ada.work(), "--for", "1h")
	shows(t, ada, "watch     paused until ")
	ada.write(t, "paused.md", "written in a pause\n")
	if r := ada.run(t, "sync", "--by", "hook", ada.work()); r.code != 0 || !strings.Contains(r.stderr, "is paused until") {
		t.Errorf("a hook's sync in a pause: exit %d\n%s", r.code, r.stderr)
	}
	ada.must(t, "resume", ada.work())
	arrives(t, "what was written in a pause", ada, bob)

	halt(watcher, syscall.SIGTERM)
	if code := watcher.ProcessState.ExitCode(); code != 130 {
		t.Errorf("stopped: exit %d, want 130", code)
	}
	shows(t, ada, "watch     nobody watches")
	ada.write(t, "once.md", "sent at once\n")
	ada.must(t, "watch", "--once")
	arrives(t, "what was sent once", ada, bob)
}

// shows waits until status shows a text.
func shows(t *testing.T, m *member, want string) {
	t.Helper()
	const patience = time.Minute
	var r result
	for end := time.Now().Add(patience); time.Now().Before(end); <-nextLook() {
		if r = m.run(t, "status", m.work()); strings.Contains(r.stdout, want) {
			return
		}
	}
	t.Fatalf("status does not show %q:\n%s%s", want, r.stdout, r.stderr)
}
