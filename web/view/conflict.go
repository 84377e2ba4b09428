package view

import "time"

// Conflicts lists the texts of a project that could not be merged.
type Conflicts struct {
	Project  Project
	Rows     []ConflictRow
	After    string // cursor of the next page; "" for none
	Everyone bool   // whose text it is, too: who decides sees all
}

// ConflictRow is one of them in a list.
type ConflictRow struct {
	ID     string
	Path   string
	Author string
	Mine   bool // the viewer's own
	At     time.Time
}

// Conflict is one text that could not be merged, beside what the server has.
type Conflict struct {
	ConflictRow
	Project    Project
	Device     string
	Size       int
	BaseRev    int64  // that it was written over; 0: not known
	EntryID    string // of what is there now; "": nothing is
	HeadPath   string // of that: it may have moved since
	HeadRev    int64  // of that, sent back as "base_rev"; 0: nothing is
	Gone       bool   // the entry is deleted, or never was
	Theirs     string // the server's text
	Ours       string // the one that lost
	MayResolve bool
	Waits      bool // the project's preset holds what is written for review
	Resolution *Resolution
	Purge      *Purge // its text is gone for good
}

// Resolution is how a conflict was closed.
type Resolution struct {
	How      string // as package memory names it
	By       string
	At       time.Time
	EntryID  string // of the revision that the text became
	Rev      int64
	Proposal string // that the text became
}

// texts are where both texts are shown in full.
func (p Conflict) texts() (list []textLink) {
	if !p.Gone {
		list = append(list, textLink{"The server's text, " + rev(p.HeadRev), RevisionURL(p.Project.ID, p.EntryID, p.HeadRev)})
	}
	return append(list, textLink{"The text that lost", ConflictRawURL(p.Project.ID, p.ID)})
}

// heading says what was done.
func (r Resolution) heading() string {
	if r.Proposal != "" {
		return "Resolved: what came of it goes to a reviewer first"
	}
	switch r.How {
	case "theirs":
		return "Resolved: the server's text stays"
	case "ours":
		return "Resolved: this text was taken"
	case "both":
		return "Resolved: both texts are kept"
	case "merged":
		return "Resolved: a text was made of both"
	}
	return "Resolved on its author's computer"
}
