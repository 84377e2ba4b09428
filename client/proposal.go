package client

import (
	"time"

	"github.com/teammem/teammem/memory"
)

// proposal is what the client remembers of a change that the server keeps for a
// reviewer: what it was asked for, and from what state of the entry.
type proposal struct {
	ID      memory.ProposalID
	Action  memory.Action
	Path    memory.Path    // of the file; of a delete, where it was
	From    memory.Path    // of a move: the entry's name
	Entry   memory.EntryID // "" for a new file
	Sum     memory.Hash    // of the text that was offered; zero for a delete
	Text    memory.Hash    // its hash without BOM and line-end style
	BaseRev int64          // the entry's newest revision then
	State   memory.ProposalState
	At      int64 // ns since 1970, server time: when it was proposed, then when it was decided
	By      string
	Reason  memory.Reason
	Note    string
	Undone  bool // a delete or move that ended without being published: the tree is as before
}

// Waiting is one change of the member's that needs a reviewer's yes: the server
// keeps it as a proposal, and team-mates do not see it. What the member has in
// the tree stays as it is. Path, By and Note are foreign text: show them quoted.
type Waiting struct {
	Path     memory.Path // of the file; of a delete, where it was
	From     memory.Path // of a rename: the name that team-mates see
	Action   memory.Action
	Proposal memory.ProposalID
	State    memory.ProposalState // pending, or how it ended: then it is not offered again until it changes
	Reason   memory.Reason        // of a rejection
	Note     string               // what the reviewer had to say
	By       string               // who decided
	At       time.Time            // when it was proposed; once it was decided, when that was
	New      bool                 // it is decided, which was not known before this run
}

// shownFor is how long a rejected delete or rename, which leaves no trace in
// the tree, is listed.
const shownFor = 7 * 24 * time.Hour

func (p *proposal) pending() bool { return p.State == memory.ProposalPending }

// undoable reports whether the change is taken back if it is not published. A
// text stays; but an entry that team-mates have is not kept from the member, or
// under another name.
func (p *proposal) undoable() bool { return p.Action != memory.ActionPut }

// rivals reports whether the server has room for only one of the two: an author
// has one proposal an entry, and one a path.
func (p *proposal) rivals(q proposal) bool {
	return p.ID == q.ID || p.Entry != "" && p.Entry == q.Entry || p.Path == q.Path
}

// asks reports whether the two are the same change.
func (p *proposal) asks(q memory.Proposal) bool {
	sum := q.Sum
	if q.Action == memory.ActionDelete {
		sum = memory.Hash{} // the server names the base's
	}
	return p.Action == q.Action && p.Path == q.Path && (p.Action == memory.ActionMove || p.Sum == sum)
}

// askedSum is what the planner compares: of a move or delete the text does not
// count.
func (p *proposal) askedSum() memory.Hash {
	if p.Action != memory.ActionPut {
		return memory.Hash{}
	}
	return p.Sum
}

// listed is how a report tells of it.
func (p *proposal) listed(isNew bool) Waiting {
	return Waiting{
		Path: p.Path, From: p.From, Action: p.Action, Proposal: p.ID, State: p.State, Reason: p.Reason, Note: p.Note, By: p.By,
		At: origin{at: p.At}.time(), New: isNew,
	}
}
