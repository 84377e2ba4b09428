package memory

import "slices"

// Stored is one op that [Judge] decided to write.
type Stored struct {
	Item     int // index in the batch
	Action   Action
	EntryID  EntryID
	Created  bool // the entry is new
	Rev      int64
	Path     Path
	Previous Path // where the entry was, if it moved; else zero
	BaseRev  int64
	Before   Hash   // of the content that was replaced; zero for a new entry
	Sum      Hash   // of the content afterwards; of a delete, the last one
	Digest   Digest // of the project at Rev
	Write    Write
}

// Judgement is what becomes of a batch.
type Judgement struct {
	Verdicts []Verdict  // one per item, in order
	Stored   []Stored   // in the order of their revs, which follow the head without a gap
	Proposed []Proposed // in the order of their items
	Replaced []Proposal // older proposals in whose place the author now has something else
	Head     Head       // afterwards
	Live     int        // afterwards
}

// Judge compares every op of a batch with the heads that the store read under
// the project's lock. It is the compare-and-swap of the protocol: an op is
// stored only if its base is the head, so nobody's text is overwritten unseen.
// Later ops of a batch see what earlier ones did, except that all names which
// the batch's moves give up are free from the start: two entries can swap
// names in one push.
//
// An op that a reviewer has to see first is judged no differently, but where it
// would be stored it becomes a proposal. To the other ops, as to the project,
// it is as if it had not been sent: a held move gives up no name.
func Judge(b Batch, h Heads) Judgement {
	const rounds = 8                    // the project is locked meanwhile
	stuck := make([]bool, len(b.Items)) // moves that were not carried out
	for round := 1; ; round++ {
		c := newCourt(b, h)
		if c.sit(stuck) {
			return c.judgement()
		}
		// The names that those moves gave up must be taken again, which can spoil
		// other ops: judge anew. If that never ends, each name is free only once
		// it was given up.
		for i := range stuck {
			stuck[i] = stuck[i] || round == rounds
		}
	}
}

func (c *court) judgement() Judgement {
	j := Judgement{Verdicts: c.verdicts, Stored: c.stored, Replaced: c.replaced, Head: c.head, Live: c.live}
	for _, p := range c.proposed {
		j.Proposed = append(j.Proposed, *p)
	}
	return j
}

// sit judges all items. It adds moves that gave up their name for nothing to
// stuck, and reports whether there were none.
func (c *court) sit(stuck []bool) bool {
	leaving := c.clear(stuck)
	ok := true
	for i, it := range c.batch.Items {
		if !it.passed() {
			c.verdicts = append(c.verdicts, refused("", it.Refused))
			continue
		}
		v := c.judge(i, it.Write)
		c.verdicts = append(c.verdicts, v)
		if leaving[i] && v.Ruling != RulingPublished {
			stuck[i], ok = true, false
		}
	}
	return ok
}

func (c *court) judge(item int, w Write) Verdict {
	head := c.find(w)
	if v := c.condemned(w, head); v != nil {
		return *v
	}
	switch {
	case w.Action == ActionDelete:
		return c.judgeDelete(item, w, head)
	case w.Action == ActionMove:
		return c.judgeMove(item, w, head)
	case head == nil || head.DeletedRev > 0:
		return c.judgeCreate(item, w, head)
	}
	return c.judgePut(item, w, head)
}

func (c *court) judgePut(item int, w Write, head *EntryHead) Verdict {
	sum := w.Content.Sum()
	switch {
	case head.Sum == sum && head.Path == w.Path:
		return same(head)
	case !based(w, head) && c.said(head.ID, sum, w.BaseRev):
		return Verdict{Ruling: RulingSuperseded, EntryID: head.ID, Rev: head.Rev, Sum: head.Sum, Current: current(head)}
	case !based(w, head):
		return conflict(head)
	case w.Content.blank() && head.Size > 0 && !w.AllowEmpty:
		return refused(head.ID, &Error{
			Code: CodeSuspectEmpty, Field: "content",
			Message: "an empty text would replace one that is not empty", Hint: "push with allow_empty if this is meant",
		})
	}
	if problem := c.settles(item, head, w.Path); problem != nil {
		return refused(head.ID, problem)
	}
	return c.grant(item, w, head, w.Path, sum)
}

func (c *court) judgeMove(item int, w Write, head *EntryHead) Verdict {
	switch {
	case head == nil:
		return c.missing(w.Previous)
	case head.DeletedRev > 0:
		return conflict(head)
	case head.Path == w.Path && (w.BaseSum.IsZero() || head.Sum == w.BaseSum):
		return same(head)
	case !based(w, head) || head.Path != w.Previous || w.Screened != nil && !slices.Contains(w.Screened, head.Sum):
		return conflict(head)
	}
	if problem := c.settles(item, head, w.Path); problem != nil {
		return refused(head.ID, problem)
	}
	return c.grant(item, w, head, w.Path, head.Sum)
}

// judgeDelete insists on the path even where the id is stated: a delete that
// contradicts itself deletes nothing.
func (c *court) judgeDelete(item int, w Write, head *EntryHead) Verdict {
	switch {
	case head == nil && w.EntryID == "" && c.grave(w.Path) != nil:
		return same(c.grave(w.Path)) // a lost answer, by path
	case head == nil:
		return c.missing(w.Path)
	case head.DeletedRev > 0:
		return same(head)
	case !based(w, head) || head.Path != w.Path:
		return conflict(head)
	}
	return c.grant(item, w, head, head.Path, head.Sum)
}

// judgeCreate stores a new entry, or brings a deleted one back under its id.
func (c *court) judgeCreate(item int, w Write, head *EntryHead) Verdict {
	sum := w.Content.Sum()
	switch {
	case head == nil && w.BaseRev > 0:
		return c.missing(w.Path)
	case head != nil && w.BaseRev > 0 && !based(w, head):
		if c.said(head.ID, sum, w.BaseRev) {
			return gone(head)
		}
		return conflict(head)
	case w.BaseRev == 0:
		if grave := c.remembered(w, head); grave != nil {
			return gone(grave)
		}
	}
	if problem := c.taken(w.Path); problem != nil {
		return refused(w.EntryID, problem)
	}
	if c.batch.Quota > 0 && c.live >= c.batch.Quota {
		return refused(w.EntryID, quotaReached(c.batch.Quota))
	}
	if head == nil {
		head = newEntry(w)
	}
	return c.grant(item, w, head, w.Path, sum)
}

// based reports whether the head is what the writer saw. The text counts too:
// after a restored backup the same number can name another one.
func based(w Write, head *EntryHead) bool {
	return w.BaseRev == head.Rev && (w.BaseSum.IsZero() || w.BaseSum == head.Sum)
}

func same(head *EntryHead) Verdict {
	return Verdict{Ruling: RulingSame, EntryID: head.ID, Rev: head.Rev, Sum: head.Sum}
}

func gone(head *EntryHead) Verdict {
	return Verdict{Ruling: RulingDeleted, EntryID: head.ID, Rev: head.DeletedRev, Current: current(head)}
}

func conflict(head *EntryHead) Verdict {
	return Verdict{Ruling: RulingConflict, EntryID: head.ID, Current: current(head)}
}

func refused(id EntryID, problem *Error) Verdict {
	return Verdict{Ruling: RulingRefused, EntryID: id, Problem: problem}
}

func current(head *EntryHead) *Current {
	c := &Current{EntryID: head.ID, Rev: head.Rev, Sum: head.Sum, Path: head.Path, Action: ActionPut}
	if head.DeletedRev > 0 {
		c.Rev, c.Action = head.DeletedRev, ActionDelete
	}
	return c
}
