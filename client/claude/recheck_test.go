package claude

import (
	"errors"
	"os"
	"testing"

	"github.com/teammem/teammem/client"
)

// Every run resolves the memory folder anew; another result holds the sync.
func TestRecheck(t *testing.T) {
	t.Parallel()
	const named = "--memory-dir"
	for _, tt := range []struct {
		name   string
		source string // "" links what the agent's rules say
		change func(p *place)
		hold   bool
	}{
		{"nothing changed", "", func(*place) {}, false},
		{"variable that moves the memory", "", func(p *place) { p.env["TEAMMEM_MEMORY_DIR"] = p.at("elsewhere") }, true},
		{"variable beside a folder that the member named", named, func(p *place) { p.env["TEAMMEM_MEMORY_DIR"] = p.at("elsewhere") }, false},
		{"settings of the repository that move the memory", "", func(p *place) {
			p.file(`{"autoMemoryDirectory": "`+p.at("elsewhere")+`"}`, "app", ".claude", "settings.json")
		}, true},
		{"link that leads to another folder", named, func(p *place) {
			if err := os.Rename(p.at("memory"), p.at("old")); err != nil {
				t.Error(err)
			}
			if err := os.Symlink(p.dir("new"), p.at("memory")); err != nil {
				t.Error(err)
			}
		}, true},
		{"folder that is gone", named, func(p *place) {
			if err := os.Remove(p.at("memory")); err != nil {
				t.Error(err)
			}
		}, false},
		{"empty default beside a folder of the settings", "settings.json", func(*place) {}, false},
		{"default that fills up beside a folder of the settings", "settings.json", func(p *place) {
			p.file("private\n", ".claude", "projects", slugOf(p.at("app")), "memory", "MEMORY.md")
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			app, memory := p.dir("app"), p.dir("memory")
			found, err := Locate(app, "", p.getenv)
			if err != nil {
				t.Fatal(err)
			}
			l := client.Link{Folder: found.Folder, MemoryDir: memory, MemoryReal: memory, Source: tt.source}
			if tt.source == "" {
				if err := os.MkdirAll(found.MemoryDir, 0o700); err != nil {
					t.Fatal(err)
				}
				l.MemoryDir, l.MemoryReal, l.Source = found.MemoryDir, found.MemoryDir, found.Source
			}
			tt.change(p)
			if err := Recheck(l, p.getenv); errors.Is(err, client.ErrMarker) != tt.hold || err != nil && !tt.hold {
				t.Errorf("got %v, want a hold: %v", err, tt.hold)
			}
		})
	}
}

func slugOf(path string) string {
	slug, _ := Slug(path)
	return slug
}
