package static_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/teammem/teammem/web/static"
)

func open(t *testing.T) *static.Files {
	t.Helper()
	files, err := static.Open()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func get(t *testing.T, h http.Handler, method, path, encodings string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Header.Set("Accept-Encoding", encodings)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func names(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("files")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestHandler_ServesEachFile(t *testing.T) {
	t.Parallel()
	files := open(t)
	for _, name := range names(t) {
		address := files.URL(name)
		if !regexp.MustCompile(`^/static/[a-z-]+\.[\w-]{12}\.[a-z0-9]+$`).MatchString(address) {
			t.Errorf("the address of %s is %q", name, address)
		}
		w := get(t, files.Handler(), http.MethodGet, address, "")
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: status %d with %d bytes", address, w.Code, w.Body.Len())
		}
		for header, want := range map[string]string{"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
	}
}

func TestHandler_Compresses(t *testing.T) {
	t.Parallel()
	files := open(t)
	address := files.URL("console.css")
	plain := get(t, files.Handler(), http.MethodGet, address, "identity")
	for _, encodings := range []string{"gzip", "br, gzip;q=0.5", "GZIP ; q=1"} {
		packed := get(t, files.Handler(), http.MethodGet, address, encodings)
		if got := packed.Header().Get("Content-Encoding"); got != "gzip" {
			t.Fatalf("Accept-Encoding %q: Content-Encoding is %q", encodings, got)
		}
		r, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(unpacked, plain.Body.Bytes()) {
			t.Error("the compressed stylesheet is another one")
		}
	}
	for _, encodings := range []string{"", "br", "gzip;q=0", "gzip; q=0.000"} {
		if got := get(t, files.Handler(), http.MethodGet, address, encodings).Header().Get("Content-Encoding"); got != "" {
			t.Errorf("Accept-Encoding %q: Content-Encoding is %q", encodings, got)
		}
	}
	if got := plain.Header().Get("Vary"); got != "Accept-Encoding" {
		t.Errorf("Vary is %q", got)
	}
	if got := get(t, files.Handler(), http.MethodGet, files.URL("inter-latin.woff2"), "gzip").Header().Get("Content-Encoding"); got != "" {
		t.Errorf("a font, which is compressed, is compressed again: %q", got)
	}
}

func TestHandler_Head(t *testing.T) {
	t.Parallel()
	files := open(t)
	w := get(t, files.Handler(), http.MethodHead, files.URL("icons.svg"), "")
	if w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: status %d, %d bytes, Content-Length %q", w.Code, w.Body.Len(), w.Header().Get("Content-Length"))
	}
}

func TestHandler_KnowsNothingElse(t *testing.T) {
	t.Parallel()
	files := open(t)
	for _, path := range []string{"/static/", "/static/console.css", "/static/nothing.css", "/static/../static.go", "/static/files/console.css", "/console.css", files.URL("nothing.css")} {
		if w := get(t, files.Handler(), http.MethodGet, path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, w.Code)
		}
	}
}

// A stylesheet leads to the hashed names of other files, to each font that is
// there, and to no other host.
func TestStylesheet_References(t *testing.T) {
	t.Parallel()
	files := open(t)
	css := get(t, files.Handler(), http.MethodGet, files.URL("console.css"), "").Body.String()
	references := map[string]bool{}
	for _, match := range regexp.MustCompile(`url\(([^)]*)\)`).FindAllStringSubmatch(css, -1) {
		references[match[1]] = true
		if w := get(t, files.Handler(), http.MethodGet, match[1], ""); w.Code != http.StatusOK {
			t.Errorf("%s: status %d", match[1], w.Code)
		}
	}
	for _, name := range names(t) {
		if strings.HasSuffix(name, ".woff2") && !references[files.URL(name)] {
			t.Errorf("no rule uses the font %s", name)
		}
	}
	if strings.Contains(css, "//") || strings.Contains(css, "@import") {
		t.Error("the stylesheet leads elsewhere")
	}
}

func TestFiles_Budgets(t *testing.T) {
	t.Parallel()
	files := open(t)
	fonts := 0
	for _, name := range []string{"inter-latin.woff2", "mono-latin.woff2"} {
		fonts += get(t, files.Handler(), http.MethodGet, files.URL(name), "").Body.Len()
	}
	css := get(t, files.Handler(), http.MethodGet, files.URL("console.css"), "gzip").Body.Len()
	if fonts > 100_000 || css > 15_000 {
		t.Errorf("Latin fonts have %d bytes, at most 100,000; the stylesheet %d compressed, at most 15,000", fonts, css)
	}
}

// The sprite holds the icons of the list, each once, in its order.
func TestSprite_HoldsTheList(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("icons.txt")
	if err != nil {
		t.Fatal(err)
	}
	sprite, err := os.ReadFile("files/icons.svg")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, match := range regexp.MustCompile(`<symbol id="([^"]+)" viewBox="0 0 24 24"><`).FindAllStringSubmatch(string(sprite), -1) {
		got = append(got, match[1])
	}
	if want := strings.Fields(string(list)); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the sprite holds %v, the list %v; run scripts/vendor-assets", got, want)
	}
}

// The lock names no host of its own and holds the hash of each package.
func TestLock_IsWhole(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version, Resolved, Integrity string }
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		t.Fatal(err)
	}
	for name, p := range lock.Packages {
		if name != "" && !strings.HasPrefix(p.Integrity, "sha512-") {
			t.Errorf("%s has the hash %q", name, p.Integrity)
		}
		if p.Resolved != "" && !strings.HasPrefix(p.Resolved, "https://registry.npmjs.org/") {
			t.Errorf("%s comes from %s", name, p.Resolved)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := static.Open(); err != nil {
			b.Fatal(err)
		}
	}
}
