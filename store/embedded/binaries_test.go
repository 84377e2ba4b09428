//go:build linux || darwin

package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeBinaries are programs that only know their version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := programDir(t)
	for _, name := range []string{"postgres", "initdb"} {
		script := "#!/bin/sh\necho '" + name + " (PostgreSQL) " + version + "'\n"
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	return dir
}

func TestFindBinaries(t *testing.T) {
	ours, err := findBinaries(t.Context(), "", 0)
	must(t, err)
	t.Run("the environment decides", func(t *testing.T) {
		t.Setenv(binEnv, fakeBinaries(t, "16.2"))
		if b, err := findBinaries(t.Context(), "", 0); err != nil || b.major != 16 {
			t.Errorf("%+v, %v", b, err)
		}
		if _, err := findBinaries(t.Context(), "", ours.major); err == nil {
			t.Error("looked further than it was told")
		}
	})
	t.Run("a data folder decides", func(t *testing.T) {
		dir := fakeBinaries(t, "12.1")
		t.Setenv("PATH", dir)
		if b, err := findBinaries(t.Context(), "", 12); err != nil || b.dir != dir {
			t.Errorf("%+v, %v", b, err)
		}
		if b, err := findBinaries(t.Context(), "", 0); err != nil || !b.supported() {
			t.Errorf("a version too old for a new cluster: %+v, %v", b, err)
		}
	})
	t.Run("too new", func(t *testing.T) {
		dir := fakeBinaries(t, "99.0")
		_, err := findBinaries(t.Context(), dir, 0)
		if err == nil || !strings.Contains(err.Error(), "99.0 in "+dir) {
			t.Errorf("got %v", err)
		}
	})
}
