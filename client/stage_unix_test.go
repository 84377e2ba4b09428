//go:build unix

package client_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/client"
)

// A first sync that is killed leaves texts behind that were written only just
// now. They are no conflicts; what the member put beside them is.
func TestStage_Killed(t *testing.T) {
	t.Parallel()
	copied := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	tm, _, b := firstSync(t, func(_ *team, _, b *member) {
		defer cancel()
		for end := time.Now().Add(15 * time.Second); ; time.Sleep(time.Millisecond) {
			if staged := settled(b.tree()); len(staged) == 9 { // and long.md
				if err := copyAll(b.tree(), copied, staged); err != nil {
					t.Error(err)
				}
				return
			} else if time.Now().After(end) {
				t.Errorf("the first page was not staged: %q", staged)
				return
			}
		}
	})
	if _, err := b.syncer("").Sync(ctx, client.SyncOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	hidden, err := os.ReadDir(copied)
	must(t, err)
	if len(hidden) == 0 {
		t.Fatal("nothing was staged")
	}
	for _, dir := range hidden {
		must(t, os.Rename(filepath.Join(copied, dir.Name()), filepath.Join(b.tree(), dir.Name())))
	}
	must(t, os.WriteFile(filepath.Join(b.tree(), hidden[0].Name(), "mine.md"), []byte("mine\n"), 0o600))
	left := filesBelow(t, b.tree())
	if r := b.sync(t); len(left) != 10 || len(r.Conflicts) != 1 {
		t.Errorf("got conflicts %v of the texts %v, want one", r.Conflicts, left)
	}
	for _, text := range left {
		if at := b.kept(t, text); text == "mine\n" && at != "conflicts" || text != "mine\n" && at != "trash" {
			t.Errorf("%q is in %q", text, at)
		}
	}
	tm.equal(t, b)
}

// settled lists the files below a folder, but for those that are being written.
func settled(dir string) (files []string) {
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it may be gone again
		}
		if read, written, err := times(name); err == nil && read.Sub(written) > time.Minute {
			files = append(files, name)
		}
		return nil
	})
	return files
}

// times are when a file was last read and written.
func times(name string) (read, written time.Time, err error) {
	var st unix.Stat_t
	err = unix.Lstat(name, &st)
	return time.Unix(0, st.Atim.Nano()), time.Unix(0, st.Mtim.Nano()), err
}

// copyAll copies files to another folder, with their times.
func copyAll(from, to string, files []string) error {
	for _, file := range files {
		target := filepath.Join(to, strings.TrimPrefix(file, from))
		read, written, statErr := times(file)
		text, err := os.ReadFile(file)
		if err := errors.Join(err, statErr, os.MkdirAll(filepath.Dir(target), 0o700)); err != nil {
			return err
		}
		err = errors.Join(os.WriteFile(target, text, 0o600), os.Chtimes(target, read, written))
		if err != nil {
			return err
		}
	}
	return nil
}
