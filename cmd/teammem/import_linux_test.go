package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// At a terminal import and its undo ask, and only yes is yes.
func TestImport_Asks(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	a := tm.join(t, "mara")
	notes := filepath.Join(a.home, "notes")
	writeFile(t, filepath.Join(notes, "a.md"), "A\n")
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
	} {
		r := a.atTerminal(t, step.answer, append(step.args, "--folder", a.work())...)
		if r.code != step.code || len(a.files(t)) != step.files || !strings.Contains(r.stderr, step.says) {
			t.Errorf("%v answered %q: exit %d, %d files\n%s%s", step.args, step.answer, r.code, len(a.files(t)), r.stdout, r.stderr)
		}
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
