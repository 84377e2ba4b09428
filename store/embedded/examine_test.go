//go:build linux || darwin

package embedded

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExamine(t *testing.T) {
	dir := existing(t)
	before := listing(t, dir)
	s, err := Examine(t.Context(), dir, Options{})
	must(t, err)
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("it changed something (-before +after):\n%s", diff)
	}
	b, err := findBinaries(t.Context(), "", s.Major)
	must(t, err)
	if s.Err != nil || s.Binaries != b.dir || s.Version != b.version || s.From == "" || s.Owner == "" {
		t.Errorf("found %+v", s)
	}
	if s.Postmaster != 0 || s.Starter != 0 {
		t.Errorf("processes %d and %d run what does not run", s.Postmaster, s.Starter)
	}
	if s.Bytes < 1<<20 || s.Free <= 0 {
		t.Errorf("%d bytes, %d free", s.Bytes, s.Free)
	}

	start(t, dir, Options{Throwaway: true})
	s, err = Examine(t.Context(), dir, Options{})
	must(t, err)
	if s.Postmaster != postmasterPID(t, dir) || s.Starter != os.Getpid() {
		t.Errorf("processes %d and %d, want %d and %d", s.Postmaster, s.Starter, postmasterPID(t, dir), os.Getpid())
	}
}

func TestExamine_CannotRun(t *testing.T) {
	dir := existing(t)
	must(t, os.WriteFile(filepath.Join(dir, dataName, "PG_VERSION"), []byte("9\n"), 0o600))
	s, err := Examine(t.Context(), dir, Options{})
	must(t, err)
	if s.Major != 9 || s.Err == nil || !strings.Contains(s.Err.Error(), "find Postgres 9") {
		t.Errorf("found %+v", s)
	}
	missing := filepath.Join(t.TempDir(), "typo")
	if _, err := Examine(t.Context(), missing, Options{}); err == nil || !strings.Contains(err.Error(), "find a cluster") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Errorf("made the folder: %v", err)
	}
}

// listing is every file below dir, with its mode, size and time.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files[path] = info.Mode().String() + " " + info.ModTime().String()
		}
		return err
	}))
	return files
}
