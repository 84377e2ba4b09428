package api

import (
	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// proposals lists what waits for review, or did, newest first.
func (a *API) proposals(c *call) error {
	q, err := proposalQuery(c)
	if err != nil {
		return err
	}
	found, err := a.service.Proposals(c.ctx(), c.who, c.project, q)
	if err != nil {
		return err
	}
	cursor := func(row memory.Proposal) string { return timeCursor(row.At, row.ID) }
	return c.json(wire.NewPage(found, wire.NewProposal, next(found, q.Limit, cursor)))
}

func proposalQuery(c *call) (p memory.ProposalQuery, err error) {
	if state, given := c.query["state"]; given {
		if p.State, err = memory.ParseProposalState(state); err != nil {
			return p, err
		}
	}
	if p.Author, err = c.author(); err != nil {
		return p, err
	}
	if p.Limit, err = pageSize(c.query); err != nil {
		return p, err
	}
	p.After.At, p.After.ID, err = after(c.query, wire.ParseProposalID)
	return p, err
}

// proposal answers with one proposal and what it would replace.
func (a *API) proposal(c *call) error {
	id, err := wire.ParseProposalID(c.Param("id"))
	if err != nil {
		return err
	}
	view, err := a.service.Proposal(c.ctx(), c.who, c.project, id)
	if err != nil {
		return err
	}
	return c.texts(wire.NewProposalView(view))
}

// decide approves or rejects a proposal.
func (a *API) decide(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	id, err := wire.ParseProposalID(c.Param("id"))
	if err != nil {
		return err
	}
	var req wire.Decide
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	seen, reason, note, err := req.Domain()
	if err != nil {
		return err
	}
	var p memory.Proposal
	if reason == "" {
		p, err = a.service.Approve(c.ctx(), c.who, c.project, id, seen)
	} else {
		p, err = a.service.Reject(c.ctx(), c.who, c.project, id, seen, reason, note)
	}
	if err != nil {
		return err
	}
	return c.json(wire.NewProposal(p))
}

// withdraw takes the caller's own proposal back.
func (a *API) withdraw(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	id, err := wire.ParseProposalID(c.Param("id"))
	if err != nil {
		return err
	}
	p, err := a.service.Withdraw(c.ctx(), c.who, c.project, id)
	if err != nil {
		return err
	}
	return c.json(wire.NewProposal(p))
}
