package sync

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What two insertions share is there once, and where lines repeat it does not
// matter which of them a diff takes for new.
func TestMerge3_Insertions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		base, server, local string // one letter a line
		want                string
	}{
		{"they begin alike", "a", "aXY", "aXZ", "aXYZ"},
		{"the server's holds how the other begins", "a", "aVXY", "aXZ", "aVXYZ"},
		{"a merge of these once more, here", "a", "aVXY", "aVXYZ", "aVXYZ"},
		{"a merge of these once more, there", "a", "aVXYZ", "aXZ", "aVXYZ"},
		{"they only end alike", "a", "aXZ", "aYZ", "aXZYZ"},
		{"they begin with a blank line", "a", "a X", "a Y", "a X Y"},
		{"they begin alike, and a blank line", "a", "aV X", "aV Y", "aV X Y"},
		{"one between equal lines, and an edit apart", "a b c", "a X b c", "a b Y", "a X b Y"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			merged, clean := merge3(strings.Split(tt.base, ""), strings.Split(tt.server, ""), strings.Split(tt.local, ""))
			if got := strings.Join(merged, ""); !clean || got != tt.want {
				t.Errorf("merge3(%q, %q, %q) = %q, clean: %v; want %q", tt.base, tt.server, tt.local, got, clean, tt.want)
			}
		})
	}
}

// Paragraphs that two members put in at different places are no conflict,
// whatever the blank lines are around them.
func TestMergeEntry_Paragraphs(t *testing.T) {
	t.Parallel()
	const base = "# t\n\none\n\ntwo\n\nthree\n\nfour\n"
	const server = "# t\n\none\n\n- s\n\ntwo\n\nthree\n\nfour\n- end\n"
	const local = "# t\n\none\n\ntwo\n\nthree\n\n- l\n\nfour\n"
	const want = "# t\n\none\n\n- s\n\ntwo\n\nthree\n\n- l\n\nfour\n- end\n"
	if got, clean := MergeEntry([]byte(base), []byte(server), []byte(local)); !clean || string(got) != want {
		t.Errorf("clean: %v, %q", clean, got)
	}
}

// However much both sides wrote, what neither of them touched stays apart.
func TestMerge3_Much(t *testing.T) {
	t.Parallel()
	const many = 300
	numbered := func(name string) (lines []string) {
		for i := range many {
			lines = append(lines, fmt.Sprintf("%s %d", name, i))
		}
		return lines
	}
	base := numbered("base")
	weave := func(name string, every int) (lines []string) {
		for i, line := range base {
			if lines = append(lines, line); i%4 == every {
				lines = append(lines, fmt.Sprintf("%s between %d", name, i))
			}
		}
		return append(lines, numbered(name)...)
	}
	server, local := weave("server", 0), weave("local", 2)
	merged, clean := merge3(base, server, local)
	if !clean || len(merged) != len(server)+len(local)-len(base) {
		t.Fatalf("clean: %v, %d lines", clean, len(merged))
	}
	again, clean := merge3(base, merged, local)
	if diff := cmp.Diff(merged, again); !clean || diff != "" {
		t.Errorf("once more: clean %v (-want +got):\n%s", clean, diff)
	}
}
