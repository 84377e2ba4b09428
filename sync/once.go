package sync

import (
	"slices"
	"strings"
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
// it. That they are at the same place cannot be asked for, since between equal
// lines (those before and after paragraphs) there is more than one for them.
func withoutThose(edits []edit, base, other []string) []edit {
	if len(edits) == 0 {
		return edits
	}
	inBase, inOther := tally(base), tally(other)
	return slices.DeleteFunc(slices.Clone(edits), func(e edit) bool {
		told := false
		for _, line := range e.lines {
			telling := letters(line) >= tellingLine
			if strings.TrimSpace(line) != "" && inOther[line] == 0 || telling && inBase[line] > 0 {
				return false
			}
			told = told || telling
		}
		return told && !slices.ContainsFunc(base[e.start:e.end], func(line string) bool {
			return strings.TrimSpace(line) != "" && inOther[line] > 0
		})
	})
}

func tally(lines []string) map[string]int {
	n := make(map[string]int, len(lines))
	for _, line := range lines {
		n[line]++
	}
	return n
}
