package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// Two names change places here while the server gives one of the files a third:
// the rename that comes too late is undone by way of a free name. That is the
// name of a file only; the entry's on the server is the same all the time.
func TestSync_UndoneRenameInARing(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "a.md", "text of a\n")
	a.write(t, "b.md", "text of b\n")
	a.sync(t)
	b.sync(t)
	b.rename(t, "b.md", "c.md")
	b.sync(t)
	a.rename(t, "a.md", "c.md")
	a.rename(t, "b.md", "a.md")
	a.sync(t)
	want := map[string]string{"a.md": "text of a\n", "c.md": "text of b\n"}
	if diff := cmp.Diff(want, a.files(t)); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
	tm.equal(t, a, b)
}
