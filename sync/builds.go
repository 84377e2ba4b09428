package sync

import "strings"

// BuildsOn reports whether a text was made from the newer of two versions rather
// than from the older: it has every line that only the newer has. Lines that
// anybody might write do not count; without others it cannot be told, which is no.
// Most of the lines are not enough: they may be the member's own, and what is
// missing a team-mate's that the member never saw.
func BuildsOn(text, newer, older []byte) bool {
	has, now, before := count(text), count(newer), count(older)
	told := false
	for line, n := range now {
		if n > before[line] && has[line] < n && strings.TrimSpace(line) != "" {
			return false
		}
		told = told || before[line] == 0 && letters(line) >= tellingLine
	}
	for line, n := range before {
		if now[line] < n && has[line] > now[line] && letters(line) > 0 {
			return false
		}
	}
	return told
}
