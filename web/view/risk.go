package view

import (
	"slices"
	"strconv"
)

// Risk is one place of a text for which a person should look at it.
type Risk struct {
	Cause string
	High  bool
	Line  int // from 1; 0 for the whole text
}

// riskGroup is one cause with its lines.
type riskGroup struct {
	Risk
	lines []int
}

// riskGroups are the causes of a text, those that weigh most first.
func riskGroups(risks []Risk) []riskGroup {
	var groups []riskGroup
	for _, r := range risks {
		i := slices.IndexFunc(groups, func(g riskGroup) bool { return g.Cause == r.Cause })
		if i < 0 {
			i, groups = len(groups), append(groups, riskGroup{Risk: r})
		}
		if g := &groups[i]; r.Line > 0 && !slices.Contains(g.lines, r.Line) {
			g.lines = append(g.lines, r.Line)
		}
	}
	slices.SortStableFunc(groups, func(a, b riskGroup) int {
		switch {
		case a.High && !b.High:
			return -1
		case b.High && !a.High:
			return 1
		}
		return 0
	})
	return groups
}

// How many causes are named, and lines of each: more than today's rules have.
const (
	mostRisks     = 50
	mostRiskLines = 8
)

// lineAddress leads to a line of the text as it is.
func lineAddress(raw string, line int) string { return raw + "#L" + strconv.Itoa(line) }

// linesAt are where the lines of the text can be shown.
func (p Entry) linesAt() string {
	switch {
	case p.Mode == ModeRaw:
		return ""
	case p.Rev != p.Head:
		return RevisionURL(p.Project.ID, p.ID, p.Rev)
	}
	return EntryURL(p.Project.ID, p.ID)
}

// linesAt are where the lines of the text can be shown.
func (p Proposal) linesAt() string {
	if p.Mode == ModeRaw {
		return ""
	}
	return ProposalModeURL(p.Project.ID, p.ID, ModeRaw)
}

// riskLabel says in words what a cause is. One of a newer server is shown by
// its name.
func riskLabel(cause string) string {
	for _, l := range riskLabels() {
		if l.cause == cause {
			return l.label
		}
	}
	return cause
}

// causeLabel is a cause in words.
type causeLabel struct{ cause, label string }

// riskLabels has one for each cause of package sanitize, as a test checks.
func riskLabels() []causeLabel {
	return []causeLabel{
		{"override", "Asks to ignore earlier instructions"},
		{"secrecy", "Asks to keep something from people"},
		{"role-claim", "Claims a role or an authority"},
		{"permission-grant", "Grants a permission, or drops a confirmation"},
		{"pipe-to-shell", "Executes what it downloads"},
		{"skip-permissions", "Names a flag by which agents stop asking"},
		{"credential-url", "Sends credentials to an address"},
		{"encoded-blob", "Encoded text of over 80 characters"},
		{"image-query", "An image whose address can carry text away"},
		{"kind-user", "A note about a person"},
		{"secret-allowed", "Holds what a rule takes for a secret, by an exception"},
		{"instruction", "An instruction: always, never or must"},
		{"immutable", "Says that it must not be changed"},
		{"command", "A command with network, privilege or deletion"},
		{"secret-file", "Names a place of credentials"},
		{"webhook-url", "An address that takes whatever is sent"},
		{"import-path", "Has an agent load another file"},
		{"agent-settings", "Settings of an agent: hooks, permissions or servers"},
		{"prompt-tag", "A tag by which agents tell who speaks"},
		{"hidden-character", "Invisible characters"},
		{"hidden-channel", "Choices that nobody sees, and that can be a message"},
		{"joiner", "Joiners or selectors that nothing needs"},
		{"direction-mark", "Marks that turn the direction of writing"},
		{"odd-line-end", "Line ends that not every program sees"},
		{"mixed-scripts", "Letters of several scripts in one word"},
		{"stacked-marks", "Many marks on one letter"},
		{"comment", "A comment, which is not shown when rendered"},
		{"collapsed", "Text that is folded away"},
		{"hidden-html", "Text that its style hides"},
		{"raw-html", "HTML"},
		{"link-text", "A link that names another host than it leads to"},
		{"data-uri", "Data inside an address"},
		{"pushed-aside", "Text behind a wall of blanks"},
	}
}
