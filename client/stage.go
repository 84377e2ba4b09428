package client

import (
	"context"
	"errors"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// stage is what a first sync writes while more of the feed is still on its way.
// Nobody sees any of it before the plan has asked for it.
type stage struct {
	batch *tree.Batch
	texts map[memory.Path]staged
}

// staged is a text that waits beside its place, with its hash and its text hash.
type staged struct {
	ref       memory.RevisionRef
	sum, text memory.Hash
}

// stageAll takes pages until there are no more. It writes their texts if the
// tree is empty and was never synced: with anything else in it, only a plan
// knows what to do.
func (c *cycle) stageAll(ctx context.Context, pages <-chan memory.FeedPage) {
	if !c.isFirst() {
		for range pages {
		}
		return
	}
	c.stage = &stage{batch: c.tree.Begin(), texts: map[memory.Path]staged{}}
	for p := range pages {
		for i := range p.Changes {
			if ctx.Err() == nil {
				c.stageText(&p.Changes[i])
			}
		}
	}
	c.stage.batch.Settle()
}

// isFirst reports whether there is nothing that a plan could be about: not in
// the index, and not in the tree.
func (c *cycle) isFirst() bool {
	unknown := c.index.Cursor.IsZero() && len(c.state.entries) == 0
	l := &c.listing
	empty := c.scanned && len(l.Files) == 0 && len(l.Blocked) == 0 && len(l.Leftovers) == 0
	return unknown && empty && !c.options.DryRun && c.mode() != PushOnly
}

// stageText writes the text of a change, which was compared with its hash when it
// came, and lets it go: should the plan want it elsewhere, it is fetched again.
func (c *cycle) stageText(change *memory.Change) {
	s, p := c.stage, change.Path
	_, twice := s.texts[p]
	if !change.Inline || twice || !c.listing.Covers(p) || len(s.texts) == maxBatch || len(change.Content) > memory.MaxEntryBytes {
		return
	}
	if memory.CheckText(change.Content) != nil {
		return // which is told when the plan wants it
	}
	s.batch.Put(p, c.listing.Spell(p), change.Content, c.origin(change.Author, change.At).time(), memory.Hash{})
	s.texts[p] = staged{
		ref: memory.RevisionRef{EntryID: change.EntryID, Rev: change.Rev},
		sum: change.Sum, text: msync.TextSumOf(change.Content, change.Sum),
	}
	change.Content, change.Inline = nil, false
}

// useStaged carries out the downloads whose texts were staged, and returns the
// other ops.
func (c *cycle) useStaged(ctx context.Context, ops []msync.Op) ([]msync.Op, error) {
	s := c.stage
	if s == nil {
		return ops, nil
	}
	wanted := make(map[memory.Path]*msync.Op, len(ops))
	var rest []msync.Op
	for i := range ops {
		op := &ops[i]
		t, ok := s.texts[op.Path]
		if ok && op.Kind == msync.Download && op.Local.Sum.IsZero() && t.ref == refOf(*op) && t.sum == op.Remote.Sum {
			wanted[op.Path] = op
			continue
		}
		rest = append(rest, *op)
	}
	c.stage = nil
	s.batch.Retain(func(p memory.Path) bool { return wanted[p] != nil })
	coming := make([]msync.Base, 0, len(wanted))
	for p, op := range wanted {
		coming = append(coming, baseOf(*op, s.texts[p].text))
	}
	c.receive(coming)
	results, err := s.batch.Commit(ctx)
	if err != nil {
		return nil, err
	}
	var errs error
	for _, r := range results { // all of them: what was done must be known, whatever comes next
		errs = errors.Join(errs, c.changed(*wanted[r.Path], r, s.texts[r.Path].text))
	}
	return rest, errors.Join(errs, ctx.Err())
}

// unstage drops what was staged and not used.
func (c *cycle) unstage() {
	if c.stage != nil {
		c.stage.batch.Discard()
		c.stage = nil
	}
}
