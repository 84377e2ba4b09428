package api

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/store"
)

const instance = "ins_abcdefghijklmnopqrst"

// bundle is a whole server on a database of its own, answering over TCP, with
// one project and a member for each role in it.
type bundle struct {
	url     string
	db      string
	api     *API
	hub     watchedHub
	store   *store.Store
	access  *auth.AccessTokens
	log     *logBuffer
	project memory.ProjectView
	other   memory.ProjectView // where only the admin has a role
	members map[memory.Role]memory.Member
	admin   memory.Principal
}

func setup(t testing.TB) *bundle {
	t.Helper()
	b := &bundle{db: testdb.New(t), hub: watchedHub{NewHub(), make(chan struct{}, 1)}, log: &logBuffer{}, members: map[memory.Role]memory.Member{}}
	ctx := t.Context()
	s, err := store.Open(ctx, b.db, store.Options{MaxConns: 8})
	must(t, err)
	t.Cleanup(s.Close)
	b.store = s

	service := memory.NewService(s, markScanner{}, b.hub, time.Now, memory.Limits{})
	b.access = accessTokens(t)
	b.api = New(service, auth.NewAuthenticator(s, b.access, time.Now), time.Now, Options{
		Version: "1.2.3", Instance: instance, MinClient: "1.0.0", Ready: s.Ready, Hub: b.hub.Hub, Log: jsonLog(b.log),
	})
	b.url = listen(t, b.api)
	b.fill(t, service)
	return b
}

// fill makes the members and projects.
func (b *bundle) fill(t testing.TB, service *memory.Service) {
	t.Helper()
	ctx := t.Context()
	root := memory.Principal{Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}}
	for _, role := range []memory.Role{memory.RoleNone, memory.RoleViewer, memory.RoleContributor, memory.RoleReviewer, memory.RoleMaintainer} {
		m, err := service.AddMember(ctx, root, role.String(), false)
		must(t, err)
		b.members[role] = m
	}
	boss, err := service.AddMember(ctx, root, "boss", true)
	must(t, err)
	b.admin = memory.Principal{Member: boss.ID, Name: boss.Name, Admin: true}
	for _, p := range []struct {
		to   *memory.ProjectView
		slug string
	}{{&b.project, "acme/app"}, {&b.other, "acme/other"}} {
		made, err := service.AddProject(ctx, root, p.slug, []string{"git@github.com:" + p.slug + ".git"}, memory.PresetOpen)
		must(t, err)
		p.to.Project = made
	}
	b.sql(t, "update projects set default_role = 'none'")
	for role, m := range b.members {
		if role != memory.RoleNone {
			b.sql(t, "insert into project_roles (project_id, member_id, role) values ($1, $2, $3)", b.project.ID, m.ID, role.String())
		}
	}
}

// sql runs SQL as the role that owns the tables.
func (b *bundle) sql(t testing.TB, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.db)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), sql, args...)
	must(t, err)
}

// row reads one value as the role that owns the tables.
func (b *bundle) row(t testing.TB, to any, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.db)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	must(t, conn.QueryRow(t.Context(), sql, args...).Scan(to))
}

// token gives a member an API token; project "" reaches all.
func (b *bundle) token(t testing.TB, m memory.MemberID, project memory.ProjectID, scopes ...memory.Scope) string {
	t.Helper()
	secret, now := auth.MintAPIToken(), time.Now()
	must(t, b.store.AddAPIToken(t.Context(), memory.APIToken{
		ID: memory.NewTokenID(), Hash: auth.HashToken(secret), Last4: auth.Last4(secret), Member: m, Project: project,
		Scopes: scopes, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}, memory.Principal{}.Row(now, "token.add", "")))
	return secret
}

// as returns a client of the member with the role, with read and write scope.
func (b *bundle) as(t testing.TB, role memory.Role) *client {
	t.Helper()
	return &client{t: t, url: b.url, token: b.token(t, b.members[role].ID, "", memory.ScopeRead, memory.ScopeWrite)}
}

// signedIn returns a client of the member who is logged in on a device of
// theirs, and so can have any scope.
func (b *bundle) signedIn(t testing.TB, m memory.Member, scopes ...memory.Scope) *client {
	t.Helper()
	d := memory.Device{ID: memory.NewDeviceID(), Member: m.ID, Name: "laptop", CreatedAt: time.Now()}
	must(t, b.store.AddDevice(t.Context(), d, memory.Principal{}.Row(time.Now(), "device.add", string(d.ID))))
	b.sql(t, "update devices set scopes = $2 where device_id = $1", d.ID, scopes)
	token, _, err := b.access.Mint(m, d, scopes...)
	must(t, err)
	return &client{t: t, url: b.url, token: token}
}

// in returns the path of a call in the project.
func (b *bundle) in(call string) string { return base + "/projects/" + string(b.project.ID) + call }

