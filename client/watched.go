package client

import (
	"context"
	"errors"
	"slices"

	"github.com/teammem/teammem/client/tree"
	msync "github.com/teammem/teammem/sync"
)

// A tree may be watched: then a cycle takes the watcher's word for where to look,
// and for what is still moving.

// Touch changes when team/ was last read, and nothing else of it: no name, no
// text, no marker. A watcher hears of it if it hears of anything.
func (s *Syncer) Touch() error {
	t, err := tree.Open(s.link.MemoryDir, tree.Options{Clock: s.clock, Home: s.home, Keep: func(context.Context, tree.Old) error {
		return errors.New("a touch replaces no file")
	}})
	if err != nil {
		return err
	}
	return errors.Join(t.Touch(), t.Close())
}

// list looks at the names in the tree: at all of them, unless whoever watches it
// can say where something happened since the last run of the same Syncer. What
// they missed does no harm: before a file is replaced, removed or deleted for
// all it is looked at, and all names are, now and then.
func (c *cycle) list(ctx context.Context, verify bool) (tree.Listing, error) {
	before := c.last
	listing := before.listing
	before.listing = nil
	if c.options.Touched == nil {
		return c.tree.List(ctx)
	}
	const most = 32 // folders; more are better looked at all together
	touched, all := c.options.Touched()
	if all || verify || listing == nil || !c.sameMarker() || len(touched)+len(before.folders) > most {
		return c.tree.List(ctx)
	}
	for _, f := range before.folders {
		if !slices.Contains(touched, f) {
			touched = append(touched, f)
		}
	}
	if c.options.Relook {
		return c.tree.Relook(ctx, listing, touched)
	}
	return c.tree.Relist(ctx, listing, touched)
}

// leaveUnsettled takes out of a plan what may still be half of a save or of a
// move, by the word of whoever has watched the tree for longer: deletes, what comes
// in the place of a file that is gone, and new files without a text. A listing
// reads one folder after the other, so a file that is moved meanwhile may be in none.
func (c *cycle) leaveUnsettled(plan []msync.Op) []msync.Op {
	c.report.Settling = nil
	if c.options.Settled == nil {
		return plan
	}
	kept := make([]msync.Op, 0, len(plan))
	for _, op := range plan {
		gone := op.Kind == msync.Download && op.Base.EntryID != "" && op.Local.Sum.IsZero()
		half := op.Kind == msync.DeleteRemote || gone || op.Kind == msync.Create && op.Local.Blank
		if half && !c.options.Settled(op.Path) {
			c.report.Settling = append(c.report.Settling, op.Path)
			continue
		}
		kept = append(kept, op)
	}
	return kept
}
