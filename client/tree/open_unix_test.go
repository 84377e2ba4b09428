//go:build unix

package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(t *testing.T, home, dir string)
		want error
	}{
		{"missing", func(*testing.T, string, string) {}, fs.ErrNotExist},
		{"link to a folder outside", func(t *testing.T, home, dir string) {
			must(t, os.Mkdir(filepath.Join(home, "outside"), 0o700))
			must(t, os.Symlink(filepath.Join(home, "outside"), dir))
		}, ErrUnsafe},
		{"link loop", func(t *testing.T, _, dir string) { must(t, os.Symlink(dir, dir)) }, ErrUnsafe},
		{"file", func(t *testing.T, _, dir string) { must(t, os.WriteFile(dir, nil, 0o600)) }, ErrUnsafe},
		{"everybody may write", func(t *testing.T, _, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, 0o777))
		}, ErrUnsafe},
		{"everybody may write above it", func(t *testing.T, _, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(filepath.Dir(dir), 0o777))
		}, ErrUnsafe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			dir := filepath.Join(home, "a", "memory", FolderName)
			must(t, os.MkdirAll(filepath.Dir(dir), 0o700))
			tt.make(t, home, dir)
			b := &bundle{}
			_, err := Open(filepath.Dir(dir), Options{Clock: time.Now, Keep: b.keep, Home: home})
			if !errors.Is(err, tt.want) {
				t.Errorf("got error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestOpen_Warns(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, "dotfiles", "memory", FolderName), 0o700))
	must(t, os.Chmod(filepath.Join(home, "dotfiles", "memory", FolderName), 0o770))
	must(t, os.Symlink("dotfiles", filepath.Join(home, "agent")))
	b := &bundle{}
	tr, err := Open(filepath.Join(home, "agent", "memory"), Options{Clock: time.Now, Keep: b.keep, Home: home})
	must(t, err)
	defer tr.Close()
	if got := len(tr.Warnings()); got != 2 {
		t.Errorf("got %d warnings %q, want one for the link and one for the group", got, tr.Warnings())
	}
}

func TestOpen_CreatesForTheMemberAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fi, err := os.Stat(b.dir)
	must(t, err)
	if got := fi.Mode().Perm(); got != 0o700 {
		t.Errorf("got mode %o, want 700", got)
	}
}

func TestTree_NoticesReplacedFolders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		swap func(t *testing.T, b *bundle)
	}{
		{"team is another folder", func(t *testing.T, b *bundle) {
			must(t, os.Rename(b.dir, b.dir+".away"))
			must(t, os.Mkdir(b.dir, 0o700))
		}},
		{"team is a link to itself", func(t *testing.T, b *bundle) {
			must(t, os.Rename(b.dir, b.dir+".away"))
			must(t, os.Symlink(b.dir+".away", b.dir))
		}},
		{"the memory folder is another one", func(t *testing.T, b *bundle) {
			above := filepath.Dir(b.dir)
			must(t, os.Rename(above, above+".away"))
			must(t, os.MkdirAll(b.dir, 0o700))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			batch := b.Begin()
			batch.Put(mustPath(t, "a.md"), "a.md", []byte("text\n"), time.Time{}, sum("")) // dropped with the batch
			tt.swap(t, b)
			if _, err := b.List(t.Context()); !errors.Is(err, ErrReplaced) {
				t.Errorf("list: got error %v, want %v", err, ErrReplaced)
			}
			if _, err := batch.Commit(t.Context()); !errors.Is(err, ErrReplaced) {
				t.Errorf("commit: got error %v, want %v", err, ErrReplaced)
			}
		})
	}
}
