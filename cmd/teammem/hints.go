package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// hintsByUse lists the rules in the order in which they are worth a look: what
// keeps notes from being read at all comes first.
func hintsByUse() []string {
	return []string{
		memory.LintOverBudget, memory.LintNearBudget, memory.LintDangling, memory.LintDuplicate, memory.LintOutside, memory.LintKindUser,
		memory.LintLateFrontmatter, memory.LintRepaired, memory.LintUnknownKind, memory.LintTypeDiffers, memory.LintNoDescription,
		memory.LintUnlisted, memory.LintRelativeDate, memory.LintNoWhy, memory.LintTaskState, memory.LintFixRecipe, memory.LintGitHistory,
		memory.LintCodeStructure, memory.LintLongDescription, memory.LintLongLine,
	}
}

// maxRules and maxPaths are how much of the hints is shown to people.
const (
	maxRules = 5
	maxPaths = 3
)

// hints adds to status how full the index is, and what could be better.
func (p reportPrinter) hints(st client.Status) error {
	if p.asJSON {
		return p.hintLines(st)
	}
	if st.Index != nil {
		fmt.Fprintf(p.stdout, "index     %s\n", st.Index.Usage())
	}
	if len(st.Hints) == 0 {
		return nil
	}
	fmt.Fprintf(p.stdout, "hints     %d, see --json\n", len(st.Hints))
	groups := groupHints(st.Hints)
	for _, g := range groups[:min(maxRules, len(groups))] {
		fmt.Fprintf(p.stdout, "          %s\n", g)
	}
	if more := len(groups) - maxRules; more > 0 {
		fmt.Fprintf(p.stdout, "          … and %s more\n", plural(more, "kind", "kinds"))
	}
	return nil
}

// ruleHints are all hints of one rule.
type ruleHints struct {
	rule  string
	count int
	paths []string // that have some
}

func (g ruleHints) String() string {
	named := strings.Join(g.paths[:min(maxPaths, len(g.paths))], ", ")
	if len(g.paths) > maxPaths {
		named += ", …"
	}
	return fmt.Sprintf("%d %s: %s", g.count, g.rule, named)
}

func groupHints(all []client.Hint) []ruleHints {
	var groups []ruleHints
	for _, h := range all {
		at := slices.IndexFunc(groups, func(g ruleHints) bool { return g.rule == h.Rule })
		if at < 0 {
			at, groups = len(groups), append(groups, ruleHints{rule: h.Rule})
		}
		g := &groups[at]
		g.count++
		if path := shown(h.Path.String()); !slices.Contains(g.paths, path) {
			g.paths = append(g.paths, path)
		}
	}
	rank := hintsByUse()
	slices.SortStableFunc(groups, func(a, b ruleHints) int { return cmp.Compare(slices.Index(rank, a.rule), slices.Index(rank, b.rule)) })
	return groups
}

// Lines of --json about what could be better. They change no exit code.
type (
	hintLine struct {
		Type    string `json:"type,omitzero"`
		Path    string `json:"path,omitzero"`
		Rule    string `json:"rule"`
		Line    int    `json:"line,omitzero"`
		Message string `json:"message"`
	}
	budgetLine struct {
		Type     string `json:"type"`
		Path     string `json:"path"`
		Lines    int    `json:"lines"`
		MaxLines int    `json:"max_lines"`
		Bytes    int    `json:"bytes"`
		MaxBytes int    `json:"max_bytes"`
		Near     bool   `json:"near"`
		Over     bool   `json:"over"`
	}
)

func (p reportPrinter) hintLines(st client.Status) error {
	if b := st.Index; b != nil {
		limit := memory.IndexLimit()
		line := budgetLine{"budget", memory.IndexName, b.Lines, limit.Lines, b.Bytes, limit.Bytes, b.Near(), b.Over()}
		if err := p.printJSON(line); err != nil {
			return err
		}
	}
	for _, h := range st.Hints {
		if err := p.printJSON(hintLine{"hint", h.Path.String(), h.Rule, h.Line, h.Message}); err != nil {
			return err
		}
	}
	return nil
}
