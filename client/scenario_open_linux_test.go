package client_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/teammem/teammem/internal/testdisk"
)

// S19, the other half: an editor has the file open when the server's text is to
// take its place, and writes only then. What it writes is kept, whether the file
// was left to it or taken out under its hands.
func TestScenario_S19_StillOpen(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"x.md": "old\n"})
	a.write(t, "x.md", "ann's\n")
	a.sync(t)
	s := b.syncer("")
	var open *os.File
	s.OnSync(func() {
		if open == nil {
			var err error
			open, err = os.OpenFile(filepath.Join(b.tree(), "x.md"), os.O_WRONLY, 0)
			must(t, err)
		}
	})
	_, err := s.Sync(t.Context(), syncOnce)
	must(t, err)
	_, err = open.WriteString("ben's late text\n")
	must(t, err)
	must(t, open.Close())
	b.sync(t)
	if place := b.kept(t, "ben's late text\n"); place != "conflicts" {
		t.Errorf("ben's text is in %q", place)
	}
	has(t, b, map[string]string{"x.md": "ann's\n"})
	tm.equal(t, a, b)
}

// S19, where it is closest: the text was looked at for the last time, and what is
// written then is what the rename takes out of the tree.
func TestScenario_S19_BetweenLookAndRename(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"x.md": "old\n"})
	a.write(t, "x.md", "ann's\n")
	a.sync(t)
	written := 0
	o, _ := b.guest(t, func(c testdisk.Call) testdisk.Verdict {
		if arrives(c, b.tree()) {
			written++
			b.write(t, "x.md", "ben's, between look and rename\n")
		}
		return testdisk.Go
	})
	if place := b.kept(t, "ben's, between look and rename\n"); place != "conflicts" || written != 1 {
		t.Errorf("ben's text is in %q, written %d times; %q, %s", place, written, o.Notices, o.Err)
	}
	b.sync(t)
	has(t, b, map[string]string{"x.md": "ann's\n"})
	tm.equal(t, a, b)
	if got := a.versions(t, "x.md"); len(got) != 2 {
		t.Errorf("the versions are %q", got)
	}
}
