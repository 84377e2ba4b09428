package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
)

// A large push goes as zstd, a short one as gzip, which is smaller then, and a
// very short one as it is.
func TestPush_Encodings(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "bob")
	a.sync(t)
	got := make(chan string, 8)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			got <- r.Header.Get("Content-Encoding")
		}
		next.ServeHTTP(w, r)
	})
	for i, want := range []struct {
		size     int
		encoding string
	}{{10, ""}, {5_000, "gzip"}, {100_000, "zstd"}} {
		a.write(t, numbered(i), incompressible(uint64(i), want.size))
		a.sync(t)
		if encoding := <-got; encoding != want.encoding {
			t.Errorf("%d bytes travel as %q, want %q", want.size, encoding, want.encoding)
		}
	}
	b.sync(t)
	tm.equal(t, a, b)
}
