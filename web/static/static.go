package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Prefix is where the addresses of all files begin.
const Prefix = "/static/"

//go:embed files
var embedded embed.FS

// Files are the console's files, ready to be served.
type Files struct {
	addresses map[string]string // by plain name
	files     map[string]file   // by hashed name
}

type file struct {
	contentType string
	plain       []byte
	gzipped     []byte // nil if that saves nothing
}

// Open reads the embedded files, hashes their names and compresses what is text.
func Open() (*Files, error) {
	f := &Files{addresses: map[string]string{}, files: map[string]file{}}
	names, err := fs.Glob(embedded, "files/*")
	if err != nil {
		return nil, fmt.Errorf("list static files: %w", err)
	}
	// A stylesheet names other files, so its hash must come after theirs.
	for _, sheets := range []bool{false, true} {
		for _, name := range names {
			if (path.Ext(name) == ".css") != sheets {
				continue
			}
			content, err := embedded.ReadFile(name)
			if err != nil {
				return nil, fmt.Errorf("read static file: %w", err)
			}
			if err := f.add(path.Base(name), content); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

func (f *Files) add(name string, content []byte) error {
	ext := path.Ext(name)
	kind, ok := contentTypes()[ext]
	if !ok {
		return fmt.Errorf("static file %s: no content type for %q", name, ext)
	}
	if ext == ".css" {
		content = f.hashReferences(content)
	}
	sum := sha256.Sum256(content)
	hashed := strings.TrimSuffix(name, ext) + "." + base64.RawURLEncoding.EncodeToString(sum[:9]) + ext
	packed, err := compress(ext, content)
	if err != nil {
		return fmt.Errorf("compress static file %s: %w", name, err)
	}
	f.addresses[name] = Prefix + hashed
	f.files[hashed] = file{kind, content, packed}
	return nil
}

// contentTypes are spelled out, since the tables of a system differ from one to the next.
func contentTypes() map[string]string {
	return map[string]string{
		".css":   "text/css; charset=utf-8",
		".js":    "text/javascript; charset=utf-8",
		".svg":   "image/svg+xml",
		".txt":   "text/plain; charset=utf-8",
		".woff2": "font/woff2",
	}
}

// hashReferences puts the addresses of other files in the place of their names, in url(…).
func (f *Files) hashReferences(css []byte) []byte {
	return regexp.MustCompile(`url\(([\w.-]+)\)`).ReplaceAllFunc(css, func(match []byte) []byte {
		name := string(match[len("url(") : len(match)-1])
		return []byte("url(" + f.URL(name) + ")")
	})
}

func compress(ext string, content []byte) ([]byte, error) {
	if ext == ".woff2" { // compressed already
		return nil, nil
	}
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// URL returns the address of a file, given its plain name. A name that does
// not exist stays plain below Prefix, where it is not found.
func (f *Files) URL(name string) string {
	if address, ok := f.addresses[name]; ok {
		return address
	}
	return Prefix + name
}

// Handler serves the files below Prefix, to be kept by browsers for good.
func (f *Files) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _ := strings.CutPrefix(r.URL.Path, Prefix)
		found, ok := f.files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", found.contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		body := found.plain
		if found.gzipped != nil {
			h.Set("Vary", "Accept-Encoding")
			if acceptsGzip(r.Header.Get("Accept-Encoding")) {
				h.Set("Content-Encoding", "gzip")
				body = found.gzipped
			}
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if r.Method != http.MethodHead {
			_, _ = w.Write(body) // a reader that went away needs no answer
		}
	})
}

// acceptsGzip reports whether the header names gzip without refusing it.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			q := strings.TrimSpace(weight)
			return strings.Trim(strings.TrimPrefix(q, "q="), "0.") != "" || q == ""
		}
	}
	return false
}
