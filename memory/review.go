package memory

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// Approve publishes a proposal as its author's revision. Nobody approves their
// own, and no API token approves anything. The text passes the gate again, and
// what it is based on must still be the head: else the proposal stays pending
// and the error says why, CodeChanged if somebody was faster.
func (s *Service) Approve(ctx context.Context, who Principal, id ProjectID, proposal ProposalID, seen Seen) (Proposal, error) {
	view, p, err := s.reviewing(ctx, who, id, proposal)
	if err != nil {
		return Proposal{}, err
	}
	if p.State != ProposalPending {
		return decided(p, who, Ending{State: ProposalPublished})
	}
	if seen != (Seen{p.Sum, p.BaseRev}) {
		return Proposal{}, changed("the proposal is not the one that was looked at")
	}
	w, err := s.screen(ctx, id, p.op(view.Head.Cursor()))
	if err == nil && w.Action == ActionMove {
		w, err = s.screenMoved(ctx, id, nil, w)
	}
	if err != nil {
		return Proposal{}, s.refuseApproval(ctx, who, p, err)
	}
	e := s.ending(who, p, ProposalPublished)
	receipt, pending, err := s.store.Publish(ctx, s.bounded(Batch{
		Project: id, Epoch: view.Head.Epoch, By: who, Device: p.Device, Agent: p.Agent, At: e.At, Items: []Item{{Write: w}},
		Approves: Approval{Proposal: p.ID, Author: p.Author.Member},
	}), e)
	switch {
	case err != nil:
		return Proposal{}, err
	case !pending:
		return s.lost(ctx, who, p, e)
	}
	v := receipt.Verdicts[0]
	if v.Ruling != RulingPublished {
		return Proposal{}, s.refuseApproval(ctx, who, p, unpublished(v))
	}
	s.notify.Notify(id, receipt.Head.Cursor())
	return ended(p, who, e, v.Rev), nil
}

// Reject closes a proposal; the author is told reason and note. The reason
// other needs a note.
func (s *Service) Reject(
	ctx context.Context, who Principal, id ProjectID, proposal ProposalID, seen Seen, reason Reason, note string,
) (Proposal, error) {
	_, p, err := s.reviewing(ctx, who, id, proposal)
	if err != nil {
		return Proposal{}, err
	}
	if err := s.checkReason(ctx, reason, note); err != nil {
		return Proposal{}, err
	}
	e := s.ending(who, p, ProposalRejected)
	e.Reason, e.Note, e.Row.Rules = reason, note, []string{string(reason)}
	if p.State != ProposalPending {
		return decided(p, who, e)
	}
	if seen != (Seen{p.Sum, p.BaseRev}) {
		return Proposal{}, changed("the proposal is not the one that was looked at")
	}
	return s.end(ctx, who, p, e)
}

// Withdraw takes a proposal back. Only its author can.
func (s *Service) Withdraw(ctx context.Context, who Principal, id ProjectID, proposal ProposalID) (Proposal, error) {
	view, err := s.enter(ctx, who, id, ScopeWrite)
	if err != nil {
		return Proposal{}, err
	}
	p, err := s.visible(ctx, who, view, proposal)
	if err != nil {
		return Proposal{}, err
	}
	if p.Author.Member != who.Member {
		return Proposal{}, &Error{Code: CodeForbidden, Message: "only its author withdraws a proposal", Hint: "reject it instead"}
	}
	e := s.ending(who, p, ProposalWithdrawn)
	if p.State != ProposalPending {
		return decided(p, who, e)
	}
	return s.end(ctx, who, p, e)
}

// reviewing checks that the principal may decide on the proposal: a reviewer or
// higher, a person and not an API token, and not its author, whoever that is.
func (s *Service) reviewing(ctx context.Context, who Principal, id ProjectID, proposal ProposalID) (ProjectView, Proposal, error) {
	view, err := s.enter(ctx, who, id, ScopeReview)
	if err != nil {
		return ProjectView{}, Proposal{}, err
	}
	if who.Token != "" {
		return ProjectView{}, Proposal{}, &Error{
			Code: CodeForbidden, Message: "an API token decides on nothing", Hint: "decide in the console",
		}
	}
	p, err := s.store.Proposal(ctx, id, proposal)
	if err != nil {
		return ProjectView{}, Proposal{}, err
	}
	if p.Author.Member == who.Member {
		return ProjectView{}, Proposal{}, &Error{
			Code: CodeForbidden, Message: "nobody decides on their own proposal", Hint: "ask another reviewer, or withdraw it",
		}
	}
	return view, p, nil
}

