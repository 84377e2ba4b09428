package wire

import (
	"time"

	"github.com/teammem/teammem/memory"
)

// Proposal is a change that waits for a reviewer, or did. Content is there only
// in the answer to GET …/proposals/{id}.
type Proposal struct {
	ID           string  `json:"id"`
	State        string  `json:"state"`
	Op           string  `json:"op"`
	Path         string  `json:"path"`
	PreviousPath string  `json:"previous_path,omitzero"`
	EntryID      string  `json:"entry_id"`
	Creates      bool    `json:"creates"`
	BaseRev      int64   `json:"base_rev"`
	BaseSHA256   string  `json:"base_sha256,omitzero"`
	SHA256       string  `json:"sha256"`
	Size         int     `json:"size"`
	Kind         string  `json:"kind"`
	Name         string  `json:"name"`
	Description  string  `json:"description"`
	Content      *string `json:"content,omitzero"`

	Author  Author    `json:"author"`
	Device  string    `json:"device,omitzero"`
	Agent   Agent     `json:"agent,omitzero"`
	Note    string    `json:"note,omitzero"`
	RuleSet string    `json:"rule_set,omitzero"`
	Risks   []Risk    `json:"risks,omitzero"`
	At      time.Time `json:"at"`

	Decision  *Decision `json:"decision,omitzero"`
	Successor string    `json:"successor,omitzero"`
	Purged    bool      `json:"purged,omitzero"`
}

// Decision is how a proposal ended.
type Decision struct {
	By     Author    `json:"by"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitzero"`
	Note   string    `json:"note,omitzero"`
	Rev    int64     `json:"rev,omitzero"`
}

// NewProposal describes a proposal without its content.
func NewProposal(p memory.Proposal) Proposal {
	w := Proposal{
		ID: string(p.ID), State: string(p.State), Op: string(p.Action), Path: p.Path.String(), PreviousPath: p.Previous.String(),
		EntryID: string(p.EntryID), Creates: p.Creates, BaseRev: p.BaseRev, BaseSHA256: hashText(p.BaseSum), SHA256: hashText(p.Sum),
		Size: p.Size, Kind: string(p.Kind), Name: p.Name, Description: p.Description,
		Author: newAuthor(p.Author), Device: string(p.Device), Agent: newAgent(p.Agent), Note: p.Note, RuleSet: p.RuleSet,
		Risks: newRisks(p.Risks), At: utc(p.At),
		Successor: string(p.Successor), Purged: p.Purged,
	}
	if d := p.Decision; d != nil {
		w.Decision = &Decision{By: newAuthor(d.By), At: utc(d.At), Reason: string(d.Reason), Note: d.Note, Rev: d.Rev}
	}
	return w
}

// Domain returns the proposal, with content if there is some.
func (w Proposal) Domain() (memory.Proposal, error) {
	id, err := ParseProposalID(w.ID)
	if err != nil {
		return memory.Proposal{}, malformed("a proposal without an id")
	}
	p := memory.Proposal{
		ID: id, State: memory.ProposalState(fit(w.State)), EntryID: memory.EntryID(fit(w.EntryID)), Creates: w.Creates,
		BaseRev: w.BaseRev, Size: w.Size, Kind: memory.Kind(fit(w.Kind)), Name: fit(w.Name), Description: fit(w.Description),
		Author: w.Author.Domain(), Device: memory.DeviceID(fit(w.Device)), Agent: w.Agent.served(), Note: fitLines(w.Note), RuleSet: fit(w.RuleSet),
		Risks: risks(w.Risks), At: w.At, Successor: memory.ProposalID(fit(w.Successor)), Purged: w.Purged,
	}
	if d := w.Decision; d != nil {
		p.Decision = &memory.ReviewDecision{By: d.By.Domain(), At: d.At, Reason: memory.Reason(fit(d.Reason)), Note: fitLines(d.Note), Rev: d.Rev}
	}
	return p, w.typed(&p)
}

// typed parses what is more than texts.
func (w Proposal) typed(p *memory.Proposal) (err error) {
	if p.Action, err = action("op", w.Op); err != nil {
		return err
	}
	if p.Path, err = memory.ParseServedPath(w.Path); err != nil {
		return err
	}
	if w.PreviousPath != "" {
		if p.Previous, err = memory.ParseServedPath(w.PreviousPath); err != nil {
			return named("previous_path", err)
		}
	}
	if p.BaseSum, err = optionalHash("base_sha256", w.BaseSHA256); err != nil {
		return err
	}
	if p.Sum, err = hash("sha256", w.SHA256); err != nil || w.Content == nil || w.Purged {
		return err
	}
	p.Content = []byte(*w.Content)
	return checkContent(*w.Content, p.Sum)
}

// ProposalView is the answer to GET …/proposals/{id}: the proposal with its
// content, and what it would replace.
type ProposalView struct {
	Proposal Proposal  `json:"proposal"`
	Base     *Revision `json:"base,omitzero"`
	Head     *Entry    `json:"head,omitzero"`
	Moved    bool      `json:"moved"`
}

// NewProposalView describes a proposal with what it would replace.
func NewProposalView(v memory.ProposalView) ProposalView {
	w := ProposalView{Proposal: NewProposal(v.Proposal), Moved: v.Moved}
	if v.Action == memory.ActionPut && !v.Purged {
		content := string(v.Content)
		w.Proposal.Content = &content
	}
	if v.Base != nil {
		base := NewRevisionContent(*v.Base)
		w.Base = &base
	}
	if v.Head != nil {
		head := NewEntry(*v.Head)
		w.Head = &head
	}
	return w
}

// Decide is the body of POST …/proposals/{id}/decision. Hash and base are those
// of the proposal as it was seen.
type Decide struct {
	Action  string `json:"action"`
	SHA256  string `json:"sha256"`
	BaseRev *int64 `json:"base_rev"`
	Reason  string `json:"reason,omitzero"`
	Note    string `json:"note,omitzero"`
}

// Domain returns what was decided and on what; an approval has no reason.
func (w Decide) Domain() (seen memory.Seen, reason memory.Reason, note string, err error) {
	approves := w.Action == "approve"
	switch {
	case !approves && w.Action != "reject":
		err = memory.Invalid("action", "a decision is approve or reject")
	case w.BaseRev == nil:
		err = missing("base_rev")
	case approves && w.Reason != "":
		err = memory.Invalid("reason", "an approval has no reason")
	case approves && w.Note != "":
		err = memory.Invalid("note", "an approval has no note")
	case !approves:
		if reason, err = memory.ParseReason(w.Reason); err == nil {
			err = checkNote("note", w.Note)
		}
	}
	if err != nil {
		return memory.Seen{}, "", "", err
	}
	sum, err := hash("sha256", w.SHA256)
	return memory.Seen{Sum: sum, BaseRev: *w.BaseRev}, reason, w.Note, err
}

// ParseProposalID checks a proposal's id. What cannot be one is not found.
func ParseProposalID(s string) (memory.ProposalID, error) {
	p, err := id[memory.ProposalID]("proposal", "prp_", s)
	if err != nil || p == "" {
		return "", memory.NotFound("proposal")
	}
	return p, nil
}
