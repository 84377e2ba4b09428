package client

import (
	"context"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// keepOld takes over a text that was replaced or removed in the tree. What the
// server has, what is part of a merge, and what a killed run had written, goes
// to the trash. Anything else is somebody's only copy, whatever was planned, and
// goes to the conflict store.
func (c *cycle) keepOld(_ context.Context, old tree.Old) error {
	p := old.Path
	if p.IsZero() {
		p = rescuedPath(old.Disk)
	}
	if c.kept[old.Sum] || c.keptAhead[p] == old.Sum {
		return nil // just now
	}
	if c.wasPurged(old.Sum) {
		return nil
	}
	if old.Ours || c.mayTrash(old.Sum) || c.lent && old.Sum == old.Expected {
		return c.trashBin.keepYoung(p, old.Content)
	}
	conflict, err := c.conflicts.keepConflict(p, old.Content, nil, conflictMeta{Reason: "written while it was being replaced"})
	if err == nil {
		c.notice("%s was written while it was being replaced: that text is kept in %s", p, conflict.File)
	}
	return err
}

// mayTrash reports whether the server has a text, or it was merged.
func (c *cycle) mayTrash(sum memory.Hash) bool { return c.trashable[sum] || c.state.knows(sum) }

// trash marks the local text of an op as one that may go to the trash: the
// server called it an earlier revision of its own, or it differs in line ends
// only from a text that the server has.
func (c *cycle) trash(op msync.Op) {
	same := !op.Base.Text.IsZero() && op.Local.Text == op.Base.Text
	if earlier := c.superseded[op.Path]; same || !earlier.IsZero() && earlier == op.Local.Sum {
		c.trashable[op.Local.Sum] = true
	}
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
	meta := conflictMeta{EntryID: op.Entry, BaseRev: op.Base.Rev, ServerRev: op.Remote.Rev, Reason: "changed here and on the server"}
	if op.Remote.Imposed {
		meta.Reason, meta.Withdrawn = "changed here, and taken back by a maintainer", true
	}
	conflict, err := c.conflicts.keepConflict(op.Path, text, base, meta)
	if err != nil {
		return err
	}
	c.kept[memory.Sum(text)] = true
	if op.Remote.Imposed {
		c.notice("%s was taken back by a maintainer: what you changed in it is kept on this computer only, in %s", op.Path, conflict.File)
		return nil
	}
	c.notice("%s changed here and on the server: the server's text is in the tree, yours is kept in %s", op.Path, conflict.File)
	return nil
}

// baseText fetches what both sides started from; nil if that is not known.
func (c *cycle) baseText(ctx context.Context, op msync.Op) ([]byte, error) {
	if f, forked := c.forks[op.Entry]; forked && f.rev == op.Base.Rev {
		return f.text, nil
	}
	if op.Base.Rev == 0 {
		return nil, nil
	}
	ref := memory.RevisionRef{EntryID: op.Entry, Rev: op.Base.Rev}
	found, err := c.fetch(ctx, []memory.RevisionRef{ref})
	if err != nil || memory.Sum(found[ref]) != op.Base.Sum {
		return nil, err
	}
	return found[ref], nil
}
