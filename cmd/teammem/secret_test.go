package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
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

// text returns what was sent so far. A client that gave a request up and ended
// can leave it on its way.
func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent.String()
}

// A credential never leaves the machine, and is in nothing that the client says
// or keeps.
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
	refused, sent := refusedIn(t, r.stdout), rec.text()
	for name, value := range secrets {
		if refused[name+".md"] != "secret_found" {
			t.Errorf("%s: got %q, want secret_found", name, refused[name+".md"])
		}
		for where, text := range map[string]string{"the wire": sent, "stdout": r.stdout, "stderr": r.stderr} {
			if strings.Contains(text, value) {
				t.Errorf("the %s credential is in %s", name, where)
			}
		}
	}
	if !strings.Contains(sent, "nothing to hide") {
		t.Error("the recorder saw nothing: the test proves nothing")
	}

	findings := m.must(t, "findings", "--json", "--folder", m.work())
	if n := strings.Count(findings, `"type":"finding"`); n < len(secrets) {
		t.Errorf("%d findings are listed, want one for each of %d at least", n, len(secrets))
	}
	nowhere(t, secrets, map[string]string{"the list of findings": findings, "the client's state": everyFile(t, m.home, m.tree())})
}