// offline is an API that has no database: enough for all that is decided
// before one is asked.
func offline(t testing.TB, o Options) (*API, *records) {
	t.Helper()
	r := &records{token: auth.MintAPIToken(), scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
	o.Instance = instance
	service := memory.NewService(nil, markScanner{}, NewHub(), time.Now, memory.Limits{})
	return New(service, auth.NewAuthenticator(r, accessTokens(t), time.Now), time.Now, o), r
}

// records knows one token and one member.
type records struct {
	token  string
	scopes []memory.Scope
}

func (r *records) APIToken(_ context.Context, hash memory.Hash) (memory.APIToken, memory.Member, error) {
	if hash != auth.HashToken(r.token) {
		return memory.APIToken{}, memory.Member{}, memory.NotFound("token")
	}
	m := memory.Member{ID: "mem_a", Name: "Mara"}
	return memory.APIToken{ID: "tok_a", Member: m.ID, Scopes: r.scopes, ExpiresAt: time.Now().Add(time.Hour)}, m, nil
}

func (r *records) MemberDevice(context.Context, memory.MemberID, memory.DeviceID) (memory.Device, memory.Member, error) {
	return memory.Device{}, memory.Member{}, memory.NotFound("device")
}

func accessTokens(t testing.TB) *auth.AccessTokens {
	t.Helper()
	keys, err := auth.NewKeyring(signingKey(1))
	must(t, err)
	return auth.NewAccessTokens(keys, instance, time.Now)
}

// signingKey is key 1 of the servers, or another that is none of theirs.
func signingKey(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func publicKey(n byte) ed25519.PublicKey { return signingKey(n).Public().(ed25519.PublicKey) }

func listen(t testing.TB, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// serve runs a [Server] until ctx is done, which must end it well.
func serve(ctx context.Context, t testing.TB, h http.Handler, hub *Hub) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- NewServer(h, hub, ServerOptions{}).Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// watchedHub tells when somebody begins to wait.
type watchedHub struct {
	*Hub
	waiting chan struct{}
}

func (w watchedHub) Wait(ctx context.Context, project memory.ProjectID, after memory.Cursor) {
	select {
	case w.waiting <- struct{}{}:
	default:
	}
	w.Hub.Wait(ctx, project, after)
}

// markScanner finds one marker, where the real scanner finds secrets.
type markScanner struct{}

const mark = "MARKED-AS-SECRET"

func (markScanner) Scan(_ context.Context, text string) ([]sanitize.Finding, error) {
	before, _, found := strings.Cut(text, mark)
	if !found {
		return nil, nil
	}
	line := 1 + strings.Count(before, "\n")
	return []sanitize.Finding{{Rule: "marker", Severity: sanitize.SeverityHard, Line: line, Column: 1}}, nil
}

func (markScanner) RuleSet() string { return "marks-1" }

// client makes requests as one member.
type client struct {
	t     testing.TB
	url   string
	token string
}

// reply is an answer, read to its end.
type reply struct {
	status  int
	header  http.Header
	body    []byte
	problem wire.Problem // of an error
}

// do makes a request. Headers come in pairs of name and value; a body is JSON
// unless they say otherwise.
func (c *client) do(method, path, body string, headers ...string) reply {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	must(c.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(c.t, err)
	defer resp.Body.Close()
	r := reply{status: resp.StatusCode, header: resp.Header}
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return r // it has no end
	}
	r.body, err = io.ReadAll(resp.Body)
	must(c.t, err)
	c.check(&r, method+" "+path)
	return r
}

// check holds every answer to what all answers promise.
func (c *client) check(r *reply, what string) {
	c.t.Helper()
	if r.status >= http.StatusInternalServerError && r.status != http.StatusServiceUnavailable {
		c.t.Errorf("%s: status %d %s", what, r.status, r.body)
	}
	if r.header.Get("Teammem-Api") != "1" || r.header.Get("Teammem-Instance") != instance {
		c.t.Errorf("%s: the answer does not say whose it is: %v", what, r.header)
	}
	if r.status < http.StatusBadRequest {
		return
	}
	if r.header.Get("Content-Type") != wire.ProblemType {
		c.t.Errorf("%s: an error of type %q", what, r.header.Get("Content-Type"))
	}
	must(c.t, wire.Decode(r.body, &r.problem))
	if r.problem.Status != r.status || r.problem.Code == "" || r.problem.Instance == "" || r.problem.Detail == "" || r.problem.Title == "" {
		c.t.Errorf("%s: status %d with an incomplete problem: %s", what, r.status, r.body)
	}
}

func (c *client) get(path string, headers ...string) reply {
	c.t.Helper()
	return c.do(http.MethodGet, path, "", headers...)
}

func (c *client) post(path, body string, headers ...string) reply {
	c.t.Helper()
	return c.do(http.MethodPost, path, body, headers...)
}

// want checks status and code of an answer.
func (r reply) want(t testing.TB, status int, code memory.Code) reply {
	t.Helper()
	if r.status != status || memory.Code(r.problem.Code) != code {
		t.Errorf("got %d %s, want %d %s: %s", r.status, r.problem.Code, status, code, r.body)
	}
	return r
}

// read decodes a good answer, strictly, so that no field goes unknown.
func read[T any](t testing.TB, r reply) T {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	var v T
	must(t, wire.Decode(r.body, &v))
	return v
}

// put stores a new entry and returns it.
func (b *bundle) put(t testing.TB, c *client, path, content string) wire.Result {
	t.Helper()
	body, err := wire.Encode(wire.EntryPut{Content: &content})
	must(t, err)
	r := read[wire.Result](t, c.do(http.MethodPut, b.in("/entry?path="+escape(path)), string(body), "If-None-Match", "*"))
	if r.Verdict != string(memory.RulingPublished) {
		t.Fatalf("put %q: %+v", path, r)
	}
	return r
}

func jsonLog(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }

func escape(s string) string { return url.QueryEscape(s) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logBuffer collects a log. Its zero value is empty.
type logBuffer struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	written chan struct{} // closed at the next write; nil while nobody waits
}

// await returns the log once it holds the text.
func (l *logBuffer) await(text string) string {
	for {
		l.mu.Lock()
		log := l.buf.String()
		if l.written == nil {
			l.written = make(chan struct{})
		}
		written := l.written
		l.mu.Unlock()
		if strings.Contains(log, text) {
			return log
		}
		<-written
	}
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written != nil {
		close(l.written)
		l.written = nil
	}
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
