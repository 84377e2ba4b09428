package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Options are what hooks need from the outside. All of them are required.
type Options struct {
	Dirs   client.Dirs
	Getenv func(string) string
	Clock  memory.Clock
	Start  time.Time // when the program began: limits count from there
	// Syncer prepares to mirror the tree of a link. It makes no connection.
	Syncer func(l client.Link) (*client.Syncer, error)
	// Scanner builds the secret scanner, which takes a while.
	Scanner func() (memory.Scanner, error)
	// Flush starts a sync of a linked folder that outlives this program.
	Flush func(folder string) error
}

// Hooks answer events. Make them with [New].
type Hooks struct {
	Options

	notes   failures
	state   state
	running sync.WaitGroup
}

// New prepares to answer events. It reads nothing.
func New(o Options) *Hooks {
	dir := stateDir(o.Dirs)
	return &Hooks{Options: o, notes: failures{dir, o.Clock}, state: state{dir, o.Clock}}
}

// Run answers one event within its limit. It returns an error only if the
// answer could not be written; everything else that goes wrong is noted.
func (h *Hooks) Run(ctx context.Context, event string, stdin io.Reader, stdout io.Writer) error {
	e, ok := eventOf(event)
	if !ok {
		_, _ = io.Copy(io.Discard, io.LimitReader(stdin, maxInput))
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, h.left(e))
	defer cancel()
	done := make(chan outcome, 1)
	h.running.Go(func() { done <- h.guarded(limited, e, stdin) })
	select {
	case o := <-done:
		return h.finish(e, o, stdout)
	case <-limited.Done():
	}
	select { // both may be ready
	case o := <-done:
		return h.finish(e, o, stdout)
	default:
	}
	if ctx.Err() != nil {
		return nil // the agent itself ended it
	}
	return h.finish(e, outcome{err: h.late(ctx, e)}, stdout)
}

// late is what to note of an event whose limit passed. What a flush would have
// sent is sent by the next one, and where nothing is linked there is nobody to
// tell. The links may be what kept us, so they are not waited for again.
func (h *Hooks) late(ctx context.Context, e Event) error {
	if e.flushes() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, linksTime)
	defer cancel()
	linked := make(chan bool, 1)
	h.running.Go(func() {
		links, err := h.Dirs.Links()
		linked <- err != nil || len(links) > 0
	})
	select {
	case some := <-linked:
		if !some {
			return nil
		}
	case <-ctx.Done():
	}
	return fmt.Errorf("it was not done within %s", e.Own)
}

// linksTime is how long a look at the links may take when there is no time left.
const linksTime = 200 * time.Millisecond

// left is how much of an event's own limit is left.
func (h *Hooks) left(e Event) time.Duration { return e.Own - h.Clock().Sub(h.Start) }

// Wait waits for what a limit left running. A program that ends instead cuts it
// off, which a sync survives.
func (h *Hooks) Wait() { h.running.Wait() }

// outcome is an answer, with what to remember once it is given.
type outcome struct {
	answer   answer
	remember func() error // may be nil
	err      error        // to be noted
}

// finish writes the answer, and then what is to be kept.
func (h *Hooks) finish(e Event, o outcome, stdout io.Writer) error {
	b, err := o.answer.bytes()
	switch {
	case err != nil:
		o.err, o.remember = errors.Join(o.err, err), nil
	case len(b) > 0:
		if _, err := stdout.Write(b); err != nil {
			h.keep(e, outcome{err: o.err})
			return fmt.Errorf("write answer: %w", err)
		}
	}
	h.keep(e, o)
	return nil
}

// keep notes what went wrong, and remembers what was told. The agent waits until
// the program ends, so a disk that hangs is waited for no longer than this event
// may take: what cannot be kept by then is told again, or never.
func (h *Hooks) keep(e Event, o outcome) {
	if o.err == nil && o.remember == nil {
		return
	}
	kept := make(chan struct{})
	h.running.Go(func() {
		defer close(kept)
		defer func() {
			if crash := recover(); crash != nil {
				h.notes.add(e, crashed(crash))
			}
		}()
		if o.err != nil {
			h.notes.add(e, o.err)
		}
		if o.remember == nil {
			return
		}
		if err := o.remember(); err != nil {
			h.notes.add(e, err)
		}
	})
	patience := time.NewTimer(max(e.end()-h.Clock().Sub(h.Start), keepTime))
	defer patience.Stop()
	select {
	case <-kept:
	case <-patience.C:
	}
}

// keepTime is how long keeping may take when there is no time left.
const keepTime = 500 * time.Millisecond

// guarded answers, and turns a crash into a note: the agent would take the exit
// code of one for a refusal.
func (h *Hooks) guarded(ctx context.Context, e Event, stdin io.Reader) (o outcome) {
	defer func() {
		if crash := recover(); crash != nil {
			o = outcome{err: crashed(crash)}
		}
	}()
	return h.answer(ctx, e, stdin)
}

// crashed says where, and what if that cannot quote anything. It is called by
// the function that recovered.
func crashed(crash any) error {
	what := fmt.Sprintf("%T", crash)
	if err, ok := crash.(runtime.Error); ok {
		what = err.Error()
	}
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Errorf("it crashed at %s:%d: %s", filepath.Base(f.File), f.Line, what)
		}
		if !more {
			return fmt.Errorf("it crashed: %s", what)
		}
	}
}

// answer finds out what the event concerns and answers it.
func (h *Hooks) answer(ctx context.Context, e Event, stdin io.Reader) outcome {
	links, linksErr := h.Dirs.Links()
	in, err := readInput(stdin, e.Name)
	switch {
	case linksErr != nil:
		return outcome{err: linksErr}
	case len(links) == 0:
		return outcome{} // nothing is linked here: what does not work is nobody's worry
	case err != nil:
		return outcome{err: err}
	}
	switch e.Name {
	case SessionStart:
		return h.sessionStart(ctx, in)
	case PreToolUse:
		return h.preToolUse(ctx, in, links)
	case PostToolUse:
		return h.postToolUse(ctx, in, links)
	default:
		return h.flush(in)
	}
}

// errLate means that a limit came before the end of a sync.
var errLate = errors.New("the sync did not end in time")

// sync runs one sync until the limit. What it left running goes on until the
// program ends; that is safe, since a sync may be cut off anywhere.
func (h *Hooks) sync(ctx context.Context, s *client.Syncer, limit time.Duration) (*client.Report, error) {
	// Only the limit ends ctx while anybody waits: a sync that ended is not late.
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type result struct {
		report *client.Report
		err    error
	}
	done := make(chan result, 1)
	h.running.Go(func() {
		var r result
		defer func() {
			if crash := recover(); crash != nil {
				r.err = crashed(crash)
			}
			done <- r
		}()
		r.report, r.err = s.Sync(ctx, client.SyncOptions{})
	})
	select {
	case r := <-done:
		if errors.Is(r.err, context.DeadlineExceeded) {
			r.err = errLate
		}
		return r.report, r.err
	case <-ctx.Done():
		return nil, errLate
	}
}
