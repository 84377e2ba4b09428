package client

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a killed program left half written goes away with the next write to the
// folder; what another program may be writing stays, as does what is not ours.
func TestWriteFile_SweepsLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, young := time.Now().Add(-2*longestWrite), time.Now()
	for name, at := range map[string]time.Time{
		".teammem-AAAA.tmp": old, ".teammem-BBBB.tmp": young, ".teammem": old, "other.tmp": old, ".teammem-notes.md": old,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".teammem-CCCC.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "file"), []byte("text")); err != nil {
		t.Fatal(err)
	}
	want := []string{".teammem", ".teammem-BBBB.tmp", ".teammem-CCCC.tmp", ".teammem-notes.md", "file", "other.tmp"}
	if diff := cmp.Diff(want, namesIn(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sweepTemps(dir, time.Time{})
	want = []string{".teammem", ".teammem-CCCC.tmp", ".teammem-notes.md", "file", "other.tmp"}
	if diff := cmp.Diff(want, namesIn(t, dir)); diff != "" {
		t.Errorf("with the lock (-want +got):\n%s", diff)
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
