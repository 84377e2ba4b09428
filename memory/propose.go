package memory

import (
	"fmt"
	"slices"
)

// Proposed is one op that [Judge] decided to keep for a reviewer.
type Proposed struct {
	Item     int      // index in the batch
	Proposal Proposal // what judging tells of it; superseded if a later op of the batch took its place
	Write    Write
}

// propose keeps the op for a reviewer. Nothing else of the project changes.
//
// An author has one pending proposal an entry, and one a path. The same change
// sent again is the one that waits already, so that a client which lost the
// answer, or just starts anew, does not fill the queue; another one takes its
// place.
func (c *court) propose(item int, w Write, head *EntryHead, path Path, sum Hash) Verdict {
	p := &Proposed{Item: item, Proposal: proposalOf(c.batch, item, w, head, path, sum), Write: w}
	rivals := c.waiting.rivals(head.ID, path)
	for _, r := range rivals {
		if r.repeats(p.Proposal) {
			return waits(head, r.ID)
		}
	}
	if problem := c.overflows(len(rivals)); problem != nil {
		return refused(w.EntryID, problem)
	}
	c.replace(rivals, p.Proposal.ID)
	c.queued.All++
	c.queued.Own++
	c.waiting.add(&p.Proposal)
	c.proposed = append(c.proposed, p)
	return waits(head, p.Proposal.ID)
}

// proposalOf describes the op as a proposal, but for what the batch says once
// for all its ops, the text, and what an entry says of itself whose text stays.
func proposalOf(b Batch, item int, w Write, head *EntryHead, path Path, sum Hash) Proposal {
	p := Proposal{
		ID: b.Items[item].Proposal, Project: b.Project, State: ProposalPending, Action: w.Action, Path: path, EntryID: head.ID,
		Creates: head.Rev == 0, BaseRev: head.Rev, BaseSum: head.Sum, Sum: sum, Size: head.Size, Note: w.Note, At: b.At,
	}
	if w.Action == ActionPut {
		p.Size, p.RuleSet, p.Risks = w.Content.Size(), w.Content.RuleSet(), w.Risks
		p.Kind, p.Name, p.Description = w.Meta.Kind, w.Meta.Name, w.Meta.Description
	}
	if live := head.Rev > 0 && head.DeletedRev == 0; live && head.Path != path {
		p.Previous = head.Path
	}
	return p
}

// repeats reports whether two proposals of an author ask for the same change.
// A new entry has no identity yet but its path.
func (p *Proposal) repeats(q Proposal) bool {
	return p.Action == q.Action && p.Path == q.Path && p.Previous == q.Previous && p.BaseRev == q.BaseRev && p.BaseSum == q.BaseSum &&
		p.Sum == q.Sum && p.Creates == q.Creates && (p.Creates || p.EntryID == q.EntryID)
}

// waiting are pending proposals of one author, by their entry and by their path
// key: there is one each.
type waiting struct {
	byEntry map[EntryID]*Proposal
	byKey   map[string]*Proposal
}

func (w waiting) add(p *Proposal) { w.byEntry[p.EntryID], w.byKey[p.Path.Skeleton()] = p, p }

func (w waiting) remove(p *Proposal) {
	delete(w.byEntry, p.EntryID)
	delete(w.byKey, p.Path.Skeleton())
}

// rivals returns the proposals for the entry or the path.
func (w waiting) rivals(entry EntryID, path Path) (found []*Proposal) {
	a, b := w.byEntry[entry], w.byKey[path.Skeleton()]
	if a != nil {
		found = append(found, a)
	}
	if b != nil && b != a {
		found = append(found, b)
	}
	return found
}

// replace takes proposals out of the queue. Their author has something else
// now: another proposal or, with "", a revision.
func (c *court) replace(rivals []*Proposal, by ProposalID) {
	for _, r := range rivals {
		r.State, r.Successor = ProposalSuperseded, by
		c.waiting.remove(r)
		c.queued.All--
		c.queued.Own--
		if !slices.ContainsFunc(c.proposed, func(p *Proposed) bool { return &p.Proposal == r }) {
			c.replaced = append(c.replaced, *r)
		}
	}
}

// overflows says why there is no room for one more proposal in the place of so
// many.
func (c *court) overflows(replaced int) *Error {
	switch b := c.batch; {
	case b.Pending > 0 && c.queued.All-replaced >= b.Pending:
		return queueFull(fmt.Sprintf("%d changes already wait for review in this project, which is its limit", b.Pending))
	case b.Own > 0 && c.queued.Own-replaced >= b.Own:
		return queueFull(fmt.Sprintf("%d changes of yours already wait for review in this project, which is the limit", b.Own))
	}
	return nil
}

func queueFull(message string) *Error {
	return &Error{Code: CodeQuota, Field: "path", Message: message, Hint: "ask a reviewer to look at them, or withdraw some"}
}

func waits(head *EntryHead, id ProposalID) Verdict {
	v := Verdict{Ruling: RulingWaiting, Proposal: id}
	if head.Rev > 0 {
		v.EntryID = head.ID
	}
	return v
}
