package client

import (
	"bytes"
	"context"
	"fmt"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// mergeIndex merges an index file that changed on both sides. The merged text
// goes to the server first and into the tree once the server has it.
func (c *cycle) mergeIndex(ctx context.Context, op msync.Op) (*offer, error) {
	local, err := c.localText(ctx, op.Local)
	if err != nil || local == nil {
		return nil, err
	}
	theirs := memory.RevisionRef{EntryID: op.Entry, Rev: op.Remote.Rev}
	ours := memory.RevisionRef{EntryID: op.Entry, Rev: op.Base.Rev}
	refs := []memory.RevisionRef{theirs}
	if op.Base.Rev > 0 {
		refs = append(refs, ours)
	}
	if err := c.fetch(ctx, refs); err != nil {
		return nil, err
	}
	server, ok := c.texts.byRef[theirs]
	if !ok {
		c.fail("%s: the server does not give out revision %d", op.Path, op.Remote.Rev)
		return nil, nil
	}
	merged, lost := msync.MergeIndex(c.texts.byRef[ours], server, local, nil)
	if len(lost) > 0 {
		if err := c.keepLocal(ctx, op); err != nil {
			return nil, err
		}
	}
	if bytes.Equal(merged, server) {
		return nil, c.changeTree(ctx, []msync.Op{asDownload(op)})
	}
	o, err := c.screen(ctx, op, merged)
	if o != nil {
		o.after = func(ctx context.Context, v memory.Verdict) error { return c.writeMerged(ctx, op, v, merged) }
	}
	return o, err
}

func asDownload(op msync.Op) msync.Op {
	op.Kind = msync.Download
	return op
}

// writeMerged brings a merged text, which the server now has, into the tree.
func (c *cycle) writeMerged(ctx context.Context, op msync.Op, v memory.Verdict, text []byte) error {
	now := msync.Remote{EntryID: v.EntryID, Path: op.Path, Rev: v.Rev, Sum: memory.Sum(text)}
	c.texts.put(memory.RevisionRef{EntryID: v.EntryID, Rev: v.Rev}, text)
	c.state.learn(now, c.clock())
	op.Kind, op.Remote = msync.Download, now
	return c.changeTree(ctx, []msync.Op{op})
}

// keepLocal brings a text that cannot be merged into the conflict store, before
// the tree is touched.
func (c *cycle) keepLocal(ctx context.Context, op msync.Op) error {
	text, err := c.localText(ctx, op.Local)
	if err != nil {
		return err
	}
	if text == nil {
		return nil // it changed meanwhile: the op will find that out, and be dropped
	}
	base, err := c.baseText(ctx, op)
	if err != nil {
		return err
	}
	conflict, err := c.conflicts.keepConflict(op.Path, text, base, conflictMeta{
		EntryID: op.Entry, BaseRev: op.Base.Rev, ServerRev: op.Remote.Rev, Reason: "changed here and on the server",
	})
	if err != nil {
		return fmt.Errorf("keep your text of %s: %w", op.Path, err)
	}
	c.kept[memory.Sum(text)] = true
	c.notice("%s changed here and on the server: the server's text is in the tree, yours is kept in %s", op.Path, conflict.File)
	return nil
}

// baseText fetches what both sides started from; nil if that is not known.
func (c *cycle) baseText(ctx context.Context, op msync.Op) ([]byte, error) {
	if op.Base.Rev == 0 {
		return nil, nil
	}
	ref := memory.RevisionRef{EntryID: op.Entry, Rev: op.Base.Rev}
	if err := c.fetch(ctx, []memory.RevisionRef{ref}); err != nil {
		return nil, err
	}
	return c.texts.byRef[ref], nil
}
