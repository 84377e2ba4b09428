package client_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/store"
)

const instance = "ins_clientclientclientcli"

func TestMain(m *testing.M) {
	if home := os.Getenv(guestHome); home != "" {
		playGuest(home)
		return
	}
	testdb.MoreAtOnce()
	os.Exit(m.Run())
}

// team is a whole server with one project, on a database of its own. A test
// may stand between it and its clients.
type team struct {
	url      string
	database string // where the server works
	store    *store.Store
	service  *memory.Service
	project  memory.ProjectView
	ahead    atomic.Int64 // how far the service's clock is, as a duration

	mu      sync.Mutex
	handler http.Handler // the server itself
	hook    func(w http.ResponseWriter, r *http.Request, next http.Handler)
}

func newTeam(t testing.TB, limits memory.Limits) *team {
	t.Helper()
	return newTeamWith(t, limits, memory.PresetOpen)
}

func newTeamWith(t testing.TB, limits memory.Limits, review memory.Preset) *team {
	t.Helper()
	tm := &team{}
	tm.serve(t, testdb.New(t), limits)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tm.mu.Lock()
		hook, next := tm.hook, tm.handler
		tm.mu.Unlock()
		if hook == nil {
			next.ServeHTTP(w, r)
			return
		}
		hook(w, r, next)
	}))
	t.Cleanup(server.Close)
	tm.url = server.URL
	project, err := tm.service.AddProject(t.Context(), root(), "acme/app", nil, review)
	must(t, err)
	tm.project.Project = project
	return tm
}

// serve lets a server of this instance work on the database from now on.
func (tm *team) serve(t testing.TB, database string, limits memory.Limits) {
	t.Helper()
	s, err := store.Open(t.Context(), database, store.Options{MaxConns: 4})
	must(t, err)
	t.Cleanup(s.Close)
	keys, err := auth.NewKeyring(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)))
	must(t, err)
	authenticator := auth.NewAuthenticator(s, auth.NewAccessTokens(keys, instance, time.Now), time.Now)
	tm.mu.Lock()
	defer tm.mu.Unlock()
	tm.database, tm.store = database, s
	clock := func() time.Time { return time.Now().Add(time.Duration(tm.ahead.Load())) }
	tm.service = memory.NewService(s, markScanner{}, api.NewHub(), clock, limits)
	tm.handler = api.New(tm.service, authenticator, time.Now, api.Options{
		Version: "1.0.0", Instance: instance, Ready: s.Ready, Log: slog.New(slog.DiscardHandler),
	})
}

func root() memory.Principal {
	return memory.Principal{Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}}
}

// between puts a test between the server and its clients. Several requests may
// be in the hook at once.
func (tm *team) between(hook func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	tm.hook = hook
}

// onPush runs f before each push reaches the server.
func (tm *team) onPush(f func(n int)) {
	var n atomic.Int32 // several may be on their way
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			f(int(n.Add(1)))
		}
		next.ServeHTTP(w, r)
	})
}

// member is a person with a linked folder.
type member struct {
	team *team
	home string
	dirs client.Dirs
	link client.Link
	id   client.Login
	http *client.Server
	now  func() time.Time
}

func (tm *team) join(t testing.TB, name string) *member {
	t.Helper()
	added, err := tm.service.AddMember(t.Context(), root(), name, false)
	must(t, err)
	secret, now := auth.MintAPIToken(), time.Now()
	must(t, tm.store.AddAPIToken(t.Context(), memory.APIToken{
		ID: memory.NewTokenID(), Hash: auth.HashToken(secret), Last4: auth.Last4(secret), Member: added.ID,
		Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}, memory.Principal{}.Row(now, "token.add", "")))
	m := newMember(t, tm.url, secret)
	m.team = tm
	return m
}

// newMember logs in to any server and links a folder with its only project.
func newMember(t testing.TB, url, token string) *member {
	t.Helper()
	home := t.TempDir()
	m := &member{home: home, now: time.Now, dirs: dirsIn(home)}
	mkdir(t, m.tree())
	mkdir(t, m.work())
	var err error
	m.id, err = m.dirs.LogIn(t.Context(), url, client.LoginOptions{Token: token, KeepToken: true, Clock: time.Now})
	must(t, err)
	m.http, err = m.dirs.Connect(m.id, client.ServerOptions{Clock: time.Now})
	must(t, err)
	m.relink(t, false)
	return m
}

func (m *member) relink(t testing.TB, rebuild bool) {
	t.Helper()
	linked, err := m.tryLink(t, rebuild)
	must(t, err)
	m.link = linked.Link
}

func (m *member) tryLink(t testing.TB, rebuild bool) (client.Linked, error) {
	t.Helper()
	found, err := m.http.Projects(t.Context(), "acme/app", "")
	must(t, err)
	place := client.Place{Folder: m.work(), Repository: "dir:" + m.work(), MemoryDir: filepath.Join(m.home, "memory"), Source: "test"}
	return m.dirs.LinkTo(t.Context(), place, m.http, found[0], m.id.Instance, rebuild, tree.Options{Clock: m.now, Home: m.home})
}

