package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

const (
	maxPushOps   = 200
	maxPushBytes = 3 << 20 // of content as JSON; the server takes 4 MB in all
	pushGrace    = 2 * time.Second
)

// offer is one op on its way to the server.
type offer struct {
	op    msync.Op
	write memory.Write
	text  []byte // of a put
	after func(ctx context.Context, v memory.Verdict) error
}

// screenUpload reads the text that an op was planned for and takes it through
// the same checks as the server's. A text that fails them never leaves.
func (c *cycle) screenUpload(ctx context.Context, op msync.Op) (*offer, error) {
	text, err := c.localText(ctx, op.Local)
	if err != nil || text == nil {
		return nil, err
	}
	return c.screen(ctx, op, text)
}

// screen makes an offer of a text, or records why it is refused.
func (c *cycle) screen(ctx context.Context, op msync.Op, text []byte) (*offer, error) {
	scanner, err := c.scanner()
	if err != nil {
		return nil, err
	}
	clean, err := memory.Screen(ctx, scanner, op.Path, text)
	if e, ok := errors.AsType[*memory.Error](err); ok {
		c.refuseText(op, e)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", op.Path, err)
	}
	w := memory.Write{
		Action: memory.ActionPut, Path: op.Path, EntryID: op.Entry, BaseRev: op.Remote.Rev, BaseSum: op.Remote.Sum,
		AbsentAt: op.AbsentAt, Content: clean,
	}
	if op.Kind == msync.Create {
		w.BaseRev, w.BaseSum = 0, memory.Hash{}
	}
	if op.Remote.Deleted {
		w.BaseRev, w.BaseSum = op.Remote.Rev, memory.Hash{}
	}
	return &offer{op: op, write: w, text: text}, nil
}

// refuseText records a refusal by the client's own checks.
func (c *cycle) refuseText(op msync.Op, problem *memory.Error) {
	f := c.state.files[op.Local.Path]
	c.refuse(f.Disk, op.Local.Path, op.Local.Sum, c.ruleSet, problem)
}

// localText returns the bytes of a planned file, or nil if it is not what was
// planned any more: then the next plan sees it.
func (c *cycle) localText(ctx context.Context, l msync.Local) ([]byte, error) {
	if text, ok := c.local.byPath[l.Path]; ok && memory.Sum(text) == l.Sum {
		return text, nil
	}
	f := c.state.files[l.Path]
	text, _, err := c.tree.Read(ctx, f.Disk, f.stamp())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || memory.Sum(text) != l.Sum {
		c.again, c.rescan = true, true
		return nil, nil
	}
	return text, nil
}

// moveOffer and deleteOffer are the ops without a text.
func moveOffer(op msync.Op) *offer {
	return &offer{op: op, write: memory.Write{
		Action: memory.ActionMove, Path: op.Path, Previous: op.Remote.Path, EntryID: op.Entry, BaseRev: op.Remote.Rev, BaseSum: op.Remote.Sum,
	}}
}

func deleteOffer(op msync.Op) *offer {
	return &offer{op: op, write: memory.Write{
		Action: memory.ActionDelete, Path: op.Remote.Path, EntryID: op.Entry, BaseRev: op.Remote.Rev, BaseSum: op.Remote.Sum,
	}}
}

// push sends offers in batches the server takes. Whatever became of a batch
// whose answer was lost, the next cycle finds out.
func (c *cycle) push(ctx context.Context, offers []*offer) error {
	for done := 0; done < len(offers); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		batch := nextBatch(offers[done:])
		if err := c.pushBatch(ctx, batch); err != nil {
			return err
		}
		done += len(batch)
		c.progress("sending", done, len(offers))
	}
	return nil
}

func nextBatch(offers []*offer) []*offer {
	bytes := 0
	for i, o := range offers {
		bytes += jsonSize(o.text)
		if i == maxPushOps || (i > 0 && bytes > maxPushBytes) {
			return offers[:i]
		}
	}
	return offers
}

// jsonSize bounds the length of a text as a JSON string.
func jsonSize(text []byte) int {
	n := len(text) + 400 // the op around it
	for _, b := range text {
		switch {
		case b == '\n', b == '"', b == '\\', b == '\r', b == '\t':
			n++
		case b < ' ':
			n += 5
		}
	}
	return n
}

