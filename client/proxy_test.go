package client_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// incompressible returns lines of letters of which a body does not get much
// shorter on its way.
func incompressible(seed uint64, size int) string {
	r := rand.New(rand.NewPCG(seed, seed))
	b := make([]byte, size)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"[r.IntN(64)]
		if i%80 == 79 {
			b[i] = '\n'
		}
	}
	return string(b)
}

// F54: a proxy takes no body of more than 64 KB. What fits goes in smaller
// batches, and what does not is refused by itself, with the limit told as the
// proxy's.
func TestField_F54_ProxyLimit(t *testing.T) {
	t.Parallel()
	const limit, entries = 64 << 10, 40
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "bob")
	a.sync(t)
	for i := range entries {
		a.write(t, numbered(i), incompressible(uint64(i), 5_000))
	}
	const large = 120_000
	a.write(t, "large.md", incompressible(99, large))
	var pushes atomic.Int32
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			pushes.Add(1)
		}
		if r.ContentLength > limit {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			_, _ = io.WriteString(w, "<html><h1>413 Request Entity Too Large</h1></html>")
			return
		}
		next.ServeHTTP(w, r)
	})
	report := a.sync(t)
	if diff := cmp.Diff(map[string]memory.Code{"large.md": memory.CodeTooLarge}, refused(report)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	for _, f := range report.Refused {
		if !strings.Contains(f.Problem.Message, "a proxy between here and "+tm.url) || !strings.Contains(f.Problem.Hint, "4194304 bytes") {
			t.Errorf("got %q, %q", f.Problem.Message, f.Problem.Hint)
		}
	}
	if len(tm.served(t)) != entries {
		t.Errorf("%d entries arrived, want %d", len(tm.served(t)), entries)
	}
	if n := pushes.Load(); n > 20 {
		t.Errorf("%d pushes: the limit is found out anew for each batch", n)
	}
	tm.between(nil)
	a.sync(t) // without a change of the text
	b.sync(t)
	tm.equal(t, a, b)
	if len(tm.served(t)) != entries+1 {
		t.Errorf("%d entries arrived once the limit was raised", len(tm.served(t)))
	}
}

// F54: a proxy cuts bodies off and says nothing. Nothing of it is stored, and
// nothing short is received.
func TestField_F54_ProxyTruncates(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "bob")
	text := incompressible(1, 20_000)
	a.write(t, "small.md", "small\n")
	a.sync(t)
	b.sync(t)
	a.write(t, "long.md", text)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(body) > 1000 {
			body = body[:len(body)/2]
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r)
	})
	if _, err := a.try(t.Context()); err == nil {
		t.Error("half a push is taken for a whole one")
	}
	if got := tm.served(t); len(got) != 1 {
		t.Fatalf("stored from half a push: %d entries", len(got)-1)
	}
	tm.between(nil)
	a.sync(t)
	for _, answer := range []string{"with its whole length", "as if it were whole"} {
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !strings.Contains(r.URL.Path, "/changes") {
				next.ServeHTTP(w, r)
				return
			}
			all := &kept{header: w.Header()}
			next.ServeHTTP(all, r)
			if answer == "with its whole length" {
				w.Header().Set("Content-Length", fmt.Sprint(all.body.Len()))
			} else {
				w.Header().Del("Content-Length")
			}
			w.WriteHeader(all.status)
			_, _ = w.Write(all.body.Bytes()[:all.body.Len()/2])
		})
		if _, err := b.try(t.Context()); err == nil {
			t.Errorf("half an answer %s is taken for a whole one", answer)
		}
		if diff := cmp.Diff(map[string]string{"small.md": "small\n"}, b.files(t)); diff != "" {
			t.Errorf("half an answer %s changed the tree:\n%s", answer, diff)
		}
	}
	tm.between(nil)
	b.sync(t)
	tm.equal(t, a, b)
}

// kept is an answer that is not sent yet.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header { return k.header }

func (k *kept) WriteHeader(status int) { k.status = status }

func (k *kept) Write(b []byte) (int, error) {
	if k.status == 0 {
		k.status = http.StatusOK
	}
	return k.body.Write(b)
}

// A login page of a proxy is no word of the server's on a login.
func TestServer_ProxyRefuses(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	tm.between(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "<html>sign in to the company's proxy</html>")
	})
	_, err := a.try(t.Context())
	e, ok := errors.AsType[*memory.Error](err)
	if !ok || !strings.Contains(e.Hint, "not an answer of teammem") {
		t.Errorf("got %v", err)
	}
	if _, err := a.dirs.Login(tm.url); errors.Is(err, client.ErrNotLoggedIn) {
		t.Error("the login was given up")
	}
}

// refuseAbove is a proxy that takes no body above a limit, and counts pushes.
func (tm *team) refuseAbove(limit int64) (pushes *atomic.Int32) {
	pushes = new(atomic.Int32)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			pushes.Add(1)
		}
		if r.ContentLength > limit {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		next.ServeHTTP(w, r)
	})
	return pushes
}

// One text that is too long among many short ones does not make every short one
// travel alone.
func TestField_F54_OneLargeAmongSmall(t *testing.T) {
	t.Parallel()
	const entries = 600
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.sync(t)
	for i := range entries {
		a.write(t, numbered(i), fmt.Sprintf("text %d\n", i))
	}
	const large = "topic-3/entry-0184.md" // the last one of a full batch
	a.write(t, large, incompressible(1, 100_000))
	pushes := tm.refuseAbove(32 << 10)
	report := a.sync(t)
	if diff := cmp.Diff(map[string]memory.Code{large: memory.CodeTooLarge}, refused(report)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if len(tm.served(t)) != entries || pushes.Load() > 30 {
		t.Errorf("%d entries arrived in %d pushes", len(tm.served(t)), pushes.Load())
	}
}

// What is sent ahead and has to be halved holds on the condition that each half
// leaves behind.
func TestField_F54_AheadInHalves(t *testing.T) {
	t.Parallel()
	tm, a, b := pair(t)
	for i := range 4 {
		a.write(t, numbered(i), incompressible(uint64(i), 5_000))
	}
	tm.refuseAbove(8 << 10)
	if r := a.sync(t); len(r.Done) != 4 {
		t.Errorf("did %v", r.Done)
	}
	tm.between(nil)
	b.sync(t)
	tm.equal(t, a, b)
}
