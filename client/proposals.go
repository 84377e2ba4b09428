package client

import (
	"context"
	"slices"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// waits records that the server keeps an op for a reviewer. The tree stays as it
// is.
func (c *cycle) waits(ctx context.Context, o *offer, v memory.Verdict) error {
	c.accepted(o.op.Local.Path)
	p := proposal{
		ID: v.Proposal, Action: o.write.Action, Path: o.op.Path, Entry: o.op.Entry, BaseRev: o.op.Remote.Rev,
		State: memory.ProposalPending, At: o.mine.at,
	}
	switch p.Action {
	case memory.ActionPut:
		p.Sum, p.Text = o.write.Content.Sum(), msync.TextSum(o.text)
	case memory.ActionMove:
		p.From, p.Sum = o.op.From, o.op.Local.Sum
	default: // a delete has no text
	}
	c.proposals = slices.DeleteFunc(c.proposals, func(old proposal) bool { return old.rivals(p) })
	c.proposals = append(c.proposals, p)
	if o.waits != nil {
		return o.waits(ctx)
	}
	return nil
}

// inTree reports whether the tree still is what the proposal asks for.
func (c *cycle) inTree(p *proposal) bool {
	f, there := c.state.files[p.Path]
	e := c.state.entries[p.Entry]
	switch p.Action {
	case memory.ActionPut:
		return there && f.Sum == p.Sum
	case memory.ActionMove:
		return there && e != nil && e.base.Path == p.From && e.base.Sum == f.Sum && !c.untouched(e)
	case memory.ActionDelete:
		return !there && e != nil && e.base.Path == p.Path
	default:
		return false
	}
}

// settled reports whether the tree has nothing of its own where the proposal
// asks for something: its file is the entry's, or there is neither.
func (c *cycle) settled(p *proposal) bool {
	e := c.state.entries[p.Entry]
	if p.Entry == "" {
		e = c.state.entries[c.state.liveAt(p.Path)]
	}
	if e == nil || e.base.EntryID == "" {
		_, there := c.state.files[p.Path]
		return !there
	}
	return c.untouched(e)
}

// untouched reports whether the file of an entry is where it was and says the same.
func (c *cycle) untouched(e *entry) bool {
	f, there := c.state.files[e.base.Path]
	return there && (f.Sum == e.base.Sum || f.Text == e.base.Text)
}

// fulfilled reports whether the server has what the proposal asks for.
func (c *cycle) fulfilled(p *proposal) bool {
	id := p.Entry
	if id == "" {
		id = c.state.liveAt(p.Path)
	}
	e := c.state.entries[id]
	if e == nil {
		return p.Action == memory.ActionDelete
	}
	path, sum, live := e.served()
	switch p.Action {
	case memory.ActionPut:
		return live && path == p.Path && sum == p.Sum
	case memory.ActionMove:
		return live && path == p.Path
	case memory.ActionDelete:
		return !live
	default:
		return false
	}
}

// unsure reports whether it cannot be told what became of the files that the
// proposal is about. Unknown is not absent.
func (c *cycle) unsure(p *proposal) bool {
	return slices.ContainsFunc([]memory.Path{p.Path, p.From}, func(path memory.Path) bool {
		_, blocked := c.blocked[path]
		return !path.IsZero() && (blocked || !c.listing.Covers(path))
	})
}

// asked reports whether the proposal keeps its change from being offered again:
// the tree is as it was and so is the entry, or nobody wants to decide on it
// any more.
func (c *cycle) asked(p *proposal) bool {
	if !c.inTree(p) || p.Undone {
		return false
	}
	e := c.state.entries[p.Entry]
	if !p.pending() || e == nil {
		return true
	}
	// A name that a team-mate's entry took meanwhile is not to be had.
	free := p.Action != memory.ActionMove || c.state.liveAt(p.Path) == ""
	return free && e.rev() == p.BaseRev
}

// keptByMove reports whether the name on the server belongs to an entry whose
// rename waits.
func (c *cycle) keptByMove(p memory.Path) bool {
	holder := c.state.liveAt(p)
	return holder != "" && slices.ContainsFunc(c.proposals, func(q proposal) bool {
		return q.Action == memory.ActionMove && q.Entry == holder && q.pending()
	})
}

// undo takes back the deletes that were not approved: the entry is brought here
// again, like a new one. A rename is the planner's to take back; here it is
// noted when that is done.
func (c *cycle) undo() {
	for i := range c.proposals {
		p := &c.proposals[i]
		if p.pending() || p.Undone || !p.undoable() || c.unsure(p) {
			continue
		}
		there := c.inTree(p)
		if there && p.Action == memory.ActionDelete {
			c.state.doubt(p.Entry)
			c.notice("%s is brought back: deleting it was not approved", p.Path)
		}
		p.Undone = !there || p.Action == memory.ActionDelete
	}
}

// declined reports whether the text of an op is one that nobody will approve. A
// merge does not make it a new one.
func (c *cycle) declined(op msync.Op) bool {
	return slices.ContainsFunc(c.proposals, func(p proposal) bool {
		return p.Action == memory.ActionPut && p.Path == op.Path && p.Sum == op.Local.Sum && !p.pending()
	})
}

// rebased records that the text of an op was merged with what the server has.
func (c *cycle) rebased(op msync.Op, f file) {
	for i := range c.proposals {
		if p := &c.proposals[i]; p.Action == memory.ActionPut && p.Path == op.Path && p.Sum == op.Local.Sum {
			p.Sum, p.Text = f.Sum, f.Text
		}
	}
}

// proposalsFollow brings proposals of texts along when their file gets another
// name.
func (c *cycle) proposalsFollow(from, to memory.Path) {
	for i := range c.proposals {
		if p := &c.proposals[i]; p.Action == memory.ActionPut && p.Path == from {
			p.Path = to
		}
	}
}

// retract withdraws what the member took back, and forgets what is no longer of
// interest. It comes last in a run: whatever is offered instead of a proposal
// has taken its place by then.
func (c *cycle) retract(ctx context.Context) error {
	kept := make([]proposal, 0, len(c.proposals))
	for i := range c.proposals {
		p := &c.proposals[i]
		keep, err := c.stillWaits(ctx, p)
		if err != nil {
			c.proposals = append(kept, c.proposals[i:]...)
			return err
		}
		if keep {
			kept = append(kept, *p)
		}
	}
	c.proposals = kept
	return nil
}

func (c *cycle) stillWaits(ctx context.Context, p *proposal) (bool, error) {
	switch {
	case c.unsure(p):
		return true, nil
	case p.Undone:
		young := c.clock().Sub(origin{at: p.At}.time()) < shownFor
		return young && p.State == memory.ProposalRejected, nil
	case c.fulfilled(p):
		return false, nil
	case c.inTree(p):
		return true, nil
	case !p.pending():
		if c.ended[p.ID] {
			c.notice("%s: what you had here before was not approved", p.Path)
		}
		return false, nil
	case !c.settled(p):
		return true, nil // another text is here, and was not taken in its place
	case c.absentAt.IsZero():
		return false, nil // a tree from a backup: the member took nothing back
	}
	c.report.Requests++
	err := c.server.Withdraw(ctx, c.link.Project, p.ID)
	switch code := memory.CodeOf(err); {
	case err == nil:
		c.notice("%s: your proposal was withdrawn, since the tree has it no more", p.Path)
	case code != memory.CodeConflict && code != memory.CodeNotFound: // else somebody has decided meanwhile
		return true, err
	}
	return false, nil
}
