package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
)

func TestLintNumbered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path   string
		others []string
		of     string // "": no duplicate
	}{
		"the first number":       {"x-2.md", []string{"x.md"}, "x.md"},
		"a later one":            {"a/b-c-31.md", []string{"a/b-c.md"}, "a/b-c.md"},
		"the other is gone":      {"x-2.md", []string{"y.md"}, ""},
		"in another folder":      {"a/x-2.md", []string{"x.md"}, ""},
		"a series":               {"x-2.md", []string{"x-1.md", "x.md"}, ""},
		"no number":              {"x-two.md", []string{"x.md"}, ""},
		"not a number of ours":   {"x-02.md", []string{"x.md"}, ""},
		"counted from one":       {"x-1.md", []string{"x.md"}, ""},
		"nothing but the number": {"a/-2.md", []string{"a/.md"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := memory.LintNumbered(c.path, func(p string) bool { return slices.Contains(c.others, p) })
			switch {
			case c.of == "" && len(found) > 0:
				t.Errorf("found %v, want nothing", found)
			case c.of != "" && (len(found) != 1 || found[0].Rule != memory.LintDuplicate || !strings.Contains(found[0].Message, c.of)):
				t.Errorf("found %v, want a duplicate of %s", found, c.of)
			}
		})
	}
}
