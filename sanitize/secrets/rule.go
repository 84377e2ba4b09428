package secrets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/teammem/teammem/sanitize"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// rule is one gitleaks rule with a detector of its own, so that it can be asked
// about the neighbourhood of its own keywords alone. A text wakes few of the
// rules, so each derives its traits at its first keyword, and compiles its
// expression when there is something to read. An error ends the scan.
type rule struct {
	id       string
	severity sanitize.Severity
	keywords []string
	far      bool
	traits   func() (traits, error)           // once
	detector func() (*detect.Detector, error) // once
}

func newRule(d definition, derive func(measures) traits, allow func() (*config.Allowlist, error)) *rule {
	far := slices.Contains(farRules(), d.id)
	return &rule{
		id: d.id, severity: d.severity, keywords: d.keywords, far: far,
		traits: sync.OnceValues(func() (traits, error) {
			m, err := measure(d.pattern.flags + d.pattern.core)
			if err != nil {
				return traits{}, fmt.Errorf("rule %s: %w", d.id, err)
			}
			t := derive(m)
			if t.far != far {
				return traits{}, fmt.Errorf("rule %s: far is %t, its matcher's %t", d.id, t.far, far)
			}
			return t, nil
		}),
		detector: sync.OnceValues(func() (*detect.Detector, error) {
			found, err := newDetector(d, allow)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %w", d.id, err)
			}
			return found, nil
		}),
	}
}

// newDetector builds the detector of one rule, which overlooks nothing but what
// the rule's own lists and allow name. It gets no keywords, since the automaton
// has found them already, and no tags: the library appends to them, from
// several goroutines.
func newDetector(d definition, allow func() (*config.Allowlist, error)) (*detect.Detector, error) {
	expr, err := compileExpr(d.pattern.String())
	if err != nil {
		return nil, err
	}
	r := config.Rule{RuleID: d.id, Description: d.id, Regex: expr, SecretGroup: d.group, Entropy: d.entropy}
	for _, exprs := range d.allowed {
		list, err := allowlist(exprs)
		if err != nil {
			return nil, err
		}
		r.Allowlists = append(r.Allowlists, list)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	global, err := allow()
	if err != nil {
		return nil, err
	}
	out := detect.NewDetector(config.Config{
		Rules:      map[string]config.Rule{d.id: r},
		Allowlists: []*config.Allowlist{global},
	})
	out.IgnoreGitleaksAllow = true
	return out, nil
}

// allowlist lets the secrets pass that one of the expressions matches.
func allowlist(exprs []string) (*config.Allowlist, error) {
	list := &config.Allowlist{}
	for _, e := range exprs {
		expr, err := compileExpr(e)
		if err != nil {
			return nil, err
		}
		list.Regexes = append(list.Regexes, expr)
	}
	return list, list.Validate()
}

// candidate is a finding of the library, before it is judged.
type candidate struct {
	text   string // of the view
	match  span
	secret span
}

func (c candidate) value() string { return c.text[c.secret.start:c.secret.end] }

// lineReach is how far a judgement reads on the line of a secret: no further
// than the context of a chunk, by which the verdict is remembered.
const lineReach = 300

// line returns what stands around the secret on its lines.
func (c candidate) line() string {
	w := onLine(c.text, c.secret, lineReach)
	return c.text[w.start:w.end]
}

// heads returns the heads of the table in which the secret stands, if it does.
func (c candidate) heads() string {
	return headAbove(c.text, strings.LastIndexByte(c.text[:c.secret.start], '\n')+1)
}

// find asks gitleaks about one window of text. It cannot be interrupted, so that
// it never answers with a part; windows are small for that reason.
func (r *rule) find(text string, window span) ([]match, error) {
	t, err := r.traits()
	if err != nil {
		return nil, err
	}
	detector, err := r.detector()
	if err != nil {
		return nil, err
	}
	piece := text[window.start:window.end]
	var found []match
	for _, f := range detector.DetectString(piece) {
		start := window.start + offset(piece, f)
		c := candidate{text: text, match: span{start, start + len(f.Match)}}
		c.secret = c.match
		if i := strings.Index(f.Match, f.Secret); i >= 0 {
			c.secret = span{start + i, start + i + len(f.Secret)}
		}
		if t.anchored && atCut(text, c.match, window) || t.keep != nil && !t.keep(c) {
			continue
		}
		found = append(found, match{r, c.secret, c.match, c.value()})
	}
	return found, nil
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
