package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/internal/testdb"
)

// asProgram makes the test binary act as teammem: the tests run real processes.
const asProgram = "TEAMMEM_TEST_AS_PROGRAM"

// quickExit keeps a program that was built with the race detector from waiting
// a second for late races before each exit; the tests start a thousand of them.
const quickExit = "GORACE=atexit_sleep_ms=10"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	testdb.MoreAtOnce()
	code := m.Run()
	if err := released.remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// team is a running server with members around it.
type team struct {
	dir      string
	database string // URL; "" for a private cluster in dir/instance
	server   *exec.Cmd
	url      string
	log      *bytes.Buffer // of the server; read it after stop
	admin    []string      // flags that name the instance
}

func newTeam(t *testing.T) *team {
	t.Helper()
	tm := &team{dir: t.TempDir(), database: testdb.New(t)}
	tm.admin = []string{"admin", "--database-url", tm.database}
	tm.start(t, anyPort())
	tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	return tm
}

// start runs the server until the test ends, or stop.
func (tm *team) start(t *testing.T, listen string, flags ...string) {
	t.Helper()
	args := append([]string{"serve", "--listen", listen}, flags...)
	args = append(args, "--data", filepath.Join(tm.dir, "instance"))
	if tm.database != "" {
		args = append(args, "--database-url", tm.database)
	}
	tm.log = &bytes.Buffer{}
	tm.server = program(t.Context(), tm.dir, args...)
	tm.server.Stderr = tm.log
	out, err := tm.server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tm.server.Start(); err != nil {
		t.Fatal(err)
	}
	log := tm.log
	t.Cleanup(func() {
		tm.stop(syscall.SIGKILL)
		withoutRace(t, log.String())
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tm.stop(syscall.SIGKILL)
		t.Fatalf("the server did not start: %v\n%s", err, tm.log)
	}
	tm.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
}

func (tm *team) stop(sig syscall.Signal) {
	if tm.server.ProcessState == nil {
		_ = tm.server.Process.Signal(sig)
		_ = tm.server.Wait() // the signal is the reason
	}
}

// withoutRace fails the test if the race detector saw something in a server that
// was killed: its exit code does not tell.
func withoutRace(t testing.TB, log string) {
	t.Helper()
	if strings.Contains(log, "WARNING: DATA RACE") {
		t.Errorf("the server's log has a race:\n%s", log)
	}
}

// teams counts the addresses that anyPort gave out.
var teams atomic.Int32

// anyPort is where a server listens that stops or starts again during the test.
// Each has a loopback address of its own where the system has many: at one that
// all share, its port would go to whoever asks for any meanwhile.
func anyPort() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1:0"
	}
	n := int(teams.Add(1))
	return fmt.Sprintf("127.%d.%d.%d:0", 1+os.Getpid()%250, n/250%250, 1+n%250)
}

// address is where the server listens, without the scheme.
func (tm *team) address() string { return strings.TrimPrefix(tm.url, "http://") }

// must runs a command in the instance's name and returns its output.
func (tm *team) must(t *testing.T, args ...string) string {
	t.Helper()
	r := run(t, tm.dir, args...)
	if r.code != 0 {
		t.Fatalf("teammem %s: exit %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return strings.TrimSpace(r.stdout)
}

// member is a person with a home, a linked folder and a tree.
type member struct {
	team  *team
	home  string
	token string
}

// join adds a member, logs them in and links their folder.
func (tm *team) join(t *testing.T, name string) *member {
	t.Helper()
	tm.must(t, append(tm.admin, "member", "add", name)...)
	m := &member{team: tm, home: filepath.Join(tm.dir, name)}
	m.token = tm.must(t, append(tm.admin, "token", "create", "--member", name, "--scope", "sync:read,sync:write")...)
	mkdir(t, m.work())
	mkdir(t, m.tree())
	m.must(t, "login", tm.url, "--token", m.token)
	m.must(t, "link", m.work(), "--project", "acme/app", "--memory-dir", filepath.Join(m.home, "memory"))
	return m
}

func (m *member) work() string { return filepath.Join(m.home, "app") }
func (m *member) tree() string { return filepath.Join(m.home, "memory", "team") }

// run runs a command as the member.
func (m *member) run(t *testing.T, args ...string) result {
	t.Helper()
	return run(t, m.home, args...)
}

func (m *member) must(t *testing.T, args ...string) string {
	t.Helper()
	r := m.run(t, args...)
	if r.code != 0 {
		t.Fatalf("teammem %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// sync runs one sync and checks its exit code.
func (m *member) sync(t *testing.T, code int, flags ...string) result {
	t.Helper()
	r := m.run(t, append([]string{"sync", m.work()}, flags...)...)
	if r.code != code {
		t.Fatalf("sync: exit %d, want %d\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	return r
}

func (m *member) write(t *testing.T, path, text string) {
	t.Helper()
	file := filepath.Join(m.tree(), filepath.FromSlash(path))
	mkdir(t, filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (m *member) read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(m.tree(), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (m *member) remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(filepath.Join(m.tree(), filepath.FromSlash(path))); err != nil {
		t.Fatal(err)
	}
}

func (m *member) rename(t *testing.T, from, to string) {
	t.Helper()
	mkdir(t, filepath.Dir(filepath.Join(m.tree(), filepath.FromSlash(to))))
	if err := os.Rename(filepath.Join(m.tree(), filepath.FromSlash(from)), filepath.Join(m.tree(), filepath.FromSlash(to))); err != nil {
		t.Fatal(err)
	}
}

// files returns everything below team/ but the root marker: leftovers of an
// interrupted run would show.
func (m *member) files(t *testing.T) map[string]string {
	t.Helper()
	return filesBelow(t, m.tree())
}

func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".teammem" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// equalTrees fails unless all members have the same files.
func equalTrees(t *testing.T, members ...*member) {
	t.Helper()
	want := members[0].files(t)
	for _, m := range members[1:] {
		if diff := cmp.Diff(want, m.files(t)); diff != "" {
			t.Fatalf("%s and %s differ (-first +second):\n%s", filepath.Base(members[0].home), filepath.Base(m.home), diff)
		}
	}
}

// result is how one command ended.
type result struct {
	stdout, stderr string
	code           int
}

func run(t *testing.T, home string, args ...string) result {
	t.Helper()
	const limit = 2 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := program(ctx, home, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("teammem %s: %v", strings.Join(args, " "), err)
	}
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// program is a teammem process whose home folder tells members apart.
func program(ctx context.Context, home string, args ...string) *exec.Cmd {
	return command(ctx, released.path(), home, args...)
}

// programUnderRace is one in which the race detector watches, if it does here.
func programUnderRace(ctx context.Context, home string, args ...string) *exec.Cmd {
	return command(ctx, testBinary(), home, args...)
}

func command(ctx context.Context, executable, home string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, executable, args...)
	c.Env = []string{asProgram + "=1", quickExit, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	return c
}

// nextLook is when a state that a test waits for is looked at again. A loop
// without a pause takes one of two processors from what it waits for.
func nextLook() <-chan time.Time { return time.After(2 * time.Millisecond) }

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// shared returns a path of the material that lies beside the repository, and
// skips the test where it is missing.
func shared(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here: it is handed out beside the repository", path)
	}
	return path
}

// testApp runs commands in this process.
type testApp struct {
	*app

	out, err *bytes.Buffer
}

func newTestApp(t *testing.T) testApp {
	t.Helper()
	home := t.TempDir()
	out, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	return testApp{&app{
		stdin: strings.NewReader(""), stdout: out, stderr: stderr, now: time.Now,
		getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	}, out, stderr}
}
