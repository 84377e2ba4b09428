package sync

// BuildsOn reports whether a text was made from the newer of two versions rather
// than from the older: it has every line that only the newer has. Lines that
// anybody might write do not count; without others it cannot be told, which is no.
// Most of the lines are not enough: they may be the member's own, and what is
// missing a team-mate's that the member never saw.
func BuildsOn(text, newer, older []byte) bool {
	has, before := count(text), count(older)
	told := false
	for line := range count(newer) {
		if letters(line) < tellingLine || before[line] > 0 {
			continue
		}
		if has[line] == 0 {
			return false
		}
		told = true
	}
	return told
}