func (m *member) work() string { return filepath.Join(m.home, "app") }
func (m *member) tree() string { return filepath.Join(m.home, "memory", "team") }
func (m *member) state() string {
	return filepath.Join(m.dirs.State, m.link.Instance, string(m.link.Project)+"-"+m.link.RootID[:8])
}
func (m *member) index() string { return filepath.Join(m.state(), "index") }

func (m *member) syncer(rules string) *client.Syncer {
	s := client.NewSyncer(m.dirs, m.link, m.http, client.SyncerOptions{
		Device: m.id.Device, Member: m.id.Name, Scanner: func() (memory.Scanner, error) { return markScanner{rules}, nil },
		RuleSet: markScanner{rules}.RuleSet(), Clock: m.now, Home: m.home,
	})
	s.WaitForReports()
	return s
}

// try runs one sync, however it ends.
func (m *member) try(ctx context.Context) (*client.Report, error) {
	return m.syncer("").Sync(ctx, client.SyncOptions{})
}

// sync runs one sync that must end in sync.
func (m *member) sync(t testing.TB) *client.Report {
	t.Helper()
	r, err := m.try(t.Context())
	if err != nil || !r.Proven {
		t.Fatalf("sync: proven %t, %v\nnotices: %q", r.Proven, err, r.Notices)
	}
	return r
}

func (m *member) write(t testing.TB, path, text string) {
	t.Helper()
	file := filepath.Join(m.tree(), filepath.FromSlash(path))
	mkdir(t, filepath.Dir(file))
	must(t, os.WriteFile(file, []byte(text), 0o600))
}

func (m *member) remove(t testing.TB, path string) {
	t.Helper()
	must(t, os.Remove(filepath.Join(m.tree(), filepath.FromSlash(path))))
}

func (m *member) rename(t testing.TB, from, to string) {
	t.Helper()
	mkdir(t, filepath.Dir(filepath.Join(m.tree(), filepath.FromSlash(to))))
	must(t, os.Rename(filepath.Join(m.tree(), filepath.FromSlash(from)), filepath.Join(m.tree(), filepath.FromSlash(to))))
}

// files returns everything below team/ but the marker.
func (m *member) files(t testing.TB) map[string]string {
	t.Helper()
	return filesBelow(t, m.tree())
}

func filesBelow(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() || d.Name() == ".teammem" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	must(t, err)
	return files
}

// kept reports where a text is outside of the tree: "trash" or "conflicts".
func (m *member) kept(t testing.TB, text string) string {
	t.Helper()
	for name, got := range filesBelow(t, m.dirs.Data) {
		if got == text && !strings.HasSuffix(name, ".base.md") {
			place, _, _ := strings.Cut(name, "/")
			return place
		}
	}
	return ""
}

// served returns what the server has.
func (tm *team) served(t testing.TB) map[string]string {
	t.Helper()
	page, err := tm.store.Changes(t.Context(), tm.project.ID, memory.FeedQuery{Limit: 100_000, InlineMax: 1 << 20, PageMax: 1 << 30})
	must(t, err)
	served := map[string]string{}
	for _, c := range page.Changes {
		if !c.Gone() {
			served[c.Path.String()] = string(c.Content)
		}
	}
	return served
}

// equal fails unless all members and the server have the same files.
func (tm *team) equal(t testing.TB, members ...*member) {
	t.Helper()
	want := tm.served(t)
	for _, m := range members {
		if diff := cmp.Diff(want, m.files(t)); diff != "" {
			t.Fatalf("server and tree differ (-server +tree):\n%s", diff)
		}
	}
}

// refused returns the codes of what is not shared, by file.
func refused(r *client.Report) map[string]memory.Code {
	codes := map[string]memory.Code{}
	for _, f := range r.Refused {
		codes[f.File] = f.Problem.Code
	}
	return codes
}

// markScanner finds one marker, where the real scanner finds secrets.
type markScanner struct{ rules string }

const mark = "MARKED-AS-SECRET"

func (s markScanner) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	if before, _, found := strings.Cut(text, mark+s.rules); found {
		return []sanitize.Finding{{Rule: "mark", Severity: sanitize.SeverityHard, Line: 1 + strings.Count(before, "\n"), Column: 1}}, nil
	}
	if before, _, found := strings.Cut(text, softMark); found {
		return []sanitize.Finding{{Rule: "soft-mark", Severity: sanitize.SeveritySoft, Line: 1 + strings.Count(before, "\n"), Column: 1}}, nil
	}
	return nil, ctx.Err()
}

func (s markScanner) RuleSet() string { return "mark-1" + s.rules }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
}

func numbered(n int) string { return fmt.Sprintf("topic-%d/entry-%04d.md", n%10, n) }