// pushBatch sends one batch and takes in the verdicts. When the cycle is
// cancelled, the answer to what is already on its way is waited for a little.
func (c *cycle) pushBatch(ctx context.Context, batch []*offer) error {
	writes := make([]memory.Write, len(batch))
	for i, o := range batch {
		writes[i] = o.write
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	release := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(pushGrace, stop)
		context.AfterFunc(sending, func() { timer.Stop() })
	})
	defer release()
	c.report.Requests++
	receipt, err := c.server.Push(sending, c.link.Project, c.index.Cursor.Epoch, rand.Text(), writes)
	if err != nil {
		return err
	}
	published := 0
	for i, v := range receipt.Verdicts {
		if v.Ruling == memory.RulingPublished {
			published++
		}
		if err := c.settle(ctx, batch[i], v); err != nil {
			return err
		}
	}
	c.follow(receipt.Head, published)
	return nil
}

// follow moves the cursor over our own changes, if nobody else's lie between.
func (c *cycle) follow(head memory.Head, published int) {
	if head.Seq == c.index.Cursor.Seq {
		return
	}
	if head.Seq != c.index.Cursor.Seq+int64(published) || !c.agrees(head.Digest) {
		c.again = true
		return
	}
	c.index.vouch(head.Cursor(), head.Digest)
	c.state.dirty = true
}

// settle takes in one verdict.
func (c *cycle) settle(ctx context.Context, o *offer, v memory.Verdict) error {
	c.tellDone(Done{Kind: o.op.Kind, Path: o.op.Path, From: o.op.From, Rev: v.Rev, Verdict: v.Ruling})
	switch v.Ruling {
	case memory.RulingPublished, memory.RulingSame:
		return c.published(ctx, o, v)
	case memory.RulingConflict:
		c.again = true
	case memory.RulingSuperseded:
		c.superseded[o.op.Path], c.again = o.write.Content.Sum(), true
	case memory.RulingDeleted:
		return c.wasDeleted(ctx, o)
	case memory.RulingRefused:
		c.refusedByServer(o, v.Problem)
	case memory.RulingWaiting:
		c.notice("%s waits for a reviewer", o.op.Path)
	}
	return nil
}

// published records what server and tree now agree on.
func (c *cycle) published(ctx context.Context, o *offer, v memory.Verdict) error {
	c.noticeOf(o.op)
	switch o.op.Kind {
	case msync.DeleteRemote:
		c.state.forget(o.op.Entry)
		return nil
	case msync.MoveRemote:
		c.state.moved(o.op, v.Rev)
		return nil
	}
	if o.after != nil {
		return o.after(ctx, v)
	}
	c.state.agree(msync.Base{
		EntryID: v.EntryID, Path: o.op.Path, Rev: v.Rev, Sum: o.write.Content.Sum(), Text: msync.TextSum(o.text),
	})
	return nil
}

// refusedByServer records a refusal. What depends on other entries may be
// taken the next time, so it is asked again; the rest waits for another text
// or other rules.
func (c *cycle) refusedByServer(o *offer, problem *memory.Error) {
	ruleSet := c.ruleSet
	if problem.Layer == "case" || problem.Code == memory.CodeQuota || problem.Code == memory.CodeConflict || problem.Code == memory.CodeNotFound {
		ruleSet = ""
	}
	disk := c.state.files[o.op.Local.Path].Disk
	if disk == "" {
		disk = o.op.Path.String()
	}
	c.refuse(disk, o.op.Local.Path, o.op.Local.Sum, ruleSet, problem)
}

// wasDeleted obeys a delete that happened after this client last knew: the
// file goes to the trash.
func (c *cycle) wasDeleted(ctx context.Context, o *offer) error {
	c.notice("%s was deleted by a team-mate; your copy is in the trash", o.op.Path)
	b := c.tree.Begin()
	b.Delete(o.op.Local.Path, c.state.files[o.op.Local.Path].Disk, o.op.Local.Sum)
	results, err := b.Commit(ctx)
	if err != nil {
		return err
	}
	if err := results[0].Err; err != nil {
		return c.notChanged(o.op, err)
	}
	c.state.lost(o.op.Local.Path)
	return nil
}

func (c *cycle) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !strings.Contains(strings.Join(c.report.Notices, "\n"), text) {
		c.report.Notices = append(c.report.Notices, text)
	}
}

// noticeOf passes on what the planner has to say about an op.
func (c *cycle) noticeOf(op msync.Op) {
	if op.Notice != "" {
		c.notice("%s: %s", op.Path, op.Notice)
	}
}
