package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/web/static"
)

// bundle is a console on a database of its own, answering over TCP, with one
// project and a member for each role in it.
type bundle struct {
	url     string
	db      string
	console *Console
	service *memory.Service
	store   *store.Store
	log     *logBuffer
	clock   *clock
	open    memory.Project // that publishes at once
	strict  memory.Project // where everything waits
	other   memory.Project // where only the admin has a role
	members map[memory.Role]memory.Member
	second  memory.Member // another reviewer
	admin   memory.Member
}

func setup(t testing.TB) *bundle {
	t.Helper()
	b := &bundle{db: testdb.New(t), log: &logBuffer{}, clock: newClock(), members: map[memory.Role]memory.Member{}}
	s, err := store.Open(t.Context(), b.db, store.Options{MaxConns: 8})
	must(t, err)
	t.Cleanup(s.Close)
	b.store = s
	b.service = memory.NewService(s, markScanner{}, deaf{}, b.clock.now, memory.Limits{})
	files, err := static.Open()
	must(t, err)
	b.console = New(b.service, auth.NewSessions(s, b.clock.now), files, b.clock.now, Options{Log: slog.New(slog.NewJSONHandler(b.log, nil))})
	b.console.signIns = auth.NewLimiter(1000, time.Minute)
	server := httptest.NewServer(b.console)
	t.Cleanup(server.Close)
	b.url = server.URL
	b.fill(t)
	return b
}

// root administers.
func root() memory.Principal {
	return memory.Principal{Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}}
}

// fill makes the members and projects.
func (b *bundle) fill(t testing.TB) {
	t.Helper()
	for _, p := range []struct {
		to     *memory.Project
		slug   string
		preset memory.Preset
	}{{&b.open, "acme/app", memory.PresetOpen}, {&b.strict, "acme/vault", memory.PresetStrict}, {&b.other, "acme/other", memory.PresetOpen}} {
		made, err := b.service.AddProject(t.Context(), root(), p.slug, nil, p.preset)
		must(t, err)
		*p.to = made
	}
	b.sql(t, "update projects set default_role = 'none'")
	add := func(name string, admin bool, role memory.Role) memory.Member {
		m, err := b.service.AddMember(t.Context(), root(), name, admin)
		must(t, err)
		for _, p := range []memory.Project{b.open, b.strict} {
			if role != memory.RoleNone {
				b.sql(t, "insert into project_roles (project_id, member_id, role) values ($1, $2, $3)", p.ID, m.ID, role.String())
			}
		}
		return m
	}
	for _, role := range []memory.Role{memory.RoleNone, memory.RoleViewer, memory.RoleContributor, memory.RoleReviewer, memory.RoleMaintainer} {
		b.members[role] = add(role.String(), false, role)
	}
	b.second = add("second reviewer", false, memory.RoleReviewer)
	b.admin = add("boss", true, memory.RoleNone)
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

// count returns the number that a query as the owner gives.
func (b *bundle) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), b.db)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	must(t, conn.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// link makes a link's token for the member.
func (b *bundle) link(t testing.TB, m memory.Member) string {
	t.Helper()
	token := auth.MintLinkToken()
	_, err := b.service.AddConsoleLink(t.Context(), root(), m, auth.HashToken(token))
	must(t, err)
	return token
}

// as returns a browser of the member with the role, signed in.
func (b *bundle) as(t testing.TB, role memory.Role) *browser {
	t.Helper()
	return b.browser(t).signIn(b.link(t, b.members[role]))
}

// browser is one that nobody has signed in with.
func (b *bundle) browser(t testing.TB) *browser {
	t.Helper()
	return &browser{t: t, url: b.url}
}

// principal is a member as their own client speaks for them.
func principal(m memory.Member) memory.Principal {
	return memory.Principal{Member: m.ID, Name: m.Name, Admin: m.Admin, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
}

// push makes one change as the member's client would.
func (b *bundle) push(t testing.TB, m memory.Member, p memory.Project, op memory.Op) memory.Verdict {
	t.Helper()
	view, err := b.service.Project(t.Context(), principal(m), p.ID)
	must(t, err)
	receipt, err := b.service.Push(t.Context(), principal(m), p.ID, memory.Push{
		Epoch: view.Head.Epoch, Agent: memory.Agent{Name: "claude-code", Version: "2.1"}, Ops: []memory.Op{op},
	})
	must(t, err)
	v := receipt.Verdicts[0]
	if v.Ruling != memory.RulingPublished && v.Ruling != memory.RulingWaiting {
		t.Fatalf("push %s: %s (%v)", op.Path, v.Ruling, v.Problem)
	}
	return v
}

// put stores a text.
func (b *bundle) put(t testing.TB, m memory.Member, p memory.Project, path, text string) memory.Verdict {
	t.Helper()
	return b.push(t, m, p, memory.Op{Action: memory.ActionPut, Path: path, Content: []byte(text)})
}

// edit stores a text over another.
func (b *bundle) edit(t testing.TB, m memory.Member, p memory.Project, path, text string, over memory.Verdict) memory.Verdict {
	t.Helper()
	return b.push(t, m, p, memory.Op{Action: memory.ActionPut, Path: path, EntryID: over.EntryID, BaseRev: over.Rev, Content: []byte(text)})
}

// browser follows no redirects, so that a test sees each answer. It keeps
// cookies and says where its forms come from, as browsers do.
type browser struct {
	t       testing.TB
	url     string
	cookies map[string]string
}

// reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// do makes a request. Headers come in pairs of name and value; an empty value
// leaves the header out.
func (br *browser) do(method, path, body string, headers ...string) reply {
	br.t.Helper()
	req, err := http.NewRequestWithContext(br.t.Context(), method, br.url+path, strings.NewReader(body))
	must(br.t, err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range br.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value, Quoted: false})
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Del(headers[i])
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(br.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(br.t, err)
	br.keep(resp.Cookies())
	return reply{resp.StatusCode, resp.Header, string(text)}
}

func (br *browser) keep(cookies []*http.Cookie) {
	if br.cookies == nil {
		br.cookies = map[string]string{}
	}
	for _, c := range cookies {
		br.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(br.cookies, c.Name)
		}
	}
}

func (br *browser) get(path string, headers ...string) reply {
	br.t.Helper()
	return br.do(http.MethodGet, path, "", headers...)
}

// post sends a form, whose fields come in pairs.
func (br *browser) post(path string, fields ...string) reply {
	br.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return br.do(http.MethodPost, path, form.Encode())
}

// signIn uses a link up.
func (br *browser) signIn(token string) *browser {
	br.t.Helper()
	br.post("/login", "token", token).leads(br.t, "/")
	return br
}

// want checks the status of an answer.
func (r reply) want(t testing.TB, status int) reply {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d: %.400s", r.status, status, r.body)
	}
	return r
}

