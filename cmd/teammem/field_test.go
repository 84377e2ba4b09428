package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A field scenario is something that went wrong for somebody in another
// product. Its test replays it with real processes, on a real disk, with a
// member whose memory is where the agent itself has it.

// settle adds a member who is logged in and has linked nothing yet.
func (tm *team) settle(t *testing.T, name string) *member {
	t.Helper()
	tm.must(t, append(tm.admin, "member", "add", name)...)
	home, err := filepath.EvalSymlinks(tm.dir)
	if err != nil {
		t.Fatal(err)
	}
	m := &member{team: tm, home: filepath.Join(home, name)}
	m.token = tm.must(t, append(tm.admin, "token", "create", "--member", name, "--scope", "sync:read,sync:write")...)
	mkdir(t, m.home)
	m.must(t, "login", tm.url, "--token", m.token)
	return m
}

// at is a path below the member's home.
func (m *member) at(parts ...string) string {
	return filepath.Join(append([]string{m.home}, parts...)...)
}

// in runs a command in a folder, with variables on top of the usual ones.
func (m *member) in(t *testing.T, dir string, code int, env []string, args ...string) result {
	t.Helper()
	c := program(t.Context(), m.home, args...)
	c.Dir, c.Env = dir, append(c.Env, env...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("teammem %s: %v", strings.Join(args, " "), err)
	}
	r := result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
	if r.code != code {
		t.Fatalf("teammem %s in %s: exit %d, want %d\n%s%s", strings.Join(args, " "), dir, r.code, code, r.stdout, r.stderr)
	}
	return r
}

// git runs git in a folder of the member.
func (m *member) git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", append([]string{
		"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always",
	}, args...)...)
	c.Env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// repo makes a repository with one commit below the member's home.
func (m *member) repo(t *testing.T, parts ...string) string {
	t.Helper()
	dir := m.at(parts...)
	mkdir(t, dir)
	m.git(t, dir, "init", "-q")
	m.git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir
}

// store is where the agent keeps memory for a path: its rule, spelled out once
// more, since a test must not ask the code that it tests.
func (m *member) store(path string) string {
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
	return m.at(".claude", "projects", slug, "memory")
}

// note writes a file, and the folders on the way to it.
func note(t *testing.T, text string, parts ...string) {
	t.Helper()
	file := filepath.Join(parts...)
	mkdir(t, filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// says fails unless the text has all the words.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("nothing is said of %q in:\n%s", w, text)
		}
	}
}

// silentOn fails if the text has one of the words.
func silentOn(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%q should not be in:\n%s", w, text)
		}
	}
}

// wantFiles fails unless just these files are below a folder.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	for name := range filesBelow(t, dir) {
		got = append(got, name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}
