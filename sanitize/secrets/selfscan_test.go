package secrets

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// TestScan_Repository holds that nothing in this repository looks like a
// secret: neither the rules and their tests nor documentation, examples and
// recorded data.
func TestScan_Repository(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	list, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Split(strings.TrimRight(string(list), "\x00"), "\x00")
	if len(files) < 10 {
		t.Fatalf("only %d files are tracked", len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, but not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(text) {
			continue // a font, or what a fuzzer found
		}
		for _, f := range scan(t, string(text)) {
			if f.Severity == sanitize.SeveritySoft && strings.HasPrefix(name, "sanitize/testdata/path-keys") {
				continue // the bytes of paths, which are called keys, too
			}
			t.Errorf("%s: %v", name, f)
		}
	}
}
