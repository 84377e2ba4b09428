package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Difference is a text that is not the same here and at the server. Both are
// foreign text. One of no difference has only another name.
type Difference struct {
	Kind         msync.Kind // what a sync would do; Report: nothing, for now
	Reason       msync.Reason
	Path, From   memory.Path
	Ours, Theirs []byte // nil: there is none
}

// Receives reports whether a sync would bring the server's text here.
func (d *Difference) Receives() bool {
	return slices.Contains([]msync.Kind{msync.Download, msync.Conflict, msync.DeleteLocal, msync.MoveLocal}, d.Kind)
}

// diffBatch is how many texts are held at a time.
const diffBatch = 50

// Diff shows what a sync would change, text by text, and changes nothing. Of one
// path, which may be zero for all, it shows what is different whatever a sync
// would do about it.
func (s *Syncer) Diff(ctx context.Context, only memory.Path, show func(Difference) error) (*Report, error) {
	o := SyncOptions{DryRun: true, inspect: func(ctx context.Context, c *cycle, plan []msync.Op) error {
		var some []msync.Op
		for _, op := range plan {
			named := op.Path == only || op.From == only || op.Reason == msync.Blocked && op.Base.Path == only
			if only.IsZero() && op.Kind != msync.Report || !only.IsZero() && named {
				some = append(some, op)
			}
		}
		for ops := range slices.Chunk(some, diffBatch) {
			if err := c.differ(ctx, ops, show); err != nil {
				return err
			}
		}
		return nil
	}}
	return s.Sync(ctx, o)
}

// differ shows both texts of some ops.
func (c *cycle) differ(ctx context.Context, ops []msync.Op, show func(Difference) error) error {
	var refs []memory.RevisionRef
	for _, op := range ops {
		if hasTheirs(op) {
			refs = append(refs, refOf(op))
		}
	}
	found, err := c.fetch(ctx, refs)
	if err != nil {
		return err
	}
	for _, op := range ops {
		d := Difference{Kind: op.Kind, Reason: op.Reason, Path: op.Path, From: op.From}
		if hasTheirs(op) {
			d.Theirs = found[refOf(op)]
			if !fits(d.Theirs, op.Remote.Sum) {
				return fmt.Errorf("%s: the server does not give out revision %d as it was announced", op.Path, op.Remote.Rev)
			}
		}
		if d.Ours, err = c.ours(ctx, op); err != nil {
			return err
		}
		if d.Reason == msync.Blocked && d.Ours != nil && bytes.Equal(d.Ours, d.Theirs) {
			continue
		}
		if err := show(d); err != nil {
			return err
		}
	}
	return nil
}

func hasTheirs(op msync.Op) bool { return op.Remote.Rev > 0 && !op.Remote.Deleted }

// ours is the text that an op was planned from.
func (c *cycle) ours(ctx context.Context, op msync.Op) ([]byte, error) {
	l := op.Local
	if l.Blocked != "" && l.Sum.IsZero() {
		return c.unlisted(ctx, op)
	}
	if l.Path.IsZero() || l.Sum.IsZero() {
		return nil, nil
	}
	text, _, err := c.tree.Read(ctx, c.state.disk(l.Path, l.Path), tree.Stamp{})
	if err == nil && memory.Sum(text) != l.Sum {
		err = tree.ErrChanged
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", l.Path, err)
	}
	return append([]byte{}, text...), nil
}

// unlisted is the text of an entry whose file the listing says nothing of: a
// member leaves it out, say. That it was not looked at does not mean that there
// is none.
func (c *cycle) unlisted(ctx context.Context, op msync.Op) ([]byte, error) {
	for _, p := range []memory.Path{op.Base.Path, op.Local.Path} {
		if p.IsZero() {
			continue
		}
		text, _, err := c.tree.Read(ctx, c.state.disk(p, p), tree.Stamp{})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p, err)
		}
		return append([]byte{}, text...), nil
	}
	return nil, nil
}
