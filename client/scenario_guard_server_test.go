package client_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// S03, the server's half: what this computer deleted without its guard counts,
// too. The server holds the next deletes, everything else goes on, and a person
// releases exactly these.
func TestScenario_S03_ServerHolds(t *testing.T) {
	t.Parallel()
	tm, _, b := flat(t, 40)
	who := memory.Principal{Member: b.id.Member, Device: b.id.Device, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
	project, err := tm.service.Project(t.Context(), who, tm.project.ID)
	must(t, err)
	var ops []memory.Op
	known, err := b.dirs.Known(b.link)
	must(t, err)
	for _, e := range known.Entries[:9] {
		ops = append(ops, memory.Op{Action: memory.ActionDelete, Path: e.Path.String(), EntryID: e.EntryID, BaseRev: e.Rev})
	}
	_, err = tm.service.Push(t.Context(), who, tm.project.ID, memory.Push{Epoch: project.Head.Epoch, Device: b.id.Device, Ops: ops})
	must(t, err)
	b.sync(t)

	b.removeEntries(t, 20, 23)
	b.write(t, "new.md", "new\n")
	r := b.holds(t, client.SyncOptions{}, msync.DeleteRemote, msync.MassDelete, 3)
	if served := tm.served(t); served["new.md"] == "" || len(served) != 32 || !strings.Contains(strings.Join(r.Notices, "\n"), "server") {
		t.Errorf("%d entries, notices %q", len(served), r.Notices)
	}
	b.holds(t, client.SyncOptions{AllowDeletes: 2}, msync.DeleteRemote, msync.MassDelete, 3)
	b.allow(t, 3)
	if served := tm.served(t); len(served) != 29 {
		t.Errorf("%d entries, want 29", len(served))
	}
	tm.equal(t, b)
}

// What a person released is sent as that, by itself and in as many pushes as it
// needs; what nobody was asked about is not.
func TestGuard_ReleaseIsTold(t *testing.T) {
	t.Parallel()
	tm, a, b := flat(t, 260)
	var pushes, conflicts atomic.Int32
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		seen := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(seen, r)
		if strings.HasSuffix(r.URL.Path, "/push") {
			pushes.Add(1)
		}
		if seen.status == http.StatusConflict {
			conflicts.Add(1)
		}
	})
	a.removeEntries(t, 0, 250)
	a.holds(t, client.SyncOptions{}, msync.DeleteRemote, msync.MassDelete, 250)
	a.allow(t, 250)
	if pushes.Load() != 2 || conflicts.Load() != 0 {
		t.Errorf("%d pushes, %d of them refused", pushes.Load(), conflicts.Load())
	}
	tm.equal(t, a)
	b.holds(t, client.SyncOptions{}, msync.DeleteLocal, msync.MassDelete, 250)
	b.allow(t, 250)
	// Another yes in the same hour.
	a.removeEntries(t, 250, 252)
	a.holds(t, client.SyncOptions{}, msync.DeleteRemote, msync.MassDelete, 2)
	a.allow(t, 2)
	tm.equal(t, a)
	if conflicts.Load() != 0 {
		t.Error("what a person said is not believed")
	}
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter

	status int
}

func (s *statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}
