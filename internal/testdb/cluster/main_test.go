//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"github.com/teammem/teammem/store/embedded"
)

// mainEnv makes the test binary the command itself.
const mainEnv = "CLUSTER_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), mainEnv+"=1")
	return cmd
}

// gone checks that nothing is left of the cluster with this address.
func gone(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(u.Query().Get("host"))
	if !strings.Contains(dir, "teammem-test-") {
		t.Fatalf("the command got the address %q", address)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was left", dir)
	}
}

func TestRun_PassesExitCodeOn(t *testing.T) {
	t.Parallel()
	cmd := command(t, "--", "sh", "-c", `echo "$TEAMMEM_TEST_DATABASE_URL"; exit 7`)
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 7 {
		t.Errorf("ended with %v", err)
	}
	gone(t, string(out))
}

func TestRun_Signals(t *testing.T) {
	t.Parallel()
	// The inner command stands for a test binary that go test started. It is no
	// shell by then: a shell that is about to fork can keep a signal to itself.
	cmd := command(t, "sh", "-c", `echo "$TEAMMEM_TEST_DATABASE_URL"; sh -c 'echo started; exec sleep 600'; exit 3`)
	cmd.Stderr = t.Output()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	address, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	// The pipe ends when the last of them has ended.
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 128+int(syscall.SIGINT) {
		t.Errorf("ended with %v", err)
	}
	gone(t, address)
}

func TestRun_NoCluster(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, env, args, want string }{
		{"no binaries", "TEAMMEM_PG_BIN=/nowhere", "true", "/nowhere"},
		{"no such command", "", "no-such-command", "no-such-command"},
		{"no command", "", "--", "usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, tt.args)
			cmd.Env = append(cmd.Env, tt.env)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitNoCluster {
				t.Errorf("ended with %v", err)
			}
			if !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("said %q", stderr.String())
			}
		})
	}
}

func TestRemoveLeftovers(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, name := range []string{prefix + "killed", prefix + "going", "other"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, name, embedded.LockName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(base, prefix+"beginning"), 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(base, prefix+"going", embedded.LockName))
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	if err := errors.Join(removeLeftovers(base), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"other", prefix + "beginning", prefix + "going"}; !slices.Equal(names, want) {
		t.Errorf("left %v, want %v", names, want)
	}
}

func TestExitCode_Killed(t *testing.T) {
	t.Parallel()
	exit, ok := errors.AsType[*exec.ExitError](exec.Command("sh", "-c", "kill -9 $$").Run())
	if !ok || exitCode(exit) != 137 {
		t.Errorf("%v", exit)
	}
}
