package client_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/teammem/teammem/memory"
)

// fleet readies a first upload that takes three batches.
func fleet(t *testing.T) (tm *team, a, b *member) {
	t.Helper()
	tm = newTeam(t, memory.Limits{})
	a, b = tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 450 {
		a.write(t, numbered(n), fmt.Sprintf("note %d\n", n))
	}
	return tm, a, b
}

// pushes puts f in the place of the server for the pushes that it takes.
func (tm *team) pushes(f func(n int, w http.ResponseWriter) bool) {
	var n atomic.Int32
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") && f(int(n.Add(1)), w) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A team-mate writes while batches are on their way: the cursor does not pass
// over that.
func TestFlights_TeamMateBetween(t *testing.T) {
	t.Parallel()
	tm, a, b := fleet(t)
	tm.pushes(func(n int, _ http.ResponseWriter) bool {
		if n == 2 {
			tm.between(nil)
			b.write(t, "theirs.md", "theirs\n")
			if _, err := b.try(t.Context()); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	a.sync(t)
	tm.between(nil)
	if a.files(t)["theirs.md"] != "theirs\n" {
		t.Error("ann has not got what came in between")
	}
	b.sync(t)
	tm.equal(t, a, b)
}

// A batch that fails does not take along what is known of the others.
func TestFlights_OneFails(t *testing.T) {
	t.Parallel()
	tm, a, b := fleet(t)
	tm.pushes(func(n int, _ http.ResponseWriter) bool {
		if n == 1 {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	report, err := a.try(t.Context())
	tm.between(nil)
	if served := len(tm.served(t)); err == nil && served != 450 || len(report.Done) != served {
		t.Errorf("error %v; the server has %d entries, the report %d", err, served, len(report.Done))
	}
	a.sync(t)
	b.sync(t)
	tm.equal(t, a, b)
}

// A proxy takes smaller requests only: all batches are sent in halves.
func TestFlights_ProxyLimit(t *testing.T) {
	t.Parallel()
	tm, a, b := fleet(t)
	tm.pushes(func(n int, w http.ResponseWriter) bool {
		if n > 3 {
			return false
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return true
	})
	a.sync(t)
	tm.between(nil)
	b.sync(t)
	tm.equal(t, a, b)
}
