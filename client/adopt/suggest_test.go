package adopt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/teammem/teammem/memory"
)

func anything(memory.Path) bool { return true }

func TestSuggest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, key, want string }{
		{"colon", "2026-03-01_12:30.md", "2026-03-01_12-30.md"},
		{"device", "con.md", "con-note.md"},
		{"device with more", "notes/aux.old.md", "notes/aux-note-old.md"},
		{"extension in capitals", "Deploy.MD", "Deploy.md"},
		{"long extension", "deploy.markdown", "deploy.md"},
		{"extensions upon extensions", "deploy.md.MD", "deploy.md"},
		{"a space at the end of a folder", "notes /a.md", "notes/a.md"},
		{"a dot at the end", "note..md", "note.md"},
		{"percent escape", "50%25 done.md", "50-25 done.md"},
		{"short alias", "git~1.md", "git-1.md"},
		{"agent file as a folder", "AGENTS.md/x.md", "AGENTS-note-md/x.md"},
		{"folder like a file", "topic.md/x.md", "topic-note-md/x.md"},
		{"control characters", "a\x1b[2Jb\n.md", "a-2Jb.md"},
		{"invalid UTF-8", "a\xff\xfeb.md", "a-b.md"},
		{"ellipsis", "todo….md", "todo.md"},
		{"right-to-left override", "gpj\u202e.md", "gpj.md"},
		{"a digit that folds to a dot", "a⒈b.md", "a-b.md"},
		{"another script", "数据:库.md", "数据-库.md"},
		{"dash first", "-rf.md", "rf.md"},
		{"nothing left", "???.md", "md.md"},
		{"climbing", "../../etc/passwd.md", "etc/passwd.md"},
		{"absolute", "/etc/passwd.md", "etc/passwd.md"},
		{"too deep", "a/b/c/d/e/f/g/h/i.md", "a/b/c/d/e/f/g/h-i.md"},
		{"too long", strings.Repeat("x", 300) + ".md", strings.Repeat("x", 97) + ".md"},
		{"legal already", "testing/db.md", "testing/db.md"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := suggest(tt.key, anything).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSuggest_TakesAFreeName(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{"a-b.md": true, "a-b-2.md": true}
	got := suggest("a:b.md", func(p memory.Path) bool { return !taken[p.String()] })
	if got.String() != "a-b-3.md" {
		t.Errorf("got %q", got)
	}
}

// Whatever a file is called, there is a name for it, and always the same one.
func FuzzSuggest(f *testing.F) {
	for _, key := range []string{"a:b.md", "con.md", "", "....", "a/../b.md", "\x00.md", strings.Repeat("é/", 200), "ﬃ~1.md", "㏂.md"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		p := suggest(key, anything)
		if p.IsZero() || p != suggest(key, anything) {
			t.Fatalf("%q: got %q, then %q", key, p, suggest(key, anything))
		}
		if again, err := memory.ParsePath(p.String()); err != nil || again != p {
			t.Fatalf("%q: %q is no key: %v", key, p, err)
		}
		if !utf8.ValidString(p.String()) {
			t.Fatalf("%q", p)
		}
	})
}
