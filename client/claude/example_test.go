package claude_test

import (
	"fmt"

	"github.com/teammem/teammem/client/claude"
)

func ExampleSlug() {
	slug, _ := claude.Slug("/home/dev/acme/.worktrees/fix_1")
	fmt.Println(slug)
	// Output: -home-dev-acme--worktrees-fix-1
}

func ExampleLocate() {
	getenv := func(name string) string { return map[string]string{"TEAMMEM_MEMORY_DIR": "/srv/notes"}[name] }
	place, err := claude.Locate("/usr", "", getenv)
	fmt.Println(place.MemoryDir, place.Source, err)
	// Output: /srv/notes TEAMMEM_MEMORY_DIR <nil>
}
