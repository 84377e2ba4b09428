package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// What the project allows passes the guard, as far as the file beside the index
// says it, and nothing else; a file that cannot be used changes nothing and is
// nobody's worry.
func TestGuard_Allowed(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	key := memory.NewFindingKey([]byte(strings.Repeat("k", 32)))
	said := "password: " + strings.Join([]string{"Xq7", "vR2m", "K9dL", "w4Tz"}, "") + "\n"
	s, err := scanner()
	m.must(err)
	found, err := s.(memory.KeyedScanner).ScanKeyed(t.Context(), said, key.Bytes())
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	rule := memory.AllowRule{
		ID: memory.NewAllowID(), Fingerprint: found[0].Fingerprint, Rule: found[0].Rule, Glob: "sub/*.md", At: time.Now().Add(-time.Hour),
		ExpiresAt: time.Now().Add(time.Hour),
	}
	ended := rule
	ended.ExpiresAt = time.Now().Add(-time.Minute)
	file := filepath.Join(m.dirs.State, instance, string(project)+"-"+m.link.RootID[:8], "exceptions.json")
	kept := func(r memory.AllowRule) string {
		b, err := json.Marshal(map[string]any{
			"instance": instance, "project": project, "root": m.link.RootID, "at": time.Now().Add(-time.Hour),
			"key": wire.Project{}.WithFindingKey(key).FindingKey, "rules": []wire.AllowRule{wire.NewAllowRule(r)},
		})
		m.must(err)
		return string(b)
	}
	m.denied(m.put(m.team("sub", "a.md"), said), "secret")
	m.write(file, kept(rule))
	m.allowed(m.put(m.team("sub", "a.md"), said))
	m.denied(m.put(m.team("a.md"), said), "secret")
	m.denied(m.put(m.team("sub", "a.md"), strings.Replace(said, "Xq7", "Yq7", 1)), "secret")
	m.denied(m.put(m.team("sub", "a.md"), said+"token: "+token()+"\n"), "secret")
	m.must(os.Chmod(file, 0o640))
	m.denied(m.put(m.team("sub", "a.md"), said), "secret")
	m.must(os.Chmod(file, 0o600))
	for _, text := range []string{kept(ended), kept(rule)[:100], "", "[]"} {
		m.write(file, text)
		m.denied(m.put(m.team("sub", "a.md"), said), "secret")
	}
	m.must(os.Remove(file))
	m.mkdir(file)
	m.denied(m.put(m.team("sub", "a.md"), said), "secret")
	m.allowed(m.put(m.team("sub", "a.md"), fine))
	if f := m.failures(); f != nil {
		t.Errorf("noted %q", f)
	}
}
