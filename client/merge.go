package client

import (
	"bytes"
	"context"
	"time"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// merge merges a text that changed on both sides. The result goes to the server
// first and into the tree once the server has it. What cannot be merged is a
// conflict.
func (c *cycle) merge(ctx context.Context, op msync.Op) (*offer, error) {
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
	if c.refuseText(op, server) {
		return nil, nil
	}
	base, err := c.baseText(ctx, op)
	if err != nil {
		return nil, err
	}
	merged, all, clean := mergeTexts(op.Path, base, server, local)
	switch {
	case !clean:
		op.Kind = msync.Conflict
		return nil, c.changeTree(ctx, []msync.Op{op})
	case !all:
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
		o.waits = func(ctx context.Context) error { return c.rebase(ctx, op, server, merged) }
	}
	if o != nil && !bytes.Equal(merged, local) {
		o.local = local
		o.after = func(ctx context.Context, v memory.Verdict) error { return c.writeMerged(ctx, o, v) }
	}
	return o, err
}

// mergeTexts returns what three versions give together, if they do, and whether
// all of the member's is in it. Without the text that both started from, nothing
// of an index counts as removed, and nothing else can be merged.
//
// Items of an index that lead to deleted entries stay: it may name files that
// are not there, and the client cannot tell a deleted entry from one that it has
// not got yet.
func mergeTexts(p memory.Path, base, server, local []byte) (merged []byte, all, clean bool) {
	if p.IsIndex() {
		merged, lost := msync.MergeIndex(base, server, local, nil)
		return merged, len(lost) == 0, true
	}
	if base == nil {
		return nil, false, false
	}
	merged, clean = msync.MergeEntry(base, server, local)
	return merged, clean, clean
}

// writeMerged brings a merged text, which the server now has, into the tree.
func (c *cycle) writeMerged(ctx context.Context, o *offer, v memory.Verdict) error {
	op := o.op
	op.Remote = msync.Remote{EntryID: v.EntryID, Path: op.Path, Rev: v.Rev, Sum: memory.Sum(o.text)}
	c.texts.put(memory.RevisionRef{EntryID: v.EntryID, Rev: v.Rev}, o.text)
	c.state.learn(op.Remote, o.originOf(v, c.state.entries[op.Entry]))
	c.forks[op.Entry] = fork{op.Base.Rev, o.local}
	return c.replaceMerged(ctx, op)
}

// rebase brings a merged text into the tree that the server does not have yet,
// or that nobody wants there: it is the member's text over the newest base.
func (c *cycle) rebase(ctx context.Context, op msync.Op, server, merged []byte) error {
	f := c.state.files[op.Local.Path]
	base := baseOf(op, msync.TextSum(server))
	if memory.Sum(merged) != op.Local.Sum {
		c.trashable[op.Local.Sum] = true // the merged text has all of it
		b := c.tree.Begin()
		b.Put(op.Path, c.listing.Spell(op.Path), merged, time.Time{}, op.Local.Sum)
		c.receive([]msync.Base{base})
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
	c.state.agree(base)
	c.rebased(op, f)
	return nil
}

// replaceMerged puts the server's text in the place of one that it holds all of.
func (c *cycle) replaceMerged(ctx context.Context, op msync.Op) error {
	c.trashable[op.Local.Sum] = true
	op.Kind = msync.Download
	return c.changeTree(ctx, []msync.Op{op})
}
