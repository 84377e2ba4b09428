package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Each batch ends with a flush of the file system, so a few large ones are
// fastest; but one that is cut off was for nothing, so none takes long.
const (
	firstBatch = 1000 // files that are written at a time
	maxBatch   = 10_000
	batchTime  = 3 * time.Second
)

// nextBatch is how many files to write at a time after so many took so long. A
// clock that was set only makes it larger or smaller.
func nextBatch(files int, took time.Duration) int {
	if took <= 0 {
		return firstBatch
	}
	return int(min(max(int64(files)*int64(batchTime)/int64(took), firstBatch), maxBatch))
}

// carryOut does what the plan says, in its order: moves and downloads, then
// everything that goes to the server, then deletes. An op that finds the world
// changed is dropped; the next plan sees why.
func (c *cycle) carryOut(ctx context.Context, plan []msync.Op) error {
	now, up := make([]msync.Op, 0, len(plan)), make([]msync.Op, 0, len(plan))
	var later []msync.Op
	var gone []*offer
	for _, op := range plan {
		switch op.Kind {
		case msync.Forget:
			c.state.forget(op.Entry)
			c.done(op)
		case msync.Adopt:
			c.adopt(op)
		case msync.MoveLocal, msync.Rename, msync.Download:
			now = append(now, op)
		case msync.Conflict, msync.Merge:
			if op.Kind == msync.Conflict && !c.mayBeEarlier(op) {
				now = append(now, op)
				continue
			}
			up = append(up, op)
		case msync.MoveRemote, msync.Upload, msync.Create:
			up = append(up, op)
		case msync.DeleteLocal:
			later = append(later, op)
		case msync.DeleteRemote:
			gone = append(gone, deleteOffer(op))
		case msync.Report:
		}
	}
	if err := c.changeTree(ctx, now); err != nil {
		return err
	}
	if err := c.upload(ctx, up); err != nil {
		return err
	}
	if err := c.changeTree(ctx, later); err != nil {
		return err
	}
	return c.sendDeletes(ctx, c.stillGone(gone)) // they travel alone
}

// mayBeEarlier reports whether the server has to be asked if a text that goes
// against its own is an earlier revision of the entry, later than the base: a run
// that was cut off brought it here, or published it, and took no note of that.
// Then it is no conflict, and no edit of what was deleted, but stale.
func (c *cycle) mayBeEarlier(op msync.Op) bool {
	if op.Remote.Imposed {
		return false // nothing of it is offered
	}
	switch op.Kind {
	case msync.Conflict, msync.Merge:
	case msync.Create:
		if !op.Remote.Deleted || op.Base.EntryID == "" {
			return false
		}
	default:
		return false
	}
	return c.unheard[op.Path] != op.Local.Sum
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
	c.accepted(op.Local.Path)
	c.state.agree(baseOf(op, op.Local.Text))
	c.done(op)
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
	total := len(ops)
	ops, err := c.useStaged(ctx, ops)
	if err != nil {
		return err
	}
	early := total - len(ops)
	most := firstBatch
	for done := 0; done < len(ops); {
		began, some := c.clock(), ops[done:done+c.batchSize(ops[done:], most)]
		if err := c.changeSome(ctx, some); err != nil {
			return err
		}
		most = nextBatch(len(some), c.clock().Sub(began))
		done += len(some)
		c.progress("writing", early+done, total)
	}
	return nil
}

// batchSize is how many of the ops make a batch, so that few texts are fetched
// for it.
func (c *cycle) batchSize(ops []msync.Op, most int) int {
	fetched := 0
	for i, op := range ops {
		if (op.Kind == msync.Download || op.Kind == msync.Conflict) && !c.texts.has(refOf(op)) {
			fetched++
		}
		if i == most || fetched > maxFetch {
			return i
		}
	}
	return len(ops)
}

func refOf(op msync.Op) memory.RevisionRef {
	return memory.RevisionRef{EntryID: op.Entry, Rev: op.Remote.Rev}
}

// spare leaves out the ops that take a text out of the tree, if there is no room
// to keep it: once it is out, a full disk would be found too late.
func (c *cycle) spare(ops []msync.Op) []msync.Op {
	const overhead = 4 << 10 // of a file: its folder, and its last block
	room := int64(0)
	for _, op := range ops {
		if takesOut(op) {
			room += c.state.files[op.Local.Path].Size + overhead
		}
	}
	if room == 0 {
		return ops
	}
	err := roomIn(c.trashBin.temps, room)
	if err == nil {
		return ops
	}
	for _, op := range ops {
		if takesOut(op) {
			c.fail("%s: its text cannot be kept: %v", op.Path, err)
		}
	}
	return slices.DeleteFunc(slices.Clone(ops), takesOut)
}

// takesOut reports whether an op takes a text out of the tree.
func takesOut(op msync.Op) bool {
	return !op.Local.Sum.IsZero() && (op.Kind == msync.Download || op.Kind == msync.DeleteLocal)
}

