package main

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/store"
)

// exchange logs a computer in at a server, or refreshes its login.
func exchange(t *testing.T, server, body string) wire.Tokens {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/api/v1/auth/token", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	var w wire.Tokens
	if err := wire.Decode(answer, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// accepts reports the status of a request with the access token.
func accepts(t *testing.T, server string, tokens wire.Tokens) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+"/api/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+tokens.AccessToken)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// Servers of one instance trust each other's tokens, also after the keys
// before were given up: those that run learn of the new one from the first
// token that it signed.
func TestKeys_SharedByServers(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	tm.must(t, append(tm.admin, "member", "add", "mara")...)
	api := tm.must(t, append(tm.admin, "token", "create", "--member", "mara", "--scope", "sync:read")...)
	flags := []string{"--database-url", tm.database, "--metrics-listen", "127.0.0.1:0"}
	second := startWatched(t, tm.dir, nil, flags...)
	old := exchange(t, tm.url, `{"grant_type":"api_token","token":"`+api+`","device":{"name":"laptop"}}`)
	for _, server := range []string{tm.url, second.url} {
		if status := accepts(t, server, old); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}

	rotate := append(tm.admin, "--data", filepath.Join(tm.dir, "instance"), "key", "rotate")
	tm.must(t, rotate...)
	tm.must(t, append(rotate, "--now")...)
	third := startWatched(t, tm.dir, nil, flags...)
	if status := accepts(t, third.url, old); status != http.StatusUnauthorized {
		t.Errorf("a key that was given up: status %d", status)
	}
	next := exchange(t, third.url, `{"grant_type":"refresh_token","refresh_token":"`+old.RefreshToken+`"}`)
	for _, server := range []string{third.url, tm.url, second.url} {
		if status := accepts(t, server, next); status != http.StatusOK {
			t.Errorf("the new key: status %d", status)
		}
		if status := accepts(t, server, old); status != http.StatusUnauthorized {
			t.Errorf("the old key, once the new one is known: status %d", status)
		}
	}
	last := exchange(t, tm.url, `{"grant_type":"refresh_token","refresh_token":"`+next.RefreshToken+`"}`)
	if status := accepts(t, second.url, last); status != http.StatusOK {
		t.Errorf("a server that read the new key: status %d", status)
	}
}

// Servers that start at the same time, on a database that none has served,
// agree on one master key and one signing key.
func TestKeys_FirstStartAtOnce(t *testing.T) {
	t.Parallel()
	dir, database := t.TempDir(), testdb.New(t)
	admin := []string{"admin", "--database-url", database}
	tm := &team{dir: dir, admin: admin}
	tm.must(t, append(admin, "member", "add", "mara")...)
	api := tm.must(t, append(admin, "token", "create", "--member", "mara", "--scope", "sync:read")...)
	outs, logs := make([]io.Reader, 3), make([]bytes.Buffer, 3)
	for i := range outs {
		server := program(t.Context(), dir, "serve", "--database-url", database, "--data", filepath.Join(dir, "instance"))
		out, err := server.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		server.Stderr, outs[i] = &logs[i], out
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { end(server) })
	}
	var urls []string
	for i, out := range outs {
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatalf("server %d did not start: %v", i, err)
		}
		urls = append(urls, strings.TrimSpace(strings.TrimPrefix(line, "listening on ")))
	}
	for _, from := range urls {
		tokens := exchange(t, from, `{"grant_type":"api_token","token":"`+api+`","device":{"name":"laptop"}}`)
		for _, to := range urls {
			if status := accepts(t, to, tokens); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
		}
	}
}

// The log says once that the machine's clock is off, and once that it is right
// again, whenever that happens.
func TestServer_WarnOfClock(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), testdb.New(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var off time.Duration
	clock, err := db.Clock(t.Context(), func() time.Time { return time.Now().Add(off) })
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := &server{log: slog.New(slog.NewTextHandler(&log, nil)), db: &database{clock: clock}}
	for _, step := range []struct {
		off  time.Duration
		want string
	}{{0, ""}, {time.Hour, "level=WARN"}, {2 * time.Hour, ""}, {0, "level=INFO"}, {0, ""}, {-time.Hour, "level=WARN"}} {
		off = step.off
		if err := clock.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		s.warnOfClock(t.Context())
		if got := log.String(); !strings.Contains(got, step.want) || (got == "") != (step.want == "") {
			t.Errorf("%v ahead: %q, want %q", step.off, got, step.want)
		}
	}
}
