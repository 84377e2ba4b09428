package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

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

// LintDuplicate is about what an entry is called, see [LintNumbered], and what an
// index lists twice.
const LintDuplicate = "duplicate"

// What an index lists.
const (
	LintDangling   = "dangling"
	LintUnlisted   = "unlisted"
	LintLongLine   = "long-line"
	LintOutside    = "outside"
	LintNearBudget = "near-budget"
	LintOverBudget = "over-budget"
)

// lintedDescription is how long a description may be, in characters, before
// lists cut it.
const lintedDescription = 200

// Lints reads an entry and says what would make it more useful to teammates,
// in the order of lines. now is when it was written, so that a lint can tell
// which day "tomorrow" is; it may be zero. An index is judged by [LintIndex].
func Lints(path Path, content string, now time.Time) []Lint {
	if path.IsIndex() {
		return nil
	}
	l := entryLint{head: readHead(content)}
	l.meta = l.head.frontmatter(path)
	l.frontmatter()
	l.text(now)
	slices.SortStableFunc(l.found, func(a, b Lint) int { return a.Line - b.Line })
	return l.found
}

// entryLint is one entry on its way through the lints.
type entryLint struct {
	head  head
	meta  Frontmatter
	found []Lint
}

func (l *entryLint) say(rule string, line int, format string, args ...any) {
	l.found = append(l.found, Lint{rule, line, fmt.Sprintf(format, args...)})
}

// frontmatter judges what the entry says about itself.
func (l *entryLint) frontmatter() {
	h, stated := l.head, l.meta.Type
	if _, known := ParseKind(stated); stated != "" && !known {
		l.say(LintUnknownKind, h.line("type"), "type %s counts as project: use feedback, project or reference", inert(stated))
	}
	if l.meta.Kind == KindUser {
		l.say(LintKindUser, h.line("type"), "notes about a person do not belong in team/: keep them in private memory, or state what the project needs as feedback or project")
	}
	if top, nested := h.keys["type"], h.keys["metadata.type"]; top != "" && nested != "" && !strings.EqualFold(top, nested) {
		l.say(LintTypeDiffers, h.line("type"), "there are two types, and the one at the margin counts: keep one of %s and %s", Inert(top, longestType), Inert(nested, longestType))
	}
	if h.end > agentBlockLines {
		l.say(LintLateFrontmatter, h.end, "agents look for the end of the frontmatter in the first %d lines: shorten it", agentBlockLines)
	}
	if h.repaired {
		l.say(LintRepaired, h.brokenLine(), "this is not valid YAML, and was read line by line: put the value in quotes")
	}
	switch n := utf8.RuneCountInString(sanitize.Inline(h.keys["description"])); {
	case n == 0:
		l.say(LintNoDescription, h.line("description"), "there is no description, by which agents choose what to read: add one of at most %d characters to the frontmatter", lintedDescription)
	case n > lintedDescription:
		l.say(LintLongDescription, h.line("description"), "the description has %d characters: keep it below %d and the details in the text", n, lintedDescription)
	}
}
