package memory

import (
	"slices"
	"strings"
	"time"
)

// ConflictID reads "cnf_…". The computer that keeps the text mints it.
type ConflictID string

// NewConflictID mints the identity of a new conflict.
func NewConflictID() ConflictID { return ConflictID(newID("cnf_")) }

// valid reports whether the id, which a client chose, has the form of those
// that are minted here.
func (id ConflictID) valid() bool {
	const prefix, most = "cnf_", 64
	rest, ok := strings.CutPrefix(string(id), prefix)
	return ok && len(rest) <= most-len(prefix) && isWord(rest)
}

// Conflict is a text that could not be merged with the server's. That one is
// in everybody's tree; this one waits, on its author's computer and here, until
// somebody decides. It never changes but for how it was closed.
type Conflict struct {
	ID        ConflictID
	Project   ProjectID
	Path      Path    // where the text was
	EntryID   EntryID // that it was of; "" if that was not known
	BaseRev   int64   // what it was written over; 0: not known
	ServerRev int64   // what it lost to; 0: not known
	Content   []byte  // only [Service.Conflict] reads it
	Sum       Hash    // of the content
	Size      int
	Author    Author
	Device    DeviceID
	RuleSet   string    // that the content passed
	KeptAt    time.Time // by the clock of that computer
	At        time.Time
	Closed    *Resolution // nil while it is open
	Purged    bool        // its text is gone for good
}

// Refuse returns why the text is not kept, nil if it may be: what was purged does
// not come back as a conflict either.
func (c Conflict) Refuse(purged []Certificate) error {
	if slices.ContainsFunc(purged, func(p Certificate) bool { return p.forbids(c.EntryID, c.Path, c.Sum) }) {
		return purgedText()
	}
	return nil
}

// How says what was done about a conflict.
type How string

// The ways to close one. None of them deletes an entry.
const (
	HowTheirs How = "theirs" // the entry stays as it is
	HowOurs   How = "ours"   // the text became the entry's
	HowBoth   How = "both"   // the text became an entry of its own
	HowMerged How = "merged" // a text that somebody made of both became the entry's
	HowLocal  How = "local"  // its author resolved it in the tree; what came of that is in the feed
)

// ParseHow reads the name of a way to close a conflict.
func ParseHow(s string) (How, error) {
	switch h := How(s); h {
	case HowTheirs, HowOurs, HowBoth, HowMerged, HowLocal:
		return h, nil
	}
	return "", Invalid("how", "a conflict is resolved by theirs, ours, both, merged or local")
}

// Resolution is how a conflict was closed.
type Resolution struct {
	By       Author
	At       time.Time
	How      How
	Rev      int64      // that the text became, if it was published
	EntryID  EntryID    // of that revision
	Proposal ProposalID // that the text became, if a reviewer has to see it
}

// Draft is a conflict as a computer reports it: nothing in it has been checked.
type Draft struct {
	ID        ConflictID
	Path      string
	EntryID   EntryID
	BaseRev   int64
	ServerRev int64
	Content   []byte
	Sum       Hash // as the client computed it; zero: not stated
	Device    DeviceID
	KeptAt    time.Time
}

// Resolve is what somebody decides about a conflict.
type Resolve struct {
	How     How
	BaseRev int64  // of ours and merged: the newest revision of the entry that was looked at; 0: there was none
	Content []byte // of merged
	Device  DeviceID
}

// ConflictQuery filters a list of conflicts, newest first. Zero fields do not
// filter.
type ConflictQuery struct {
	Open   bool // only what is open
	Author MemberID
	After  ConflictCursor // the last one of the page before
	Limit  int
}

// ConflictCursor is the place of a conflict in lists.
type ConflictCursor struct {
	At time.Time
	ID ConflictID
}

// ConflictView is a conflict with the texts that it is between.
type ConflictView struct {
	Conflict
	Base   *Revision // that the text was written over; nil: not known
	Head   *Entry    // what is there now of the entry, deleted or not; nil if nothing is
	Theirs *Revision // its newest text; nil if it is deleted, or not there
	Erased Erasure   // of one that is purged
}

// newest is the revision that a decision has to be about.
func (v ConflictView) newest() int64 {
	if v.Head == nil {
		return 0
	}
	return v.Head.Rev
}
