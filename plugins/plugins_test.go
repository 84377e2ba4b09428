package plugins_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/plugins"
)

func read(t *testing.T, v any, parts ...string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// The marketplace leads to a plugin of the name that it gives.
func TestMarketplace(t *testing.T) {
	t.Parallel()
	var market struct {
		Name    string         `json:"name"`
		Owner   map[string]any `json:"owner"`
		Plugins []struct {
			Name   string `json:"name"`
			Source string `json:"source"`
		} `json:"plugins"`
	}
	read(t, &market, "..", ".claude-plugin", "marketplace.json")
	if market.Name != "teammem" || market.Owner["name"] == nil || len(market.Plugins) != 1 {
		t.Fatalf("got %+v", market)
	}
	for _, p := range market.Plugins {
		var manifest struct {
			Name string `json:"name"`
		}
		read(t, &manifest, "..", filepath.FromSlash(p.Source), ".claude-plugin", "plugin.json")
		if manifest.Name != p.Name {
			t.Errorf("%s is called %q in its manifest", p.Name, manifest.Name)
		}
	}
}

// The agent finds the skill by its name and description, and what it shows as
// an entry is one.
func TestSkill(t *testing.T) {
	t.Parallel()
	path, err := memory.ParsePath("team-memory.md")
	if err != nil {
		t.Fatal(err)
	}
	f := memory.ReadFrontmatter(path, plugins.Skill)
	if !f.Has || f.Repaired || f.Name != "team-memory" || len(f.Description) < 50 || len(f.Description) > 1024 {
		t.Errorf("got %+v", f)
	}
	_, rest, _ := strings.Cut(plugins.Skill, "```markdown\n")
	entry, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example of an entry")
	}
	f = memory.ReadFrontmatter(path, entry)
	if !f.Has || f.Repaired || f.Kind != memory.KindFeedback || len(f.Description) > 120 {
		t.Errorf("the example is %+v", f)
	}
	if !strings.Contains(entry, "**Why:**") || !strings.Contains(entry, "**How to apply:**") {
		t.Error("the example says neither why nor how")
	}
	if n := strings.Count(plugins.Skill, "\n## Before you recommend from memory\n"); n != 1 {
		t.Errorf("%d sections on what to do before recommending, want one", n)
	}
}
