package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// line is a TCP connection between client and server that can be cut, or go
// silent, after so many bytes in one direction.
type line struct {
	target string

	mu    sync.Mutex
	fault fault
	conns []net.Conn
}

type fault struct {
	down   bool // from the server; else to it
	after  int  // bytes on a connection; below 0: never
	silent bool // nothing comes any more, and nobody says so
}

func (l *line) listen(t *testing.T) string {
	t.Helper()
	in, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			near, err := in.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(context.WithoutCancel(t.Context()), "tcp", l.target)
			if err != nil {
				_ = near.Close()
				continue
			}
			l.mu.Lock()
			l.conns = append(l.conns, near, far)
			l.mu.Unlock()
			running.Go(func() { l.carry(far, near, false) })
			running.Go(func() { l.carry(near, far, true) })
		}
	})
	t.Cleanup(func() {
		_ = in.Close()
		l.drop()
		running.Wait()
	})
	return "http://" + in.Addr().String()
}

// set puts a fault on all connections from now on, and drops those there are.
func (l *line) set(f fault) {
	l.drop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = f
}

func (l *line) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

func (l *line) carry(to, from net.Conn, down bool) {
	buf := make([]byte, 32<<10)
	for sent := 0; ; {
		n, err := from.Read(buf)
		l.mu.Lock()
		f := l.fault
		hit := f.down == down && f.after >= 0 && sent+n > f.after
		if hit {
			n = max(0, f.after-sent)
		}
		l.mu.Unlock()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				break
			}
			sent += n
		}
		if hit && f.silent {
			_, _ = io.Copy(io.Discard, from) // until one side gives up
		}
		if hit || err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
}

// Wherever a connection breaks off, the run says that the server cannot be
// reached or ends well, no file is half, and the next run ends in sync, with
// nothing lost and nothing there twice.
func TestSync_CutLines(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	l := &line{target: strings.TrimPrefix(tm.url, "http://"), fault: fault{after: -1}}
	a := tm.join(t, "ann")
	straight := tm.url
	tm.url = l.listen(t)
	b := tm.join(t, "ben")
	tm.url = straight
	n := 0
	for _, down := range []bool{false, true} {
		for i, after := range []int{0, 1, 20, 150, 300, 400, 600, 900, 1200, 1800, 2600, 4000, 7000, 12000} {
			if every := os.Getenv(soak) != ""; !every && down == (i%2 == 0) {
				continue // each moment in one direction
			}
			n++
			tm.cutOnce(t, l, a, b, n, fault{down: down, after: after})
		}
	}
	head, err := tm.store.Head(t.Context(), tm.project.ID)
	must(t, err)
	if want := int64(4 * n); head.Seq != want { // two files by each of them, each time
		t.Errorf("the history has %d changes, want %d", head.Seq, want)
	}
}

// cutOnce syncs ben's side over a faulty line, and then over a good one.
func (tm *team) cutOnce(t *testing.T, l *line, a, b *member, n int, f fault) {
	t.Helper()
	for _, m := range []*member{a, b} {
		m.write(t, m.id.Name+".md", fmt.Sprintf("%d\n", n))
		m.write(t, fmt.Sprintf("%s/%d.md", m.id.Name, n), noise(n, 3000))
	}
	a.sync(t)
	before, served := b.files(t), tm.served(t)
	l.set(f)
	_, err := b.try(t.Context())
	l.set(fault{after: -1})
	if err != nil && !errors.Is(err, client.ErrOffline) {
		t.Errorf("%+v: got %v", f, err)
	}
	for path, text := range b.files(t) {
		if text != before[path] && text != served[path] {
			t.Errorf("%+v: %s has %d bytes that nobody wrote", f, path, len(text))
		}
	}
	b.sync(t)
	tm.equal(t, b)
}

// noise does not compress to much less than its size.
func noise(seed, size int) string {
	var b strings.Builder
	for x := uint64(seed)*0x9e3779b97f4a7c15 + 1; b.Len() < size; {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		fmt.Fprintf(&b, "%016x", x)
	}
	return b.String() + "\n"
}

// A line that goes silent holds a run for as long as it was given, not longer.
func TestSync_SilentLine(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	l := &line{target: strings.TrimPrefix(tm.url, "http://"), fault: fault{after: -1}}
	tm.url = l.listen(t)
	b := tm.join(t, "ben")
	for name, f := range map[string]fault{
		"from the start": {after: 0, silent: true}, "in a request": {after: 250, silent: true},
		"before the answer": {down: true, silent: true}, "in an answer": {down: true, after: 100, silent: true},
	} {
		b.write(t, "x.md", name+"\n")
		l.set(f)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := b.try(ctx)
		cancel()
		l.set(fault{after: -1})
		if err == nil {
			t.Errorf("%s: the run ended well", name)
		}
		b.sync(t)
		tm.equal(t, b)
	}
}
