package sync

import (
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// edit replaces the lines [start, end) of the base.
type edit struct {
	start, end int
	lines      []string
}

// fewLines is how many lines of two texts are compared as a whole. The library
// looks for about a hundred differences and takes the rest for changed, which
// would make a conflict of everything that two members wrote into a long list.
const fewLines = 50

// lineEdits lists what turns one text into another, in order and never
// touching. No line contains a newline. Of long texts the lines that both have
// exactly once stay, as far as they are in the same order, and what is between
// them is compared.
func lineEdits(from, to []string) []edit {
	start := 0
	for start < min(len(from), len(to)) && from[start] == to[start] {
		start++
	}
	var edits []edit
	i, j := start, start
	if len(from)+len(to)-2*start > fewLines {
		for _, a := range anchors(from[start:], to[start:]) {
			edits = append(edits, editsAt(i, from[i:start+a.from], to[j:start+a.to])...)
			i, j = start+a.from+1, start+a.to+1
		}
		edits = append(edits, editsAt(i, from[i:], to[j:])...)
	} else {
		edits = editsAt(0, from, to)
	}
	slide(from, edits)
	return edits
}

// editsAt is lineEdits for a part of a text that begins at a line.
func editsAt(first int, from, to []string) []edit {
	if slices.Equal(from, to) {
		return nil
	}
	number := make(map[int]int, len(from)+1) // of the line that starts at a byte
	size := 0
	for i, line := range from {
		number[size] = first + i
		size += len(line) + 1
	}
	number[size] = first + len(from)

	var edits []edit
	for _, e := range udiff.Lines(join(from), join(to)) {
		edits = append(edits, edit{number[e.Start], number[e.End], split(e.New)})
	}
	return edits
}

// anchor is a line that is in both texts.
type anchor struct{ from, to int }

// anchors finds the lines that both texts have exactly once, and of those the
// most that are in the same order.
func anchors(from, to []string) []anchor {
	inFrom, inTo := onlyOnce(from), onlyOnce(to)
	var all []anchor
	var before []int // the one before, in the longest row that ends here; -1: none
	var ends []int   // where the rows of each length end that end first
	for i, line := range from {
		j, both := inTo[line]
		if _, once := inFrom[line]; !once || !both {
			continue
		}
		length, _ := slices.BinarySearchFunc(ends, j, func(end, j int) int { return all[end].to - j })
		previous := -1
		if length > 0 {
			previous = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, 0)
		}
		ends[length] = len(all)
		all, before = append(all, anchor{i, j}), append(before, previous)
	}
	var row []anchor
	if len(ends) > 0 {
		for at := ends[len(ends)-1]; at >= 0; at = before[at] {
			row = append(row, all[at])
		}
	}
	slices.Reverse(row)
	return row
}

// onlyOnce returns where the lines are that a text has only once.
func onlyOnce(lines []string) map[string]int {
	at, count := map[string]int{}, map[string]int{}
	for i, line := range lines {
		at[line], count[line] = i, count[line]+1
	}
	for line, n := range count {
		if n > 1 {
			delete(at, line)
		}
	}
	return at
}

// slide moves insertions and deletions up for as long as they give the same
// text. Between equal lines (a paragraph with the blank line before or after it)
// there is more than one place for them, and which of them a diff takes depends
// on what else changed.
func slide(from []string, edits []edit) {
	top := 0 // edits do not touch
	for i := range edits {
		for edits[i].start > top && edits[i].slide(from) {
		}
		top = edits[i].end + 1
	}
}

// slide moves an edit up by a line, if it gives the same text there.
func (e *edit) slide(from []string) bool {
	before, last := from[e.start-1], len(e.lines)-1
	switch {
	case last < 0 && from[e.end-1] == before:
	case e.start == e.end && e.lines[last] == before:
		e.lines = slices.Concat([]string{before}, e.lines[:last])
	default:
		return false
	}
	e.start, e.end = e.start-1, e.end-1
	return true
}

// join ends every line with a newline; split undoes it.
func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
