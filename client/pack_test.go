package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// A large push goes as zstd, a short one as gzip, which is smaller then, and a
// very short one as it is.
func TestPush_Encodings(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "bob")
	a.sync(t)
	var got []string
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			got = append(got, r.Header.Get("Content-Encoding"))
		}
		next.ServeHTTP(w, r)
	})
	for i, size := range []int{10, 5_000, 100_000} {
		a.write(t, numbered(i), incompressible(uint64(i), size))
		a.sync(t)
	}
	if diff := cmp.Diff([]string{"", "gzip", "zstd"}, got); diff != "" {
		t.Errorf("encodings of pushes (-want +got):\n%s", diff)
	}
	b.sync(t)
	tm.equal(t, a, b)
}
