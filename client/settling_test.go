package client_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// A listing misses a file that is moved from a folder which it has not read into
// one which it has. What a team-mate wrote meanwhile does not come in its place,
// where the file would be there twice.
func TestSync_MovedWhileListed(t *testing.T) {
	t.Parallel()
	tm, ann, ben := together(t, map[string]string{"x.md": "- one\n"})
	ann.write(t, "x.md", "- one\n- ann's\n")
	ann.sync(t)
	aside := filepath.Join(ben.home, "aside.md")
	must(t, os.Rename(filepath.Join(ben.tree(), "x.md"), aside))
	r := ben.syncAllowing(t, client.SyncOptions{Settled: func(memory.Path) bool { return false }})
	if len(r.Done) > 0 || len(r.Settling) != 1 {
		t.Errorf("done %v, settling %v", r.Done, r.Settling)
	}
	mkdir(t, filepath.Join(ben.tree(), "y"))
	must(t, os.Rename(aside, filepath.Join(ben.tree(), "y", "x.md")))
	ben.sync(t)
	ann.sync(t)
	tm.equal(t, ann, ben)
	has(t, ann, map[string]string{"y/x.md": "- one\n- ann's\n"})
}

// A watcher sees the new file before it knows that the old one is gone for good.
func TestSync_RenamedAndEditedWhileSettling(t *testing.T) {
	t.Parallel()
	const text = "# Deploys\n\nThey run on Mondays.\n"
	tm, ann, ben := together(t, map[string]string{"x.md": text})
	id := tm.entries(t)["x.md"]
	ben.remove(t, "x.md")
	ben.write(t, "y/x.md", text+"\nAsk before noon.\n")
	ben.syncAllowing(t, client.SyncOptions{Settled: func(memory.Path) bool { return false }})
	if got := tm.entries(t); got["y/x.md"] != id || len(got) != 1 {
		t.Errorf("the server has %v, want %s at y/x.md", got, id)
	}
	ann.sync(t)
	tm.equal(t, ann, ben)
}

// A listing sees a file that is moved both where it was and where it goes. It is
// one all the same.
func TestSync_MovedWhileListedTwice(t *testing.T) {
	t.Parallel()
	const text = "# Deploys\n\nThey run on Mondays.\n"
	tm, ann, ben := together(t, map[string]string{"x.md": text})
	id := tm.entries(t)["x.md"]
	ben.now = func() time.Time { return time.Now().Add(time.Minute) } // or the stamp of x.md would prove nothing
	ben.sync(t)
	ben.write(t, "y/x.md", text)
	_, err := ben.syncer("").Sync(t.Context(), client.SyncOptions{Listed: func([]string, time.Duration) {
		if err := os.Remove(filepath.Join(ben.tree(), "x.md")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}})
	must(t, err)
	if got := tm.entries(t); got["y/x.md"] != id || len(got) != 1 {
		t.Errorf("the server has %v, want %s at y/x.md", got, id)
	}
	ann.sync(t)
	tm.equal(t, ann, ben)
}
