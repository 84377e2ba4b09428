package sync

import "strings"

// Annotated is a text with the revision that each line comes from.
type Annotated []Line

// Line is one line of an [Annotated], without its end.
type Line struct {
	Text string
	Rev  int64
}

// Next is the text of the next revision: lines that were there before keep their
// number, however they end.
func (a Annotated) Next(rev int64, text string) Annotated {
	before := make([]string, len(a))
	for i, line := range a {
		before[i] = line.Text
	}
	after := split(strings.ReplaceAll(text, "\r\n", "\n"))
	next := make(Annotated, 0, len(after))
	pos := 0
	for _, e := range lineEdits(before, after) {
		next = append(next, a[pos:e.start]...)
		for _, line := range e.lines {
			next = append(next, Line{line, rev})
		}
		pos = e.end
	}
	return append(next, a[pos:]...)
}
