package view

import "time"

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
	Block       Block     // why the viewer cannot approve
	MayReject   bool      // and see the form for it
	MayWithdraw bool      // it is the viewer's own
	Decision    *Decision // nil while it waits
	Reject      RejectForm
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
