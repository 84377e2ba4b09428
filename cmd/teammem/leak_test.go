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
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/store/backup"
)

// Somebody with curl puts credentials wherever a request has room for words, many
// hundred times. Afterwards the values are nowhere: not in an answer, the log at
// its loudest, a table, a backup, or what the program says when it has to crash.
func TestSecrets_AreNowhere(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir(), database: testdb.New(t)}
	tm.admin = []string{"admin", "--database-url", tm.database}
	tm.start(t, "127.0.0.1:0", "--log-level", "debug")
	tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	m := tm.join(t, "mara")
	m.write(t, "fine.md", "nothing to hide\n")
	m.sync(t, 0)
	secrets := credentials()
	answers := tellSecrets(t, m, tm.url, secrets)
	archive := filepath.Join(tm.dir, "canary.backup")
	tm.must(t, append(tm.admin, "backup", archive)...)
	tm.stop(syscall.SIGQUIT)
	places := map[string]string{"an answer": answers, "the log": tm.log.String(), "a table": dump(t, tm.database), "the backup": unpacked(t, archive)}
	fine := hex.EncodeToString([]byte("nothing to hide"))
	for where, proof := range map[string]string{"the log": "goroutine 1", "a table": fine, "the backup": fine} {
		if !strings.Contains(places[where], proof) {
			t.Errorf("%s has no %q: the test proves nothing", where, proof)
		}
	}
	nowhere(t, secrets, places)
}

// nowhere fails if one of the values is in a text, in whichever form.
func nowhere(t *testing.T, secrets, places map[string]string) {
	t.Helper()
	for name, value := range secrets {
		for where, text := range places {
			for form, written := range writtenForms(value) {
				if i := strings.Index(text, written); i >= 0 {
					t.Errorf("the %s credential is in %s, %s, behind …%.80q", name, where, form, text[max(0, i-80):i])
				}
			}
		}
	}
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

// tellSecrets puts each credential into every field that a request of a
// member has, two ways: hundreds of requests of which none may leave it behind.
func tellSecrets(t *testing.T, m *member, server string, secrets map[string]string) (answers string) {
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
	named := func(change map[string]any) map[string]any {
		p := push(nil)
		maps.Copy(p, change)
		return p
	}
	n := 0
	for _, value := range secrets {
		for _, text := range []string{value, "```\nexport TOKEN=\"" + value + "\"\n```"} {
			front := "---\nname: x\ndescription: " + strconv.Quote(text) + "\n---\n"
			for _, r := range []struct {
				call string
				body any
			}{
				{"push", push(map[string]any{"content": text})},
				{"push", push(map[string]any{"content": front})},
				{"push", named(map[string]any{"key": text})},
				{"push", named(map[string]any{"agent": map[string]any{"name": "x", "session": text, "model": text}})},
				{"push", push(map[string]any{"note": text})},
				{"push", push(map[string]any{"path": text + ".md"})},
				{"push", push(map[string]any{"path": "a/" + text + "/b.md"})},
				{"push", push(map[string]any{"op": "move", "path": text + "/b.md", "previous_path": "fine.md", "entry_id": "ent_aaaaaaaaaaaaaaaaaaaa", "base_rev": 1})},
				{"check", map[string]any{"path": "a.md", "content": text}},
				{"restore", map[string]any{"entry_id": text, "rev": 1, "note": text}},
				{"contents", map[string]any{"refs": []any{map[string]any{"entry_id": text, "rev": 1}}}},
				{"/me/devices", map[string]any{"name": text, "os": "linux"}},
				{"/me/devices", map[string]any{"name": "laptop", "os": text}},
				{"/auth/token", map[string]any{"grant_type": "refresh_token", "refresh_token": text, "attempt": text}},
				{"/projects/" + url.PathEscape(text), map[string]any{}},
				{"changes?after=" + url.QueryEscape(text), nil},
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
				if !strings.HasPrefix(r.call, "/") {
					r.call = "/projects/" + string(l.Project) + "/" + r.call
				}
				answers += m.send(t, server+"/api/v1"+r.call, r.body, value)
			}
		}
	}
	if refused := strings.Count(answers, `"code":"secret_found"`); n < 500 || refused < n/3 {
		t.Errorf("%d requests, of which %d were refused for a secret: the test proves little", n, refused)
	}
	return answers
}

// send posts a body as the member, with a value that names the client, and returns
// the answer.
func (m *member) send(t *testing.T, address string, body any, value string) string {
	t.Helper()
	b, err := wire.Encode(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+m.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", value)
	req.Header.Set("Teammem-Client", value)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusTooManyRequests {
		t.Fatalf("POST %s: status %d, %s, %v", address, res.StatusCode, answer, err)
	}
	return string(answer)
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
