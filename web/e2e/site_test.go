package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/internal/testdb"
)

// site is a running server with a database of its own.
type site struct {
	t   testing.TB
	db  string
	url string
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{t: t, db: testdb.New(t)}
	server := exec.CommandContext(t.Context(), program, "serve", "--database-url", s.db, "--data", t.TempDir())
	var log bytes.Buffer
	server.Stderr = &log
	out, err := server.StdoutPipe()
	must(t, err)
	must(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // the signal is the reason
		if t.Failed() {
			t.Logf("the server's log:\n%s", log.Bytes())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, log.Bytes())
	}
	s.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	return s
}

// admin runs a command in the instance's name and returns its output.
func (s *site) admin(args ...string) string {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), program, append([]string{"admin", "--database-url", s.db}, args...)...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		s.t.Fatalf("teammem admin %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// sql runs SQL as the role that owns the tables.
func (s *site) sql(sql string, args ...any) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.db)
	must(s.t, err)
	defer conn.Close(context.WithoutCancel(s.t.Context()))
	_, err = conn.Exec(s.t.Context(), sql, args...)
	must(s.t, err)
}

// member is somebody with a client and a browser.
type member struct {
	site   *site
	name   string
	token  string
	device string
	agent  map[string]string
}

// join adds a member, whose client speaks for an agent.
func (s *site) join(name string) *member {
	s.t.Helper()
	s.admin("member", "add", name)
	m := &member{site: s, name: name, agent: map[string]string{"name": "claude-code", "version": "2.1.332", "model": "claude-opus-4-8", "session": "5f3c9a1e"}}
	m.token = s.admin("token", "create", "--member", name, "--scope", "sync:read,sync:write")
	m.device = m.call(http.MethodPost, "/me/devices", map[string]any{"name": strings.ToLower(strings.Fields(name)[0]) + "-laptop", "os": "linux"})["id"].(string)
	return m
}

// link returns the path of a link that signs the member in.
func (m *member) link() string {
	m.site.t.Helper()
	return strings.TrimPrefix(m.site.admin("console-link", m.name), m.site.url)
}

// browse opens a tab in which the member is signed in.
func (m *member) browse(t testing.TB) *tab {
	t.Helper()
	return m.signIn(newTab(t, m.site.url))
}

func (m *member) signIn(tb *tab) *tab {
	tb.t.Helper()
	return tb.open(m.link()).press("Sign in")
}

// call makes a call of the API and returns what it answers.
func (m *member) call(method, path string, body any) map[string]any {
	m.site.t.Helper()
	b, err := json.Marshal(body)
	must(m.site.t, err)
	req, err := http.NewRequestWithContext(m.site.t.Context(), method, m.site.url+"/api/v1"+path, bytes.NewReader(b))
	must(m.site.t, err)
	req.Header.Set("Authorization", "Bearer "+m.token)
	req.Header.Set("Teammem-Client", "teammem/1.4.0 (linux)")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(m.site.t, err)
	defer resp.Body.Close()
	answer := map[string]any{}
	must(m.site.t, json.NewDecoder(resp.Body).Decode(&answer))
	if resp.StatusCode != http.StatusOK {
		m.site.t.Fatalf("%s %s: %d %v", method, path, resp.StatusCode, answer)
	}
	return answer
}

// project finds a project by its slug.
func (m *member) project(slug string) map[string]any {
	m.site.t.Helper()
	found := m.call(http.MethodGet, "/projects?slug="+url.QueryEscape(slug), nil)["items"].([]any)
	if len(found) != 1 {
		m.site.t.Fatalf("%d projects are called %s", len(found), slug)
	}
	return found[0].(map[string]any)
}

// op is one change.
type op map[string]any

func put(path, text string) op { return op{"op": "put", "path": path, "base_rev": 0, "content": text} }

func edit(path, text string, over map[string]any) op {
	return op{"op": "put", "path": path, "base_rev": over["rev"], "entry_id": over["entry_id"], "content": text}
}

// push sends changes, each of which must be published or wait, and returns the
// verdicts.
func (m *member) push(slug string, ops ...op) []map[string]any {
	m.site.t.Helper()
	verdicts := m.send(slug, ops...)
	for i, v := range verdicts {
		if v["verdict"] != "published" && v["verdict"] != "waiting" {
			m.site.t.Fatalf("push %v: %v", ops[i]["path"], v)
		}
	}
	return verdicts
}

// send sends changes, and returns the verdicts.
func (m *member) send(slug string, ops ...op) (verdicts []map[string]any) {
	m.site.t.Helper()
	p := m.project(slug)
	answer := m.call(http.MethodPost, "/projects/"+p["id"].(string)+"/push", map[string]any{
		"epoch": p["epoch"], "device": m.device, "agent": m.agent, "ops": ops,
	})
	for _, r := range answer["results"].([]any) {
		verdicts = append(verdicts, r.(map[string]any))
	}
	return verdicts
}

// lose reports a text that could not be merged, and returns its conflict.
func (m *member) lose(slug, path, text string, over map[string]any) map[string]any {
	m.site.t.Helper()
	return m.call(http.MethodPost, "/projects/"+m.project(slug)["id"].(string)+"/conflicts", map[string]any{
		"id": "cnf_lost", "path": path, "content": text, "entry_id": over["entry_id"], "base_rev": over["rev"],
		"kept_at": "2026-11-28T09:30:00Z",
	})
}

// report says how the tree of a project is on the member's computer.
func (m *member) report(slug string, says map[string]any) {
	m.site.t.Helper()
	says["device"] = m.device
	m.call(http.MethodPost, "/projects/"+m.project(slug)["id"].(string)+"/report", says)
}

// address returns the path of an entry's page.
func (m *member) address(slug, path string) string {
	return "/go?project=" + url.QueryEscape(slug) + "&path=" + url.QueryEscape(path)
}
