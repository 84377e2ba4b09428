package sync

// BuildsOn reports whether a text was made from the newer of two versions rather
// than from the older: it has most of the lines that only the newer has. Lines that
// anybody might write do not count; without others it cannot be told, which is no.
func BuildsOn(text, newer, older []byte) bool {
	has, before := count(text), count(older)
	news, found := 0, 0
	for line := range count(newer) {
		if letters(line) < tellingLine || before[line] > 0 {
			continue
		}
		news++
		if has[line] > 0 {
			found++
		}
	}
	return found*2 > news
}
