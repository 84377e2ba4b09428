package sync_test

import (
	"testing"

	msync "github.com/teammem/teammem/sync"
)

func TestBuildsOn(t *testing.T) {
	t.Parallel()
	const older = "---\ntype: reference\n---\n\nAn old paragraph.\n"
	const newer = older + "\nThe first new one.\n\nThe second new one.\n"
	for _, tt := range []struct {
		name, text, newer, older string
		want                     bool
	}{
		{"the newer one", newer, newer, older, true},
		{"the newer one, edited", newer + "\nAnd another one.\n", newer, older, true},
		{"the newer one, with an old line removed", "\nThe first new one.\n\nThe second new one.\n", newer, older, true},
		{"the older one", older, newer, older, false},
		{"the older one, edited", older + "\nAnd another one.\n", newer, older, false},
		{"some of what is new", older + "\nThe first new one.\n", newer, older, false},
		{"another text with the same frontmatter", "---\ntype: reference\n---\n\nSomething else.\n", newer, "", false},
		{"a first text, edited", newer + "\nAnd another one.\n", newer, "", true},
		{"other line ends", "The first new one.\r\n\r\nThe second new one.\r\n", newer, older, true},
		{"nothing that tells", "- a\n- b\n", "- a\n", "", false},
		{"only removed lines", "An old paragraph.\n", "An old paragraph.\n", older, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := msync.BuildsOn([]byte(tt.text), []byte(tt.newer), []byte(tt.older)); got != tt.want {
				t.Errorf("BuildsOn(%q, %q, %q) = %t", tt.text, tt.newer, tt.older, got)
			}
		})
	}
}
