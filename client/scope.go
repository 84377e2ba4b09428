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

// ErrScope means that it is not known what is mirrored, so nothing moves.
var ErrScope = errors.New("what is to be left out of the mirror is not known")

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

// readScope reads what is mirrored, and whether that is something else than in
// the last run.
func (c *cycle) readScope(ctx context.Context) error {
	if mode := c.mode(); !mode.known() {
		return fmt.Errorf("%w: links.json has the mode %+q; link the folder again with --both-ways, --pull-only or --push-only", ErrScope, mode)
	}
	was, now := c.index.Scope, scope{Mode: c.link.Mode}
	rules, err := c.readRules(ctx, was, &now)
	if err == nil && was.Rules != now.Rules {
		c.before, err = tree.ParseRules(was.Rules)
		if err != nil { // by an older program's word, which took lines that we do not
			c.before, err = tree.ParseRules("*")
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w; nothing is moved", ErrScope, err)
	}
	c.tree.Apply(rules)
	c.scope = now
	c.jumped = !c.index.Cursor.IsZero() && (was.Rules != now.Rules || was.Mode != now.Mode)
	return nil
}

// readRules reads what the member leaves out. An ignore file that is gone holds
// for one run more: an editor that saves it takes it away for a moment, and what
// it names must not be sent in that moment. One that was emptied is what a full
// disk or a power cut makes of it: nothing moves before somebody says what they
// mean.
func (c *cycle) readRules(ctx context.Context, was scope, now *scope) (tree.Rules, error) {
	rules, err := c.tree.Rules(ctx)
	now.Rules = rules.Text()
	switch {
	case errors.Is(err, fs.ErrNotExist) && was.Rules != "" && !was.Gone:
		now.Rules, now.Gone = was.Rules, true
		c.notice("team/.teammemignore is gone: what it left out is left out once more, and shared from the next run on")
		return tree.ParseRules(was.Rules)
	case errors.Is(err, fs.ErrNotExist):
		return tree.Rules{}, nil
	case err == nil && blank([]byte(now.Rules)) && !blank([]byte(was.Rules)):
		return tree.Rules{}, errors.New("team/.teammemignore is empty, and was not: remove it if nothing is to be left out, or write a comment into it")
	}
	return rules, err
}

// keepsScope reports whether the next run is to compare with what this one read.
// A run that goes one way does not see all that may come of a change, so it keeps
// only that something is left out where nothing was.
func (c *cycle) keepsScope() bool {
	was := c.index.Scope
	return c.options.Mode == "" || blank([]byte(was.Rules)) && was.Mode == c.scope.Mode
}

// known reports whether the mode is one of ours. Whatever else stands in a file
// that people can edit, it is not taken for both ways.
func (m Mode) known() bool {
	return m == "" || m == BothWays || m == PullOnly || m == PushOnly
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

// maySend fails if the ignore file is another one than when the newest listing
// was made. It is asked before the first text of it leaves.
func (c *cycle) maySend(ctx context.Context) error {
	if c.sureOf.Equal(c.listing.Started) {
		return nil
	}
	if err := c.sameScope(ctx); err != nil {
		return err
	}
	c.sureOf = c.listing.Started
	return nil
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
// here and there. If it has another name here or there that is not left out, it
// stays all the same, so that name is noted as well.
func (c *cycle) leaveOut(op msync.Op) {
	for _, p := range []memory.Path{op.Local.Path, op.Base.Path, op.Remote.Path} {
		if !p.IsZero() {
			c.report.LeftOut = append(c.report.LeftOut, p)
		}
	}
}
