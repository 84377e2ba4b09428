package client

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The list of deletes comes in place of the one before at once: a run that is cut
// off leaves either.
func TestOwnDeletes_KeptAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := ownDeletes{notes: notes{file: filepath.Join(dir, "deleted")}}
	n := &d.notes
	n.add("one\ntwo\n")
	before := filepath.Join(dir, "before")
	if err := os.Link(n.file, before); err != nil {
		t.Fatal(err)
	}
	d.keep([]string{"two", "three"})
	if got := n.lines(); !slices.Equal(got, []string{"two", "three"}) {
		t.Errorf("lines %q", got)
	}
	if got, err := os.ReadFile(before); err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("the file of before says %q, %v", got, err)
	}
	if d.keep(nil); exists(n.file) {
		t.Error("there is a file of no lines")
	}
}
