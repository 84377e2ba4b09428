package view

import (
	"strconv"
	"strings"
	"time"
)

// FindingTab is one part of the list of findings: whose turn it is.
type FindingTab string

// The tabs, as package memory names the parts.
const (
	FindingsOpen      FindingTab = "open"
	FindingsRequested FindingTab = "requested"
	FindingsDone      FindingTab = "done"
)

// ParseFindingTab reads the query "tab"; anything unknown gives what is open.
func ParseFindingTab(s string) FindingTab {
	if t := FindingTab(s); t == FindingsRequested || t == FindingsDone {
		return t
	}
	return FindingsOpen
}

// Findings is the list of findings, and beside it the one that is open, if any.
type Findings struct {
	List FindingList
	Open *Finding
}

// FindingList is one tab.
type FindingList struct {
	Tab       FindingTab
	Opened    int       // how many are open
	Requested int       // how many wait for a maintainer
	Everyone  bool      // in at least one project also those of others
	Project   Project   // the only one listed; zero for all
	Projects  []Project // to choose from
	Rows      []FindingRow
	After     string // cursor of the next page; "" for none
	RuleSet   string // by which texts are scanned
	Rescans   []Rescan
}

// Rescan is how far a look at what is stored has come in a project.
type Rescan struct {
	Project Project
	Seq     int64 // of the changes
	Goal    int64
}

// FindingRow is one finding in a list.
type FindingRow struct {
	Project  Project
	ID       string
	Path     string // "": it is not told
	Rule     string
	Hard     bool // nobody can allow it
	State    FindingState
	Stored   bool   // the text was, and is taken back
	Held     string // a proposal or conflict that has it, by its id; "": there is none
	Withheld string // where words stood that had it; "": none did
	Author   string
	Mine     bool // the viewer's own
	At       time.Time
}

// FindingState says what became of a finding, as package memory names it.
type FindingState string

// The states.
const (
	FindingOpen      FindingState = "open"
	FindingRequested FindingState = "requested"
	FindingAllowed   FindingState = "allowed"
	FindingDenied    FindingState = "denied"
	FindingExpired   FindingState = "expired"
	FindingCompleted FindingState = "completed"
	FindingResolved  FindingState = "resolved"
)

// title is the name of the page for the browser.
func (p Findings) title() string {
	if p.Open == nil {
		return title("Findings")
	}
	return title(p.Open.name(), "Findings")
}

// class says whether a narrow screen shows the list or the finding.
func (p Findings) class() string {
	if p.Open == nil {
		return "listed queue"
	}
	return "listed open"
}

func (p Findings) openID() string {
	if p.Open == nil {
		return ""
	}
	return p.Open.ID
}

// name is the path, or what stands for one that is not told.
func (r FindingRow) name() string {
	if r.Path == "" {
		return "A name or note"
	}
	return r.Path
}

// empty says that there is nothing in a tab.
func (l FindingList) empty() string {
	switch l.Tab {
	case FindingsRequested:
		return "Nobody asks for an exception."
	case FindingsDone:
		return "Nothing was allowed or taken care of yet."
	case FindingsOpen:
	}
	return "No secret is in what anybody wanted to share, or shared."
}

// scanned says how far a re-scan is.
func (r Rescan) scanned() string {
	if r.Goal <= r.Seq { // then come proposals and conflicts
		return "the last of it"
	}
	return strconv.FormatInt(r.Seq, 10) + " of " + count(int(r.Goal), "change", "changes")
}

// mostRescans is how many projects are named that are looked at again.
const mostRescans = 5

// label says where a finding stands.
func (s FindingState) label() string {
	switch s {
	case FindingRequested:
		return "exception asked for"
	case FindingCompleted:
		return "shared by exception"
	case FindingResolved:
		return "taken care of"
	case FindingOpen, FindingAllowed, FindingDenied, FindingExpired:
	}
	return string(s)
}

// tone is the colour of a state.
func (s FindingState) tone() Tone {
	switch s {
	case FindingDenied:
		return ToneNo
	case FindingAllowed, FindingCompleted, FindingResolved:
		return ToneOK
	case FindingRequested, FindingExpired:
		return ToneWarn
	case FindingOpen:
	}
	return ToneInfo
}

// severity says whether a finding can be allowed.
func (r FindingRow) severity() string {
	if r.Hard {
		return "always a secret"
	}
	return "perhaps a secret"
}

// heldURL is the page of the text that the server keeps.
func (r FindingRow) heldURL() string {
	if strings.HasPrefix(r.Held, "cnf_") {
		return ConflictURL(r.Project.ID, r.Held)
	}
	return ProposalURL(r.Project.ID, r.Held)
}

// tone is the colour of a severity.
func (r FindingRow) tone() Tone {
	if r.Hard {
		return ToneNo
	}
	return ToneInfo
}
