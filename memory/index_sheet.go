package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// sheet collects lines as long as there is room for them. Its room is counted
// in UTF-16 units, a newline for each line included.
type sheet struct {
	lines    []string
	room     int
	reserved int // for the last line
}

func cost(line string) int {
	n := 1
	for _, r := range line {
		n += utf16.RuneLen(r)
	}
	return n
}

// add writes a line if there is room for it.
func (s *sheet) add(line string) bool {
	if cost(line) > s.room {
		return false
	}
	s.lines, s.room = append(s.lines, line), s.room-cost(line)
	return true
}

// addFirst writes the first of these lines for which there is room.
func (s *sheet) addFirst(lines ...string) {
	for _, line := range lines {
		if s.add(line) {
			return
		}
	}
}

// reserve keeps room for the first of these last lines that fits.
func (s *sheet) reserve(lines ...string) bool {
	for _, line := range lines {
		if cost(line) <= s.room {
			s.reserved = cost(line)
			s.room -= s.reserved
			return true
		}
	}
	return false
}

// addLast writes a last line into the room that was kept.
func (s *sheet) addLast(lines ...string) {
	s.room += s.reserved
	s.addFirst(lines...)
}

// addList writes a heading and as many of the lines as fit, at most so many,
// and says how many more there are.
func (s *sheet) addList(heading string, lines []string, most int) {
	tail := func(left int) string { return fmt.Sprintf("- and %d more", left) }
	kept := cost(tail(len(lines)))
	s.room -= kept
	left := 0
	if len(lines) > 0 && s.add(heading) {
		left = len(lines)
	}
	for _, line := range lines[:min(most, left)] {
		if s.add(line) {
			left--
		}
	}
	s.room += kept
	if left > 0 {
		s.add(tail(left))
	}
}

// group is the entries of one kind, in the order in which they are listed.
type group struct {
	kind    Kind
	entries []IndexLine
	next    int // the first that was not looked at
	lines   []string
	now     time.Time
}

// groups sorts the entries by kind, and within a kind the newest first. What
// is stale comes last.
func (in IndexInput) groups() []*group {
	byKind := map[Kind][]IndexLine{}
	for _, e := range in.Entries {
		kind, _ := ParseKind(string(e.Kind))
		byKind[kind] = append(byKind[kind], e)
	}
	groups := make([]*group, 0, len(byKind))
	for _, kind := range Kinds() {
		slices.SortFunc(byKind[kind], func(a, b IndexLine) int {
			return cmp.Or(rank(a.Stale)-rank(b.Stale), b.At.Compare(a.At), strings.Compare(a.Path.key, b.Path.key))
		})
		groups = append(groups, &group{kind: kind, entries: byKind[kind], now: in.Now})
	}
	return groups
}

func rank(stale bool) int {
	if stale {
		return 1
	}
	return 0
}

// heading says how many of a kind are listed. All of them makes the longest.
func (g *group) heading(listed int) string {
	return fmt.Sprintf("%s (%d of %d):", g.kind, listed, len(g.entries))
}

// addEntries lists what there is room for, and returns how many that are. In a
// first round each kind may take half of the room that is left, so that many
// of one kind do not hide that there are others.
func (s *sheet) addEntries(groups []*group) (listed int) {
	for _, g := range groups {
		s.room -= g.take(s.room / 2)
	}
	for _, g := range groups {
		s.room -= g.fill(s.room)
	}
	for _, g := range groups {
		if len(g.lines) > 0 {
			s.lines = append(s.lines, g.heading(len(g.lines)))
			s.lines = append(s.lines, g.lines...)
		}
		listed += len(g.lines)
	}
	return listed
}

// take chooses entries until one does not fit, and returns what they cost.
func (g *group) take(room int) (spent int) {
	for g.next < len(g.entries) {
		line := g.entries[g.next].line(g.now)
		price := cost(line)
		if len(g.lines) == 0 {
			price += cost(g.heading(len(g.entries)))
		}
		if spent+price > room {
			return spent
		}
		g.lines, g.next, spent = append(g.lines, line), g.next+1, spent+price
	}
	return spent
}

// fill goes on where take stopped. It leaves out what does not fit, but does
// not look through a whole team's memory for a line that would.
func (g *group) fill(room int) (spent int) {
	const patience = 20
	for misses := 0; g.next < len(g.entries) && misses < patience; misses++ {
		spent += g.take(room - spent)
		g.next++
	}
	return spent
}

func (s *sheet) String() string { return strings.Join(s.lines, "\n") }
