package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
	const files, flights = 500, 3
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	for n := range files { // so large that they take more pushes than are sent at once
		a.write(t, numbered(n), strings.Repeat(fmt.Sprintf("line of %d\n", n), 2500))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var pushes atomic.Int32
	stopped := make(chan time.Time, 1)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r)
		if !strings.HasSuffix(r.URL.Path, "/push") {
			return
		}
		if pushes.Add(1) == flights {
			stopped <- time.Now()
			cancel() // all answers come after this
		}
		<-ctx.Done()
	})
	r, err := a.try(ctx)
	tm.between(nil)
	if !errors.Is(err, context.Canceled) || r.Proven || pushes.Load() != flights {
		t.Errorf("%v, proven %t, after %d pushes; want that no more than %d began", err, r.Proven, pushes.Load(), flights)
	}
	const grace = 2 * time.Second // for which a slow machine may be too slow
	served := len(tm.served(t))
	if time.Since(<-stopped) < grace && len(r.Done) != served || served == 0 || served >= files {
		t.Errorf("the run was told of %d entries, the server has %d", len(r.Done), served)
	}
	if r := a.sync(t); len(r.Conflicts) > 0 {
		t.Errorf("conflicts %v", r.Conflicts)
	}
	tm.equal(t, a)
	if head, err := tm.store.Head(t.Context(), tm.project.ID); err != nil || head.Seq != files {
		t.Errorf("the history has %d changes, want %d: %v", head.Seq, files, err)
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
