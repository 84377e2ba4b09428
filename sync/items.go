package sync

// Item is a list item of an index file, with all that is indented below it.
type Item struct {
	Line   int      // of its first line, from 1
	Lines  []string // without their ends
	Target string   // what its first link leads to, without a leading "./"; "" if it has none
}

// Items returns the list items of an index file, in order and just as
// [MergeIndex] sees them: frontmatter, fenced code and comments hold none.
func Items(index []byte) []Item {
	lines, _ := readLines(index)
	o := parseOutline(lines)
	var items []Item
	line := 1
	for _, t := range o.tokens {
		if !t.isItem() {
			line++
			continue
		}
		items = append(items, Item{Line: line, Lines: o.items[t], Target: t.target()})
		line += len(o.items[t])
	}
	return items
}
