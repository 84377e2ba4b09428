package client_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// laxScanner is an older server's: it finds nothing.
type laxScanner struct{}

func (laxScanner) RuleSet() string                                          { return "lax-1" }
func (laxScanner) Scan(context.Context, string) ([]sanitize.Finding, error) { return nil, nil }

// leak has a member share a secret under an older server's rules, and the newer
// server find it once everybody has it.
func (tm *team) leak(t *testing.T, m *member, path, text string) {
	t.Helper()
	older := memory.NewService(tm.store, laxScanner{}, quiet{}, time.Now, memory.Limits{})
	_, err := older.Push(t.Context(), m.person(), tm.project.ID, memory.Push{
		Epoch: tm.project.Head.Epoch, Ops: []memory.Op{{Action: memory.ActionPut, Path: path, Content: []byte(text)}},
	})
	must(t, err)
	m.sync(t)
	must(t, tm.service.WantRescan(t.Context()))
	must(t, tm.service.Rescan(t.Context(), nil))
}

// person is the member as the server knows them.
func (m *member) person() memory.Principal {
	return memory.Principal{Member: m.id.Member, Name: m.id.Name, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
}

// quiet tells nobody.
type quiet struct{ memory.Notifier }

func (quiet) Notify(memory.ProjectID, memory.Cursor) {}

// The author of a text that the server took back is told until somebody has taken
// care of it, also without the server; and nobody else.
func TestLeaks_AuthorIsTold(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	mara, ben := tm.join(t, "mara"), tm.join(t, "ben")
	calls := &tally{}
	calls.of(tm)
	mara.write(t, "fine.md", "fine\n")
	mara.sync(t)
	tm.leak(t, mara, "a.md", "the key\n"+mark+"\n")
	ben.sync(t)
	if n := calls.take(); n["GET findings"] != 0 {
		t.Errorf("they ask for what nobody took back: %v", n)
	}

	calls.mu.Lock()
	calls.deaf = true
	calls.mu.Unlock()
	if r := mara.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %+v", r.Refused)
	}
	if k := mara.known(t); len(k.Leaks) != 0 {
		t.Errorf("known of what the server did not tell: %+v", k.Leaks)
	}
	calls.mu.Lock()
	calls.deaf = false
	calls.mu.Unlock()
	mara.sync(t) // asks again
	for name, leaks := range map[string][]client.Leak{"known": mara.known(t).Leaks, "status": mara.status(t).Leaks} {
		if len(leaks) != 1 || leaks[0].Path != "a.md" || leaks[0].Line != 2 || leaks[0].Rule != "mark" || leaks[0].Finding == "" || !leaks[0].Hard {
			t.Fatalf("%s: %+v", name, leaks)
		}
	}
	ben.sync(t)
	if k, st := ben.known(t).Leaks, ben.status(t).Leaks; len(k)+len(st) != 0 {
		t.Errorf("somebody else is told: %+v, %+v", k, st)
	}
	_, err := tm.service.ResolveFinding(t.Context(), mara.person(), tm.project.ID, mara.known(t).Leaks[0].Finding)
	must(t, err)
	mara.sync(t)
	if k, st := mara.known(t).Leaks, mara.status(t).Leaks; len(k)+len(st) != 0 {
		t.Errorf("it was taken care of: %+v, %+v", k, st)
	}
	calls.take()
	mara.sync(t)
	if n := calls.take(); n["GET findings"] != 0 {
		t.Errorf("a run without news asks %v", n)
	}
	if files, err := filepath.Glob(filepath.Join(mara.state(), "leaks.json")); err != nil || len(files) != 0 {
		t.Errorf("the file stays: %v, %v", files, err)
	}
}

// The author is told, too, if the file is gone already, and if the run that hears
// of it does not come to its end.
func TestLeaks_FileIsGoneAndRunFails(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m := tm.join(t, "mara")
	for i := range 10 {
		m.write(t, numbered(i), "fine\n")
	}
	tm.leak(t, m, "a.md", "the key\n"+mark+"\n")
	m.remove(t, "a.md")
	m.remove(t, numbered(1))
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		next.ServeHTTP(w, r)
	})
	if _, err := m.try(t.Context()); err == nil {
		t.Error("the run came to its end")
	}
	tm.between(nil)
	m.sync(t)
	if k := m.known(t).Leaks; len(k) != 1 || k[0].Path != "a.md" {
		t.Errorf("known: %+v", k)
	}
}

// What others may have written is not believed, and shows nothing; the next run
// asks the server.
func TestLeaks_OddFile(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m := tm.join(t, "mara")
	m.sync(t)
	file := filepath.Join(m.state(), "leaks.json")
	good := `{"root":"` + m.link.RootID + `","leaks":[{"finding":"fnd_a","path":"a.md","rule":"r","line":1}]}`
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		want int
	}{
		"as it is written": {good, 0o600, 1}, "open to others": {good, 0o644, 0}, "half": {good[:40], 0o600, 0}, "empty": {"", 0o600, 0},
		"another tree's": {strings.Replace(good, m.link.RootID, "other", 1), 0o600, 0},
	} {
		must(t, os.WriteFile(file, []byte(tt.text), 0o600))
		must(t, os.Chmod(file, tt.mode))
		if got := m.known(t).Leaks; len(got) != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
		m.sync(t)
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s: nobody asked whether there is something to keep: %v", name, err)
		}
	}
}
