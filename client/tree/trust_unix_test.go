//go:build unix

package tree

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOwned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link, foreign := filepath.Join(dir, "link"), "/"
	must(t, os.Symlink(dir, link))
	if os.Geteuid() == 0 { // to whom the root folder belongs
		foreign = filepath.Join(dir, "foreign")
		must(t, os.Mkdir(foreign, 0o700))
		must(t, os.Chown(foreign, 1, 1))
	}
	for _, tt := range []struct {
		name, path string
		want       bool
	}{
		{"own folder", dir, true},
		{"link to it", link, false},
		{"somebody else's", foreign, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Owned(tt.path)
			must(t, err)
			if got != tt.want {
				t.Errorf("Owned(%s) = %t", tt.path, got)
			}
		})
	}
	if _, err := Owned(filepath.Join(dir, "nothing")); !os.IsNotExist(err) {
		t.Errorf("what is not there: %v", err)
	}
}
