package client_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// countReports counts the reports that arrive, and answers them with the given
// status instead of the server, after it got them, unless that is 0.
func (tm *team) countReports(status *atomic.Int32) (n *atomic.Int32) {
	n = new(atomic.Int32)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/report") {
			next.ServeHTTP(w, r)
			return
		}
		n.Add(1)
		switch s := int(status.Load()); s {
		case 0:
			next.ServeHTTP(w, r)
		case http.StatusNotFound: // as a server of before
			r.URL.Path += "s"
			next.ServeHTTP(w, r)
		default:
			next.ServeHTTP(discard{}, r)
			panic(http.ErrAbortHandler)
		}
	})
	return n
}

// discard is the answer that gets lost.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

// reported returns what the server knows of a member's trees.
func (tm *team) reported(t *testing.T, m *member) []memory.DeviceHealth {
	t.Helper()
	who := memory.Principal{Member: m.id.Member, Scopes: []memory.Scope{memory.ScopeRead}}
	all, err := tm.service.Health(t.Context(), who, memory.HealthQuery{})
	must(t, err)
	return all
}

// A report goes out once for each state of a tree, and for one of which there
// never was anything to say, none does.
func TestDeviceReport_Once(t *testing.T) {
	t.Parallel()
	tm, a, _ := together(t, map[string]string{"a.md": "a\n"})
	sent := tm.countReports(new(atomic.Int32))
	runs := func(want int32) {
		t.Helper()
		before := sent.Load()
		a.sync(t)
		if got := sent.Load() - before; got != want {
			t.Errorf("%d reports, want %d", got, want)
		}
	}
	runs(0)
	a.write(t, "b.md", "b\n")
	runs(0)
	a.write(t, "secret.md", mark)
	a.write(t, mark+".md", "fine\n")
	runs(1)
	got := tm.reported(t, a)
	if len(got) != 1 || got[0].Report == nil || got[0].Report.RefusedTotal != 2 || len(got[0].Report.Refused) != 2 {
		t.Fatalf("reported %+v", got)
	}
	for i, path := range []string{"", "secret.md"} {
		if f := got[0].Report.Refused[i]; f.Path.String() != path || f.Code != memory.CodeSecretFound {
			t.Errorf("file %d: %+v", i, f)
		}
	}
	runs(0)
	for _, o := range []client.SyncOptions{{DryRun: true}, {Offline: true}, {Mode: client.PullOnly}} {
		a.remove(t, "secret.md")
		_, err := a.syncer("").Sync(t.Context(), o)
		must(t, err)
		a.write(t, "secret.md", mark)
	}
	if sent.Load() != 1 {
		t.Errorf("%d reports after runs that say nothing", sent.Load())
	}
	a.remove(t, "secret.md")
	a.remove(t, mark+".md")
	runs(1)
	if got := tm.reported(t, a); len(got) != 1 || got[0].Report.RefusedTotal != 0 || got[0].Troubled {
		t.Errorf("reported %+v", got)
	}
	runs(0)
}

// An answer that gets lost changes nothing of the run, and the report is made
// again. A server that takes none is asked once.
func TestDeviceReport_LostAnswer(t *testing.T) {
	t.Parallel()
	tm, a, _ := together(t, map[string]string{"a.md": "a\n"})
	var status atomic.Int32
	sent := tm.countReports(&status)
	a.write(t, "secret.md", mark)
	for n := range int32(2) {
		status.Store(http.StatusTeapot)
		a.sync(t)
		if sent.Load() != n+1 {
			t.Errorf("%d reports after %d runs whose answers got lost", sent.Load(), n+1)
		}
	}
	// It may have arrived, so it is taken back.
	if got := tm.reported(t, a); len(got) != 1 || !got[0].Troubled {
		t.Fatalf("reported %+v", got)
	}
	a.remove(t, "secret.md")
	status.Store(0)
	if a.sync(t); sent.Load() != 3 || tm.reported(t, a)[0].Troubled {
		t.Errorf("%d reports, and the last says that a file is refused", sent.Load())
	}
	// One that does not arrive leaves it open whether the one before it still stands.
	a.write(t, "secret.md", mark)
	status.Store(http.StatusTeapot)
	a.sync(t)
	a.remove(t, "secret.md")
	status.Store(0)
	if a.sync(t); sent.Load() != 5 || tm.reported(t, a)[0].Troubled {
		t.Errorf("%d reports, and the last says that a file is refused", sent.Load())
	}

	a.write(t, "secret.md", mark)
	status.Store(http.StatusNotFound)
	s := a.syncer("")
	for range 2 {
		r, err := s.Sync(t.Context(), client.SyncOptions{})
		if err != nil || !r.Proven {
			t.Errorf("proven %t, %v", r.Proven, err)
		}
	}
	if sent.Load() != 6 {
		t.Errorf("%d reports, want one more to a server that takes none", sent.Load())
	}
	status.Store(0)
	a.sync(t)
	if a.sync(t); sent.Load() != 7 {
		t.Errorf("%d reports, want one more that arrived", sent.Load())
	}
}

// A report that the server says no to is not made again while nothing changes.
func TestDeviceReport_Invalid(t *testing.T) {
	t.Parallel()
	tm, a, _ := together(t, map[string]string{"a.md": "a\n"})
	var sent atomic.Int32
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/report") {
			sent.Add(1)
			odd := `{"mode":"sideways"}`
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(odd)), int64(len(odd))
			r.Header.Del("Content-Encoding")
		}
		next.ServeHTTP(w, r)
	})
	for _, want := range []int32{1, 1, 2} {
		if want == 1 {
			a.write(t, "secret.md", mark)
		} else {
			a.write(t, "other.md", mark)
		}
		if a.sync(t); sent.Load() != want {
			t.Errorf("%d reports, want %d", sent.Load(), want)
		}
	}
}

// A folder that is linked anew is the same tree: what it held before is not
// held any more.
func TestDeviceReport_LinkedAnew(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 10)
	b.removeEntries(t, 0, 6)
	b.allow(t, 6)
	a.holds(t, syncOnce, msync.DeleteLocal, msync.MassDelete, 6)
	if got := tm.reported(t, a); len(got) != 1 || !got[0].Troubled {
		t.Fatalf("reported %+v", got)
	}
	a.relink(t, true)
	_, err := a.try(t.Context())
	must(t, err)
	if got := tm.reported(t, a); len(got) != 1 || len(got[0].Report.Holds) > 0 {
		t.Errorf("reported %+v", got)
	}
}
