package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// S47, with signals: the first ends a run that waits for an answer with its own
// exit code, the second at once; the next run does what is left, and nothing
// twice.
func TestScenario_S47_Signals(t *testing.T) {
	t.Parallel()
	const files = 500
	tm := newTeam(t)
	gate := newGate(t, tm.address())
	real := tm.url
	tm.url = gate.url
	ada := tm.join(t, "ada")
	tm.url = real
	for i := range files {
		ada.write(t, fmt.Sprintf("topic-%d/%03d.md", i%5, i), fmt.Sprintf("text %d\n", i))
	}
	once := ada.begin(t)
	gate.await(t)
	once.signal(t)
	_ = once.Wait() // its code says what became of it
	if code := once.ProcessState.ExitCode(); code != exitInterrupt {
		t.Errorf("interrupted: exit %d, want %d\n%s", code, exitInterrupt, &once.output)
	}

	for len(gate.held) > 0 {
		<-gate.held
	}
	ada.write(t, "one-more.md", "one more\n")
	again, start := ada.begin(t), time.Now()
	gate.await(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = again.Wait() // the signal is the reason
	}()
	for signalling := true; signalling; { // until the first was taken, and one more
		again.signal(t)
		select {
		case <-ended:
			signalling = false
		case <-nextLook():
		}
	}
	const grace = 2 * time.Second // a machine that is so slow that the first ends it shows nothing
	if status, _ := again.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGINT && time.Since(start) < grace {
		t.Errorf("signalled again: %v, want that it is the end\n%s", again.ProcessState, &again.output)
	}

	gate.open()
	ada.sync(t, 0)
	page := ada.must(t, "sync", ada.work(), "--json")
	if s := summaryOf(t, page); !strings.HasSuffix(s.Cursor, fmt.Sprintf(":%d", files+1)) {
		t.Errorf("the history ends at %s, want %d changes", s.Cursor, files+1)
	}
}

// signalled is a sync that gets signals.
type signalled struct {
	*exec.Cmd

	output bytes.Buffer
}

func (m *member) begin(t *testing.T) *signalled {
	t.Helper()
	r := &signalled{Cmd: program(t.Context(), m.home, "sync", m.work())}
	r.Stdout, r.Stderr = &r.output, &r.output
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *signalled) signal(t *testing.T) {
	t.Helper()
	if err := r.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// gate stands before a server, and holds the answers to pushes until it is open.
type gate struct {
	url     string
	held    chan struct{} // one for each answer that is held
	opened  chan struct{}
	opening sync.Once
}

func newGate(t *testing.T, target string) *gate {
	t.Helper()
	g := &gate{held: make(chan struct{}, 100), opened: make(chan struct{})}
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:        func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: target}) },
		ModifyResponse: g.hold,
		ErrorLog:       log.New(io.Discard, "", 0), // a client that went away is what we want
	})
	t.Cleanup(s.Close)
	t.Cleanup(g.open)
	g.url = s.URL
	return g
}

func (g *gate) hold(r *http.Response) error {
	if !strings.HasSuffix(r.Request.URL.Path, "/push") {
		return nil
	}
	g.held <- struct{}{}
	select {
	case <-g.opened:
		return nil
	case <-r.Request.Context().Done():
		return r.Request.Context().Err()
	}
}

// await waits until an answer is held.
func (g *gate) await(t *testing.T) {
	t.Helper()
	const patience = time.Minute
	select {
	case <-g.held:
	case <-time.After(patience):
		t.Fatal("nothing was sent")
	}
}

func (g *gate) open() { g.opening.Do(func() { close(g.opened) }) }
