package view

import (
	"strings"
	"time"
)

// Mode is how a text is shown.
type Mode string

// The modes. Source opens first, since rendering hides things.
const (
	ModeUnified  Mode = "unified" // proposals only
	ModeRaw      Mode = "raw"
	ModeRendered Mode = "rendered"
)

// ParseMode reads the query "view"; anything unknown gives the first mode.
func ParseMode(s string, first Mode) Mode {
	switch m := Mode(s); m {
	case ModeUnified, ModeRaw, ModeRendered:
		return m
	}
	return first
}

// Entries is the list of a project's entries, with its folders beside it.
type Entries struct {
	Project Project
	Filter  EntryFilter
	Folders []Folder
	Rows    []EntryRow
	Total   int    // of entries in the project
	Matches int    // of entries that the filter leaves
	After   string // cursor of the next page; "" for none

	Conflicts int // that are open and that the viewer sees; [ManyConflicts] or more are not counted
	Findings  int // that are not done with and that the viewer sees
}

// ManyConflicts is up to where open conflicts are counted.
const ManyConflicts = 100

// conflicts says how many texts wait for a decision; "" for none.
func (p Entries) conflicts() string {
	switch {
	case p.Conflicts == 0:
		return ""
	case p.Conflicts >= ManyConflicts:
		return "many conflicts"
	}
	return count(p.Conflicts, "conflict", "conflicts")
}

// EntryFilter says which entries are listed: the form sends "kind" and "prefix".
type EntryFilter struct {
	Kind   string // "" for all
	Prefix string // path prefix, a folder ends in "/"
}

// IsZero reports whether the filter leaves everything.
func (f EntryFilter) IsZero() bool { return f == EntryFilter{} }

// EntryRow is one entry in a list.
type EntryRow struct {
	ID          string
	Path        string
	Name        string
	Description string
	Kind        string
	Author      string
	At          time.Time
	Size        int
	Rev         int64
	Stale       bool
}

// Entry is one entry, at its newest revision or an older one.
type Entry struct {
	Project     Project
	ID          string
	Path        string
	Name        string
	Description string
	Kind        string
	Mode        Mode
	Content     string
	Size        int
	Rev         int64 // shown
	Head        int64 // newest; Rev when the newest is shown
	Deleted     bool  // the newest revision is a delete
	Author      string
	Agent       Agent
	Device      string
	Note        string
	At          time.Time
	Lints       []Lint
	Risks       []Risk
	MayWrite    bool       // the viewer may restore
	Folders     []Folder   // of the project, opened at this entry's
	Siblings    []EntryRow // the nearest entries of the same folder
	Below       int        // entries in that folder and below
	Waiting     []QueueRow // open proposals for this entry that the viewer can see
}

// Lint is one remark about a text.
type Lint struct {
	Rule    string
	Line    int // from 1; 0 for the whole text
	Message string
}

// kinds are those of a filter.
func kinds() []string { return []string{"project", "feedback", "reference", "user"} }

// modeLink is one choice of how a text is shown.
type modeLink struct {
	label   string
	address string
	current bool
}

// modes are the choices of an entry's page.
func (p Entry) modes() []modeLink {
	link := func(label string, m Mode) modeLink {
		address := EntryURL(p.Project.ID, p.ID)
		switch {
		case p.Rev != p.Head:
			address = withQuery(RevisionURL(p.Project.ID, p.ID, p.Rev), "view", string(m))
		case m != ModeRaw:
			address = EntryModeURL(p.Project.ID, p.ID, m)
		}
		return modeLink{label, address, p.Mode == m}
	}
	return []modeLink{link("Raw", ModeRaw), link("Rendered", ModeRendered)}
}

// rawURL is the download of the text that is shown.
func (p Entry) rawURL() string {
	if p.Rev == p.Head && !p.Deleted {
		return RawURL(p.Project.ID, p.ID)
	}
	return withQuery(RawURL(p.Project.ID, p.ID), "rev", revision(p.Rev))
}

// mostWaiting and mostRemarks are how many of each an entry's page lists.
const (
	mostWaiting = 10
	mostRemarks = 100
)

// folderOf is the folder of a path, as a prefix.
func folderOf(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }
