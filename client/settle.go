package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// settle takes in one verdict.
func (c *cycle) settle(ctx context.Context, o *offer, v memory.Verdict) error {
	if o.asks && v.Ruling != memory.RulingPublished && v.Ruling != memory.RulingSame {
		return c.heard(ctx, o, v)
	}
	c.tellDone(Done{Kind: o.op.Kind, Path: o.op.Path, From: o.op.From, Rev: v.Rev, Verdict: v.Ruling})
	switch v.Ruling {
	case memory.RulingPublished, memory.RulingSame:
		return c.published(ctx, o, v)
	case memory.RulingConflict:
		c.again, c.contested = true, true
	case memory.RulingSuperseded:
		c.superseded[o.op.Path], c.again, c.contested = o.write.Content.Sum(), true, true
	case memory.RulingDeleted:
		return c.wasDeleted(ctx, o)
	case memory.RulingRefused:
		c.refusedByServer(o, v.Problem)
	case memory.RulingWaiting:
		return c.waits(ctx, o, v)
	}
	return nil
}

// heard takes in what the server says of a text that it was asked about.
func (c *cycle) heard(ctx context.Context, o *offer, v memory.Verdict) error {
	switch v.Ruling {
	case memory.RulingSuperseded:
		c.superseded[o.op.Path] = o.op.Local.Sum
	case memory.RulingDeleted:
		return c.wasDeleted(ctx, o)
	case memory.RulingWaiting: // the entry was deleted just now
		return c.waits(ctx, o, v)
	case memory.RulingConflict, memory.RulingRefused, memory.RulingPublished, memory.RulingSame:
		c.unheard[o.op.Path] = o.op.Local.Sum
	}
	return nil
}

// published records what server and tree now agree on.
func (c *cycle) published(ctx context.Context, o *offer, v memory.Verdict) error {
	c.noticeOf(o.op)
	c.accepted(o.op.Local.Path)
	switch {
	case o.op.Kind == msync.DeleteRemote:
		c.countDelete(o.op.Kind)
		c.ownDeletes.now = append(c.ownDeletes.now, string(o.op.Entry))
		c.state.forget(o.op.Entry)
		c.reopen()
		return nil
	case o.op.Kind == msync.MoveRemote:
		c.state.moved(o.op, v.Rev)
		c.state.written(o.op.Entry, o.originOf(v, c.state.entries[o.op.Entry]))
		c.reopen()
		return nil
	case o.after != nil:
		return o.after(ctx, v)
	}
	c.state.agree(msync.Base{
		EntryID: v.EntryID, Path: o.op.Path, Rev: v.Rev, Sum: o.write.Content.Sum(), Text: msync.TextSumOf(o.text, o.write.Content.Sum()),
	})
	c.state.written(v.EntryID, o.originOf(v, c.state.entries[v.EntryID]))
	return nil
}

// refusedByServer records a refusal. What depends on other entries may be
// taken in the next run, so it is asked again then; the rest waits for another
// text or other rules.
func (c *cycle) refusedByServer(o *offer, problem *memory.Error) {
	ruleSet := c.ruleSet
	switch {
	case problem.Code == memory.CodeNotFound && o.write.EntryID != "":
		c.again, c.contested = true, true // the server does not know the entry, so the index is wrong
		return
	case problem.Layer == "case", problem.Code == memory.CodeConflict:
		c.again, ruleSet = true, "" // what is in the way may be news
	case problem.Code == memory.CodeQuota, problem.Code == memory.CodeNotFound, errors.Is(problem, errForeign):
		ruleSet = ""
	}
	c.refuseOp(o.op, o.write.Action, ruleSet, problem)
}

// wasDeleted obeys a delete that happened after this client last knew: the
// file goes to the trash.
func (c *cycle) wasDeleted(ctx context.Context, o *offer) error {
	if c.mode() == PushOnly {
		c.refuseOp(o.op, o.write.Action, "", &memory.Error{
			Code: memory.CodeConflict, Message: "a team-mate deleted this text, and nothing is deleted here, as this run only sends",
		})
		return nil
	}
	p, sum := o.op.Local.Path, o.op.Local.Sum
	if sum == o.write.Content.Sum() { // a text that was merged first is not the one that the server knows
		c.trashable[sum] = true
	}
	b := c.tree.Begin()
	b.Delete(p, c.state.disk(p, p), sum)
	results, err := b.Commit(ctx)
	if err != nil {
		return err
	}
	if err := results[0].Err; err != nil {
		return c.notChanged(o.op, err)
	}
	c.notice("%s was deleted by a team-mate; your copy is in the trash", o.op.Path)
	c.state.lost(p)
	return nil
}

// notice tells the member something, once.
func (c *cycle) notice(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.report.Notices, text) {
		c.report.Notices = append(c.report.Notices, text)
	}
}

// noticeOf passes on what the planner has to say about an op.
func (c *cycle) noticeOf(op msync.Op) {
	if op.Notice != "" {
		c.notice("%s: %s", op.Path, op.Notice)
	}
}
