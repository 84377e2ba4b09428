package client

import (
	"context"
	"errors"
	"time"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// guard takes out of a plan what waits for a person. Beside its base there are
// others, all of them at rest.
func (c *cycle) guard(base []msync.Base, others int, plan []msync.Op) []msync.Op {
	g := msync.Guard{
		Base: base, Others: others, Held: c.heldOps, Released: c.released, AllowDeletes: c.options.AllowDeletes, AllowChanges: c.options.AllowChanges,
		AllowEmpty: c.options.AllowEmpty, Jumped: c.jumped,
	}
	for _, d := range c.lately() {
		g.Largest, g.Sent, g.Taken = max(g.Largest, int(d.Base)), g.Sent+int(d.Sent), g.Taken+int(d.Taken)
	}
	c.baseSize = int64(len(base) + others)
	c.release(base)
	ops, holds := g.Check(c.offerAgain(plan))
	if c.options.RestoreHeld && c.bringBack(holds) {
		in := c.input()
		return c.guard(in.Base, 0, msync.Plan(in))
	}
	c.hold(holds)
	c.holdOn(ops)
	for _, op := range ops {
		if c.offered[op.Entry] { // held again, unless the server takes it
			c.heldOps = append(c.heldOps, msync.HeldOp{Entry: op.Entry, Kind: msync.DeleteLocal, Why: msync.MassDelete})
		}
	}
	c.refill(ops)
	return c.leaveUnsettled(ops)
}

// release lets the deletes of the files go that somebody named.
func (c *cycle) release(base []msync.Base) {
	if len(c.options.Removed) == 0 {
		return
	}
	removed := make(map[memory.Path]bool, len(c.options.Removed))
	for _, p := range c.options.Removed {
		removed[p] = true
	}
	for _, b := range base {
		if _, there := c.state.files[b.Path]; removed[b.Path] && !there {
			c.released[b.EntryID] = true
		}
	}
}

// hold takes in what the newest plan's guard holds. What was released stays so
// in this run, whatever the next plans add.
func (c *cycle) hold(holds []msync.Hold) {
	c.planned, c.heldOps, c.report.Held = true, nil, nil
	for _, h := range holds {
		held := Held{ID: h.ID, Kind: h.Kind, Why: h.Why}
		for _, op := range h.Ops {
			if h.Released {
				c.released[op.Entry] = true
				continue
			}
			held.Paths = append(held.Paths, op.Path)
			c.heldOps = append(c.heldOps, msync.HeldOp{Entry: op.Entry, Kind: h.Kind, Why: h.Why})
		}
		if !h.Released {
			c.report.Held = append(c.report.Held, held)
		}
	}
}

// bringBack is a person's no to deletes that are held. Entries whose files are
// gone here come again, as if they were new; files whose entries are gone there
// are offered again.
func (c *cycle) bringBack(holds []msync.Hold) (brought bool) {
	for _, h := range holds {
		for _, op := range h.Ops {
			switch {
			case h.Kind == msync.DeleteRemote:
				c.state.doubt(op.Entry)
				brought = true
			case h.Kind == msync.DeleteLocal && op.Remote.Rev > 0:
				c.offered[op.Entry] = true
				brought = true
			}
		}
	}
	return brought
}

// offerAgain plans to share what the server has deleted, against that very
// delete: without its number, as after a list of all entries, the server would
// take the text for a stale copy.
func (c *cycle) offerAgain(plan []msync.Op) []msync.Op {
	if len(c.offered) == 0 || c.mode() == PullOnly {
		return plan
	}
	for i, op := range plan {
		if c.offered[op.Entry] && op.Kind == msync.DeleteLocal {
			plan[i].Kind, plan[i].Row, plan[i].Notice = msync.Create, 10, "deleted by a team-mate, and shared again"
			c.unheard[op.Path] = op.Local.Sum // it is an earlier revision, and meant all the same
		}
	}
	return plan
}

// sendDeletes sends deletes; those to which a person said yes with that word, in
// pushes of their own. Others that the server takes for an accident, since it
// knows what this computer deleted elsewhere, too, are held from then on.
func (c *cycle) sendDeletes(ctx context.Context, offers []*offer) error {
	var plain, released []*offer
	var meant []msync.Op
	for _, o := range offers {
		if c.released[o.op.Entry] {
			released, meant = append(released, o), append(meant, o.op)
			continue
		}
		plain = append(plain, o)
	}
	err := c.push(ctx, plain, memory.Release{})
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Code == memory.CodeDeleteGuard {
		for _, o := range plain {
			c.heldOps = append(c.heldOps, msync.HeldOp{Entry: o.op.Entry, Kind: msync.DeleteRemote, Why: msync.MassDelete})
		}
		c.notice("the server holds deletes: %s", e.Message)
		c.again, err = true, nil
	}
	if err != nil || len(released) == 0 {
		return err
	}
	return c.push(ctx, released, memory.Release{Hold: msync.HoldID(meant), Deletes: len(meant)})
}

// missed says that the number of deletes or changes that somebody released is
// not the number of those that are held: what they saw is not what there is.
func (c *cycle) missed() {
	if !c.planned || len(c.released) > 0 {
		return // they were carried out, or the run says why not
	}
	if n := c.options.AllowDeletes; n > 0 {
		c.notice("--allow-deletes=%d releases nothing: %d deletes are held", n, c.report.HeldDeletes())
	}
	if n := c.options.AllowChanges; n > 0 {
		held := 0
		for _, h := range c.report.Held {
			if h.Kind == msync.Upload {
				held += len(h.Paths)
			}
		}
		c.notice("--allow-changes=%d releases nothing: %d changes are held", n, held)
	}
}

// emptyFor is how long a file of no bytes is left to whoever may be writing it.
const emptyFor = 10 * time.Second

// refill plans to bring back the texts of files that have had no bytes for a
// while, as a power cut leaves them. Nobody loses anything by it.
func (c *cycle) refill(plan []msync.Op) {
	if c.mode() == PushOnly {
		return
	}
	for i := range plan {
		op := &plan[i]
		if op.Kind != msync.Report || op.Local.Blocked != msync.SuspectEmpty || op.Remote.Deleted {
			continue
		}
		f := c.state.files[op.Local.Path]
		if f.Size > 0 || c.clock().Sub(time.Unix(0, max(f.MTime, f.CTime))) < emptyFor {
			continue
		}
		op.Kind, op.Reason, op.Local.Blocked = msync.Download, "", ""
		op.Notice = "the file was empty: the server's text is back"
		c.trashable[op.Local.Sum] = true
	}
}

// refuseEmptied lists a file whose text is gone, and may still come back.
func (c *cycle) refuseEmptied(op msync.Op) {
	p := op.Local.Path
	r := refusalOf(c.state.disk(p, op.Path), p, &memory.Error{
		Code: memory.CodeSuspectEmpty, Message: "the file was emptied, and the server's text is not",
		Hint: "write a text into it; or share it as it is with teammem sync --allow-empty",
	})
	r.Sum = op.Local.Sum
	c.refuse(r)
}
