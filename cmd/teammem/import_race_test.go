package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client/adopt"
)

// A teammate who shares the same text while it is imported has made the entry:
// the undo leaves it, with the line that leads to it.
func TestImport_TeammateWasFirst(t *testing.T) {
	t.Parallel()
	for name, pushing := range map[string]bool{"before the push": true, "before the pull": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t)
			proxy := &interruption{target: tm.address(), pushing: pushing}
			real := tm.url
			tm.url = proxy.start(t)
			a := tm.join(t, "mara")
			tm.url = real
			b := tm.join(t, "jo")
			b.write(t, "MEMORY.md", "- [x](x.md)\n")
			b.write(t, "x.md", "X\n")
			b.sync(t, 0)
			notes := filepath.Join(a.home, "notes")
			for name, text := range map[string]string{"a.md": "A\n", "b.md": "B\n", "MEMORY.md": "- [a](a.md)\n- [b](b.md)\n"} {
				writeFile(t, filepath.Join(notes, name), text)
			}
			b.write(t, "a.md", "A\n")
			proxy.set(filepath.Join(a.tree(), "a.md"), func() {
				if r := b.run(t, "sync", b.work()); r.code != exitOK {
					t.Errorf("the teammate's sync: exit %d\n%s", r.code, r.stderr)
				}
			})
			r := a.runImport(t, "import", notes, "--yes")
			want := map[string]string{"a.md": string(adopt.Theirs), "b.md": string(adopt.Published), "MEMORY.md": string(adopt.Published)}
			if diff := cmp.Diff(want, r.results); diff != "" || r.code != exitOK {
				t.Errorf("exit %d (-want +got):\n%s%s", r.code, diff, r.stderr)
			}
			if u := a.runImport(t, "import", "--undo", "--yes"); u.code != exitOK || u.act.Files != 2 {
				t.Errorf("undo: exit %d, %d files\n%s%s", u.code, u.act.Files, u.stdout, u.stderr)
			}
			b.sync(t, 0)
			left := map[string]string{"a.md": "A\n", "x.md": "X\n", "MEMORY.md": "- [x](x.md)\n- [a](a.md)\n"}
			for _, m := range []*member{a, b} {
				if diff := cmp.Diff(left, m.files(t)); diff != "" {
					t.Errorf("%s after the undo (-want +got):\n%s", filepath.Base(m.home), diff)
				}
			}
		})
	}
}

// interruption forwards to the server, and does something before the first
// request after a file came to be; before the first push, if that is meant.
type interruption struct {
	target  string
	pushing bool
	mu      sync.Mutex
	file    string
	act     func() // nil: not set, or done
}

func (i *interruption) set(file string, act func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.file, i.act = file, act
}

func (i *interruption) start(t *testing.T) string {
	t.Helper()
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: i.target}) },
		ErrorLog: log.New(io.Discard, "", 0),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.before(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func (i *interruption) before(r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.act == nil || i.pushing && !strings.HasSuffix(r.URL.Path, "/push") {
		return
	}
	if _, err := os.Stat(i.file); err == nil {
		i.act()
		i.act = nil
	}
}
