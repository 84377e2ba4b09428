package hook

import (
	"context"
	"fmt"

	"github.com/teammem/teammem/memory"
)

// mostHints is how many hints on one text are told; status has them all.
const mostHints = 3

// hinted adds to an answer what would make the text at a place more useful to
// teammates. A hint keeps nothing from being shared, so a text that is refused
// or in conflict gets none: that has to be seen to first, and what must not be
// shared is not repeated.
func (h *Hooks) hinted(ctx context.Context, at spot, p memory.Path, a answer) answer {
	if a.Decision != "" {
		return a
	}
	text, err := h.read(ctx, at)
	if err != nil || text == "" {
		return a // what is wrong with the file is told elsewhere
	}
	lints := memory.Lints(p, text, h.Clock())
	if p.String() == memory.IndexName {
		lints = memory.LintIndex(text, h.shared(at))
	}
	if len(lints) == 0 {
		return a
	}
	told := describe(named(p.String()), lints)
	if a.Specific != nil && a.Specific.Context != "" {
		told = a.Specific.Context + "\n" + told
	}
	return inform(PostToolUse, told)
}

// shared returns what an index can lead to.
func (h *Hooks) shared(at spot) (paths []memory.Path) {
	known, err := h.Dirs.Known(at.link)
	if err != nil {
		return nil
	}
	for _, e := range known.Entries {
		paths = append(paths, e.Path)
	}
	return paths
}

func describe(name string, lints []memory.Lint) string {
	text := "Hints on " + name + ", which keep nothing from being shared:"
	for _, l := range lints[:min(mostHints, len(lints))] {
		text += "\n- "
		if l.Line > 0 {
			text += fmt.Sprintf("line %d: ", l.Line)
		}
		text += l.Message
	}
	if more := len(lints) - mostHints; more > 0 {
		text += fmt.Sprintf("\n- and %d more, which teammem status lists", more)
	}
	return text
}
