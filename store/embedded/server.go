package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// A server is the postmaster that we started.
type server struct {
	cmd   *exec.Cmd
	ended chan struct{}
	state error // how it ended, once ended is closed
}

// startServer starts cmd and waits for it on one thread, which ends with this
// process alone: the kernel sends the postmaster its signal when the thread
// that started it ends, and Go ends idle threads as it likes.
func startServer(cmd *exec.Cmd) (*server, error) {
	s := &server{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			s.state = cmd.Wait()
			close(s.ended)
		}
	}()
	return s, <-started
}

// stop asks the server to disconnect its clients and end, and insists when it
// does not within a bounded time. Each way of ending keeps committed data.
func (s *server) stop(ctx context.Context, patience time.Duration) error {
	steps := []struct {
		signal   syscall.Signal
		patience time.Duration
	}{
		{syscall.SIGINT, patience},          // fast shutdown: roll back, checkpoint
		{syscall.SIGQUIT, 10 * time.Second}, // immediate: the next start recovers
		{syscall.SIGKILL, 10 * time.Second},
	}
	for _, step := range steps {
		if err := s.cmd.Process.Signal(step.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("signal Postgres (process %d): %w", s.cmd.Process.Pid, err)
		}
		if s.await(ctx, step.patience) {
			return nil
		}
		ctx = context.WithoutCancel(ctx) // only the first step may be cut short
	}
	return fmt.Errorf("stop Postgres: process %d does not end", s.cmd.Process.Pid)
}

// await reports whether the server ended in time.
func (s *server) await(ctx context.Context, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-s.ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// startPostmaster starts the server on the data folder and waits until it takes
// connections, which after a crash is when it has recovered.
func (f *folder) startPostmaster(ctx context.Context, b binaries, o owner, socketDir string) (*server, error) {
	log, err := f.openLog(o)
	if err != nil {
		return nil, fmt.Errorf("open the log of Postgres: %w", err)
	}
	defer log.Close() //nolint:errcheck // the server has its own descriptor
	info, err := log.Stat()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(b.path("postgres"), serverArgs(f.data(), socketDir, f.opt)...) //nolint:noctx // it outlives ctx
	cmd.Dir, cmd.Env = "/", serverEnv()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = o.attr(syscall.SIGINT)
	s, err := startServer(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s as %s: %w", cmd.Path, o, err)
	}
	if err := f.awaitReady(ctx, s, info.Size()); err != nil {
		return nil, errors.Join(err, s.stop(ctx, stopPatience))
	}
	return s, nil
}

func (f *folder) awaitReady(ctx context.Context, s *server, logOffset int64) error {
	late := time.AfterFunc(startPatience, func() {
		f.opt.Logger.LogAttrs(ctx, slog.LevelInfo, "postgres is still starting", slog.String("log_file", f.path(logName)))
	})
	defer late.Stop()
	return poll(ctx, func() (bool, error) {
		select {
		case <-s.ended:
			return false, fmt.Errorf("start Postgres in %s: %w: %s (more in %s)", f.data(), s.state, f.complaint(logOffset), f.path(logName))
		default:
		}
		p, err := readPIDFile(f.data())
		return p.ready && p.pid == s.cmd.Process.Pid, err
	})
}

// awaitOrphan waits for a server whose starter was killed, and which ends
// because of that.
func (f *folder) awaitOrphan(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, f.opt.patienceOf(orphanPatience))
	defer cancel()
	var p pidFile
	err := poll(ctx, func() (bool, error) {
		var err error
		p, err = readPIDFile(f.data())
		return err == nil && !p.running(f.data()), err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("use %s: Postgres process %d, which this teammem did not start, still runs there; stop it (kill -INT %d) and try again", f.data(), p.pid, p.pid)
	}
	if err != nil {
		return err
	}
	return setAsideStale(p, f.data())
}

// poll calls ready until it reports true, fails, or ctx ends.
func poll(ctx context.Context, ready func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := ready(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
