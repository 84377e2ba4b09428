package memory

import "time"

// A Lint is advice about one entry or one index. It is shown to the agent that
// wrote it, in status and to reviewers; it never blocks and never changes a
// byte.
type Lint struct {
	Rule    string // one of the Lint constants
	Line    int    // from 1; 0: the file as a whole
	Message string // what is wrong, and what to do about it
}

// What an entry says about itself.
const (
	LintKindUser        = "kind-user"
	LintUnknownKind     = "unknown-kind"
	LintTypeDiffers     = "type-differs"
	LintLateFrontmatter = "late-frontmatter"
	LintRepaired        = "repaired"
	LintNoDescription   = "no-description"
	LintLongDescription = "long-description"
)

// What an entry says.
const (
	LintRelativeDate  = "relative-date"
	LintNoWhy         = "no-why"
	LintCodeStructure = "code-structure"
	LintGitHistory    = "git-history"
	LintTaskState     = "task-state"
	LintFixRecipe     = "fix-recipe"
)

// What an index lists.
const (
	LintDangling   = "dangling"
	LintUnlisted   = "unlisted"
	LintDuplicate  = "duplicate"
	LintLongLine   = "long-line"
	LintOutside    = "outside"
	LintNearBudget = "near-budget"
	LintOverBudget = "over-budget"
)

// Lints reads an entry and says what would make it more useful to teammates.
// now is when it was written: what "tomorrow" means is told by it.
func Lints(path Path, content string, now time.Time) []Lint { return nil }
