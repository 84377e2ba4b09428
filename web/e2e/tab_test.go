package e2e

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// The watch over tabs sees what it is there for: were it blind, every other
// test would pass.
func TestTab_SeesFaults(t *testing.T) {
	t.Parallel()
	const policy = "default-src 'none'; script-src 'nonce-good'; img-src *"
	for _, tt := range []struct{ name, body, want string }{
		{"inline script", `<script>document.title = "ran"</script>`, "content security policy: script-src"},
		{"inline style", `<p style="color:red">x</p>`, "content security policy: style-src"},
		{"handler", `<img src="/x.png" onerror="alert(1)">`, "content security policy: script-src"},
		{"message", `<script nonce="good">console.error("x")</script>`, "console.error"},
		{"exception", `<script nonce="good">throw new Error("x")</script>`, "exception"},
		{"missing file", `<img src="/missing.png">`, "status 404"},
		{"another host", `<img src="http://evil.example/x.png">`, "a request to http://evil.example/x.png"},
		{"another port", `<img src="http://127.0.0.1:1/x.png">`, "a request to http://127.0.0.1:1/x.png"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Security-Policy", policy)
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><body>` + tt.body))
			}))
			t.Cleanup(func() {
				server.CloseClientConnections()
				server.Close()
			})
			tb := newTab(t, server.URL)
			tb.open("/").text()
			faults := tb.forgive()
			if !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, tt.want) }) {
				t.Errorf("saw %q, want %q", faults, tt.want)
			}
		})
	}
}

// forgive returns the faults so far, and forgets them.
func (tb *tab) forgive() []string {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	faults := tb.faults
	tb.faults = nil
	return faults
}
