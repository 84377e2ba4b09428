//go:build unix

// Command cluster runs another command with a throw-away Postgres cluster, whose
// address is in TEAMMEM_TEST_DATABASE_URL:
//
//	go run ./internal/testdb/cluster -- go test ./...
//
// The cluster is in memory where there is room, is not durable, listens on a
// private socket, and is gone afterwards. The exit code is the command's, 128
// and the signal's number if one killed it, and 125 if there is no cluster. A
// signal to this program goes to the command and all that it started.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/internal/testdb/scratch"
	"github.com/teammem/teammem/store/embedded"
)

// exitNoCluster is what env(1), timeout(1) and docker(1) return for their own faults.
const exitNoCluster = 125

// prefix of the folders of clusters.
const prefix = "teammem-test-"

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: cluster [--] command [argument ...]")
		os.Exit(exitNoCluster)
	}
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		if code == 0 {
			code = exitNoCluster
		}
	}
	os.Exit(code)
}

// run runs the command with a cluster and returns its exit code.
func run(args []string) (code int, err error) {
	if _, err := exec.LookPath(args[0]); err != nil {
		return 0, err
	}
	// From here on a signal ends the start or the command, and lets us clean up.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()

	if err := removeLeftovers(scratch.Dir()); err != nil {
		return 0, fmt.Errorf("remove what a killed run left: %w", err)
	}
	dir, err := os.MkdirTemp(scratch.Dir(), prefix)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Where root cannot use a namespace, another account has to pass here.
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // see above
		return 0, err
	}
	cluster, err := embedded.Start(ctx, dir, embedded.Options{
		Throwaway: true,
		Settings:  map[string]string{"max_connections": "200"},
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cluster.Stop(context.Background())) }()

	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec,noctx // running it is our purpose; signals end it
	cmd.Env = append(os.Environ(), testdb.Env+"="+cluster.URL())
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// In a group of its own it gets each signal once, from us, and with it all
	// the processes that it started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return wait(cmd, signals, cluster)
}

// removeLeftovers removes the clusters of runs that were killed: nobody has
// their lock. They would fill the memory.
func removeLeftovers(base string) error {
	locks, err := filepath.Glob(filepath.Join(base, prefix+"*", embedded.LockName))
	if err != nil {
		return err
	}
	for _, path := range locks {
		lock := flock.New(path)
		if locked, err := lock.TryLock(); err != nil || !locked {
			continue // in use, or another account's
		}
		if err := errors.Join(os.RemoveAll(filepath.Dir(path)), lock.Unlock()); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for the command's end and passes signals on to it.
func wait(cmd *exec.Cmd, signals <-chan os.Signal, cluster *embedded.Cluster) (int, error) {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	lost := cluster.Done()
	for {
		select {
		case s := <-signals:
			if s, ok := s.(syscall.Signal); ok {
				syscall.Kill(-cmd.Process.Pid, s) //nolint:errcheck,gosec // it may just have ended
			}
		case <-lost:
			lost = nil // the command fails for want of it; no need to end it
		case err := <-ended:
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				return exitCode(exit), cluster.Err()
			}
			return 0, errors.Join(err, cluster.Err())
		}
	}
}

func exitCode(e *exec.ExitError) int {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}
