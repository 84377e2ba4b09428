//go:build unix

package tree

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/memory"
)

// A key that a server sent is refused, or its text is at exactly that name below
// team/ and nowhere else: os.Root, which we did not write, says what is where.
func FuzzBatch_KeyLands(f *testing.F) {
	for _, raw := range []string{
		"a.md", "a/b/c.md", "MEMORY.md", "100% done.md", "Straße/ﬁ.md", "e\u0301/é.md", "文档/ガイド.md", "new \U0001fadd.md",
		"../a.md", "a/../../b.md", "/etc/a.md", "a\\b.md", "a%2fb.md", "a\x00.md", "a/\u2024\u2024/b.md", "a\uff0fb.md", "~/a.md",
		".teammem", ".teammem-0123456789abcdef.tmp", "a.sync-conflict-1.md", "a (conflicted copy).md", "con.md", "git~1/x.md", "a.md/b.md",
		strings.Repeat("a/", 7) + "b.md", strings.Repeat("\u0390", 100) + ".md", strings.Repeat("x", 252) + ".md",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := memory.ParseServedPath(raw)
		b := setup(t)
		must(t, os.WriteFile(path.Join(b.home, "outside"), []byte("outside"), 0o600))
		r := b.one(func(batch *Batch) { batch.Put(p, p.String(), []byte("text"), time.Time{}, memory.Hash{}) })
		root, openErr := os.OpenRoot(b.home)
		must(t, openErr)
		defer root.Close()
		want := []string{".", "memory", "memory/team", "outside"}
		if ignored := err == nil && Ignored(p.String()); err != nil || ignored {
			wantKind(t, r.Err, map[bool]Kind{true: KindIgnored, false: KindPathRejected}[ignored])
		} else {
			must(t, r.Err)
			name := "memory/team/" + p.String()
			text, err := root.ReadFile(name)
			if must(t, err); string(text) != "text" {
				t.Errorf("%+q holds %q", name, text)
			}
			for ; name != "memory/team"; name = path.Dir(name) {
				want = append(want, name)
			}
		}
		var got []string
		must(t, fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
			got = append(got, norm.NFC.String(name)) // HFS+ lists NFD
			return err
		}))
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+q: names (-want +got):\n%s", raw, diff)
		}
	})
}
