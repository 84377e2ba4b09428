package memory

import (
	"strings"
	"time"
)

// ProposalID reads "prp_…".
type ProposalID string

// NewProposalID mints the identity of a new proposal.
func NewProposalID() ProposalID { return ProposalID(newID("prp_")) }

// ProposalState says what became of a proposal.
type ProposalState string

// The states. All but pending are final.
const (
	ProposalPending    ProposalState = "pending"    // waits for a reviewer
	ProposalPublished  ProposalState = "published"  // approved: a revision in the feed
	ProposalRejected   ProposalState = "rejected"   // a reviewer said no, and why
	ProposalSuperseded ProposalState = "superseded" // its author pushed something else for the entry or path
	ProposalWithdrawn  ProposalState = "withdrawn"  // its author took it back
)

// ParseProposalState reads the name of a state.
func ParseProposalState(s string) (ProposalState, error) {
	switch p := ProposalState(s); p {
	case ProposalPending, ProposalPublished, ProposalRejected, ProposalSuperseded, ProposalWithdrawn:
		return p, nil
	}
	return "", Invalid("state", "a proposal is pending, published, rejected, superseded or withdrawn")
}

// Reason says why a proposal was rejected.
type Reason string

// The reasons.
const (
	ReasonWrong     Reason = "wrong"
	ReasonOutdated  Reason = "outdated"
	ReasonDuplicate Reason = "duplicate"
	ReasonPersonal  Reason = "personal"  // belongs in private memory
	ReasonInjection Reason = "injection" // tries to steer agents
	ReasonSensitive Reason = "sensitive"
	ReasonShape     Reason = "shape"     // too long, badly formed
	ReasonDerivable Reason = "derivable" // the repository says it already
	ReasonOther     Reason = "other"     // the note says what
)

// Reasons returns every reason, in the order in which people are offered them.
func Reasons() []Reason {
	return []Reason{
		ReasonWrong, ReasonOutdated, ReasonDuplicate, ReasonPersonal, ReasonInjection, ReasonSensitive, ReasonShape, ReasonDerivable,
		ReasonOther,
	}
}

// ParseReason reads the name of a reason.
func ParseReason(s string) (Reason, error) {
	var names []string
	for _, r := range Reasons() {
		if string(r) == s {
			return r, nil
		}
		names = append(names, string(r))
	}
	return "", Invalid("reason", "a reason is one of "+strings.Join(names, ", "))
}

// Proposal is a change that waits for a reviewer, or did. It never changes but
// for its state and decision: another text is another proposal.
type Proposal struct {
	ID          ProposalID
	Project     ProjectID
	State       ProposalState
	Action      Action
	Path        Path    // where the entry would be; of a delete, where it is
	Previous    Path    // where the entry was, if it would move; else zero
	EntryID     EntryID // of the entry that is meant, or the identity that a new one would get
	Creates     bool    // the entry would be new
	BaseRev     int64   // the head that it was judged against; 0 if it creates
	BaseSum     Hash    // of that head's content; zero if it creates
	Content     []byte  // of a put; only [Service.Proposal] reads it
	Sum         Hash    // of the content; of a move or delete, the base's
	Size        int
	Kind        Kind
	Name        string
	Description string
	Author      Author
	Device      DeviceID
	Agent       Agent
	Note        string
	RuleSet     string // that the content passed
	Risks       []Risk // of the content
	At          time.Time
	Decision    *ReviewDecision // nil while it is pending
	Purged      bool            // its text is gone for good
	Successor   ProposalID      // of a superseded one: the proposal in its place, if it was one
}

// ReviewDecision is how a proposal ended: who decided, and why. Of one that was
// superseded or withdrawn that is its author.
type ReviewDecision struct {
	By     Author
	At     time.Time
	Reason Reason // of a rejection
	Note   string
	Rev    int64 // of the revision that was published
}

// Seen binds a decision to what was on the reviewer's screen: sum and base of
// the proposal. Of a move or delete the sum is the base's.
type Seen struct {
	Sum     Hash
	BaseRev int64
}

// ProposalQuery filters a list of proposals, newest first. Zero fields do not
// filter.
type ProposalQuery struct {
	State  ProposalState
	Author MemberID
	After  ProposalCursor // the last one of the page before
	Limit  int
}

// ProposalCursor is the place of a proposal in lists.
type ProposalCursor struct {
	At time.Time
	ID ProposalID
}

// ProposalView is a proposal with what it would replace.
type ProposalView struct {
	Proposal
	Base  *Revision // that it was judged against, a delete if it brings an entry back; nil if it creates, or that is not to be read
	Head  *Entry    // what is there now: the entry meant or, of one that creates, whatever has the path; nil if nothing
	Moved bool      // it is pending, and the head is no longer the base

	Erased Erasure // of one that is purged
}
