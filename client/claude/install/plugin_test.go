package install_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client/claude/hook"
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

// F50: each hook has a limit in seconds that the agent keeps, and one of its
// own far below.
func TestField_F50_Limits(t *testing.T) {
	t.Parallel()
	for _, e := range hook.Events() {
		if e.Own < 50*time.Millisecond || 2*e.Own > e.Limit || e.Limit < time.Second || e.Limit > 10*time.Second || e.Limit%time.Second != 0 {
			t.Errorf("%s: %s of its own and %s in all", e.Name, e.Own, e.Limit)
		}
	}
	items, err := install.Items("teammem")
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		if want := fmt.Sprintf(`"timeout":%d`, int(hook.Events()[i].Limit.Seconds())); !strings.Contains(item.Value, want) {
			t.Errorf("%s: got %s, want %s", item.Event, item.Value, want)
		}
	}
}
