package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// Two names change places here while the server gives one of the files a third:
// the rename that comes too late is undone by way of a free name. That is the
// name of a file only; the entry's on the server is the same all the time.
func TestSync_UndoneRenameInARing(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "a.md", "text of a\n")
	a.write(t, "b.md", "text of b\n")
	a.sync(t)
	b.sync(t)
	b.rename(t, "b.md", "c.md")
	b.sync(t)
	a.rename(t, "a.md", "c.md")
	a.rename(t, "b.md", "a.md")
	a.sync(t)
	want := map[string]string{"a.md": "text of a\n", "c.md": "text of b\n"}
	if diff := cmp.Diff(want, a.files(t)); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
	tm.equal(t, a, b)
}

// A text was published, but the answer got lost, and then its file changes
// places with another: it is still known for what it is.
func TestSync_SwapAfterALostAnswer(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]map[string]string{
		"of a new file": {"a.md": "text of a\n"},
		"of an edit":    {"a.md": "text of a\n", "b.md": "text of b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			a, b := tm.join(t, "ann"), tm.join(t, "ben")
			for name, text := range before {
				a.write(t, name, text)
			}
			a.sync(t)
			a.write(t, "b.md", "new\n")
			tm.between(func(_ http.ResponseWriter, r *http.Request, next http.Handler) {
				next.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			})
			if _, err := a.try(t.Context()); err == nil {
				t.Fatal("a lost answer is taken for one")
			}
			tm.between(nil)
			a.rename(t, "a.md", "swap.md")
			a.rename(t, "b.md", "a.md")
			a.rename(t, "swap.md", "b.md")
			want := a.files(t)
			if r := a.sync(t); len(r.Refused)+len(r.Conflicts) > 0 {
				t.Errorf("refused %v, conflicts %v", r.Refused, r.Conflicts)
			}
			if diff := cmp.Diff(want, tm.served(t)); diff != "" {
				t.Errorf("on the server (-want +got):\n%s", diff)
			}
			b.sync(t)
			tm.equal(t, a, b)
		})
	}
}

// Three members give their files each other's names, at the same time and over
// a network that loses answers, and edit or delete one now and then. Every sync
// in peace ends in sync.
func TestWalk_Renames(t *testing.T) {
	t.Parallel()
	for seed := range walksOf(t) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newRough(t, seed)
			for round := range 12 {
				for _, m := range w.members {
					w.shuffle(m)
				}
				w.between(w.loseAnswer)
				for _, m := range w.members {
					w.sync(m)
				}
				w.between(nil)
				w.settle(round)
			}
		})
	}
}

// shuffle gives some files other names, among them those of each other.
func (w *rough) shuffle(m *member) {
	pool := []string{"a.md", "b.md", "c.md", "d.md", "sub/a.md", "sub/b.md"}
	files := m.files(w.t)
	var moving, free []string
	for _, name := range pool {
		_, has := files[name]
		switch {
		case !has:
			free = append(free, name)
		case w.n(2) == 0:
			moving, free = append(moving, name), append(free, name)
		case w.n(4) == 0:
			m.remove(w.t, name)
		case w.n(4) == 0:
			m.write(w.t, name, w.text(name))
		}
	}
	for i, name := range moving {
		m.rename(w.t, name, fmt.Sprintf("moving-%d.md", i))
	}
	for i := range moving {
		n := w.n(len(free))
		m.rename(w.t, fmt.Sprintf("moving-%d.md", i), free[n])
		free = slices.Delete(free, n, n+1)
	}
	if len(free) > 2 {
		m.write(w.t, free[0], w.text(free[0]))
	}
}

// loseAnswer delivers half of the requests, and the answers of fewer.
func (w *rough) loseAnswer(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	switch w.n(6) {
	case 0:
		next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case 1:
		panic(http.ErrAbortHandler)
	}
	next.ServeHTTP(rw, r)
}
