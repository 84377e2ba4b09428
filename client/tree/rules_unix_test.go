//go:build unix

package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// What is left out is not listed, not absent, and not written.
func TestTree_LeavesOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.Rules(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	b.write(ignoreName, "drafts/\nlink.md\n*.draft.md\n")
	for _, name := range []string{"a.md", "a.draft.md", "drafts/b.md", "drafts/deep/c.md", "sub/drafts/d.md", "sub/e.md", "x.draft.txt"} {
		b.write(name, "x")
	}
	must(t, os.Symlink("a.md", filepath.Join(b.dir, "link.md")))
	rules, err := b.Rules(t.Context())
	must(t, err)
	b.Apply(rules)
	l := b.list()
	var files []string
	for _, f := range l.Files {
		files = append(files, f.Disk)
	}
	if diff := cmp.Diff([]string{"a.md", "sub/e.md"}, files); diff != "" || len(l.Blocked) > 0 {
		t.Errorf("blocked %v, files (-want +got):\n%s", l.Blocked, diff)
	}
	if want := []string{"a.draft.md", "drafts/", "link.md", "sub/drafts/"}; !slices.Equal(l.LeftOut, want) {
		t.Errorf("left out %q, want %q", l.LeftOut, want)
	}
	for path, covered := range map[string]bool{"drafts/new.md": false, "new.draft.md": false, "drafts.md": true, "sub/new.md": true} {
		if got := l.Covers(memory.StoredPath(path)); got != covered {
			t.Errorf("%s is covered: %t", path, got)
		}
	}

	batch := b.Begin()
	p := memory.StoredPath("drafts/b.md")
	batch.Put(p, "drafts/b.md", []byte("y"), time.Time{}, memory.Sum([]byte("x")))
	batch.Delete(p, "drafts/b.md", memory.Sum([]byte("x")))
	batch.Move("a.md", memory.StoredPath("drafts/a.md"), "drafts/a.md", memory.Sum([]byte("x")))
	results, err := batch.Commit(t.Context())
	must(t, err)
	for _, r := range results {
		if blocked, ok := errors.AsType[*Blocked](r.Err); !ok || blocked.Kind != KindIgnored {
			t.Errorf("%s: %v", r.Disk, r.Err)
		}
	}
}

// A file that could lead elsewhere is no list of what is left out.
func TestTree_RulesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a.md", "x")
	must(t, os.Symlink("a.md", filepath.Join(b.dir, ignoreName)))
	if _, err := b.Rules(t.Context()); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link: %v", err)
	}
}
