package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/teammem/teammem/memory"
)

// mirrorTime bounds what a run spends on conflicts: it is done already.
const mirrorTime = 15 * time.Second

// mirror tells the server of the conflicts that are open here, so that they can
// be resolved elsewhere, too, and of those that were resolved here; and it hears
// which were resolved elsewhere. A tree without conflicts asks nothing.
//
// It comes after the run, when the index is written, and cannot fail it: what was
// not told now is told by the next one.
func (c *cycle) mirror(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, mirrorTime)
	defer cancel()
	for _, step := range []func(context.Context) error{c.tellClosed, c.hearClosed, c.tellOpen} {
		// Without the server's part, the conflicts are as good as without a server.
		if err := step(ctx); err != nil {
			break
		}
	}
	if open, err := c.conflicts.conflicts(); err == nil {
		c.report.Conflicts = open
	}
}

// tellClosed tells of conflicts that were resolved here.
func (c *cycle) tellClosed(ctx context.Context) error {
	closed, err := c.conflicts.closed()
	if err != nil {
		return err
	}
	for _, k := range closed {
		c.report.Requests++
		err := c.server.closeConflict(ctx, c.link.Project, k.meta.ID)
		if problem := stated(err); problem != nil && !overWith(err) {
			c.notice("the server still has the conflict of %s open: %s", visible(k.meta.Path), problem.Message)
			continue // it may be for another login to tell
		}
		if err != nil && !overWith(err) {
			return err
		}
		if err := k.forget(); err != nil {
			return err
		}
	}
	return nil
}

// overWith reports whether the server has no such conflict of the caller's that
// is open: there is nothing to tell.
func overWith(err error) bool {
	code := memory.CodeOf(err)
	return !errors.Is(err, errForeign) && (code == memory.CodeNotFound || code == memory.CodeConflict)
}

// stated returns what the server has to say about one conflict, and about no
// other: nil if it did not get to that.
func stated(err error) *memory.Error {
	problem, ok := errors.AsType[*memory.Error](err)
	if !ok || errors.Is(err, errForeign) {
		return nil
	}
	about := []memory.Code{
		memory.CodeForbidden, memory.CodeNotFound, memory.CodeConflict, memory.CodeChanged, memory.CodeInvalid, memory.CodeQuota,
		memory.CodePathRejected, memory.CodeSecretFound, memory.CodeTextRejected, memory.CodeTooLarge, memory.CodeScanTimeout,
	}
	if !slices.Contains(about, problem.Code) {
		return nil
	}
	return problem
}

