package client_test

import (
	"os"
	"path/filepath"
	"testing"
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
