package secrets

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// findings says what was found and where: one finding per secret, in the order
// of the text. The values stay behind.
func findings(text string, found []match) []sanitize.Finding {
	found = settle(found)
	out := make([]sanitize.Finding, 0, len(found))
	line, lineStart := 1, 0
	for _, m := range found {
		start := min(m.start, len(text))
		line += strings.Count(text[lineStart:start], "\n")
		if n := strings.LastIndexByte(text[lineStart:start], '\n'); n >= 0 {
			lineStart += n + 1
		}
		out = append(out, sanitize.Finding{
			Rule: m.rule.id, Severity: m.rule.severity,
			Line: line, Column: utf8.RuneCountInString(text[lineStart:start]) + 1,
		})
	}
	return out
}

// settle keeps one match for each secret: the hard one rather than the soft
// one, a specific rule rather than the generic one.
func settle(found []match) []match {
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(preference(a), preference(b)), byPosition(a, b))
	})
	var kept []match
	for _, m := range found {
		if !slices.ContainsFunc(kept, func(k match) bool { return k.overlaps(m.span) || k.span == m.span }) {
			kept = append(kept, m)
		}
	}
	slices.SortFunc(kept, byPosition)
	return kept[:min(len(kept), maxFindings)]
}

func preference(m match) int {
	switch {
	case m.rule.severity == sanitize.SeverityHard:
		return 0
	case m.rule.id == genericRule:
		return 2
	}
	return 1
}