func (c *cycle) changeSome(ctx context.Context, ops []msync.Op) error {
	ops = c.spare(ops)
	var refs []memory.RevisionRef
	for _, op := range ops {
		if op.Kind == msync.Download || op.Kind == msync.Conflict && !op.Remote.Deleted {
			refs = append(refs, refOf(op))
		}
	}
	found, err := c.fetch(ctx, refs)
	if err != nil {
		return err
	}
	b := c.tree.Begin()
	var planned []msync.Op
	for _, op := range ops {
		if ctx.Err() != nil {
			b.Discard()
			return ctx.Err()
		}
		if c.refuseText(op, found[refOf(op)]) {
			continue
		}
		ready, err := c.enter(ctx, b, op, found[refOf(op)])
		if err != nil {
			b.Discard()
			return err
		}
		if ready {
			planned = append(planned, op)
		}
	}
	c.noteMoves(planned)
	var coming []msync.Base
	for _, op := range planned {
		if op.Kind == msync.Download || op.Kind == msync.Conflict && !op.Remote.Deleted {
			coming = append(coming, baseOf(op, msync.TextSumOf(found[refOf(op)], op.Remote.Sum)))
		}
	}
	c.receive(coming)
	c.keepAhead(ctx, planned)
	results, err := b.Commit(ctx)
	if err != nil {
		return err
	}
	var errs error
	for i, r := range results { // all of them: what was done must be known, whatever comes next
		op := planned[i]
		errs = errors.Join(errs, c.changed(op, r, msync.TextSumOf(found[refOf(op)], op.Remote.Sum)))
		c.texts.drop(refOf(op))
	}
	return errors.Join(errs, ctx.Err())
}

// enter adds one op to the batch.
func (c *cycle) enter(ctx context.Context, b *tree.Batch, op msync.Op, text []byte) (ready bool, err error) {
	switch op.Kind {
	case msync.MoveLocal, msync.Rename:
		b.Move(c.listing.Spell(op.From), op.Path, c.listing.Spell(op.Path), op.Local.Sum)
	case msync.DeleteLocal:
		c.trash(op)
		if op.Remote.Purged {
			c.purged[op.Local.Sum] = true
		}
		b.Delete(op.Path, c.listing.Spell(op.Path), op.Local.Sum)
	case msync.Conflict:
		if err := c.keepLocal(ctx, op); err != nil {
			return false, err
		}
		if op.Remote.Deleted {
			b.Delete(op.Path, c.listing.Spell(op.Path), op.Local.Sum)
			return true, nil
		}
		return c.enterText(b, op, text), nil
	case msync.Download:
		c.trash(op)
		return c.enterText(b, op, text), nil
	default:
		return false, fmt.Errorf("carry out %s of %s: not a change of the tree", op.Kind, op.Path)
	}
	return true, nil
}

func (c *cycle) enterText(b *tree.Batch, op msync.Op, text []byte) bool {
	if !fits(text, op.Remote.Sum) {
		c.fail("%s: the server does not give out revision %d as it was announced", op.Path, op.Remote.Rev)
		return false
	}
	b.Put(op.Path, c.listing.Spell(op.Path), text, c.state.entries[op.Entry].time(), op.Local.Sum)
	return true
}

// fits reports whether a text is the one that was announced.
func fits(text []byte, sum memory.Hash) bool {
	return len(text) <= memory.MaxEntryBytes && memory.Sum(text) == sum
}

// changed records what became of one op on the tree. The hash is that of the
// new text, if there is one.
func (c *cycle) changed(op msync.Op, r tree.Result, text memory.Hash) error {
	if r.Err != nil {
		return c.notChanged(op, r.Err)
	}
	if r.Left != nil {
		c.notice("%s: the text that was there stays beside it until the next run: %v", op.Path, r.Left)
	}
	if op.Kind == msync.DeleteLocal || op.Remote.Deleted && op.Kind == msync.Conflict {
		if !op.Remote.Imposed {
			c.countDelete(op.Kind)
		} else if op.Kind == msync.DeleteLocal {
			c.takenBack++
		}
		c.state.lost(op.Path)
		c.state.forget(op.Entry)
		c.done(op)
		return nil
	}
	if op.Kind == msync.MoveLocal || op.Kind == msync.Rename {
		c.arrived(op.Path, r, c.state.files[op.From])
		c.state.lost(op.From)
		c.state.renamed(op)
		c.proposalsFollow(op.From, op.Path)
		c.done(op)
		return nil
	}
	c.arrived(op.Path, r, file{Sum: op.Remote.Sum, Text: text})
	c.state.agree(baseOf(op, text))
	c.done(op)
	c.cameBack(op)
	return nil
}

// baseOf is what is agreed on once the tree has what the server has. The hash is
// that of the text as [msync.Base] has it.
func baseOf(op msync.Op, text memory.Hash) msync.Base {
	return msync.Base{EntryID: op.Entry, Path: op.Remote.Path, Rev: op.Remote.Rev, Sum: op.Remote.Sum, Text: text}
}

// arrived records a file at its new place. A file that somebody changed at once
// has no stamp, and is read again.
func (c *cycle) arrived(p memory.Path, r tree.Result, f file) {
	if r.Stamp.IsZero() {
		c.again, c.rescan = true, true
	}
	f.Disk, f.Size, f.MTime, f.CTime, f.Inode = r.Disk, r.Stamp.Size, r.Stamp.MTime, r.Stamp.CTime, r.Stamp.Inode
	c.state.saw(p, f)
	c.local.drop(p)
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
