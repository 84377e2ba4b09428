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

// ErrScope means that what is to be left out of the mirror is not known, so
// nothing moves.
var ErrScope = errors.New("what team/.teammemignore leaves out is not known")

// Mode says which way things go. The zero value is both ways.
type Mode string

// The modes. One way deletes nothing on the side that it does not write.
const (
	BothWays Mode = "both-ways" // where it has to be told from what holds already
	PullOnly Mode = "pull-only" // what others wrote comes here; nothing is sent
	PushOnly Mode = "push-only" // what the member wrote is sent; nothing comes here
)

// scope is what is mirrored: all but what the member's rules name, and which way.
type scope struct {
	Rules string // what the ignore file said in the last run that planned
	Gone  bool   // the file was missing then: what it said held once more
	Mode  Mode   // that the folder was linked with
}

// readScope reads what the member leaves out. An ignore file that is gone holds
// for one run more: an editor that saves it takes it away for a moment, and what
// it names must not be sent in that moment.
func (c *cycle) readScope(ctx context.Context) error {
	was := c.index.Scope
	rules, err := c.tree.Rules(ctx)
	now := scope{Rules: rules.Text(), Mode: c.link.Mode}
	if errors.Is(err, fs.ErrNotExist) {
		now.Gone, err = was.Rules != "" && !was.Gone, nil
		if now.Gone {
			now.Rules = was.Rules
			rules, err = tree.ParseRules(was.Rules)
			c.notice("team/.teammemignore is gone: what it left out is left out once more, and shared from the next run on")
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w; nothing is moved", ErrScope, err)
	}
	c.tree.Apply(rules)
	c.scope = now
	c.jumped = !c.index.Cursor.IsZero() && (was.Rules != now.Rules || was.Mode != now.Mode)
	if was.Rules != now.Rules {
		c.before, err = tree.ParseRules(was.Rules)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; nothing is moved", ErrScope, err)
	}
	return nil
}

// unseen adds what the last run left out and this one does not: it was not seen
// to be absent then.
func (c *cycle) unseen(known map[memory.Path]msync.Known) {
	for p := range c.state.files {
		if _, there := known[p]; !there && c.before.LeaveOut(p.String()) {
			known[p] = msync.Known{}
		}
	}
}

// sameScope fails if the ignore file is another one than when the run began:
// what is new in the tree may be what it names now.
func (c *cycle) sameScope(ctx context.Context) error {
	rules, err := c.tree.Rules(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (c.scope.Gone || c.scope.Rules == ""):
		return nil
	case err == nil && !c.scope.Gone && rules.Text() == c.scope.Rules:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.New("team/.teammemignore changed meanwhile; run teammem sync again")
}

// policy is how far plans go in this run.
func (c *cycle) policy() msync.Policy {
	mode := c.mode()
	return msync.Policy{MergeText: true, KeepBoth: true, PullOnly: mode == PullOnly, PushOnly: mode == PushOnly}
}

// mode is that of the run, or the one that the folder was linked with.
func (c *cycle) mode() Mode {
	if c.options.Mode != "" {
		return c.options.Mode
	}
	return c.link.Mode
}

// holdOn keeps on holding what was held before a run that leaves it alone.
func (c *cycle) holdOn(plan []msync.Op) {
	skipped := map[memory.EntryID]bool{}
	for _, op := range plan {
		skipped[op.Entry] = skipped[op.Entry] || op.Reason == msync.Skipped
	}
	for _, h := range c.index.Held {
		if skipped[h.Entry] {
			c.heldOps = append(c.heldOps, h)
		}
	}
}

// leaveOut notes an entry that the member's rules leave out: it stays as it is,
// here and there.
func (c *cycle) leaveOut(p memory.Path) { c.report.LeftOut = append(c.report.LeftOut, p) }
