//go:build linux || darwin

package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/internal/testdb/scratch"
)

// helperEnv makes the test binary another teammem process.
const helperEnv = "EMBEDDED_TEST_HELPER"

// baseDir holds an instance's folder that is made once and copied by the tests
// that need an existing one, since initdb is slow.
var baseDir string

// diskDir is the usual temporary folder. Unlike one in memory, it always allows
// to run programs.
var diskDir string

func TestMain(m *testing.M) {
	if raw, ok := os.LookupEnv(helperEnv); ok {
		os.Exit(helper(raw))
	}
	// Copies of clusters are thousands of small files.
	diskDir = os.TempDir()
	err := os.Setenv("TMPDIR", scratch.Dir())
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "embedded-base-")
	if err != nil {
		panic(err)
	}
	baseDir = filepath.Join(dir, "instance")
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// helperCall says what a helper process shall do, and helperReply what came of it.
type (
	helperCall struct {
		Open bool
		Dir  string
	}
	helperReply struct {
		URL   string
		Owned bool
		Err   string
	}
)

// helper starts or opens a cluster, says so, and stops when its input ends.
func helper(raw string) int {
	var call helperCall
	if err := json.Unmarshal([]byte(raw), &call); err != nil {
		panic(err)
	}
	ctx := context.Background()
	begin := Start
	if call.Open {
		begin = Open
	}
	c, err := begin(ctx, call.Dir, Options{
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	reply := helperReply{}
	if err != nil {
		reply.Err = err.Error()
	} else {
		reply.URL, reply.Owned = c.URL(), c.Owned()
	}
	out, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	if c == nil {
		return 1
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	if err := errors.Join(err, c.Stop(ctx)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A process is a helper that runs.
type process struct {
	helperReply
	cmd   *exec.Cmd
	stdin io.Closer
}

// spawn runs a helper, as another account if cred is not nil, without waiting
// for its reply.
func spawn(t *testing.T, call helperCall, cred *syscall.Credential) (*process, *bufio.Reader) {
	t.Helper()
	raw, err := json.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if cred != nil {
		exe = copyForEveryone(t, exe)
	}
	cmd := exec.Command(exe)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), helperEnv+"="+string(raw))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, stdin: stdin}
	t.Cleanup(func() {
		_ = stdin.Close() // stopped or killed before, as a rule
		_ = cmd.Wait()
	})
	return p, bufio.NewReader(stdout)
}

// spawned runs a helper and waits for its reply.
func spawned(t *testing.T, call helperCall, cred *syscall.Credential) *process {
	t.Helper()
	p, out := spawn(t, call, cred)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatalf("helper said nothing: %v", err)
	}
	if err := json.Unmarshal([]byte(line), &p.helperReply); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // says that it was killed
}

func (p *process) stop(t *testing.T) {
	t.Helper()
	must(t, p.stdin.Close())
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("helper: %v", err)
	}
}

// copyForEveryone copies the test binary out of Go's private build folder. Were
// we to write it, a process forked meanwhile by another test would keep it open
// for writing, and it could not be run. https://go.dev/issue/22315
func copyForEveryone(t *testing.T, exe string) string {
	t.Helper()
	path := filepath.Join(programDir(t), "helper")
	if out, err := exec.Command("cp", "-p", exe, path).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v: %s", err, out)
	}
	return path
}

// programDir is a temporary folder for programs, open to every account.
func programDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(diskDir, "embedded-program-") //nolint:usetesting // not where t.TempDir is
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return dir
}

// openTempDir is a temporary folder that every account can pass through.
func openTempDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// makeBase makes the instance's folder that existing copies.
var makeBase = sync.OnceValue(func() error {
	c, err := Start(context.Background(), baseDir, Options{Throwaway: true})
	if err != nil {
		return err
	}
	return c.Stop(context.Background())
})

// existing is an instance's folder with a cluster that was stopped.
func existing(t *testing.T) string {
	t.Helper()
	if err := makeBase(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "instance")
	if err := os.CopyFS(dir, os.DirFS(baseDir)); err != nil {
		t.Fatal(err)
	}
	// Like any copy without modes, this one is open to everybody; Start closes it.
	return dir
}

func start(t *testing.T, dir string, opt Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, c) })
	return c
}

func stop(t *testing.T, c *Cluster) {
	t.Helper()
	if err := c.Stop(context.Background()); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// query runs one statement and returns its single value as text.
func query(t *testing.T, url, sql string, args ...any) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.Join(values, ",")
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := poll(ctx, func() (bool, error) { return ok(), nil }); err != nil {
		t.Fatalf("not within half a minute: %s", what)
	}
}

func postmasterPID(t *testing.T, dir string) int {
	t.Helper()
	p, err := readPIDFile(filepath.Join(dir, dataName))
	if err != nil || p.pid == 0 {
		t.Fatalf("postmaster.pid: %+v, %v", p, err)
	}
	return p.pid
}
