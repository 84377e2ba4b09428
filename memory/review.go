package memory

import "context"

var errUnfinished = &Error{Code: CodeUnavailable, Message: "review is being built"}

// Proposals lists proposals of the project, newest first and without their
// contents. Reviewers and up see all of them, others their own.
func (s *Service) Proposals(ctx context.Context, who Principal, project ProjectID, q ProposalQuery) ([]Proposal, error) {
	return nil, errUnfinished
}

// Proposal returns one proposal with its content, and what it would replace.
// Somebody else's is not found unless the principal is a reviewer or higher.
func (s *Service) Proposal(ctx context.Context, who Principal, project ProjectID, id ProposalID) (ProposalView, error) {
	return ProposalView{}, errUnfinished
}

// Approve publishes a proposal as its author's revision. Nobody approves their
// own, and no API token approves anything. The text passes the gate again, and
// what it is based on must still be the head: else the proposal stays pending
// and the error says why, CodeChanged if somebody was faster.
func (s *Service) Approve(ctx context.Context, who Principal, project ProjectID, id ProposalID, seen Seen) (Proposal, error) {
	return Proposal{}, errUnfinished
}

// Reject closes a proposal; the author is told reason and note. The reason
// other needs a note.
func (s *Service) Reject(
	ctx context.Context, who Principal, project ProjectID, id ProposalID, seen Seen, reason Reason, note string,
) (Proposal, error) {
	return Proposal{}, errUnfinished
}

// Withdraw takes a proposal back. Only its author can.
func (s *Service) Withdraw(ctx context.Context, who Principal, project ProjectID, id ProposalID) (Proposal, error) {
	return Proposal{}, errUnfinished
}
