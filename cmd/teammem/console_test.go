package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// console is a browser's part of a test: it makes requests and keeps what
// comes back.
type console struct {
	t   *testing.T
	url string
}

// do makes a request; headers come in pairs.
func (c *console) do(method, path, body string, headers ...string) (status int, header http.Header, text string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

// signIn uses a link up and returns the session's cookie.
func (c *console) signIn(link string) string {
	c.t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		c.t.Fatal(err)
	}
	status, header, text := c.do(http.MethodPost, u.Path, u.RawQuery, "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
	if status != http.StatusSeeOther {
		c.t.Fatalf("sign in: status %d %s", status, text)
	}
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	return cookie
}

// One server answers members' clients and browsers. What lets one in is worth
// nothing at the other's door, and none of it is ever logged.
func TestServe_ConsoleBesideAPI(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.join(t, "mara")
	mara.write(t, "plan.md", "# Plan\n\nShip it.\n")
	mara.sync(t, 0)
	link := tm.must(t, append(tm.admin, "console-link", "mara")...)
	c := &console{t, tm.url}
	cookie := c.signIn(link)

	status, _, text := c.do(http.MethodGet, "/go?project=acme/app&path=plan.md", "", "Cookie", cookie)
	if status != http.StatusSeeOther {
		t.Errorf("the console does not find what was synced: %d %s", status, text)
	}
	for _, tt := range []struct {
		name, path string
		headers    []string
		want       int
	}{
		{"cookie at the API", "/api/v1/me", []string{"Cookie", cookie}, http.StatusUnauthorized},
		{"cookie's value as bearer at the API", "/api/v1/me", []string{"Authorization", "Bearer " + strings.TrimPrefix(cookie, "__Host-tm_session=")}, http.StatusUnauthorized},
		{"token at the API", "/api/v1/me", []string{"Authorization", "Bearer " + mara.token}, http.StatusOK},
		{"token at the console", "/projects", []string{"Authorization", "Bearer " + mara.token}, http.StatusUnauthorized},
		{"token as cookie at the console", "/projects", []string{"Cookie", "__Host-tm_session=" + mara.token}, http.StatusUnauthorized},
		{"cookie at the console", "/projects", []string{"Cookie", cookie}, http.StatusOK},
		{"operation", "/healthz", nil, http.StatusOK},
		{"readiness", "/readyz", nil, http.StatusOK},
		{"version", "/version", nil, http.StatusOK},
		{"API without a version", "/api", []string{"Cookie", cookie}, http.StatusNotFound},
		{"odd path of the API", "/api/..%2fprojects", []string{"Cookie", cookie}, http.StatusNotFound},
		{"the API by a detour", "/x/../api/v1/me", []string{"Authorization", "Bearer " + mara.token}, http.StatusNotFound},
		{"two slashes", "//api/v1/me", []string{"Authorization", "Bearer " + mara.token}, http.StatusNotFound},
	} {
		status, header, text := c.do(http.MethodGet, tt.path, "", tt.headers...)
		if status != tt.want {
			t.Errorf("%s: status %d, want %d: %.200s", tt.name, status, tt.want, text)
		}
		if ofAPI := header.Get("Teammem-Api") != ""; ofAPI == (header.Get("Content-Security-Policy") != "") {
			t.Errorf("%s: answered by neither or both", tt.name)
		}
	}

	tm.stop(syscall.SIGTERM)
	for _, secret := range []string{strings.TrimPrefix(cookie, "__Host-tm_session="), link[strings.Index(link, "tmi_"):], mara.token, "plan.md"} {
		if strings.Contains(tm.log.String(), secret) {
			t.Errorf("the log holds %.4s…", secret)
		}
	}
}

// A link leads to the address that members use, not to the one behind the
// proxy, and their addresses are those that the proxy saw.
func TestServe_BehindProxy(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	tm.must(t, append(tm.admin, "member", "add", "jo")...)
	tm.stop(syscall.SIGTERM)
	tm.start(t, "127.0.0.1:0", "--url", "https://memory.example.com", "--behind-proxy", "127.0.0.1")
	link := tm.must(t, append(tm.admin, "console-link", "jo")...)
	if !strings.HasPrefix(link, "https://memory.example.com/login?token=") {
		t.Fatalf("the link leads to %.30s", link)
	}
	c := &console{t, tm.url}
	c.signIn(link)
	_, header, _ := c.do(http.MethodGet, "/login", "", "X-Forwarded-For", "203.0.113.9, 198.51.100.7")
	if header.Get("Strict-Transport-Security") == "" {
		t.Error("browsers are not told to stay with TLS")
	}
	tm.stop(syscall.SIGTERM)
	if !strings.Contains(tm.log.String(), `"remote":"198.51.100.7"`) || strings.Contains(tm.log.String(), "203.0.113.9") {
		t.Errorf("the log does not have the address that the proxy saw: %s", tm.log)
	}
}
