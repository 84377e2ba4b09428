package web

import (
	"net/http"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// findingID reads {id}. What cannot be an id is not found, like one that is none.
func (v *visit) findingID() (memory.FindingID, error) {
	id := v.Param("id")
	if !opaque(id) {
		return "", memory.NotFound("finding")
	}
	return memory.FindingID(id), nil
}

// findingForms is what was typed into the forms of a finding.
type findingForms struct {
	ask    view.AskForm
	answer view.AnswerForm
}

// finding shows one finding beside the list.
func (c *Console) finding(v *visit) error {
	return c.showFinding(v, http.StatusOK, flash(v.query["done"]), findingForms{})
}

func (c *Console) showFinding(v *visit, status int, said *view.Notice, forms findingForms) error {
	id, err := v.findingID()
	if err != nil {
		return err
	}
	f, err := c.service.FindingView(v.ctx(), v.who, v.project.ID, id)
	if err != nil {
		return err
	}
	l, err := c.findingList(v, view.FindingTab(f.State.Part()), "", "")
	if err != nil {
		return err
	}
	open := v.openedFinding(f)
	if open.Device, err = v.device(f.Device); err != nil {
		return err
	}
	if open.EntryID == "" && open.Path != "" {
		if open.EntryID, err = v.entryAt(open.Path); err != nil {
			return err
		}
	}
	open.Ask, open.Answer = forms.ask, forms.answer
	frame := v.frame(view.SectionFindings)
	frame.Flash = said
	return v.page(status, view.FindingsPage(frame, view.Findings{List: l, Open: &open}))
}

// entryAt is the entry that has a path now; "" if none has, or may have by the
// rules of today.
func (v *visit) entryAt(path string) (string, error) {
	e, _, err := v.console.service.Entry(v.ctx(), v.who, v.project.ID, path)
	if code := memory.CodeOf(err); code == memory.CodeNotFound || code == memory.CodePathRejected {
		return "", nil
	}
	return string(e.ID), err
}

// openedFinding is a finding on its page.
func (v *visit) openedFinding(f memory.FindingView) view.Finding {
	open := view.Finding{
		FindingRow: v.findingRow(f.Finding), Line: f.Line, Column: f.Column, Excerpt: f.Excerpt, RuleSet: f.RuleSet, FirstAt: f.FirstAt,
		EntryID: string(f.Stored.EntryID), Rev: f.Stored.Rev, MayRead: v.project.Role >= memory.RoleReviewer, Request: allowRequest(f.Request),
	}
	rotation := memory.RotationOf(f.Rule)
	open.Provider, open.Rotation = rotation.Provider, rotation.Steps
	open.Restored = f.Restored
	for _, r := range f.Receivers {
		open.Receivers = append(open.Receivers, view.Receiver{Device: r.Device.Name, Owner: r.Owner.Name, At: r.At, Computers: max(r.Computers, 1)})
	}
	part, writes, maintains := f.State.Part(), v.project.Role >= memory.RoleContributor, v.project.Role >= memory.RoleMaintainer
	open.Block = findingBlock(f, v.project.Role, open.Mine)
	open.MayAsk = open.Mine && writes && part == memory.FindingsOpen && open.Block == view.FindingFree
	open.MayCancel = open.Mine && writes && part == memory.FindingsRequested
	open.MayDecide = !open.Mine && maintains && part == memory.FindingsRequested && open.Block == view.FindingFree
	open.MayResolve = writes && part != memory.FindingsDone
	open.MayRevoke = maintains && exceptionHolds(f.Finding, v.console.options.Dates())
	return open
}

// findingBlock says why there is no way to an exception for the viewer.
func findingBlock(f memory.FindingView, role memory.Role, mine bool) view.FindingBlock {
	part := f.State.Part()
	switch {
	case part == memory.FindingsDone:
		return view.FindingFree
	case f.Hard():
		return view.FindingHard
	case f.Path.IsZero():
		return view.FindingNoText
	case !mine || role < memory.RoleContributor:
		return view.FindingFree
	case !f.Decidable && role >= memory.RoleMaintainer:
		return view.FindingNobody
	case !f.Decidable:
		return view.FindingNoOther
	case part == memory.FindingsRequested && role >= memory.RoleMaintainer:
		return view.FindingOwn
	}
	return view.FindingFree
}

// exceptionHolds reports whether the exception of a finding is in force.
func exceptionHolds(f memory.Finding, now time.Time) bool {
	r := f.Request
	return r != nil && r.Rule != nil && r.Rule.RevokedAt.IsZero() && now.Before(r.Rule.ExpiresAt)
}

func allowRequest(r *memory.AllowRequest) *view.AllowRequest {
	if r == nil {
		return nil
	}
	shown := &view.AllowRequest{Reason: string(r.Reason), Note: r.Note, Paths: r.Glob, At: r.At, ExpiresAt: r.ExpiresAt}
	if d := r.Decision; d != nil {
		shown.Decision = &view.AllowDecision{By: d.By.Name, At: d.At, Note: d.Note}
		if r.Rule != nil {
			shown.Decision.Rule, shown.Decision.ExpiresAt, shown.Decision.RevokedAt = string(r.Rule.ID), r.Rule.ExpiresAt, r.Rule.RevokedAt
		}
	}
	return shown
}
