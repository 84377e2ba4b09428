package client

import (
	"time"

	"github.com/teammem/teammem/memory"
)

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
