package watch_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/client/watch"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/internal/testscan"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// patience bounds the wait for what has to come about.
const patience = 30 * time.Second

// team is a whole server with one project, on a database of its own.
type team struct {
	url     string
	store   *store.Store
	service *memory.Service
	hook    atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]
}

func newTeam(t testing.TB) *team {
	t.Helper()
	const instance = "ins_watchwatchwatchwatch"
	s, err := store.Open(t.Context(), testdb.New(t), store.Options{MaxConns: 4})
	must(t, err)
	t.Cleanup(s.Close)
	keys, err := auth.NewKeyring(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)))
	must(t, err)
	hub := api.NewHub()
	tm := &team{store: s, service: memory.NewService(s, testscan.Words{}, hub, time.Now, memory.Limits{})}
	handler := api.New(tm.service, auth.NewAuthenticator(s, auth.NewAccessTokens(keys, instance, time.Now), time.Now), time.Now, api.Options{
		Version: "1.0.0", Instance: instance, Ready: s.Ready, Log: slog.New(slog.DiscardHandler), Hub: hub,
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hook := tm.hook.Load(); hook != nil {
			(*hook)(w, r, handler)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(hub.Close) // first: streams wait for it
	tm.url = server.URL
	_, err = tm.service.AddProject(t.Context(), root(), "acme/app", nil, memory.PresetOpen)
	must(t, err)
	return tm
}

func root() memory.Principal {
	return memory.Principal{Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}}
}

// between puts a test between the server and its clients. Several requests may
// be in the hook at once.
func (tm *team) between(hook func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	tm.hook.Store(&hook)
}

// member is a person with a linked folder.
type member struct {
	team *team
	home string
	dirs client.Dirs
	link client.Link
	id   memory.MemberID

	mu   sync.Mutex
	told []string
}

func (tm *team) join(t testing.TB, name string) *member {
	t.Helper()
	added, err := tm.service.AddMember(t.Context(), root(), name, false)
	must(t, err)
	home := t.TempDir()
	m := &member{team: tm, home: home, id: added.ID, dirs: client.Dirs{
		Config: filepath.Join(home, "config"), State: filepath.Join(home, "state"), Data: filepath.Join(home, "data"),
	}}
	must(t, os.MkdirAll(m.tree(), 0o700))
	must(t, os.MkdirAll(m.work(), 0o700))
	server := m.login(t)
	found, err := server.Projects(t.Context(), "acme/app", "")
	must(t, err)
	place := client.Place{Folder: m.work(), Repository: "dir:" + m.work(), MemoryDir: filepath.Join(home, "memory"), Source: "test"}
	login, err := m.dirs.Login(tm.url)
	must(t, err)
	linked, err := m.dirs.LinkTo(t.Context(), place, server, found[0], login.Instance, false, tree.Options{Clock: time.Now, Home: home})
	must(t, err)
	m.link = linked.Link
	return m
}

// login logs in with a new token.
func (m *member) login(t testing.TB) *client.Server {
	t.Helper()
	secret, now := auth.MintAPIToken(), time.Now()
	must(t, m.team.store.AddAPIToken(t.Context(), memory.APIToken{
		ID: memory.NewTokenID(), Hash: auth.HashToken(secret), Last4: auth.Last4(secret), Member: m.id,
		Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}, memory.Principal{}.Row(now, "token.add", "")))
	login, err := m.dirs.LogIn(t.Context(), m.team.url, client.LoginOptions{Token: secret, KeepToken: true, Clock: time.Now})
	must(t, err)
	s, err := m.dirs.Connect(login, client.ServerOptions{Clock: time.Now})
	must(t, err)
	return s
}

func (m *member) work() string { return filepath.Join(m.home, "app") }
func (m *member) tree() string { return filepath.Join(m.home, "memory", "team") }

// watcher prepares to watch, with short waits.
func (m *member) watcher() *watch.Watcher {
	w := watch.New(watch.Options{
		Dirs: m.dirs, Links: m.dirs.Links, Clock: time.Now, Runtime: filepath.Join(m.home, "run"),
		Connect: func(l client.Login) (*client.Server, error) {
			return m.dirs.Connect(l, client.ServerOptions{Clock: time.Now})
		},
		Syncer: func(l client.Link, s *client.Server, login client.Login) (*client.Syncer, error) {
			return client.NewSyncer(m.dirs, l, s, client.SyncerOptions{
				Device: login.Device, Member: login.Name, Scanner: func() (memory.Scanner, error) { return testscan.Words{}, nil },
				RuleSet: testscan.Words{}.RuleSet(), Clock: time.Now, Home: m.home,
			}), nil
		},
		Tell: func(_ client.Link, text string) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.told = append(m.told, text)
		},
	})
	w.Hurry(time.Millisecond)
	return w
}

