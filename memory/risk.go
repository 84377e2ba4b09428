package memory

import (
	"slices"

	"github.com/teammem/teammem/sanitize"
)

// Risk is one place of a text for which a person should look at it.
type Risk = sanitize.Risk

// Cause names why.
type Cause = sanitize.Cause

// LevelHigh is the level of the causes that weigh most.
const LevelHigh = sanitize.LevelHigh

// RiskRules are what texts are searched by.
type RiskRules struct{ rules *sanitize.RiskRules }

// NewRiskRules reads the rules.
func NewRiskRules() RiskRules { return RiskRules{sanitize.NewRiskRules()} }

// Risks returns why a person should look at a text that is shared as path: what
// it says, what kind of note it says it is, and whether it passed by an exception.
// It refuses nothing.
func (r RiskRules) Risks(path Path, text Clean) []Risk {
	return r.of(ReadFrontmatter(path, text.Text()), text)
}

func (r RiskRules) of(meta Frontmatter, text Clean) []Risk {
	risks := r.rules.Risks(text.Text())
	switch meta.Kind {
	case KindFeedback: // which is instructions, and says so
		risks = slices.DeleteFunc(risks, func(r Risk) bool { return r.Cause == sanitize.CauseInstruction })
	case KindUser:
		risks = slices.Insert(risks, 0, Risk{Cause: sanitize.CauseKindUser, Line: readHead(text.Text()).line("type"), Column: 1})
	case KindProject, KindReference:
	}
	if text.Allowed() {
		risks = slices.Insert(risks, 0, Risk{Cause: sanitize.CauseAllowed})
	}
	return risks[:min(len(risks), sanitize.MaxRisks)]
}
