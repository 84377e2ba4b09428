package sync

// Resembles reports whether a text may be an edited copy of another: it has at
// least half of the lines that two members do not write by chance, which is where
// git draws the line, too, in what it takes for a rename (diff.renames). A text
// without such lines resembles none.
func Resembles(text, original []byte) bool {
	has := count(text)
	kept, all := 0, 0
	for line, n := range count(original) {
		if letters(line) >= tellingLine {
			kept, all = kept+min(n, has[line]), all+n
		}
	}
	return all > 0 && 2*kept >= all
}
