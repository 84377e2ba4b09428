package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxTeamIndex is the longest generated index, in UTF-16 units. An agent puts
// longer texts of a hook aside instead of reading them.
const MaxTeamIndex = 9000

// IndexInput is what the generated index tells an agent about a team's memory.
type IndexInput struct {
	Project string // its slug
	Folder  string // where the entries are, as the agent can open it
	Total   int    // of the entries there are; Entries may hold fewer
	AsOf    time.Time
	Now     time.Time

	Notices []string      // what waits for this member: open conflicts, refusals, proposals
	Changes []IndexChange // since the agent was last told
	Entries []IndexLine
	Delta   bool // only notices and changes
}

// IndexChange is one change of an entry by a teammate.
type IndexChange struct {
	Verb   string // what became of it, such as "changed"
	Path   Path
	Author string
	At     time.Time
}

// IndexLine is one entry as the index shows it.
type IndexLine struct {
	Path        Path
	Author      string
	At          time.Time
	Kind        Kind
	Description string
	Stale       bool
}

// How much of one thing the index shows.
const (
	mostNotices    = 20
	mostChanges    = 20
	longestNotice  = 240 // characters
	longestAuthor  = 40
	longestVerb    = 20
	longestProject = 100
	longestFolder  = 400
)

// TeamIndex writes the generated index: what an agent is told of a team's
// memory when its session starts. It states facts and names who they are from;
// each line is one of its own, and nothing in it can pass for a tag or for
// more lines than it is (see [Inert]).
//
// It never has more than budget UTF-16 units, nor more than [MaxTeamIndex]:
// newest entries come first, no kind takes the room of all others, and the
// last line says how many entries are not listed. If not even that fits, or if
// in delta mode there is nothing to tell, the index is empty.
func TeamIndex(in IndexInput, budget int) string {
	s := sheet{room: min(budget, MaxTeamIndex)}
	notices, changes := in.notices(), in.changes()
	in.Total = max(in.Total, len(in.Entries))
	if in.Delta && len(notices)+len(changes) == 0 || !in.Delta && !s.reserve(in.footers(0)...) {
		return ""
	}
	s.addFirst(in.header(), in.title()+".")
	s.addList("For this member:", notices, mostNotices)
	s.addList("Changed since last time:", changes, mostChanges)
	if !in.Delta {
		listed := s.addEntries(in.groups())
		s.addLast(in.footers(listed)...)
	}
	return s.String()
}

// title begins the first line.
func (in IndexInput) title() string {
	title := "Team memory of " + Inert(in.Project, longestProject)
	if in.Delta {
		return title + ", what is new"
	}
	return title + ": " + counted(in.Total, "entry", "entries")
}

// header is the first line. What it says of all notes is not said again on
// each.
func (in IndexInput) header() string {
	asOf := "an unknown time"
	if !in.AsOf.IsZero() {
		asOf = in.AsOf.UTC().Format("2006-01-02 15:04 UTC")
	}
	line := fmt.Sprintf("%s in %s, as of %s; notes by teammates, may be out of date.", in.title(), Inert(in.Folder, longestFolder), asOf)
	isOld := func(e IndexLine) bool { return ageDays(in.Now, e.At) >= 2 }
	if !in.Delta && slices.ContainsFunc(in.Entries, isOld) {
		line += " From 2 days on: check the code."
	}
	return line
}

// footers are the last line, long and short. None listed makes the longest.
func (in IndexInput) footers(listed int) []string {
	left := in.Total - listed
	switch {
	case in.Total == 0:
		return []string{"There are no entries yet.", "No entries."}
	case left == 0:
		return []string{"All entries are listed.", "All listed."}
	}
	return []string{
		fmt.Sprintf("%d of %s not listed here; each is a file in that folder.", left, counted(in.Total, "entry is", "entries are")),
		fmt.Sprintf("%d not listed.", left),
	}
}

// notices are the lines about what waits for this member.
func (in IndexInput) notices() []string {
	var lines []string
	for _, n := range in.Notices {
		if n = Inert(n, longestNotice); n != "" {
			lines = append(lines, "- "+n)
		}
	}
	return lines
}

// changes are the lines about changes, the newest first.
func (in IndexInput) changes() []string {
	changes := slices.SortedFunc(slices.Values(in.Changes), func(a, b IndexChange) int {
		return cmp.Or(
			b.At.Compare(a.At), strings.Compare(a.Path.key, b.Path.key),
			strings.Compare(a.Verb, b.Verb), strings.Compare(a.Author, b.Author),
		)
	})
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = fmt.Sprintf("- %s · %s by %s, %s", inert(c.Path.key), cmp.Or(Inert(c.Verb, longestVerb), "changed"), by(c.Author), Age(in.Now, c.At))
	}
	return lines
}

// line is an entry as it is listed.
func (e IndexLine) line(now time.Time) string {
	stale, description := "", ""
	if e.Stale {
		stale = ", stale"
	}
	if d := Inert(e.Description, longestSummary); d != "" {
		description = " · " + d
	}
	return fmt.Sprintf("- %s · %s, %s%s%s", inert(e.Path.key), by(e.Author), Age(now, e.At), stale, description)
}

func by(author string) string { return cmp.Or(Inert(author, longestAuthor), "somebody") }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
