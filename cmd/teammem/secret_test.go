package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/gzip"

	"github.com/teammem/teammem/api/wire"
)

// credentials are made up at run time, in the form of ten providers, so that no
// file of ours holds one.
func credentials() map[string]string {
	random := rand.New(rand.NewPCG(4, 2))
	from := func(alphabet string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	const (
		lower  = "abcdefghijklmnopqrstuvwxyz"
		digits = "0123456789"
		upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		base62 = upper + lower + digits
	)
	join := func(parts ...string) string { return strings.Join(parts, "") }
	return map[string]string{
		"github":       join("gh", "p_", from(base62, 36)),
		"gitlab":       join("gl", "pat-", from(base62, 20)),
		"aws":          join("AK", "IA", from(upper+"234567", 16)),
		"slack":        join("xo", "xb-", from(digits, 12), "-", from(digits, 13), "-", from(base62, 24)),
		"stripe":       join("sk_", "live_", from(base62, 24)),
		"npm":          join("np", "m_", from(lower+digits, 36)),
		"google":       join("AI", "za", from(base62, 35)),
		"digitalocean": join("do", "p_v1_", from("abcdef"+digits, 64)),
		"groq":         join("gs", "k_", from(base62, 52)),
		"openrouter":   join("sk-", "or-", "v1-", from("abcdef"+digits, 64)),
	}
}

// recorder stands between client and server and keeps every byte that the
// client sends, bodies as they are and decompressed.
type recorder struct {
	mu   sync.Mutex
	sent bytes.Buffer
}

func (r *recorder) start(t *testing.T, server string) *httptest.Server {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, "read", http.StatusBadGateway)
			return
		}
		r.mu.Lock()
		fmt.Fprintln(&r.sent, req.Method, req.URL, req.Header)
		r.sent.Write(body)
		if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			_, _ = io.Copy(&r.sent, z)
		}
		r.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	return s
}

// A credential never leaves the machine, and a client that sends one is
// refused. Its value is in no answer, no output, no log and no table.
func TestSecrets_NeverTravel(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	rec := &recorder{}
	real := tm.url
	tm.url = rec.start(t, real).URL
	m := tm.join(t, "mara")
	m.write(t, "fine.md", "nothing to hide\n")
	secrets := credentials()
	for name, value := range secrets {
		m.write(t, name+".md", fmt.Sprintf("# Access\n\nThe token for %s is %s, ask before you use it.\n", name, value))
	}
	r := m.sync(t, exitRefused, "--json")
	refused := refusedIn(t, r.stdout)
	for name, value := range secrets {
		if refused[name+".md"] != "secret_found" {
			t.Errorf("%s: got %q, want secret_found", name, refused[name+".md"])
		}
		for where, text := range map[string]string{"the wire": rec.sent.String(), "stdout": r.stdout, "stderr": r.stderr} {
			if strings.Contains(text, value) {
				t.Errorf("the %s credential is in %s", name, where)
			}
		}
	}
	if !strings.Contains(rec.sent.String(), "nothing to hide") {
		t.Error("the recorder saw nothing: the test proves nothing")
	}

	answers := pushBehindTheClientsBack(t, m, real, secrets)
	tm.stop(syscall.SIGTERM)
	tables := dump(t, tm.database)
	for name, value := range secrets {
		for where, text := range map[string]string{"an answer": answers, "the log": tm.log.String(), "a table": tables} {
			if strings.Contains(text, value) || strings.Contains(text, hex.EncodeToString([]byte(value))) {
				t.Errorf("the %s credential is in %s", name, where)
			}
		}
	}
	if !strings.Contains(tables, hex.EncodeToString([]byte("nothing to hide"))) {
		t.Error("the dump shows no content: the test proves nothing")
	}
}

// pushBehindTheClientsBack sends the credentials as somebody with curl would.
func pushBehindTheClientsBack(t *testing.T, m *member, server string, secrets map[string]string) (answers string) {
	t.Helper()
	l := m.link(t)
	var project wire.Project
	if status := m.get(t, "/api/v1/projects/"+string(l.Project), nil, &project); status != http.StatusOK {
		t.Fatalf("project: status %d", status)
	}
	for name, value := range secrets {
		body, err := wire.Encode(map[string]any{"epoch": project.Epoch, "ops": []map[string]any{
			{"op": "put", "path": "curl/" + name + ".md", "base_rev": 0, "content": "token " + value + "\n"},
			{"op": "put", "path": "curl/" + name + "-note.md", "base_rev": 0, "content": "fine\n", "note": "token " + value},
		}})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/api/v1/projects/"+string(l.Project)+"/push", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+m.token)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusOK || strings.Count(string(answer), `"code":"secret_found"`) != 2 {
			t.Errorf("%s: status %d, %s; want both ops refused", name, res.StatusCode, answer)
		}
		answers += string(answer)
	}
	return answers
}

// dump returns every row of every table as text.
func dump(t *testing.T, database string) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `select quote_ident(table_name) from information_schema.tables where table_schema = 'public'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	var all strings.Builder
	for _, table := range tables {
		rows, err := conn.Query(ctx, "select r::text from "+table+" r")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.Join(lines, "\n"))
	}
	return all.String()
}
