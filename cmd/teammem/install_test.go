package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
)

// An agent takes a plugin's version for what decides whether it is updated.
func TestPlugin_HasTheProgramsVersion(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "..", "plugins", "teammem", ".claude-plugin", "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != version {
		t.Errorf("the plugin has version %q, the program %q", manifest.Version, version)
	}
}
