package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// server is a program that runs beside what is measured.
type server struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// launch starts a server and waits until it listens.
func launch(ctx context.Context, c *exec.Cmd, port int) (*server, error) {
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 20 * time.Second
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: c, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		_ = c.Wait() // how it ends is of no interest
	}()
	for range 1200 {
		if listens(port) {
			return s, nil
		}
		select {
		case <-s.ended:
			return nil, fmt.Errorf("%s ended before it listened", c.Path)
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), s.stop())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil, errors.Join(fmt.Errorf("%s does not listen on port %d", c.Path, port), s.stop())
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// stop ends the server, and waits for that.
func (s *server) stop() error {
	if s == nil {
		return nil
	}
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-s.ended
	return err
}

// freePort returns a port that nobody has.
func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
