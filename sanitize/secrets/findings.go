package secrets

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// findings says what was found and where: one finding per secret, in the order
// of the text. The values stay behind; with a key, their fingerprints go along.
func findings(text string, found []match, key []byte) []sanitize.Finding {
	if len(found) >= maxFindings {
		key = nil // the search may have ended early: what was not seen cannot be allowed
	}
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
			Fingerprint: m.fingerprint(key),
		})
	}
	return out
}

// enough reports whether there are as many secrets as an answer has. Several
// rules may have found one of them.
func enough(found []match) bool {
	if len(found) < maxFindings {
		return false
	}
	starts := map[int]bool{}
	for _, m := range found {
		starts[m.start] = true
	}
	return len(starts) >= maxFindings
}

// settle keeps one match for each secret: the hard one rather than the soft
// one, a specific rule rather than the generic one. A soft one never hides what
// reaches beyond it, since whoever allows the one has not seen the other.
func settle(found []match) []match {
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(preference(a), preference(b)), byPosition(a, b))
	})
	var kept []match
	for _, m := range found {
		if !slices.ContainsFunc(kept, func(k match) bool { return k.covers(m) }) {
			kept = append(kept, m)
		}
	}
	slices.SortFunc(kept, byPosition)
	return kept[:min(len(kept), maxFindings)]
}

func preference(m match) int {
	if m.rule.severity == sanitize.SeverityHard {
		return 0
	}
	switch m.rule.id {
	case genericRule, "hashicorp-tf-password", "key-assignment", "named-token", "prefixed-token":
		return 2 // others find the same, under a name that fits better
	}
	return 1
}
