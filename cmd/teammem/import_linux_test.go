package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// At a terminal import and its undo ask, and only yes is yes.
func TestImport_Asks(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a := tm.join(t, "mara")
	notes, more := filepath.Join(a.home, "notes"), filepath.Join(a.home, "more")
	writeFile(t, filepath.Join(notes, "a.md"), "A\n")
	writeFile(t, filepath.Join(more, "b.md"), "B\n")
	for _, step := range []struct {
		args   []string
		answer string
		code   int
		files  int // in team/ afterwards
		says   string
	}{
		{[]string{"import", notes}, "\n", exitPending, 0, "nothing was imported"},
		{[]string{"import", notes}, "no\n", exitPending, 0, "nothing was imported"},
		{[]string{"import", notes}, "\x04", exitPending, 0, "nothing was imported"}, // the end of the input
		{[]string{"import", notes}, "Y\n", exitOK, 1, "import 1 file into acme/app? [y/N]"},
		{[]string{"import", notes}, "", exitOK, 1, ""}, // there is nothing to ask about
		{[]string{"import", "--undo"}, "n\n", exitPending, 1, "nothing was taken back"},
		{[]string{"import", "--undo"}, "yes\n", exitOK, 0, "take 1 file back from acme/app? [y/N]"},
		{[]string{"import", notes, "--dry-run"}, "", exitPending, 0, ""},
		{[]string{"import", more}, "y\n", exitOK, 1, ""},
	} {
		r := a.atTerminal(t, step.answer, append(step.args, "--folder", a.work())...)
		if r.code != step.code || len(a.files(t)) != step.files || !strings.Contains(r.stderr, step.says) {
			t.Errorf("%v answered %q: exit %d, %d files\n%s%s", step.args, step.answer, r.code, len(a.files(t)), r.stdout, r.stderr)
		}
	}
	if err := os.Remove(filepath.Join(a.tree(), "b.md")); err != nil {
		t.Fatal(err)
	}
	r := a.atTerminal(t, "", "import", "--undo", "--folder", a.work())
	if r.code != exitOK || !strings.Contains(r.stdout, "nothing of it is left to take back\n") || r.stderr != "" {
		t.Errorf("an undo of what is gone: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// atTerminal runs a command whose input is a terminal where somebody types.
func (m *member) atTerminal(t *testing.T, types string, args ...string) result {
	t.Helper()
	keyboard, terminal := openTerminal(t)
	if _, err := keyboard.WriteString(types); err != nil {
		t.Fatal(err)
	}
	c := program(t.Context(), m.home, args...)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = terminal, &stdout, &stderr
	_ = c.Run() // the exit code says it
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// openTerminal makes a terminal, with the end at which one types.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	fd := int(keyboard.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return keyboard, terminal
}

// What a foreign folder holds is shown, but nothing in it gets a hold of the
// terminal, reaches out of the folder, or is left unsaid.
func TestImport_HostileNames(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a := tm.join(t, "mara")
	notes, outside := filepath.Join(a.home, "notes"), filepath.Join(a.home, "outside")
	writeFile(t, filepath.Join(outside, "key.md"), "private\n")
	hostile := []string{"red\x1b[31m.md", "bell\a.md", "two\nlines.md", "bad\xff.md", "gpj\u202e.md", "-rf.md", "a\\b.md", "%2e%2e.md"}
	for i, name := range hostile {
		writeFile(t, filepath.Join(notes, name), fmt.Sprintf("the text of file %d\n", i))
	}
	for name, target := range map[string]string{"link.md": filepath.Join(outside, "key.md"), "dir": outside, "up": ".."} {
		if err := os.Symlink(target, filepath.Join(notes, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(notes, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := a.runImport(t, "import", notes, "--yes", "--rename")
	if r.code != exitOK || len(r.files) != len(hostile)+4 {
		t.Errorf("exit %d, %d names in the report\n%s", r.code, len(r.files), r.stderr)
	}
	want := []string{"2e-2e.md", "a-b.md", "bad.md", "bell.md", "gpj.md", "red-31m.md", "rf.md", "two-lines.md"}
	if got := slices.Sorted(maps.Keys(a.files(t))); !slices.Equal(got, want) {
		t.Errorf("team/ has %q, want %q", got, want)
	}
	for name, text := range a.files(t) {
		if strings.Contains(text, "private") {
			t.Errorf("%s came from outside", name)
		}
	}
	text := a.run(t, "import", notes, "--folder", a.work(), "--dry-run")
	for _, b := range []byte(text.stdout + text.stderr) {
		if b < ' ' && b != '\n' || b == 0x7f {
			t.Fatalf("the output holds the control character %#x:\n%q", b, text.stdout)
		}
	}
	if strings.Contains(text.stdout, "\u202e") || !strings.Contains(text.stdout, `"two\nlines.md"`) {
		t.Errorf("names are not quoted:\n%q", text.stdout)
	}
}
