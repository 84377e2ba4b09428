package client

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// A list of all that was ever purged takes what came from the server, and tells
// how much. What is in an open conflict is the member's, if the server never had
// it.
func TestWipe_Ever(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vaultIn := func(name string) vault {
		return vault{dir: filepath.Join(dir, name), temps: filepath.Join(dir, name, ".new"), clock: time.Now}
	}
	c := &cycle{
		Syncer: &Syncer{}, report: &Report{}, state: newState(&index{}), purged: map[memory.Hash]bool{},
		trashBin: vaultIn("trash"), conflicts: vaultIn("conflicts"),
	}
	c.state.change("e", func(e *entry) { e.base = msync.Base{EntryID: "e", Rev: 1, Sum: memory.Sum([]byte("known"))} })
	path := memory.StoredPath("a.md")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.trashBin.keepYoung(path, []byte("old")))
	for _, text := range []string{"mine", "known", "mirrored", "other"} {
		k, err := c.conflicts.keepConflict(path, []byte(text), []byte("base of "+text), conflictMeta{})
		must(err)
		if text == "mirrored" {
			meta := metaOf(k)
			meta.Mirrored = true
			must(c.conflicts.note(recorded{k, meta}))
		}
	}
	var list []memory.Hash
	for _, text := range []string{"old", "mine", "base of mine", "known", "mirrored", "never kept"} {
		list = append(list, memory.Sum([]byte(text)))
	}
	c.wipeEver(list)
	left := map[string]bool{}
	open, err := c.conflicts.list()
	must(err)
	for _, k := range open {
		ours, base, _, err := sides(k)
		must(err)
		left[string(ours)] = base != nil
	}
	if diff := cmp.Diff(map[string]bool{"mine": false, "other": true}, left); diff != "" {
		t.Errorf("conflicts, and whether what they started from is kept (-want +got):\n%s", diff)
	}
	if kept, err := c.trashBin.list(); err != nil || len(kept) > 0 {
		t.Errorf("the trash has %v, %v", kept, err)
	}
	want := []string{"4 kept copies of texts were removed, which were purged for everybody"}
	if diff := cmp.Diff(want, c.report.Notices); diff != "" {
		t.Error(diff)
	}
}
