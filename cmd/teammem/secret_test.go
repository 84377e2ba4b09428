package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/gzip"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/store/backup"
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
	told := tellWithSecrets(t, m, real, secrets)
	findings := m.must(t, "findings", "--json", "--folder", m.work())
	if n := strings.Count(findings, `"type":"finding"`); n < len(secrets) {
		t.Errorf("%d findings are listed, want one for each of %d at least", n, len(secrets))
	}
	tm.stop(syscall.SIGTERM)
	tables := dump(t, tm.database)
	archive := filepath.Join(tm.dir, "canary.backup")
	tm.must(t, append(tm.admin, "backup", archive)...)
	places := map[string]string{
		"an answer": answers + told, "the log": tm.log.String(), "a table": tables, "the list of findings": findings,
		"the backup": unpacked(t, archive), "the client's state": everyFile(t, m.home, m.tree()),
	}
	for name, value := range secrets {
		for where, text := range places {
			for form, written := range writtenForms(value) {
				if strings.Contains(text, written) {
					t.Errorf("the %s credential is in %s, %s", name, where, form)
				}
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

// writtenForms are the ways in which a value could have been kept. Of base64
// there are three, by where the value begins; their ends depend on what is beside
// it.
func writtenForms(value string) map[string]string {
	forms := map[string]string{"as it is": value, "in hex": hex.EncodeToString([]byte(value))}
	for before := range 3 {
		b := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + value))
		forms[fmt.Sprintf("in base64 at %d", before)] = b[2*before : len(b)-3]
	}
	return forms
}

// tellWithSecrets puts each credential into every field that a request of a
// member has, four ways: hundreds of requests of which none may leave it behind.
func tellWithSecrets(t *testing.T, m *member, server string, secrets map[string]string) (answers string) {
	t.Helper()
	l := m.link(t)
	var project wire.Project
	if status := m.get(t, "/api/v1/projects/"+string(l.Project), nil, &project); status != http.StatusOK || len(project.Key().Bytes()) != 32 {
		t.Fatalf("project: status %d, a key of %d bytes", status, len(project.Key().Bytes()))
	}
	digits := strings.Repeat("0123456789abcdef", 4)
	report := func(change map[string]any) map[string]any {
		r := map[string]any{
			"path": "a.md", "rule": "generic-api-key", "severity": "soft", "rule_set": "r1", "line": 1, "column": 1, "fingerprint": digits, "excerpt": "the ********",
		}
		maps.Copy(r, change)
		return r
	}
	push := func(op map[string]any) map[string]any {
		o := map[string]any{"op": "put", "path": "b.md", "base_rev": 0, "content": "fine"}
		maps.Copy(o, op)
		return map[string]any{"epoch": project.Epoch, "ops": []any{o}}
	}
	n := 0
	for _, value := range secrets {
		for _, text := range []string{value, "key: " + value, "| a | `" + value + "` |", "```\nexport TOKEN=\"" + value + "\"\n```"} {
			front := "---\nname: x\ndescription: " + strconv.Quote(text) + "\n---\n"
			for _, r := range []struct {
				call string
				body any
			}{
				{"push", push(map[string]any{"content": text})},
				{"push", push(map[string]any{"content": front})},
				{"push", push(map[string]any{"note": text})},
				{"push", push(map[string]any{"path": text + ".md"})},
				{"push", push(map[string]any{"content": text, "review": true})},
				{"conflicts", map[string]any{"id": "cnf_canary", "path": "a.md", "content": text, "kept_at": "2026-03-04T05:06:07Z"}},
				{"findings", report(map[string]any{"excerpt": text})},
				{"findings", report(map[string]any{"path": text + ".md"})},
				{"findings", report(map[string]any{"rule": text})},
				{"findings", report(map[string]any{"rule_set": text})},
				{"findings/fnd_none/allow", map[string]any{"action": "request", "reason": text, "note": text, "paths": text}},
				{"quarantine", map[string]any{"entry_ids": []string{"ent_x"}, "reason": text}},
				{"purge", map[string]any{"entry_id": "ent_x", "reason": text}},
				{"report", map[string]any{"tree": "a1", "mode": "both-ways", "refused": []any{map[string]any{"path": text + ".md", "code": text}}}},
			} {
				n++
				answers += m.send(t, server+"/api/v1/projects/"+string(l.Project)+"/"+r.call, r.body)
			}
		}
	}
	if refused := strings.Count(answers, `"code":"secret_found"`); n < 500 || refused < n/3 {
		t.Errorf("%d requests, of which %d were refused for a secret: the test proves little", n, refused)
	}
	return answers
}

// send posts a body as the member, and returns the answer.
func (m *member) send(t *testing.T, url string, body any) string {
	t.Helper()
	b, err := wire.Encode(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(b))
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
	if err != nil || res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests {
		t.Fatalf("POST %s: status %d, %s, %v", url, res.StatusCode, answer, err)
	}
	return string(answer)
}

// unpacked is what a backup holds.
func unpacked(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	archive, err := backup.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	if err := archive.Tables(func(_ backup.Table, rows io.Reader) error {
		_, err := io.Copy(&all, rows)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// everyFile is what is in the files of a folder, but for those below one.
func everyFile(t *testing.T, folder, but string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == but:
			return fs.SkipDir
		case d.Type().IsRegular():
			b, err := os.ReadFile(path)
			all.Write(b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
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
