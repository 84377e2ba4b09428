package memory

import (
	"strings"
	"time"
	"unicode"
)

// textRule is a lint about what an entry says. It speaks once, about the first
// line that matches.
type textRule struct {
	name  string
	least int                          // lines that must match: one commit in a story is no history
	match func(textLine) (hint string) // what to say of the line, "" if it does not match

	amount int // of lines that matched
	first  int // of them
	hint   string
}

// textLine is a line of the body as the rules see it.
type textLine struct {
	mdLine
	lower string // without code in the line and what is quoted, in small letters
}

// start is the line from its first letter on, without marks and numbers.
func (l textLine) start() string {
	return strings.TrimLeftFunc(l.lower, func(r rune) bool { return !unicode.IsLetter(r) })
}

// text judges what the entry says.
func (l *entryLint) text(now time.Time) {
	rules := []*textRule{
		{name: LintRelativeDate, least: 1, match: func(t textLine) string { return relativeDate(t, now) }},
		{name: LintCodeStructure, least: 2, match: codeStructure},
		{name: LintGitHistory, least: 3, match: gitHistory},
		{name: LintTaskState, least: 1, match: taskState},
	}
	why, recipe := false, fixRecipe{}
	for line := range mdLines(l.head.body) {
		if line.part == partComment {
			continue
		}
		line.number += l.head.end
		t := textLine{line, strings.ToLower(withoutQuotes(line.text))}
		why = why || saysWhy(line.text)
		recipe.see(t)
		for _, r := range rules {
			r.see(t)
		}
	}
	for _, r := range rules {
		if r.amount >= r.least {
			l.say(r.name, r.first, "%s", r.hint)
		}
	}
	if recipe.cause > 0 && recipe.fix > 0 {
		l.say(LintFixRecipe, recipe.fix, "the code holds the fix: keep what it taught, and when that applies")
	}
	if l.meta.Kind == KindFeedback && !why {
		l.say(LintNoWhy, 0, "a rule without its reason cannot be judged in a new case: add a line that starts with **Why:**")
	}
}

func (r *textRule) see(t textLine) {
	hint := r.match(t)
	if hint == "" {
		return
	}
	if r.amount++; r.amount == 1 {
		r.first, r.hint = t.number, hint
	}
}

// withoutQuotes takes out of a line what it only cites: code and words in
// quotation marks.
func withoutQuotes(line string) string {
	if !strings.ContainsAny(line, "`\"“") {
		return line
	}
	for _, marks := range [][2]string{{"`", "`"}, {`"`, `"`}, {"“", "”"}} {
		var out strings.Builder
		for {
			before, rest, opens := strings.Cut(line, marks[0])
			_, after, closes := strings.Cut(rest, marks[1])
			if !opens || !closes {
				break
			}
			out.WriteString(before + " ")
			line = after
		}
		line = out.String() + line
	}
	return line
}

// taskState finds what is still to be done: that belongs to a task list, which
// somebody ticks off.
func taskState(t textLine) string {
	if t.part != partProse {
		return ""
	}
	const hint = "this is the state of a task, which nobody updates here: keep it in the task list, and here what stays true"
	start := t.start()
	for _, word := range []string{"next step", "next steps", "todo", "to-do", "to do"} {
		if rest, ok := strings.CutPrefix(start, word); ok && endsLabel(rest) {
			return hint
		}
	}
	if isListItem(t.text) && strings.HasPrefix(strings.TrimLeft(strings.TrimSpace(t.text), "-*+ "), "[ ]") {
		return hint
	}
	return ""
}

// endsLabel reports whether the words before were a label or a heading of
// their own, such as "Next steps:" or "**TODO** —".
func endsLabel(rest string) bool {
	rest = strings.TrimLeft(rest, "*_ ")
	return rest == "" || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "(")
}

// fixRecipe is where an entry tells the cause and the fix of one bug.
type fixRecipe struct{ cause, fix int }

func (f *fixRecipe) see(t textLine) {
	if t.part != partProse {
		return
	}
	start := t.start()
	if strings.HasPrefix(start, "root cause") && f.cause == 0 {
		f.cause = t.number
	}
	for _, word := range []string{"fix", "the fix", "solution"} {
		if rest, ok := strings.CutPrefix(start, word); ok && f.fix == 0 && endsLabel(rest) && rest != "" {
			f.fix = t.number
		}
	}
}

// saysWhy reports whether a line gives a reason, in the words of the template
// or in others.
func saysWhy(line string) bool {
	lower := strings.ToLower(line)
	for _, word := range []string{"**why", "why:", "because", "reason:", "rationale", "pourquoi", "parce que", "warum", "weil ", "por qué", "porque", "почему", "为什么", "原因", "理由"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
