package client_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// The next page is asked for while the one before it is still on its way.
func TestPull_AsksAhead(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{FeedPage: 3})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 12 {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	a.sync(t)
	asked, once := make(chan struct{}), sync.Once{}
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch since := r.URL.Query().Get("since"); {
		case strings.HasSuffix(since, ":6"):
			once.Do(func() { close(asked) })
		case strings.HasSuffix(since, ":3"):
			select {
			case <-asked:
			case <-time.After(20 * time.Second):
				t.Error("the page at 6 is not asked for before the one at 3 is there")
			}
		}
		next.ServeHTTP(w, r)
	})
	r := b.sync(t)
	if r.Requests > 6 { // four pages, and what is asked around them
		t.Errorf("the pull took %d requests", r.Requests)
	}
	tm.equal(t, a, b)
}

// A server may end a page earlier than the one before let expect.
func TestPull_PagesOfAnyLength(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{FeedPage: 4})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 20 {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	a.sync(t)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		q := r.URL.Query()
		if strings.HasSuffix(q.Get("since"), ":4") || strings.HasSuffix(q.Get("since"), ":9") {
			q.Set("limit", "1")
			r.URL.RawQuery = q.Encode()
		}
		next.ServeHTTP(w, r)
	})
	b.sync(t)
	tm.equal(t, a, b)
}

// A first sync begins with a short page, so that there is something to write
// while the server makes those that are not.
func TestPull_BeginsShort(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 110 {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	a.sync(t)
	var mu sync.Mutex
	var asked []string
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if q := r.URL.Query(); strings.HasSuffix(r.URL.Path, "/changes") {
			_, since, _ := strings.Cut(q.Get("since"), ":")
			mu.Lock()
			asked = append(asked, since+"+"+q.Get("limit"))
			mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
	b.sync(t)
	mu.Lock()
	got := strings.Join(asked, " ")
	mu.Unlock()
	if want := "+100 100+"; got != want && got != want+" 110+" { // the latter to see what happened meanwhile
		t.Errorf("asked %q, want %q", got, want)
	}
	tm.equal(t, a, b)
}