// start runs a watcher until the test ends, and waits until it is in the mode.
func (m *member) start(t testing.TB, w *watch.Watcher, mode watch.Mode) *watch.Watcher {
	t.Helper()
	m.startEmpty(t, w)
	m.wait(t, "mode "+string(mode), func() bool { return m.state(w).Mode == mode && !m.state(w).LastSync.IsZero() })
	return w
}

func (m *member) startEmpty(t testing.TB, w *watch.Watcher) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("watch: %v", err)
		}
	})
}

// watching runs a watcher that hears of everything.
func (m *member) watching(t testing.TB) *watch.Watcher {
	t.Helper()
	w := m.start(t, m.watcher(), watch.Watching)
	m.wait(t, "stream", func() bool { return m.state(w).News == watch.Stream })
	return w
}

func (m *member) state(w *watch.Watcher) watch.ProjectState {
	if s := w.State(); len(s.Projects) > 0 {
		return s.Projects[0]
	}
	return watch.ProjectState{}
}

// wait polls for something that has to come about.
func (m *member) wait(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if ok() {
			return
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t.Fatalf("%s did not come about; the watcher said %q", what, m.told)
}

// becomes waits until the tree has these files, and no others.
func (m *member) becomes(t testing.TB, want map[string]string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var diff string
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if diff = cmp.Diff(want, m.files(t)); diff == "" {
			return
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t.Fatalf("the tree did not become as wanted (-want +got):\n%s\nthe watcher said %q", diff, m.told)
}

func (m *member) path(name string) string { return filepath.Join(m.tree(), filepath.FromSlash(name)) }

// write makes a file in place.
func (m *member) write(t testing.TB, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(m.path(name)), 0o700))
	must(t, os.WriteFile(m.path(name), []byte(text), 0o600))
}

// save replaces a file like an editor.
func (m *member) save(t testing.TB, name, text string) {
	t.Helper()
	must(t, os.WriteFile(m.path(name+".tmp"), []byte(text), 0o600))
	must(t, os.Rename(m.path(name+".tmp"), m.path(name)))
}

// files returns everything below team/ but the marker, and what is only there
// while something is written.
func (m *member) files(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(m.tree(), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".md" {
			return err
		}
		rel, err := filepath.Rel(m.tree(), path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		files[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return files
}

// history returns what the server has of the entry at a path, oldest first: its
// texts, "->" and a name for a move, and "deleted".
func (tm *team) history(t testing.TB, m *member, path string) (all []string) {
	t.Helper()
	page, err := tm.store.Changes(t.Context(), m.link.Project, memory.FeedQuery{Limit: 10_000})
	must(t, err)
	for _, c := range page.Changes {
		if c.Path.String() != path {
			continue
		}
		revisions, err := tm.store.History(t.Context(), m.link.Project, c.EntryID, 1<<40, 1000)
		must(t, err)
		for _, r := range slices.Backward(revisions) {
			full, err := tm.store.Revisions(t.Context(), m.link.Project, []memory.RevisionRef{{EntryID: r.EntryID, Rev: r.Rev}}, 1<<20)
			must(t, err)
			switch r.Action {
			case memory.ActionDelete:
				all = append(all, "deleted")
			case memory.ActionMove:
				all = append(all, "-> "+r.Path.String())
			default:
				all = append(all, string(full[0].Content))
			}
		}
	}
	return all
}

// deletes counts the entries that are deleted now.
func (tm *team) deletes(t testing.TB, m *member) (n int) {
	t.Helper()
	page, err := tm.store.Changes(t.Context(), m.link.Project, memory.FeedQuery{Limit: 10_000})
	must(t, err)
	for _, c := range page.Changes {
		if c.Gone() {
			n++
		}
	}
	return n
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
