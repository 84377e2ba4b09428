package secrets

import (
	"cmp"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// rule is one gitleaks rule with a detector of its own, so that it can be asked
// about the neighbourhood of its own keywords alone.
type rule struct {
	traits
	id       string
	keywords []string
	detector *detect.Detector
}

// newRule builds the detector of r, which overlooks nothing but what r's own
// allowlists and allow name.
func newRule(r config.Rule, allow *config.Allowlist, t traits) (*rule, error) {
	out := &rule{traits: t, id: r.RuleID, keywords: r.Keywords}
	r.Keywords = nil // the automaton has found them already
	r.Tags = nil     // the library appends to them, from several goroutines
	if err := r.Validate(); err != nil {
		return nil, err
	}
	out.detector = detect.NewDetector(config.Config{
		Rules:      map[string]config.Rule{r.RuleID: r},
		Allowlists: []*config.Allowlist{allow},
	})
	out.detector.IgnoreGitleaksAllow = true
	return out, nil
}

// candidate is a finding of the library, before it is judged.
type candidate struct {
	text   string // of the view
	match  span
	secret span
}

func (c candidate) value() string { return c.text[c.secret.start:c.secret.end] }

// line returns the line around the start of the secret.
func (c candidate) line() string {
	start := strings.LastIndexByte(c.text[:c.secret.start], '\n') + 1
	if n := strings.IndexByte(c.text[start:], '\n'); n >= 0 {
		return c.text[start : start+n]
	}
	return c.text[start:]
}

// label returns what stands before the secret on its line, without the operator
// and the quotes, in lower case.
func (c candidate) label() string {
	before := c.text[max(0, c.secret.start-96):c.secret.start]
	before = strings.TrimRight(before, " \t\r\n=:>|,?'\"`*")
	return strings.ToLower(before[strings.LastIndexByte(before, '\n')+1:])
}

// find asks gitleaks about one window of text. It cannot be interrupted, so that
// it never answers with a part; windows are small for that reason.
func (r *rule) find(text string, window span) []match {
	piece := text[window.start:window.end]
	var found []match
	for _, f := range r.detector.DetectString(piece) {
		start := window.start + offset(piece, f)
		c := candidate{text: text, match: span{start, start + len(f.Match)}}
		c.secret = c.match
		if i := strings.Index(f.Match, f.Secret); i >= 0 {
			c.secret = span{start + i, start + i + len(f.Secret)}
		}
		if r.anchored && atCut(text, c.match, window) || r.keep != nil && !r.keep(c) {
			continue
		}
		found = append(found, match{r, c.secret, c.match})
	}
	return found
}

// atCut tells whether a match ends where its window was cut out of a line.
func atCut(text string, m, window span) bool {
	left := m.start == window.start && window.start > 0 && text[window.start-1] != '\n'
	right := m.end == window.end && window.end < len(text) && text[window.end-1] != '\n'
	return left || right
}

// offset computes where in piece a finding begins. The library counts lines
// from 0, and columns from 1 in the first line but from 2 in later ones, as
// measured from the line break.
func offset(piece string, f report.Finding) int {
	at := 0
	for range f.StartLine {
		n := strings.IndexByte(piece[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	at += f.StartColumn - 1
	if f.StartLine > 0 {
		at--
	}
	// A match that began with line breaks was trimmed, its column was not.
	for at < len(piece) && piece[at] == '\n' && !strings.HasPrefix(piece[at:], f.Match) {
		at++
	}
	return min(max(at, 0), len(piece)-len(f.Match))
}

func byPosition(a, b match) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.rule.id, b.rule.id))
}
