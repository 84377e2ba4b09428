package memory

import (
	"context"
	"time"
)

// Part is one of the lists in which people find proposals.
type Part string

// The parts of the queue, over all projects of a member.
const (
	PartPending Part = "pending" // of others, where the member may decide; oldest first
	PartMine    Part = "mine"    // the member's own, newest first
	PartDone    Part = "done"    // decided, where the member may decide; the last decision first
)

// QueueQuery asks for a page of one part of the queue.
type QueueQuery struct {
	Part    Part
	Project ProjectID      // "" for all
	After   ProposalCursor // see Proposal.Place
	Limit   int
}

// Place is where the proposal stands in a part of the queue.
func (p Proposal) Place(in Part) ProposalCursor {
	at := p.At
	if in == PartDone && p.Decision != nil {
		at = p.Decision.At
	}
	return ProposalCursor{at.Truncate(time.Microsecond), p.ID}
}

// Queue lists proposals of all projects of the principal, without their
// contents.
func (s *Service) Queue(ctx context.Context, who Principal, q QueueQuery) ([]Proposal, error) {
	seen, err := s.Overviews(ctx, who)
	if err != nil {
		return nil, err
	}
	var projects []ProjectID
	for _, o := range seen {
		decides := o.Role >= minimumRole(ScopeReview) && who.Can(ScopeReview)
		if (q.Project == "" || q.Project == o.ID) && (decides || q.Part == PartMine) {
			projects = append(projects, o.ID)
		}
	}
	if len(projects) == 0 {
		return nil, nil
	}
	q.Limit = s.limits.page(q.Limit)
	return s.store.Queue(ctx, projects, who.Member, q)
}
