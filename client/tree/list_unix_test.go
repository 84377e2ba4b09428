//go:build unix

package tree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

const (
	nfc = "caf\u00e9.md"
	nfd = "cafe\u0301.md"
)

func TestTree_List(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		make    func(t *testing.T, b *bundle)
		files   []string // "path" or "path < spelling on disk"
		blocked []string // "kind spelling"
		ignored int
	}{
		{name: "nothing", make: func(*testing.T, *bundle) {}},
		{name: "sorted, nested, empty file", make: func(_ *testing.T, b *bundle) {
			b.write("z.md", "z")
			b.write("a/b/c.md", "c")
			b.write("empty.md", "")
		}, files: []string{"a/b/c.md", "empty.md", "z.md"}},
		{name: "spelling kept", make: func(_ *testing.T, b *bundle) {
			b.write(nfd, "x")
		}, files: []string{nfc + " < " + nfd}},
		{name: "not ours", make: func(_ *testing.T, b *bundle) {
			for _, name := range []string{
				"notes.txt", ".git/x.md", "a.md~", ".#a.md", "._a.md", "#a.md#", ".a.md.swp", "a.md.tmp", "a.md.tmp.714.1764540000",
				"a.md.1764540000", "a.md___jb_tmp___", "a.sync-conflict-20260101.md", "a (conflicted copy 1).md",
			} {
				b.write(name, "x")
			}
			b.write(".teammem", "marker")
			b.write(".teammemignore", "*.md")
		}, ignored: 13},
		{name: "meant for entries", make: func(_ *testing.T, b *bundle) {
			for _, name := range []string{
				".hidden.md", "..\\a.md", "..\u200b/a.md", ".../b.md", "UPPER.MD", "a.md.", "a.md ", "a.md%20", "a\uff0emd", "sub/a.md\n", "a.md.bak", "a.md.20261130",
			} {
				b.write(name, "x")
			}
		}, blocked: []string{
			"path_rejected .../b.md", "path_rejected ..\\a.md", "path_rejected ..\u200b/a.md", "path_rejected .hidden.md", "path_rejected UPPER.MD", "path_rejected a.md ", "path_rejected a.md%20",
			"path_rejected a.md.", "path_rejected a.md.20261130", "path_rejected a.md.bak", "path_rejected a\uff0emd", "path_rejected sub/a.md\n",
		}},
		{name: "twins in case", make: func(_ *testing.T, b *bundle) {
			b.write("Readme.md", "x")
			b.write("readme.md", "y")
			b.write("other.md", "z")
		}, files: []string{"other.md"}, blocked: []string{"clash Readme.md", "clash readme.md"}},
		{name: "twins in Unicode form", make: func(_ *testing.T, b *bundle) {
			b.write(nfc, "x")
			b.write(nfd, "y")
		}, blocked: []string{"clash " + nfd, "clash " + nfc}},
		{name: "no path keys", make: func(_ *testing.T, b *bundle) {
			b.write("CLAUDE.md", "x")
			b.write("con/a.md", "x")
			b.write("a%41.md", "x")
		}, blocked: []string{"path_rejected CLAUDE.md", "path_rejected a%41.md", "path_rejected con/a.md"}},
		{name: "links", make: func(t *testing.T, b *bundle) {
			must(t, os.WriteFile(filepath.Join(b.home, "secret"), []byte("secret"), 0o600))
			must(t, os.Symlink(filepath.Join(b.home, "secret"), filepath.Join(b.dir, "file.md")))
			must(t, os.Symlink(b.home, filepath.Join(b.dir, "folder")))
			must(t, os.Symlink("loop", filepath.Join(b.dir, "loop")))
			must(t, os.Symlink(".", filepath.Join(b.dir, "self")))
		}, blocked: []string{"symlink file.md", "symlink folder", "symlink loop", "symlink self"}},
		{name: "no files", make: func(t *testing.T, b *bundle) {
			must(t, syscall.Mkfifo(filepath.Join(b.dir, "fifo.md"), 0o600))
			b.write("folder.md/a.md", "x")
		}, blocked: []string{"irregular fifo.md", "irregular folder.md"}},
		{name: "hard link to the outside", make: func(t *testing.T, b *bundle) {
			must(t, os.WriteFile(filepath.Join(b.home, "key"), []byte("key"), 0o600))
			must(t, os.Link(filepath.Join(b.home, "key"), filepath.Join(b.dir, "key.md")))
		}, blocked: []string{"hardlink key.md"}},
		{name: "second name of our own", make: func(t *testing.T, b *bundle) {
			b.write("a.md", "x")
			must(t, os.Link(filepath.Join(b.dir, "a.md"), filepath.Join(b.dir, newOldName("a.md"))))
		}, files: []string{"a.md"}},
		{name: "second name of our own and one outside", make: func(t *testing.T, b *bundle) {
			b.write("a.md", "x")
			must(t, os.Link(filepath.Join(b.dir, "a.md"), filepath.Join(b.dir, newOldName("a.md"))))
			must(t, os.Link(filepath.Join(b.dir, "a.md"), filepath.Join(b.home, "key")))
		}, blocked: []string{"hardlink a.md"}},
		{name: "too large", make: func(_ *testing.T, b *bundle) {
			b.write("max.md", strings.Repeat("x", memory.MaxEntryBytes))
			b.write("more.md", strings.Repeat("x", memory.MaxEntryBytes+1))
		}, files: []string{"max.md"}, blocked: []string{"too_large more.md"}},
		{name: "too deep", make: func(_ *testing.T, b *bundle) {
			b.write("1/2/3/4/5/6/7/ok.md", "x")
			b.write("1/2/3/4/5/6/7/8/9/deep.md", "x")
		}, files: []string{"1/2/3/4/5/6/7/ok.md"}, blocked: []string{"path_rejected 1/2/3/4/5/6/7/8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tt.make(t, b)
			l := b.list()
			var files, blocked []string
			for _, f := range l.Files {
				s := f.Path.String()
				if f.Disk != s {
					s += " < " + f.Disk
				}
				files = append(files, s)
			}
			for _, bl := range l.Blocked {
				blocked = append(blocked, string(bl.Kind)+" "+bl.Disk)
			}
			if diff := cmp.Diff(tt.files, files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.blocked, blocked); diff != "" {
				t.Errorf("blocked (-want +got):\n%s", diff)
			}
			if l.Ignored != tt.ignored {
				t.Errorf("got %d ignored, want %d", l.Ignored, tt.ignored)
			}
		})
	}
}

