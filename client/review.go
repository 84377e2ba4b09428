package client

import (
	"context"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// review is what the server says of the member's own proposals.
type review struct {
	asked bool
	byID  map[memory.ProposalID]memory.Proposal
}

// askReview looks up what became of the proposals that were pending: among
// those that still are, else among all of the member's. It comes before the
// feed is asked, so that whatever was published is in the feed.
func (s *Syncer) askReview(ctx context.Context, known []proposal) (r review, requests int, err error) {
	missing := map[memory.ProposalID]bool{}
	for _, p := range known {
		if p.pending() {
			missing[p.ID] = true
		}
	}
	if len(missing) == 0 {
		return review{}, 0, nil
	}
	r = review{asked: true, byID: map[memory.ProposalID]memory.Proposal{}}
	for _, state := range []memory.ProposalState{memory.ProposalPending, ""} {
		for cursor, more := "", true; more && len(missing) > 0 && requests < maxReviewPages; {
			requests++
			page, next, err := s.server.OwnProposals(ctx, s.link.Project, state, cursor)
			if err != nil && memory.CodeOf(err) == memory.CodeNotFound {
				return review{}, requests, nil // an older server stands in: what waits goes on waiting
			}
			if err != nil {
				return review{}, requests, err
			}
			for _, p := range page {
				r.byID[p.ID] = p
				delete(missing, p.ID)
			}
			cursor, more = next, next != ""
		}
	}
	return r, requests, nil
}

// maxReviewPages bounds what a server can make us ask for; a page has 200.
const maxReviewPages = 200

// takeReview takes in what became of the proposals. A text that was published
// is what both sides have agreed on, whatever came after it on either side.
func (c *cycle) takeReview(r review) {
	if !r.asked {
		return
	}
	kept := c.proposals[:0]
	for _, p := range c.proposals {
		now, known := r.byID[p.ID]
		switch {
		case !p.pending():
		case !known:
			continue // planned anew
		case now.State == memory.ProposalPublished:
			c.approved(p, now)
			continue
		case now.State != memory.ProposalPending:
			c.end(&p, now, r)
		}
		kept = append(kept, p)
	}
	c.proposals = kept
}

func (c *cycle) approved(p proposal, now memory.Proposal) {
	c.notice("%s was approved", p.Path)
	if p.Action == memory.ActionPut && now.Decision != nil {
		c.state.confirm(msync.Base{EntryID: now.EntryID, Path: now.Path, Rev: now.Decision.Rev, Sum: p.Sum, Text: p.Text})
	}
}

// end records that nobody will decide on a proposal any more.
func (c *cycle) end(p *proposal, now memory.Proposal, r review) {
	if next, follows := r.byID[now.Successor]; follows && next.State == memory.ProposalPending && p.asks(next) {
		p.ID = next.ID // another computer of the member's asks for the same
		return
	}
	p.State, c.ended[p.ID] = now.State, true
	if d := now.Decision; d != nil {
		p.By, p.Reason, p.Note = d.By.Name, d.Reason, d.Note
		if d.At.After(never()) {
			p.At = d.At.UnixNano()
		}
	}
}