// shows checks that the page has all of these texts.
func (r reply) shows(t testing.TB, texts ...string) reply {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.body, text) {
			t.Errorf("the page does not show %q: %.2000s", text, r.body)
		}
	}
	return r
}

// hides checks that it has none of them.
func (r reply) hides(t testing.TB, texts ...string) reply {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(r.body, text) {
			t.Errorf("the page shows %q", text)
		}
	}
	return r
}

// leads checks where an answer redirects to.
func (r reply) leads(t testing.TB, to string) reply {
	t.Helper()
	if r.status != http.StatusSeeOther || r.header.Get("Location") != to {
		t.Fatalf("status %d leads to %q, want %q: %.400s", r.status, r.header.Get("Location"), to, r.body)
	}
	return r
}

// markScanner finds one marker, where the real scanner finds secrets.
type markScanner struct{}

const mark = "MARKED-AS-SECRET"

func (markScanner) Scan(_ context.Context, text string) ([]sanitize.Finding, error) {
	if !strings.Contains(text, mark) {
		return nil, nil
	}
	return []sanitize.Finding{{Rule: "marker", Severity: sanitize.SeverityHard, Line: 1, Column: 1}}, nil
}

func (markScanner) RuleSet() string { return "marks-1" }

// deaf tells nobody of a change.
type deaf struct{}

func (deaf) Notify(memory.ProjectID, memory.Cursor) {}

func (deaf) Wait(context.Context, memory.ProjectID, memory.Cursor) {}

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

// newClock stands an hour ahead: deadlines of connections are counted from it,
// and would be over as soon as a test takes longer than they are.
func newClock() *clock { return &clock{at: time.Now().Add(time.Hour)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// logBuffer collects a log. Its zero value is empty.
type logBuffer struct {
	mu  sync.Mutex
	buf strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