func TestTree_ListNamesTheLayer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a%41.md", "x")
	l := b.list()
	e, ok := errors.AsType[*memory.Error](&l.Blocked[0])
	if !ok || e.Layer != "url_encoded" {
		t.Errorf("got %v, want layer url_encoded", l.Blocked[0].Err)
	}
}

func TestListing_Covers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("here.md", "x")
	b.write("odd.md/x.md", "x")
	b.write("Upper.MD", "x")
	must(t, os.Symlink(b.home, filepath.Join(b.dir, "Link")))
	must(t, os.MkdirAll(filepath.Join(b.dir, "1/2/3/4/5/6/7/8"), 0o700))
	l := b.list()
	for path, want := range map[string]bool{
		"here.md":                    true,
		"gone.md":                    true,
		"folder/gone.md":             true,
		"odd.md":                     false,
		"upper.md":                   true,
		"Link/a.md":                  false,
		"link/deeper/a.md":           false,
		"linked/a.md":                true,
		"x.sync-conflict-1.md":       false,
		"a (conflicted copy 1)/b.md": false,
	} {
		if got := l.Covers(mustPath(t, path)); got != want {
			t.Errorf("%s: got covered %t, want %t", path, got, want)
		}
	}
}

func TestListing_CoversNamesThatNoRuleAllowsAnyMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("CLAUDE.md", "x")
	l := b.list()
	if l.Covers(memory.StoredPath("CLAUDE.md")) {
		t.Error("a stored entry whose name is refused now counts as gone")
	}
}

func TestListing_Spell(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("e\u0301/"+nfd, "x")
	l := b.list()
	for path, want := range map[string]string{
		"\u00e9/" + nfc:   "e\u0301/" + nfd,
		"\u00e9/new.md":   "e\u0301/new.md",
		"\u00e9/f/new.md": "e\u0301/f/new.md",
		"new/a.md":        "new/a.md",
	} {
		if got := l.Spell(mustPath(t, path)); got != want {
			t.Errorf("%+q: got %+q, want %+q", path, got, want)
		}
	}
}

// A text of the same length with its old time put back leaves only the change time.
func TestTree_ListSeesRewriteWithOldTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a.md", "one")
	at := time.Unix(1_700_000_000, 0)
	name := filepath.Join(b.dir, "a.md")
	must(t, os.Chtimes(name, at, at))
	before := b.list().Files[0].Stamp
	for range 1_000 { // the kernel's clock ticks in milliseconds
		b.write("a.md", "two")
		must(t, os.Chtimes(name, at, at))
		if b.list().Files[0].Stamp != before {
			break
		}
	}
	after := b.list().Files[0].Stamp
	if after == before || after.MTime != before.MTime || after.Size != before.Size {
		t.Errorf("got stamp %+v after %+v, want only another change time", after, before)
	}
}

func TestTree_Stat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("a/b.md", "x")
	must(t, os.Symlink(b.home, filepath.Join(b.dir, "link")))
	f, err := b.Stat("a/b.md")
	must(t, err)
	if diff := cmp.Diff(b.list().Files[0].Stamp, f.Stamp); diff != "" {
		t.Errorf("stamps of list and stat (-list +stat):\n%s", diff)
	}
	for _, gone := range []string{"a/c.md", "c/c.md"} {
		if _, err := b.Stat(gone); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: got error %v, want not exist", gone, err)
		}
	}
	_, err = b.Stat("link/c.md")
	wantKind(t, err, KindSymlink)
	_, err = b.Stat("../c.md")
	if err == nil {
		t.Error("a name outside of team/ was looked at")
	}
}
