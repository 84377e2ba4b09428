package install_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client/claude/install"
)

var update = flag.Bool("update", false, "write the plugin's hooks anew")

// The plugin asks for the same hooks as an installation without it.
func TestPlugin_Hooks(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "..", "plugins", "teammem", "hooks", "hooks.json")
	want, err := install.Snippet("teammem")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run the test with -update (-want +got):\n%s", diff)
	}
}