// hearClosed closes what was resolved elsewhere.
func (c *cycle) hearClosed(ctx context.Context) error {
	known, err := c.mirrored(true)
	if err != nil || len(known) == 0 {
		return err
	}
	open, err := c.openElsewhere(ctx)
	if err != nil {
		return err
	}
	for _, k := range known {
		if open[k.meta.ID] {
			continue
		}
		c.report.Requests++
		theirs, err := c.server.conflict(ctx, c.link.Project, k.meta.ID)
		switch {
		case err != nil && !overWith(err) && stated(err) != nil:
			c.notice("it is not known what became of the conflict of %s: %s", k.Path, stated(err).Message)
			continue
		case err != nil && !overWith(err):
			return err
		case err != nil: // the server was restored from a backup: tell it once more
			k.meta.Mirrored = false
			err = c.conflicts.note(k)
		default:
			err = c.settleConflict(k, theirs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxConflictPages bounds what a server can make us ask for; a page has 200.
const maxConflictPages = 50

func (c *cycle) openElsewhere(ctx context.Context) (map[memory.ConflictID]bool, error) {
	open := map[memory.ConflictID]bool{}
	for cursor, page := "", 0; ; page++ {
		c.report.Requests++
		ids, next, err := c.server.openConflicts(ctx, c.link.Project, cursor)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			open[id] = true
		}
		if cursor = next; next == "" {
			return open, nil
		}
		if page == maxConflictPages {
			return nil, fmt.Errorf("the server lists more than %d pages of conflicts", maxConflictPages)
		}
	}
}

// settleConflict closes a conflict that was resolved elsewhere. Its text goes to
// the trash, like that of one which is resolved here; but only a text that is
// the one which the server means.
func (c *cycle) settleConflict(k recorded, theirs memory.Conflict) error {
	ours, base, _, err := sides(k.Kept)
	if err != nil {
		return err
	}
	if theirs.Closed == nil || theirs.Path != k.Path || theirs.Sum != memory.Sum(ours) {
		return nil
	}
	if k.meta.Again { // nobody has decided about what was written since
		k.meta.ID, k.meta.Mirrored, k.meta.Again = memory.NewConflictID(), false, false
		return c.conflicts.note(k)
	}
	if err := c.discard(k.Kept, Sides{Base: base, Ours: ours}); err != nil {
		return err
	}
	became := "your text is in the trash"
	if theirs.Closed.Proposal != "" {
		became = "what came of it goes to a reviewer first, and your text is in the trash"
	}
	c.notice("the conflict of %s was resolved by %s (%s): %s", k.Path, visible(theirs.Closed.By.Name), visible(string(theirs.Closed.How)), became)
	return k.forget()
}

// tellOpen tells of conflicts that the server does not know of.
func (c *cycle) tellOpen(ctx context.Context) error {
	unknown, err := c.mirrored(false)
	if err != nil {
		return err
	}
	for _, k := range unknown {
		switch {
		case k.meta.Withdrawn:
			err = c.keepAlone(k, "a maintainer took back what it was written over")
		case c.leftOut(k):
			err = c.keepAlone(k, "team/.teammemignore leaves it out")
		case k.meta.Refused != nil && k.meta.Refused.RuleSet == c.ruleSet:
			continue // it would be again
		default:
			err = c.tellConflict(ctx, k)
		}
		problem := stated(err)
		if problem == nil && err != nil {
			return err
		}
		if problem == nil {
			continue
		}
		c.notice("the conflict of %s is not at the server: %s", k.Path, problem.Message)
		if problem.Code == memory.CodeForbidden || problem.Code == memory.CodeQuota {
			return nil // which holds for the others, too
		}
	}
	return nil
}

// leftOut reports whether the member's rules leave out what a conflict is about.
func (c *cycle) leftOut(k recorded) bool {
	return c.listing.LeavesOut(k.Path) || c.listing.LeavesOut(c.nameNow(k.Path, k.meta.EntryID))
}

// keepAlone notes that a text is left out. As no rules refused it, the next run
// looks at it again.
func (c *cycle) keepAlone(k recorded, why string) error {
	if k.meta.Refused != nil {
		return nil
	}
	k.meta.Refused = &unshared{Message: why}
	return c.conflicts.note(k)
}

// tellConflict tells of one text, if nothing in it must stay on this computer.
func (c *cycle) tellConflict(ctx context.Context, k recorded) error {
	ours, _, _, err := sides(k.Kept)
	if err != nil {
		return err
	}
	scanner, err := c.scannerFor(k.Path)
	if err != nil {
		return err
	}
	if k.meta.ID == "" { // kept by an older program
		k.meta.ID = memory.NewConflictID()
		if err := c.conflicts.note(k); err != nil {
			return err // an answer that is lost must not make two of it
		}
	}
	clean, err := memory.Screen(ctx, scanner, k.Path, ours)
	var theirs memory.Conflict
	if err == nil {
		c.report.Requests++
		theirs, err = c.server.keepConflict(ctx, c.link.Project, memory.Conflict{
			ID: k.meta.ID, Path: k.Path, EntryID: k.meta.EntryID, BaseRev: k.meta.BaseRev, ServerRev: k.meta.ServerRev, Device: c.device, KeptAt: k.At,
		}, clean)
	}
	problem, ok := errors.AsType[*memory.Error](err)
	switch {
	case err == nil && theirs.Closed != nil:
		return c.settleConflict(k, theirs) // while the answer to an earlier report was lost
	case err == nil:
		k.meta.Mirrored, k.meta.Refused = true, nil
		c.notice("texts of open conflicts are at the server, too: you and reviewers can read and resolve them there")
	case ctx.Err() == nil && ok && !errors.Is(err, errForeign) && slices.Contains(lastingCodes(), problem.Code):
		k.meta.Refused = &unshared{Code: problem.Code, Message: problem.Message, RuleSet: c.ruleSet}
		c.notice("the conflict of %s is kept on this computer only: %s", k.Path, problem.Message)
	default:
		return err
	}
	return c.conflicts.note(k)
}

// lastingCodes are of refusals that asking again does not change.
func lastingCodes() []memory.Code {
	return []memory.Code{
		memory.CodePathRejected, memory.CodeSecretFound, memory.CodeTextRejected, memory.CodeTooLarge, memory.CodeInvalid,
	}
}

// mirrored returns the open conflicts that the server has, or those that it has
// not, as far as is known.
func (c *cycle) mirrored(has bool) ([]recorded, error) {
	open, err := c.conflicts.conflicts()
	if err != nil {
		return nil, err
	}
	var found []recorded
	for _, k := range open {
		if k.Mirrored == has {
			found = append(found, recorded{k, metaOf(k)})
		}
	}
	return found, nil
}