func (s *Service) checkReason(ctx context.Context, reason Reason, note string) error {
	if _, err := ParseReason(string(reason)); err != nil {
		return err
	}
	if reason == ReasonOther && note == "" {
		return Invalid("note", "the reason other needs a note that says what it is")
	}
	if err := s.checkNote(note); err != nil {
		return err
	}
	return s.screenWords(ctx, "note", note)
}

// checkNote refuses a note that is too long.
func (s *Service) checkNote(note string) error {
	if utf8.RuneCountInString(note) > s.limits.Note {
		return Invalid("note", fmt.Sprintf("a note has at most %d characters", s.limits.Note))
	}
	return nil
}

// ending describes how the principal ends the proposal now.
func (s *Service) ending(who Principal, p Proposal, outcome ProposalState) Ending {
	now := s.clock()
	verbs := map[ProposalState]string{
		ProposalPublished: "proposal.approve", ProposalRejected: "proposal.reject", ProposalWithdrawn: "proposal.withdraw",
	}
	row := who.Row(now, verbs[outcome], string(p.ID))
	row.After, row.Decision = p.Sum, string(outcome)
	return Ending{Project: p.Project, Proposal: p.ID, State: outcome, By: who.Member, At: now, Row: row}
}

// end ends a pending proposal, unless somebody else was faster.
func (s *Service) end(ctx context.Context, who Principal, p Proposal, e Ending) (Proposal, error) {
	pending, err := s.store.End(ctx, e)
	switch {
	case err != nil:
		return Proposal{}, err
	case !pending:
		return s.lost(ctx, who, p, e)
	}
	return ended(p, who, e, 0), nil
}

// ended is the proposal afterwards.
func ended(p Proposal, who Principal, e Ending, rev int64) Proposal {
	p.State = e.State
	p.Decision = &ReviewDecision{By: Author{who.Member, who.Name}, At: e.At, Reason: e.Reason, Note: e.Note, Rev: rev}
	return p
}

// lost tells who lost a race how it ended.
func (s *Service) lost(ctx context.Context, who Principal, p Proposal, e Ending) (Proposal, error) {
	p, err := s.store.Proposal(ctx, p.Project, p.ID)
	if err != nil {
		return Proposal{}, err
	}
	return decided(p, who, e)
}

// decided answers who decides on a proposal that is not pending any more. Who
// decided just that before, in the same words, is answered the same again.
func decided(p Proposal, who Principal, e Ending) (Proposal, error) {
	d := p.Decision
	if p.State == e.State && d.By.Member == who.Member && d.Reason == e.Reason && d.Note == e.Note {
		return p, nil
	}
	return Proposal{}, &Error{
		Code: CodeConflict, Message: fmt.Sprintf("already decided: %s by %s", p.State, d.By.Name), Hint: "reload to see how it ended",
	}
}

// op is the change that the proposal asks for, as of now: who approves it has
// seen what is there, deletes included, and that it may be empty.
func (p Proposal) op(now Cursor) Op {
	op := Op{
		Action: p.Action, Path: p.Path.String(), EntryID: p.EntryID, BaseRev: p.BaseRev, BaseSum: p.BaseSum, AbsentAt: now,
		Content: p.Content, AllowEmpty: true, Note: p.Note,
	}
	if p.Action == ActionMove {
		op.Previous = p.Previous.String()
	}
	return op
}

// unpublished says why judging did not publish an approved proposal.
func unpublished(v Verdict) *Error {
	if v.Problem != nil && v.Problem.Code != CodeConflict {
		return v.Problem
	}
	return changed("what the proposal is based on is not what is there now")
}

func changed(message string) *Error {
	return &Error{Code: CodeChanged, Message: message, Hint: "look at it again, and at what is there now"}
}

// refuseApproval puts an approval on record that the gate refused today,
// whatever it said when the change was proposed.
func (s *Service) refuseApproval(ctx context.Context, who Principal, p Proposal, err error) error {
	problem := asError(err)
	if problem == nil || problem.Code == CodeChanged || ctx.Err() != nil {
		return err
	}
	row := who.Row(s.clock(), "proposal.approve", string(p.ID))
	row.Decision, row.Rules = string(RulingRefused), rulesOf(problem)
	if err := s.store.Audit(ctx, row); err != nil {
		return err
	}
	return problem
}
