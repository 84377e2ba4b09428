package memory

import "time"

// MaxTeamIndex is the longest generated index, in UTF-16 units. An agent puts
// longer texts of a hook aside instead of reading them.
const MaxTeamIndex = 9000

// IndexInput is what the generated index tells an agent about a team's memory.
type IndexInput struct {
	Project string // its slug
	Folder  string // where the entries are, as the agent can open it
	Total   int    // entries there are; at least those in Entries
	AsOf    time.Time
	Now     time.Time

	Notices []string      // what waits for this member: open conflicts, refusals, proposals
	Changes []IndexChange // since the agent was last told
	Entries []IndexLine   // in any order
	Delta   bool          // only notices and changes
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

// TeamIndex writes the generated index: what an agent is told of a team's
// memory when its session starts. It never has more than budget UTF-16 units,
// nor more than [MaxTeamIndex]. In delta mode it is empty if nothing is new.
func TeamIndex(_ IndexInput, _ int) string { return "" }
