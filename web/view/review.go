package view

import (
	"strconv"
	"time"
)

// Tab is one part of the review queue.
type Tab string

// The tabs of the queue.
const (
	TabPending Tab = "pending"
	TabMine    Tab = "mine"
	TabDone    Tab = "done"
)

// ParseTab reads the query "tab"; anything unknown gives what is pending.
func ParseTab(s string) Tab {
	if t := Tab(s); t == TabMine || t == TabDone {
		return t
	}
	return TabPending
}

// State is where a proposal stands, as package memory names it.
type State string

// The states of a proposal.
const (
	StatePending    State = "pending"
	StatePublished  State = "published"
	StateRejected   State = "rejected"
	StateSuperseded State = "superseded"
	StateWithdrawn  State = "withdrawn"
)

// Review is the queue, and beside it the proposal that is open, if any.
type Review struct {
	Queue Queue
	Open  *Proposal
}

// Queue is the list of proposals.
type Queue struct {
	Tab       Tab
	Pending   int     // how many there are
	Mine      int     // of the viewer's that are pending
	Project   Project // the only one listed; zero for all
	MayReview bool    // in at least one project: else the tab is the viewer's own
	Rows      []QueueRow
	After     string // cursor of the next page; "" for none
}

// QueueRow is one proposal in a list.
type QueueRow struct {
	Project  Project
	ID       string
	Path     string
	Previous string // of a move
	Name     string
	Kind     string
	Action   Action
	State    State
	Author   string
	Mine     bool // the viewer's own
	Agent    Agent
	At       time.Time
	Reason   string // why it was rejected
}

// Proposal is one change that waits for a reviewer, or did.
type Proposal struct {
	QueueRow
	EntryID     string
	Description string
	Mode        Mode
	Old, New    string // the text it is based on, and the proposed one; "" of a create, of a delete
	BaseRev     int64  // 0 for a create; sent back as "base_rev"
	HeadRev     int64  // where the entry is now; 0: nowhere
	Sum         string // of the proposed text, sent back as "sha256"
	Size        int
	Device      string
	Note        string
	RuleSet     string
	Lints       []Lint
	Risks       []Risk
	Block       Block     // why the viewer cannot approve
	MayReject   bool      // and see the form for it
	MayWithdraw bool      // it is the viewer's own
	Decision    *Decision // nil while it waits
	Reject      RejectForm
	Purge       *Purge // its text is gone for good
}

// Block says why a proposal cannot be approved by the viewer now.
type Block string

// The reasons. A control that a role lacks is absent; one that is merely not
// possible now stays and says why.
const (
	BlockNone  Block = ""
	BlockRole  Block = "role"  // the viewer is no reviewer: no controls
	BlockSelf  Block = "self"  // nobody approves their own
	BlockMoved Block = "moved" // the entry changed since
)

// Decision is what became of a proposal.
type Decision struct {
	State  State
	By     string
	At     time.Time
	Reason string
	Note   string
	Rev    int64  // that was published
	Path   string // on the home page
	Name   string // on the home page
}

// RejectForm is what was typed, shown again with what was wrong.
type RejectForm struct {
	Reason string
	Note   string
	Error  string
}

// title is the name of the page for the browser.
func (p Review) title() string {
	if p.Open == nil {
		return title("Review")
	}
	return title(named(p.Open.Name, p.Open.Path), "Review")
}

// class says whether a narrow screen shows the list or the proposal.
func (p Review) class() string {
	if p.Open == nil {
		return "listed queue"
	}
	return "listed open"
}

func (p Review) openID() string {
	if p.Open == nil {
		return ""
	}
	return p.Open.ID
}

// waiting says how many wait: of the viewer's own, who decides nowhere.
func (q Queue) waiting() string {
	if !q.MayReview {
		return strconv.Itoa(q.Mine) + " of yours pending"
	}
	return strconv.Itoa(q.Pending) + " pending"
}

// empty says that there is nothing in a tab.
func (q Queue) empty() string {
	switch q.Tab {
	case TabMine:
		return "Nothing of yours waits or was decided lately."
	case TabDone:
		return "Nothing was decided yet."
	case TabPending:
	}
	return "Nothing waits. New proposals appear here."
}

// shown is the text that Raw and Rendered show: the proposed one, or of a
// delete the one that goes.
func (p Proposal) shown() string {
	if p.Action == ActionDelete {
		return p.Old
	}
	return p.New
}

// texts are where both texts of the proposal are shown in full.
func (p Proposal) texts() (list []textLink) {
	if p.BaseRev > 0 && p.Old != "" {
		list = append(list, textLink{"The text of " + rev(p.BaseRev), RevisionURL(p.Project.ID, p.EntryID, p.BaseRev)})
	}
	if p.New != "" {
		list = append(list, textLink{"The proposed text", ProposalModeURL(p.Project.ID, p.ID, ModeRaw)})
	}
	return list
}

// modes are the choices of how a proposal is shown.
func (p Proposal) modes() []modeLink {
	link := func(label string, m Mode) modeLink {
		address := ProposalURL(p.Project.ID, p.ID)
		if m != ModeUnified {
			address = ProposalModeURL(p.Project.ID, p.ID, m)
		}
		return modeLink{label, address, p.Mode == m}
	}
	return []modeLink{link("Changes", ModeUnified), link("Rendered", ModeRendered), link("Raw", ModeRaw)}
}

// why explains a control that cannot be used.
func (p Proposal) why() string {
	switch p.Block {
	case BlockSelf:
		return "This is your own proposal. Somebody else has to approve it."
	case BlockMoved:
		return "The entry changed, so this cannot be approved as it is. The author's next sync brings it up to date."
	case BlockNone, BlockRole:
	}
	return ""
}

// heading is the first line of a decision.
func (d Decision) heading() string {
	switch d.State {
	case StatePublished:
		return "Approved"
	case StateRejected:
		return "Rejected"
	case StateSuperseded:
		return "Superseded by a newer proposal"
	case StateWithdrawn:
		return "Withdrawn"
	case StatePending:
	}
	return "Decided"
}

// used reports whether the form comes back with something in it.
func (r RejectForm) used() bool { return r != RejectForm{} }
