package adopt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/memory"
)

// What is private is not shared by naming the folder that it is in.
func TestFindSource_PrivateMemory(t *testing.T) {
	t.Parallel()
	for dir, wanted := range map[string]bool{
		"projects/-src-app/memory": false, "store/memory": false, "store/memory/team": true, "plain/memory": true,
	} {
		root := t.TempDir()
		for _, d := range []string{dir, "store/memory/team"} {
			if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		_, err := adopt.FindSource(filepath.Join(root, dir), "", adopt.Places{Repository: root, Getenv: os.Getenv})
		if got := err == nil; got != wanted || !wanted && memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
