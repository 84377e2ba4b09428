package client_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

var syncOnce = client.SyncOptions{}

// Whatever keeps a file from being seen does not delete its entry.
func TestDelete_UnknownIsNotAbsent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Log("no permissions of this kind")
		return
	}
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	for _, p := range []string{"dir/one.md", "dir/two.md", "link/three.md", "four.md"} {
		a.write(t, p, p+"\n")
	}
	a.sync(t)
	want := tm.served(t)

	elsewhere := filepath.Join(a.home, "elsewhere")
	must(t, os.Rename(filepath.Join(a.tree(), "link"), elsewhere))
	must(t, os.Symlink(elsewhere, filepath.Join(a.tree(), "link")))
	must(t, os.Rename(filepath.Join(a.tree(), "four.md"), filepath.Join(a.home, "four.md")))
	mkdir(t, filepath.Join(a.tree(), "four.md"))
	if os.Geteuid() != 0 {
		must(t, os.Chmod(filepath.Join(a.tree(), "dir"), 0))
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(a.tree(), "dir"), 0o700) })
	}
	r, err := a.try(t.Context())
	if err != nil || len(r.Refused) < 2 {
		t.Errorf("%v, refused %v", err, refused(r))
	}
	if got := tm.served(t); len(got) != len(want) {
		t.Errorf("the server has %q, want %q", got, want)
	}
}

// A tree that was restored from a backup deletes nothing, and its old texts do
// not take the place of newer ones.
func TestDelete_RestoredTree(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "old.md", "old 1\n")
	a.write(t, "MEMORY.md", "- [old](old.md)\n")
	a.sync(t)
	backup := filepath.Join(a.home, "backup")
	must(t, os.CopyFS(backup, os.DirFS(a.tree())))
	b.sync(t)
	b.write(t, "old.md", "old 2\n")
	b.write(t, "MEMORY.md", "- [old](old.md)\n- [new](new.md)\n")
	b.write(t, "new.md", "new\n")
	b.sync(t)
	a.sync(t)
	want := tm.served(t)

	must(t, os.RemoveAll(a.tree()))
	must(t, os.CopyFS(a.tree(), os.DirFS(backup)))
	must(t, os.Chmod(a.tree(), 0o700))
	a.write(t, "mine.md", "written after the restore\n")
	a.sync(t)
	want["mine.md"] = "written after the restore\n"
	if got := tm.served(t); len(got) != len(want) || got["old.md"] != "old 2\n" || got["MEMORY.md"] != want["MEMORY.md"] {
		t.Errorf("the server has %q, want %q", got, want)
	}
	tm.equal(t, a)
	if at := a.kept(t, "old 1\n"); at != "trash" {
		t.Errorf("the text of the backup is in %q, want the trash: the server has it", at)
	}
}
