package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// maxBatch bounds how many files are written, and their texts held, at a time.
const maxBatch = 1000

// carryOut does what the plan says, in its order: moves and downloads, then
// everything that goes to the server, then deletes. An op that finds the world
// changed is dropped; the next plan sees why.
func (c *cycle) carryOut(ctx context.Context, plan []msync.Op) error {
	var now, later []msync.Op
	var up, gone []*offer
	for _, op := range plan {
		switch op.Kind {
		case msync.Forget:
			c.state.forget(op.Entry)
			c.done(op)
		case msync.Adopt:
			c.adopt(op)
		case msync.MoveLocal, msync.Rename, msync.Download, msync.Conflict:
			now = append(now, op)
		case msync.DeleteLocal:
			later = append(later, op)
		case msync.MoveRemote:
			up = append(up, moveOffer(op))
		case msync.DeleteRemote:
			gone = append(gone, deleteOffer(op))
		case msync.Upload, msync.Create, msync.Merge, msync.Report:
		}
	}
	if err := c.changeTree(ctx, now); err != nil {
		return err
	}
	texts, err := c.prepareUploads(ctx, plan)
	if err != nil {
		return err
	}
	if err := c.push(ctx, append(up, texts...)); err != nil {
		return err
	}
	if err := c.changeTree(ctx, later); err != nil {
		return err
	}
	return c.push(ctx, c.stillGone(gone)) // deletes travel alone
}

func (c *cycle) done(op msync.Op) {
	c.tellDone(Done{Kind: op.Kind, Path: op.Path, From: op.From, Rev: op.Remote.Rev})
	c.noticeOf(op)
}

func (c *cycle) tellDone(d Done) {
	c.report.Done = append(c.report.Done, d)
	c.onDone(d)
}

func (c *cycle) adopt(op msync.Op) {
	c.state.agree(msync.Base{EntryID: op.Entry, Path: op.Remote.Path, Rev: op.Remote.Rev, Sum: op.Remote.Sum, Text: op.Local.Text})
	c.done(op)
}

