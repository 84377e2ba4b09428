package main

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/memory"
)

// Five hundred texts with credentials are refused, which were put wherever a
// request has room for words. Afterwards the values are nowhere: not in an answer,
// the log at its loudest, the metrics, a table, a backup, or what the program says
// when it is made to crash.
func TestSecrets_AreNowhere(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir(), database: testdb.New(t)}
	tm.admin = []string{"admin", "--database-url", tm.database}
	tm.start(t, "127.0.0.1:0", "--log-level", "debug")
	tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	m := tm.join(t, "mara")
	m.write(t, "fine.md", "nothing to hide\n")
	m.sync(t, 0)

	secrets, refused := credentials(), 0
	var answers strings.Builder
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		s := sender{t: t, member: m, server: tm.url, name: name, value: secrets[name]}
		refused += s.everywhere(&answers)
	}
	if refused < 500 {
		t.Errorf("%d texts were refused, want 500", refused)
	}
	backup := filepath.Join(tm.dir, "backup.tar.zst")
	tm.must(t, append(tm.admin, "backup", "--data", filepath.Join(tm.dir, "instance"), backup)...)
	tm.stop(syscall.SIGQUIT)
	places := map[string]string{
		"an answer": answers.String(), "the log": tm.log.String(), "a table": dump(t, tm.database), "the backup": unpacked(t, backup),
	}
	for where, proof := range map[string]string{
		"an answer": "secret_found", "the log": "goroutine 1", "a table": hex.EncodeToString([]byte("nothing to hide")), "the backup": "nothing to hide",
	} {
		if !strings.Contains(places[where], proof) {
			t.Errorf("%s has no %q: it proves nothing", where, proof)
		}
	}
	for where, text := range places {
		for name, value := range secrets {
			for _, form := range []string{value, hex.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte(value)), url.QueryEscape(value)} {
				if i := strings.Index(text, form); i >= 0 {
					t.Errorf("the %s credential is in %s, behind …%.160q", name, where, text[max(0, i-160):i])
				}
			}
		}
	}
}

// sender sends one credential wherever it can.
type sender struct {
	t           *testing.T
	member      *member
	server      string
	name, value string
}

// everywhere returns how many texts were refused for it.
func (s *sender) everywhere(answers *strings.Builder) (refused int) {
	s.t.Helper()
	project := "/api/v1/projects/" + string(s.member.link(s.t).Project)
	var p wire.Project
	if status := s.member.get(s.t, project, nil, &p); status != http.StatusOK {
		s.t.Fatalf("project: status %d", status)
	}
	content := "# Access\n\nThe token is " + s.value + ", ask first.\n"
	for path, body := range map[string]any{
		project + "/push":      map[string]any{"epoch": p.Epoch, "ops": s.ops(content)},
		project + "/check":     map[string]any{"path": "a.md", "content": content},
		"/api/v1/check":        map[string]any{"path": "a.md", "content": content},
		project + "/conflicts": map[string]any{"id": "cnf_" + s.name, "path": "a.md", "content": content, "kept_at": "2026-01-02T03:04:05Z"},
		project + "/findings": map[string]any{
			"path": "a.md", "rule": "generic-api-key", "severity": "soft", "rule_set": "x-1", "line": 3, "column": 14,
			"fingerprint": strings.Repeat("0a", 32), "excerpt": "The token is " + s.value,
		},
		project + "/findings?":          map[string]any{"path": "a.md", "rule": s.value, "severity": s.value, "rule_set": s.value, "fingerprint": s.value},
		project + "/report":             map[string]any{"device": s.value, "tree": s.value, "refused": []any{map[string]any{"path": s.value + ".md", "code": s.value}}},
		project + "/quarantine":         map[string]any{"entry_id": s.value, "reason": s.value},
		project + "/purge":              map[string]any{"entry_id": s.value, "reason": s.value},
		project + "/restore":            map[string]any{"entry_id": s.value, "rev": 1, "note": s.value},
		project + "/contents":           map[string]any{"refs": []any{map[string]any{"entry_id": s.value, "rev": 1}}},
		"/api/v1/projects/" + s.value:   map[string]any{},
		"/api/v1/me/devices":            map[string]any{"name": s.value, "os": s.value},
		"/api/v1/auth/token":            map[string]any{"grant_type": "refresh_token", "refresh_token": s.value, "attempt": s.value},
		project + "/changes?" + s.value: nil,
	} {
		status, answer := s.post(path, body)
		if status >= http.StatusInternalServerError {
			s.t.Errorf("%s, POST %.40s: status %d", s.name, path, status)
		}
		refused += strings.Count(answer, `"code":"secret_found"`)
		answers.WriteString(answer)
	}
	return refused
}

// ops puts the credential into each part of a push, several times.
func (s *sender) ops(content string) (ops []map[string]any) {
	const times = 7
	for i := range times {
		path := fmt.Sprintf("%s/%d.md", s.name, i)
		ops = append(
			ops,
			map[string]any{"op": "put", "path": path, "base_rev": 0, "content": content},
			map[string]any{"op": "put", "path": path, "base_rev": 0, "content": content, "review": true},
			map[string]any{"op": "put", "path": path, "base_rev": 0, "content": "---\nname: " + s.value + "\n---\n\nfine\n"},
			map[string]any{"op": "put", "path": path, "base_rev": 0, "content": "fine\n", "note": "token " + s.value},
			map[string]any{"op": "put", "path": s.value + "/" + path, "base_rev": 0, "content": "fine\n"},
			map[string]any{"op": "put", "path": path, "base_rev": 0, "content": "in base64: " + base64.StdEncoding.EncodeToString([]byte("token "+s.value)) + "\n"},
			map[string]any{"op": "move", "path": s.value + ".md", "previous_path": "fine.md", "entry_id": string(memory.NewEntryID()), "base_rev": 1},
			map[string]any{"op": "delete", "path": path, "entry_id": string(memory.NewEntryID()), "base_rev": 1, "note": "token " + s.value},
		)
	}
	return ops
}

func (s *sender) post(path string, body any) (status int, answer string) {
	s.t.Helper()
	b, err := wire.Encode(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.server+path, bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.member.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", s.value)
	req.Header.Set("Teammem-Client", s.value)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// unpacked returns all files of a backup, one after the other.
func unpacked(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all strings.Builder
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(h.Name + "\n")
		if _, err := io.Copy(&all, io.LimitReader(archive, 64<<20)); err != nil {
			t.Fatal(err)
		}
	}
}
