package client_test

import (
	"os"
	"path/filepath"
	"testing"

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
