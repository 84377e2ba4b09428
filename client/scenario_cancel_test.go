package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// S47: a run with 500 changes that is cancelled begins nothing more, and takes
// in the verdicts on what is on its way. The next run does the rest.
func TestScenario_S47_Cancel(t *testing.T) {
	t.Parallel()
	const files = 500
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	for n := range files {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	a.sync(t)
	for n := range 10 { // so many renames take three pushes, one after the other
		must(t, os.Rename(filepath.Join(a.tree(), fmt.Sprintf("topic-%d", n)), filepath.Join(a.tree(), fmt.Sprintf("moved-%d", n))))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stopped atomic.Int64
	var pushes atomic.Int32
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") && pushes.Add(1) == 1 {
			stopped.Store(time.Now().UnixNano())
			cancel() // it is on its way, and nobody knows yet what becomes of it
		}
		next.ServeHTTP(w, r)
	})
	r, err := a.try(ctx)
	tm.between(nil)
	if !errors.Is(err, context.Canceled) || r.Proven || pushes.Load() != 1 {
		t.Errorf("%v, proven %t, after %d pushes; want that no other one began", err, r.Proven, pushes.Load())
	}
	const grace = 2 * time.Second // for which a slow machine may be too slow
	moved := 0
	for path := range tm.served(t) {
		if strings.HasPrefix(path, "moved-") {
			moved++
		}
	}
	if time.Since(time.Unix(0, stopped.Load())) < grace && (len(r.Done) != moved || moved == 0) || moved >= files {
		t.Errorf("the run was told of %d renames, the server has %d", len(r.Done), moved)
	}
	if r := a.sync(t); len(r.Conflicts) > 0 {
		t.Errorf("conflicts %v", r.Conflicts)
	}
	tm.equal(t, a)
	if head, err := tm.store.Head(t.Context(), tm.project.ID); err != nil || head.Seq != 2*files {
		t.Errorf("the history has %d changes, want %d: %v", head.Seq, 2*files, err)
	}
}

// S47, the other way: what came is whole, no delete begins after the word, and
// the next run does the rest.
func TestScenario_S47_CancelDownload(t *testing.T) {
	t.Parallel()
	const pages = 4
	tm := newTeam(t, memory.Limits{FeedPage: 10})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "deleted.md", "deleted\n")
	a.sync(t)
	b.sync(t)
	a.remove(t, "deleted.md")
	a.sync(t)
	for n := range 10 * pages {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	a.sync(t)
	for cut := 1; cut <= pages; cut++ {
		ctx, cancel := context.WithCancel(t.Context())
		var asked atomic.Int32
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if strings.HasSuffix(r.URL.Path, "/changes") && int(asked.Add(1)) == cut {
				cancel()
			}
			next.ServeHTTP(w, r)
		})
		_, err := b.try(ctx)
		cancel()
		tm.between(nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("page %d: %v, want that it was cancelled", cut, err)
		}
		served := tm.served(t)
		served["deleted.md"] = "deleted\n"
		files := b.files(t)
		for path, text := range files {
			if text != served[path] {
				t.Errorf("page %d: %s reads %q", cut, path, text)
			}
		}
		if files["deleted.md"] == "" {
			t.Errorf("page %d: there was a delete after the word", cut)
		}
	}
	b.sync(t)
	tm.equal(t, a, b)
}
