package web

import (
	"net/http"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// proposalID reads {id}. What cannot be an id is not found, like one that is
// none.
func (v *visit) proposalID() (memory.ProposalID, error) {
	id := v.Param("id")
	if !opaque(id) {
		return "", memory.NotFound("proposal")
	}
	return memory.ProposalID(id), nil
}

// proposal shows one proposal beside the queue.
func (c *Console) proposal(v *visit) error {
	return c.showProposal(v, http.StatusOK, flash(v.query["done"]), view.RejectForm{})
}

func (c *Console) showProposal(v *visit, status int, said *view.Notice, form view.RejectForm) error {
	id, err := v.proposalID()
	if err != nil {
		return err
	}
	found, err := c.service.Proposal(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	q, err := c.queue(v, tabOf(found.Proposal, v.who), "", "")
	if err != nil {
		return err
	}
	open := v.opened(found)
	if open.Device, err = v.device(found.Device); err != nil {
		return err
	}
	if found.Action == memory.ActionPut && found.BaseRev == 0 {
		open.Lints = append(open.Lints, v.numbered(open.Path)...)
	}
	open.Reject = form
	f := v.frame(view.SectionReview)
	f.Flash = said
	return v.page(status, view.ReviewPage(f, view.Review{Queue: q, Open: &open}))
}

// tabOf is where the viewer finds a proposal.
func tabOf(p memory.Proposal, who memory.Principal) view.Tab {
	switch {
	case p.Author.Member == who.Member:
		return view.TabMine
	case p.State != memory.ProposalPending:
		return view.TabDone
	}
	return view.TabPending
}

// opened is a proposal on its page.
func (v *visit) opened(p memory.ProposalView) view.Proposal {
	mine, pending := p.Author.Member == v.who.Member, p.State == memory.ProposalPending
	open := view.Proposal{
		QueueRow: v.queueRow(p.Proposal), EntryID: string(p.EntryID), Description: p.Description,
		Mode: view.ParseMode(v.query["view"], view.ModeUnified), BaseRev: p.BaseRev, Sum: p.Sum.String(), Size: p.Size,
		Note: p.Note, RuleSet: p.RuleSet, Block: block(p, v.project.Role, v.who),
		MayReject:   pending && !mine && v.project.Role >= memory.RoleReviewer,
		MayWithdraw: pending && mine && v.project.Role >= memory.RoleContributor,
		Decision:    decision(p.Proposal), Risks: risks(p.Risks),
	}
	if p.Head != nil {
		open.HeadRev = p.Head.Rev
		if pending {
			open.EntryID = string(p.Head.ID) // of one that would be new: whatever took its path meanwhile
		}
	}
	if p.Base != nil {
		open.Old = string(p.Base.Content)
	}
	switch p.Action {
	case memory.ActionPut:
		open.New = string(p.Content)
		open.Lints = lints(memory.Revision{Path: p.Path, Content: p.Content, At: p.At})
	case memory.ActionMove:
		open.New = open.Old
	default: // a delete leaves nothing
	}
	if p.Purged {
		return withoutText(open, p.Erased)
	}
	return open
}

// withoutText is a proposal whose text was purged.
func withoutText(open view.Proposal, e memory.Erasure) view.Proposal {
	open.Purge, open.Old, open.New, open.Lints, open.Risks = purge(e), "", "", nil, nil
	if open.Decision != nil && open.Decision.At.Equal(e.At) {
		open.Decision = nil // the purge closed it
	}
	return open
}

// block says why the viewer cannot approve.
func block(p memory.ProposalView, role memory.Role, who memory.Principal) view.Block {
	switch {
	case role < memory.RoleReviewer:
		return view.BlockRole
	case p.Author.Member == who.Member:
		return view.BlockSelf
	case p.Moved:
		return view.BlockMoved
	}
	return view.BlockNone
}

// seen reads what was on the person's screen.
func (v *visit) seen() (memory.Seen, error) {
	sum, err := memory.ParseHash(v.form["sha256"])
	if err != nil {
		return memory.Seen{}, memory.Invalid("sha256", "this is the hash of the proposed text")
	}
	seen := memory.Seen{Sum: sum}
	if base := v.form["base_rev"]; base != "0" {
		if seen.BaseRev, err = number("base_rev", base); err != nil {
			return memory.Seen{}, err
		}
	}
	return seen, nil
}

// approve publishes a proposal.
func (c *Console) approve(v *visit) error {
	id, err := v.proposalID()
	if err != nil {
		return err
	}
	seen, err := v.seen()
	if err != nil {
		return err
	}
	if _, err = c.service.Approve(v.ctx(), v.who, v.project.ID, id, seen); err != nil {
		return c.undecided(v, err)
	}
	return v.redirect(view.ReviewURL + "?done=approved")
}

// reject turns a proposal down, with a reason that its author is told.
func (c *Console) reject(v *visit) error {
	id, err := v.proposalID()
	if err != nil {
		return err
	}
	seen, err := v.seen()
	if err != nil {
		return err
	}
	reason, note := memory.Reason(v.form["reason"]), v.form["note"]
	if _, err = c.service.Reject(v.ctx(), v.who, v.project.ID, id, seen, reason, note); err != nil {
		return c.undecided(v, err)
	}
	return v.redirect(view.ReviewURL + "?done=rejected")
}

// withdraw takes the viewer's own proposal back.
func (c *Console) withdraw(v *visit) error {
	id, err := v.proposalID()
	if err != nil {
		return err
	}
	if _, err := c.service.Withdraw(v.ctx(), v.who, v.project.ID, id); err != nil {
		return c.undecided(v, err)
	}
	return v.redirect(view.QueueURL(view.TabMine, "", "") + "&done=withdrawn")
}

// undecided shows the proposal again, as it stands now, with why the decision
// did not count. What was typed is kept.
func (c *Console) undecided(v *visit, err error) error {
	e := describe(err)
	form := view.RejectForm{Reason: v.form["reason"], Note: v.words(e, "note")}
	said := &view.Notice{Tone: view.ToneWarn, Title: sentence(e.Message), Text: sentence(e.Hint)}
	switch status(e) {
	case http.StatusConflict:
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		if e.Field == "reason" || e.Field == "note" {
			form.Error, said = sentence(e.Message), nil
		}
	default:
		return err
	}
	v.problem = e.Code
	return c.showProposal(v, status(e), said, form)
}