// prepareUploads checks every text that the plan wants to send.
func (c *cycle) prepareUploads(ctx context.Context, plan []msync.Op) ([]*offer, error) {
	var offers []*offer
	for i, op := range plan {
		var o *offer
		var err error
		switch op.Kind {
		case msync.Upload, msync.Create:
			o, err = c.screenUpload(ctx, op)
		case msync.Merge:
			o, err = c.mergeIndex(ctx, op)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if o != nil {
			offers = append(offers, o)
		}
		c.progress("checking", i+1, len(plan))
	}
	return offers, nil
}

// stillGone looks once more for the files whose entries are about to be
// deleted.
func (c *cycle) stillGone(offers []*offer) []*offer {
	kept := offers[:0]
	for _, o := range offers {
		_, err := c.tree.Stat(c.listing.Spell(o.op.Base.Path))
		if errors.Is(err, fs.ErrNotExist) {
			kept = append(kept, o)
			continue
		}
		c.again, c.rescan = true, true
	}
	return kept
}

// changeTree carries out ops that change files, in batches.
func (c *cycle) changeTree(ctx context.Context, ops []msync.Op) error {
	for len(ops) > 0 {
		some := ops[:min(maxBatch, len(ops))]
		if err := c.changeSome(ctx, some); err != nil {
			return err
		}
		ops = ops[len(some):]
	}
	return nil
}

func (c *cycle) changeSome(ctx context.Context, ops []msync.Op) error {
	var refs []memory.RevisionRef
	for _, op := range ops {
		if op.Kind == msync.Download || op.Kind == msync.Conflict {
			refs = append(refs, memory.RevisionRef{EntryID: op.Entry, Rev: op.Remote.Rev})
		}
	}
	if err := c.fetch(ctx, refs); err != nil {
		return err
	}
	b := c.tree.Begin()
	var planned []msync.Op
	for _, op := range ops {
		ready, err := c.enter(ctx, b, op)
		if err != nil {
			b.Discard()
			return err
		}
		if ready {
			planned = append(planned, op)
		}
	}
	results, err := b.Commit(ctx)
	if err != nil {
		return err
	}
	for i, r := range results {
		if err := c.changed(planned[i], r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// enter adds one op to the batch.
func (c *cycle) enter(ctx context.Context, b *tree.Batch, op msync.Op) (ready bool, err error) {
	switch op.Kind {
	case msync.MoveLocal, msync.Rename:
		b.Move(c.listing.Spell(op.From), op.Path, c.listing.Spell(op.Path), op.Local.Sum)
	case msync.DeleteLocal:
		b.Delete(op.Path, c.listing.Spell(op.Path), op.Local.Sum)
	case msync.Conflict:
		if err := c.keepLocal(ctx, op); err != nil {
			return false, err
		}
		return c.enterText(b, op), nil
	case msync.Download:
		return c.enterText(b, op), nil
	default:
		return false, fmt.Errorf("carry out %s of %s: not a change of the tree", op.Kind, op.Path)
	}
	return true, nil
}

func (c *cycle) enterText(b *tree.Batch, op msync.Op) bool {
	text, ok := c.texts.byRef[memory.RevisionRef{EntryID: op.Entry, Rev: op.Remote.Rev}]
	if !ok || memory.Sum(text) != op.Remote.Sum || len(text) > memory.MaxEntryBytes {
		c.fail("%s: the server does not give out revision %d as it was announced", op.Path, op.Remote.Rev)
		return false
	}
	b.Put(op.Path, c.listing.Spell(op.Path), text, c.state.entries[op.Entry].at, op.Local.Sum)
	return true
}

// changed records what became of one op on the tree.
func (c *cycle) changed(op msync.Op, r tree.Result) error {
	if r.Err != nil {
		return c.notChanged(op, r.Err)
	}
	if r.Left != nil {
		c.notice("%s: another program still has the old text open; it is looked at again in the next run", op.Path)
	}
	if op.Kind == msync.DeleteLocal {
		c.state.lost(op.Path)
		c.state.forget(op.Entry)
		c.done(op)
		return nil
	}
	if op.Kind == msync.MoveLocal || op.Kind == msync.Rename {
		c.arrived(op.Path, r, c.state.files[op.From])
		c.state.lost(op.From)
		c.state.renamed(op)
		c.done(op)
		return nil
	}
	text := c.texts.byRef[memory.RevisionRef{EntryID: op.Entry, Rev: op.Remote.Rev}]
	f := fileOf(r.Disk, r.Stamp, text)
	c.arrived(op.Path, r, f)
	c.state.agree(msync.Base{EntryID: op.Entry, Path: op.Remote.Path, Rev: op.Remote.Rev, Sum: f.Sum, Text: f.Text})
	c.done(op)
	return nil
}

// arrived records a file at its new place. A file that somebody changed at once
// has no stamp, and is read again.
func (c *cycle) arrived(p memory.Path, r tree.Result, f file) {
	if r.Stamp.IsZero() {
		c.again, c.rescan = true, true
	}
	f.Disk, f.Size, f.MTime, f.CTime, f.Inode = r.Disk, r.Stamp.Size, r.Stamp.MTime, r.Stamp.CTime, r.Stamp.Inode
	c.state.saw(p, f)
	delete(c.local.byPath, p)
}

// notChanged sorts out why an op was not carried out.
func (c *cycle) notChanged(op msync.Op, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, tree.ErrReplaced) {
		return err
	}
	if errors.Is(err, tree.ErrChanged) {
		c.again, c.rescan = true, true
		return nil
	}
	if b, ok := errors.AsType[*tree.Blocked](err); ok {
		c.block(b)
		return nil
	}
	c.fail("%s: %v", op.Path, err)
	return nil
}
