package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/testdb"
)

// A whole day of a server, with something in every place that must not be
// repeated: not in its log, not on its stdout, not in its metrics.
func TestServe_RepeatsNothing(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir(), database: withPassword(t, testdb.New(t), "canary-database-password")}
	tm.admin = []string{"admin", "--database-url", tm.database}
	s := startWatched(t, tm.dir, nil, "--database-url", tm.database, "--data", tm.dir, "--metrics-listen", "127.0.0.1:0")
	tm.url = s.url
	added := tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	project := strings.Trim(added[strings.Index(added, "("):], "()")

	canaries := map[string]string{"database password": "canary-database-password", "secret in an entry": credentials()["github"]}
	canaries["master key"] = strings.TrimSpace(readText(t, filepath.Join(tm.dir, "master.key")))
	mara := tm.join(t, "mara")
	canaries["API token"] = mara.token
	mara.write(t, "canary-path/canary-name.md", "# Canary text\n\ncanary-content\n")
	mara.sync(t, 0)
	mara.write(t, "access.md", "The token is "+canaries["secret in an entry"]+", ask first.\n")
	mara.sync(t, exitRefused)
	login := loginOf(t, mara)
	canaries["access token"], canaries["refresh token"] = login.Access, login.Refresh

	console := &console{t, tm.url}
	push := fmt.Sprintf(`{"epoch":%q,"ops":[{"op":"put","path":"canary.md","base_rev":0,"content":%q}]}`, epochOf(t, s, project, mara.token), canaries["secret in an entry"])
	status, _, answer := console.do(http.MethodPost, "/api/v1/projects/"+project+"/push", push, "Content-Type", "application/json", "Authorization", "Bearer "+mara.token)
	if status != http.StatusOK || !strings.Contains(answer, "secret_found") {
		t.Errorf("a client that does not search for secrets is answered with %d %s", status, answer)
	}
	canaries["refresh token, the next"] = refreshed(t, console, login.Refresh)
	link := tm.must(t, append(tm.admin, "console-link", "mara")...)
	canaries["console link"] = link[strings.Index(link, "tmi_"):]
	cookie := console.signIn(link)
	_, canaries["cookie"], _ = strings.Cut(cookie, "=")
	tm.strangers(t, console, cookie, canaries["secret in an entry"])

	_, _, _, metrics := get(t, http.DefaultClient, s.probes+"/metrics")
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	// stdout was two lines, see startWatched, or the server would have died of a closed pipe.
	for what, text := range map[string]string{"log": s.log.String(), "metrics": metrics} {
		for name, value := range canaries {
			if len(value) < 10 {
				t.Errorf("the canary %s is %q: it proves nothing", name, value)
			}
			if strings.Contains(text, value) {
				t.Errorf("the %s holds the %s", what, name)
			}
		}
		if i := strings.Index(strings.ToLower(text), "canary"); i >= 0 {
			t.Errorf("the %s holds what somebody sent: …%.60s", what, text[max(0, i-30):])
		}
	}
	checkLog(t, s.log)
	checkMetricsText(t, metrics)
}

// strangers send what they made up, wherever a request has room for it, and
// what they may have found.
func (tm *team) strangers(t *testing.T, c *console, cookie, secret string) {
	t.Helper()
	for _, r := range []struct {
		method, path, body string
		headers            []string
		want               int
	}{
		{http.MethodGet, "/api/v1/me", "", []string{"Authorization", "Bearer canary"}, 401},
		{http.MethodGet, "/api/v1/me", "", []string{"Authorization", "Bearer " + auth.MintAPIToken() + "canary"}, 401},
		{http.MethodGet, "/api/v1/me?token=canary", "", []string{"User-Agent", "canary", "Teammem-Client", "canary", "X-Forwarded-For", "canary"}, 401},
		{http.MethodGet, "/api/v1/canary", "", nil, 404},
		{http.MethodPost, "/api/v1/auth/token", `{"grant_type":"refresh_token","refresh_token":"canary"}`, []string{"Content-Type", "application/json"}, 401},
		{http.MethodPost, "/api/v1/auth/token", `{"canary":"` + secret + `"}`, []string{"Content-Type", "application/json"}, 400},
		{http.MethodPost, "/api/v1/auth/token", "canary", []string{"Content-Type", "application/canary"}, 415},
		{"CANARY", "/api/v1/me", "", nil, 405},
		{http.MethodGet, "/login?token=tmi_canary", "", nil, 200},
		{http.MethodPost, "/login", "token=tmi_canary", []string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin"}, 401},
		{http.MethodPost, "/login", "token=tmi_canary", []string{"Content-Type", "application/x-www-form-urlencoded", "Origin", "https://canary.example.com"}, 403},
		{http.MethodGet, "/projects", "", []string{"Cookie", "__Host-tm_session=canary"}, 401},
		{http.MethodGet, "/go?project=acme/app&path=canary.md", "", []string{"Cookie", cookie}, 404},
		{http.MethodGet, "/p/canary/entries", "", []string{"Cookie", cookie}, 404},
	} {
		if status, _, text := c.do(r.method, r.path, r.body, r.headers...); status != r.want {
			t.Errorf("%s %s: status %d, want %d: %.200s", r.method, r.path, status, r.want, text)
		}
	}
}

// checkLog fails unless every line is JSON, and every request has one.
func checkLog(t *testing.T, log *bytes.Buffer) {
	t.Helper()
	requests := 0
	for line := range strings.Lines(log.String()) {
		var l struct {
			Msg    string `json:"msg"`
			Status int    `json:"status"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("no JSON: %s", line)
		}
		if l.Msg == "request" && l.Status > 0 {
			requests++
		}
	}
	if requests < 20 {
		t.Errorf("%d lines of requests in %s", requests, log)
	}
}

func checkMetricsText(t *testing.T, text string) {
	t.Helper()
	for _, want := range []string{
		`teammem_push_ops_total{verdict="published"} 1`, `teammem_push_ops_total{verdict="refused"} 1`, `teammem_http_requests_total{method="POST",route="/login",status="303"} 1`,
		`teammem_http_requests_total{method="other",route=`, "teammem_scan_seconds_count ", "teammem_database_connections_max ", "go_goroutines ",
		`teammem_build_info{version="`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics have no %s:\n%s", want, text)
		}
	}
	if regexp.MustCompile(`(tok|mem|prj|dev|ins)_[a-z0-9]{10}`).MatchString(text) {
		t.Errorf("the metrics tell members apart:\n%s", text)
	}
}

func withPassword(t *testing.T, database, password string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

func readText(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type storedLogin struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh"`
}

// loginOf reads what the member's computer has of its login.
func loginOf(t *testing.T, m *member) storedLogin {
	t.Helper()
	var file struct {
		Logins []storedLogin `json:"logins"`
	}
	if err := json.Unmarshal([]byte(readText(t, m.credentials())), &file); err != nil || len(file.Logins) != 1 {
		t.Fatalf("%d logins: %v", len(file.Logins), err)
	}
	return file.Logins[0]
}

// refreshed uses a refresh token up and returns the one after it.
func refreshed(t *testing.T, c *console, token string) string {
	t.Helper()
	body := `{"grant_type":"refresh_token","refresh_token":"` + token + `"}`
	status, _, text := c.do(http.MethodPost, "/api/v1/auth/token", body, "Content-Type", "application/json")
	var answer struct {
		Next string `json:"refresh_token"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK {
		t.Fatalf("status %d: %v", status, err)
	}
	return answer.Next
}
