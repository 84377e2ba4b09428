package client

import (
	"bytes"
	"context"
	"time"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// mergeIndex merges an index file that changed on both sides. The merged text
// goes to the server first and into the tree once the server has it. Without
// the text that both started from, nothing counts as removed.
//
// Items that lead to deleted entries stay: an index may name files that are not
// there, and the client cannot tell a deleted entry from one that it has not
// got yet.
func (c *cycle) mergeIndex(ctx context.Context, op msync.Op) (*offer, error) {
	local, err := c.localText(ctx, op.Local)
	if err != nil || local == nil {
		return nil, err
	}
	theirs := memory.RevisionRef{EntryID: op.Entry, Rev: op.Remote.Rev}
	found, err := c.fetch(ctx, []memory.RevisionRef{theirs})
	if err != nil {
		return nil, err
	}
	server, ok := found[theirs]
	if !ok || memory.Sum(server) != op.Remote.Sum {
		c.fail("%s: the server does not give out revision %d as it was announced", op.Path, op.Remote.Rev)
		return nil, nil
	}
	base, err := c.baseText(ctx, op)
	if err != nil {
		return nil, err
	}
	merged, lost := msync.MergeIndex(base, server, local, nil)
	if len(lost) > 0 {
		if err := c.keepLocal(ctx, op); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(merged, server) {
		return nil, c.replaceMerged(ctx, op)
	}
	if c.declined(op) {
		return nil, c.rebase(ctx, op, server, merged)
	}
	o, err := c.screen(ctx, op, merged)
	if o != nil {
		o.held = func(ctx context.Context) error { return c.rebase(ctx, op, server, merged) }
	}
	if o != nil && !bytes.Equal(merged, local) {
		o.after = func(ctx context.Context, v memory.Verdict) error { return c.writeMerged(ctx, o, v) }
	}
	return o, err
}

// writeMerged brings a merged text, which the server now has, into the tree.
func (c *cycle) writeMerged(ctx context.Context, o *offer, v memory.Verdict) error {
	op := o.op
	op.Remote = msync.Remote{EntryID: v.EntryID, Path: op.Path, Rev: v.Rev, Sum: memory.Sum(o.text)}
	c.texts.put(memory.RevisionRef{EntryID: v.EntryID, Rev: v.Rev}, o.text)
	c.state.learn(op.Remote, o.originOf(v, c.state.entries[op.Entry]))
	return c.replaceMerged(ctx, op)
}

// rebase brings a merged text into the tree that the server does not have yet,
// or that nobody wants there: it is the member's text over the newest base.
func (c *cycle) rebase(ctx context.Context, op msync.Op, server, merged []byte) error {
	f := c.state.files[op.Local.Path]
	if memory.Sum(merged) != op.Local.Sum {
		c.trashable[op.Local.Sum] = true // the merged text has all of it
		b := c.tree.Begin()
		b.Put(op.Path, c.listing.Spell(op.Path), merged, time.Time{}, op.Local.Sum)
		results, err := b.Commit(ctx)
		if err != nil {
			return err
		}
		if err := results[0].Err; err != nil {
			return c.notChanged(op, err)
		}
		f = fileOf(results[0].Disk, results[0].Stamp, merged)
		c.arrived(op.Path, results[0], f)
	}
	c.state.agree(msync.Base{
		EntryID: op.Entry, Path: op.Remote.Path, Rev: op.Remote.Rev, Sum: op.Remote.Sum, Text: msync.TextSum(server),
	})
	c.rebased(op, f)
	return nil
}

// replaceMerged puts the server's text in the place of one that it holds all of.
func (c *cycle) replaceMerged(ctx context.Context, op msync.Op) error {
	c.trashable[op.Local.Sum] = true
	op.Kind = msync.Download
	return c.changeTree(ctx, []msync.Op{op})
}
