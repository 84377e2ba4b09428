package watch

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
)

// That a pause is over is noticed though nobody tells of it.
func TestProject_PauseEnds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct{ until, want time.Duration }{
		"open":  {0, time.Minute},
		"soon":  {time.Second, time.Second},
		"later": {time.Hour, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := quiet(t)
			p.dirs = client.Dirs{State: t.TempDir()}
			pause := client.Pause{Since: now}
			if c.until > 0 {
				pause.Until = now.Add(c.until)
			}
			if err := p.dirs.Pause(p.link, pause); err != nil {
				t.Fatal(err)
			}
			if j, wait := p.choose(now); j != nothing || wait != c.want {
				t.Errorf("got %d in %s, want %s", j, wait, c.want)
			}
		})
	}
}

// failing fails to accept once.
type failing struct {
	net.Listener
	failed bool
}

func (f *failing) Accept() (net.Conn, error) {
	if !f.failed {
		f.failed = true
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

// Too many open files at one moment do not end the socket.
func TestSocket_Failing(t *testing.T) {
	t.Parallel()
	p := quiet(t)
	p.pace.retry[0] = time.Millisecond
	path := filepath.Join(t.TempDir(), "s")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &socket{Watcher: p.Watcher, listener: &failing{Listener: l}}
	s.answers.Go(func() { s.accept(context.Background()) })
	if _, err := Ask(t.Context(), path); err != nil {
		t.Error(err)
	}
	ending(t, "to close the socket", s.close)
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener: got %v", err)
	}
}
