package memory

import "context"

// Proposals lists proposals of the project, newest first and without their
// contents. Reviewers and up see all of them, others their own.
func (s *Service) Proposals(ctx context.Context, who Principal, id ProjectID, q ProposalQuery) ([]Proposal, error) {
	view, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return nil, err
	}
	if !view.narrow(who, &q.Author) {
		return nil, nil
	}
	q.Limit = s.limits.page(q.Limit)
	return s.store.Proposals(ctx, id, q)
}

// Proposal returns one proposal with its content, and what it would replace.
// Somebody else's is not found unless the principal is a reviewer or higher.
func (s *Service) Proposal(ctx context.Context, who Principal, id ProjectID, proposal ProposalID) (ProposalView, error) {
	view, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return ProposalView{}, err
	}
	p, err := s.visible(ctx, who, view, proposal)
	if err != nil {
		return ProposalView{}, err
	}
	v := ProposalView{Proposal: p}
	if p.Purged {
		if v.Erased, err = s.store.Erasure(ctx, id, string(p.ID)); err != nil {
			return ProposalView{}, err
		}
	}
	if !p.Creates {
		base, err := s.revision(ctx, id, p.EntryID, p.BaseRev)
		if err != nil {
			return ProposalView{}, err
		}
		if veiled(view.Role, base) == nil {
			v.Base = &base
		}
	}
	if v.Head, err = s.headOf(ctx, p); err != nil {
		return ProposalView{}, err
	}
	v.Moved = p.State == ProposalPending && !p.stands(v.Head)
	return v, nil
}

// visible returns a proposal that the principal may see.
func (s *Service) visible(ctx context.Context, who Principal, view ProjectView, id ProposalID) (Proposal, error) {
	p, err := s.store.Proposal(ctx, view.ID, id)
	if err != nil {
		return Proposal{}, err
	}
	if !view.shows(who, p.Author.Member) {
		return Proposal{}, NotFound("proposal")
	}
	return p, nil
}

// headOf returns what is there now of the entry that a proposal is about, or
// in its place; nil if nothing is.
func (s *Service) headOf(ctx context.Context, p Proposal) (*Entry, error) {
	if !p.Creates {
		head, err := s.store.Entry(ctx, p.Project, p.EntryID)
		return &head, err
	}
	head, err := s.store.EntryAt(ctx, p.Project, p.Path)
	if err != nil {
		return nil, orNothing(err)
	}
	return &head, nil
}

// orNothing forgives that something is not there.
func orNothing(err error) error {
	if CodeOf(err) == CodeNotFound {
		return nil
	}
	return err
}

// stands reports whether the head is what the proposal was judged against.
func (p Proposal) stands(head *Entry) bool {
	if p.Creates {
		return head == nil
	}
	return head.Rev == p.BaseRev && head.Sum == p.BaseSum
}
