package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// offer is one op on its way to the server.
type offer struct {
	op    msync.Op
	write memory.Write
	text  []byte // of a put
	local []byte // that was merged into it; nil: nothing was
	after func(ctx context.Context, v memory.Verdict) error
	waits func(ctx context.Context) error // if a reviewer has to see it first; may be nil
	asks  bool                            // only asks whether the text is an earlier revision
	mine  origin
}

// originOf says whose revision the entry has after the verdict. What the server
// had already may be a team-mate's, whom the feed names.
func (o *offer) originOf(v memory.Verdict, before *entry) origin {
	switch {
	case v.Ruling == memory.RulingPublished:
		return o.mine
	case before != nil:
		return before.origin
	}
	return origin{}
}

// upload checks every text that the plan wants to send, and sends it.
func (c *cycle) upload(ctx context.Context, ops []msync.Op) error {
	s := sender{cycle: c}
	return s.upload(ctx, ops)
}

func (s *sender) upload(ctx context.Context, ops []msync.Op) error {
	defer s.abandon(ctx)
	ops = s.withoutMoving(ops)
	for i, op := range ops {
		o, err := s.prepare(ctx, op)
		if err != nil {
			return err
		}
		if o != nil {
			if err := s.add(ctx, o); err != nil {
				return err
			}
		}
		s.progress("sending", i+1, len(ops))
	}
	return s.flush(ctx)
}

// prepare makes an offer of an op; nil if there is nothing to send.
func (c *cycle) prepare(ctx context.Context, op msync.Op) (*offer, error) {
	switch {
	case op.Kind == msync.MoveRemote:
		return moveOffer(op), nil
	case c.mayBeEarlier(op):
		return c.askIfEarlier(ctx, op)
	case op.Kind == msync.Merge:
		return c.merge(ctx, op)
	}
	return c.screenUpload(ctx, op)
}

// askIfEarlier offers a text against its base, which is not what the server has,
// or against none, so that the server tells whether it is an earlier revision of
// its entry. A text that must not leave this machine is taken for none.
func (c *cycle) askIfEarlier(ctx context.Context, op msync.Op) (*offer, error) {
	text, err := c.localText(ctx, op.Local)
	if err != nil || text == nil {
		return nil, err
	}
	scanner, err := c.scannerFor(op.Path)
	if err != nil {
		return nil, err
	}
	clean, err := memory.Screen(ctx, scanner, op.Path, text)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		c.unheard[op.Path] = op.Local.Sum
		return nil, nil //nolint:nilerr // the text stays here, so it is a conflict
	}
	op.Kind = msync.Upload
	w := memory.Write{Action: memory.ActionPut, Path: op.Path, EntryID: op.Entry, BaseRev: op.Base.Rev, BaseSum: op.Base.Sum, Content: clean}
	return &offer{op: op, write: w, text: text, asks: true}, nil
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
	scanner, err := c.scannerFor(op.Path)
	if err != nil {
		return nil, err
	}
	clean, err := memory.Screen(ctx, scanner, op.Path, text)
	if e, ok := errors.AsType[*memory.Error](err); ok {
		ruleSet, err := c.tellFindings(ctx, op.Path, string(text), e)
		if err != nil {
			return nil, err
		}
		c.refuseOp(op, memory.ActionPut, ruleSet, e)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", op.Path, err)
	}
	if op.Kind == msync.Create {
		// A name that only a newer program may use is good if the server has it.
		_, err = memory.ParsePath(op.Path.String())
	}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		c.refuseOp(op, memory.ActionPut, c.ruleSet, e)
		return nil, nil
	}
	w := memory.Write{
		Action: memory.ActionPut, Path: op.Path, EntryID: op.Entry, BaseRev: op.Remote.Rev, BaseSum: op.Remote.Sum,
		AbsentAt: op.AbsentAt, Content: clean, AllowEmpty: c.options.AllowEmpty,
	}
	if op.Kind == msync.Create {
		w.BaseRev, w.BaseSum = 0, memory.Hash{}
	}
	if op.Remote.Deleted {
		w.BaseRev, w.BaseSum = op.Remote.Rev, memory.Hash{}
	}
	return &offer{op: op, write: w, text: text}, nil
}

// refuseOp records that an op was refused, and under which rules; "" if the
// next run may ask again.
func (c *cycle) refuseOp(op msync.Op, action memory.Action, ruleSet string, problem *memory.Error) {
	p := op.Local.Path
	if p.IsZero() {
		p = op.Path
	}
	r := refusalOf(c.state.disk(p, p), p, problem)
	r.Action, r.Sum, r.RuleSet = action, op.Local.Sum, c.ruleSetFor(ruleSet, problem)
	c.refuse(r)
	if op.Kind == msync.Merge {
		c.unmergeable[op.Path] = op.Local.Sum
	}
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
		return nil, nil //nolint:nilerr // the next plan sees what happened
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
