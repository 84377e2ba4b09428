package sync

import (
	"slices"
	"unicode"
)

// tellingLine is how many letters and digits a line has that two members do not
// write by chance, as they do "## Notes".
const tellingLine = 8

func letters(line string) (n int) {
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// withoutThose leaves out the edits of a base that the other side's text has, too:
// they were sent or came from there, and a client that was killed took no note of
// it. All lines of such an edit follow each other there, between the same lines of
// the base, and are more than the base has. That it is at the very same line cannot
// be asked for: between equal lines (those before and after paragraphs) there is
// more than one place for it.
func withoutThose(edits []edit, base, other []string) []edit {
	if len(edits) == 0 {
		return edits
	}
	o := newOther(base, other)
	return slices.DeleteFunc(slices.Clone(edits), func(e edit) bool {
		part := withoutBlanks(e.lines)
		if !o.tells(part) || !o.hasAt(part, e) || o.keeps(base[e.start:e.end]) {
			return false
		}
		for _, line := range part {
			o.spare[line]--
		}
		return true
	})
}

// other is the text of the other side, as an edit is looked for in it.
type other struct {
	base   []string
	lines  []string // without blank ones
	inBase map[string]int
	has    map[string]int
	spare  map[string]int // how often it has a line beyond the base, and beyond the edits that were found
}

func newOther(base, lines []string) other {
	o := other{base: base, lines: withoutBlanks(lines), inBase: tally(base), has: tally(lines), spare: tally(lines)}
	for line, n := range o.inBase {
		o.spare[line] -= n
	}
	return o
}

// tells reports whether the other side may have got lines from this one: they have
// a line that two members do not both write by chance, and it has all of them.
func (o other) tells(part []string) bool {
	told := false
	for line, n := range tally(part) {
		telling := letters(line) >= tellingLine
		if o.spare[line] < n || telling && o.inBase[line] > 0 {
			return false
		}
		told = told || telling
	}
	return told
}

// hasAt reports whether lines follow each other behind, or before, the same line
// of the base as an edit.
func (o other) hasAt(part []string, e edit) bool {
	for i := 0; i+len(part) <= len(o.lines); i++ {
		if !slices.Equal(o.lines[i:i+len(part)], part) {
			continue
		}
		end := i + len(part)
		if o.nearest(o.lines[:i], o.inBase, true) == o.nearest(o.base[:e.start], o.has, true) ||
			o.nearest(o.lines[end:], o.inBase, false) == o.nearest(o.base[e.end:], o.has, false) {
			return true
		}
	}
	return false
}

// nearest is the last, or the first, telling line that the other text has as well.
func (other) nearest(lines []string, in map[string]int, last bool) string {
	for i := range lines {
		line := lines[i]
		if last {
			line = lines[len(lines)-1-i]
		}
		if in[line] > 0 && letters(line) >= tellingLine {
			return line
		}
	}
	return ""
}

// keeps reports whether the other side has any of the lines that an edit removed.
func (o other) keeps(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return letters(line) > 0 && o.has[line] > 0 })
}

func tally(lines []string) map[string]int {
	n := make(map[string]int, len(lines))
	for _, line := range lines {
		n[line]++
	}
	return n
}
