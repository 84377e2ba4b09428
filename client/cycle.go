package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// maxRounds is how often a cycle plans anew because the world moved on.
const maxRounds = 5

// cycle is one run under the lock.
type cycle struct {
	*Syncer
	began     time.Time
	options   SyncOptions
	index     *index
	state     *state
	tree      *tree.Tree
	trashBin  vault
	conflicts vault
	report    *Report

	// What was observed.
	last        *resident
	listing     tree.Listing
	scanned     bool // the listing is complete, and what changed was read
	unclear     bool // something in the listing could not be read
	blocked     map[memory.Path]string
	blockedDirs map[string]string
	marker      tree.Marker
	before      tree.Rules // what was left out in the last run, if it is something else now
	scope       scope
	sureOf      time.Time // the start of the listing since which the ignore file is known to be the same
	jumped      bool      // it is another one than in the last run
	unmoved     bool      // a file kept its stamp, so this is the tree that the index is about
	texts       texts
	stage       *stage // nil: nothing is staged
	local       localTexts
	names       *sanitize.Names // of all that the server has; nil: not needed yet
	absentAt    memory.Cursor

	// What is not shared, by name on disk.
	refused      map[string]refusal // before this run
	refusals     map[string]refusal // in this run
	fresh        map[string]bool    // refused for the first time
	told         bool               // refusals holds all that is known
	recorded     int                // refusals in the index
	knownForeign map[memory.EntryID]refusal
	unmergeable  map[memory.Path]memory.Hash // what the server has for these texts, or would have, is refused

	allowed allowed

	// What the guard has to know beside a plan.
	planned  bool           // there is a plan
	heldOps  []msync.HeldOp // of the newest, and before it of the last run's
	released map[memory.EntryID]bool
	offered  map[memory.EntryID]bool // again, after they were deleted
	deletes  deleted                 // of this run
	baseSize int64                   // of the newest plan

	serverTime time.Time // the newest that the server stated in this run

	// What the server said of texts that have no base.
	superseded map[memory.Path]memory.Hash // earlier revisions of their entry
	unheard    map[memory.Path]memory.Hash // never revisions of their entry

	// What was sent, and may have got no answer.
	notes notes
	sent  []sent                         // by earlier runs, until the news came
	moved map[memory.EntryID]memory.Path // by them, and no note was taken of that in the index
	forks map[memory.EntryID]fork

	// What came into the tree, and may not be in the index.
	receipts notes
	received []received // by earlier runs, until the news came

	ownDeletes ownDeletes

	// What waits for a reviewer, or did.
	proposals []proposal
	ended     map[memory.ProposalID]bool // news in this run

	kept      map[memory.Hash]bool        // texts that went to the conflict store
	trashable map[memory.Hash]bool        // texts that the server has, or that were merged
	keptAhead map[memory.Path]memory.Hash // texts that are in the trash already, and are to go there
	lent      bool                        // the tree is lent to Edit, whose expectations are a plan, too
	failures  []string

	purged    map[memory.Hash]bool // texts of which no copy is kept
	takenBack int                  // files that went since a maintainer took them back
	imposed   bool                 // something that was here is taken back, and nobody was asked yet why

	written bool // the index file is this run's

	again     bool // pull and plan once more
	rescan    bool // and look at the tree again
	contested bool // the server disputes a base, so the next pull must bring news
}

// open reads the index and opens the tree that belongs to it.
func (s *Syncer) open(ctx context.Context, file string, o SyncOptions, report *Report) (*cycle, error) {
	before, err := s.remember(file, o, report)
	if err != nil {
		return nil, err
	}
	x := before.index
	vaultIn := func(dir string) vault {
		v := vault{dir: dir, temps: filepath.Join(dir, ".new-"+s.link.tag()), device: s.device, clock: s.clock}
		v.sweep()
		return v
	}
	c := &cycle{
		Syncer: s, began: s.clock(), options: o, index: x, state: before.state, last: before, report: report,
		trashBin: vaultIn(s.dirs.trashDir(s.link)), conflicts: vaultIn(s.dirs.conflictsDir(s.link)),
		refused: map[string]refusal{}, refusals: map[string]refusal{}, fresh: map[string]bool{},
		knownForeign: map[memory.EntryID]refusal{}, unmergeable: map[memory.Path]memory.Hash{},
		superseded: map[memory.Path]memory.Hash{}, unheard: map[memory.Path]memory.Hash{},
		kept: map[memory.Hash]bool{}, trashable: map[memory.Hash]bool{}, purged: map[memory.Hash]bool{},
		proposals: slices.Clone(x.Proposals), ended: map[memory.ProposalID]bool{},
		heldOps: x.Held, released: map[memory.EntryID]bool{}, offered: map[memory.EntryID]bool{},
	}
	c.trashBin.clock = c.latest
	c.notes.file = filepath.Join(filepath.Dir(file), "sent")
	c.sent = readSent(&c.notes)
	c.moved, c.forks = movedBy(c.sent), map[memory.EntryID]fork{}
	c.receipts.file = filepath.Join(filepath.Dir(file), "received")
	c.received = readReceived(&c.receipts)
	c.ownDeletes.notes.file = filepath.Join(filepath.Dir(file), "deleted")
	c.recorded = len(x.Refusals)
	for _, r := range x.Refusals {
		if r.Entry == "" {
			c.refused[r.Disk] = r
			continue
		}
		c.knownForeign[r.Entry] = r
	}
	return c, c.openTree(ctx)
}

// openTree opens team/ and compares its marker with the index. A tree whose
// marker is gone or another's may be an empty mount point or a restored copy:
// what is missing in it must not be taken for deleted.
func (c *cycle) openTree(ctx context.Context) error {
	t, err := tree.Open(c.link.MemoryDir, tree.Options{Clock: c.clock, Keep: c.keepOld, Home: c.home, OnSync: c.onSync})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s has no %s folder; put it back, or run teammem link --rebuild to start from the server's copy",
			ErrMarker, c.link.MemoryDir, tree.FolderName)
	}
	if err != nil {
		return err
	}
	c.tree = t
	if c.options.DryRun {
		for _, w := range t.Warnings() {
			c.notice("%s", w)
		}
	}
	m, err := t.Marker(ctx)
	known := c.index.RootID != ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: the marker team/.teammem is missing; put the folder back, or run teammem link --rebuild, which deletes nothing", ErrMarker)
	case err != nil:
	case m.Project != c.link.Project || m.Instance != c.link.Instance:
		err = fmt.Errorf("%w: its marker names project %s of instance %s", ErrMarker, m.Project, m.Instance)
	case m.Root != c.link.RootID || (known && m.Root != c.index.RootID):
		err = fmt.Errorf("%w: its marker was made for another copy; run teammem link --rebuild, which deletes nothing", ErrMarker)
	}
	if err != nil {
		return errors.Join(err, t.Close())
	}
	c.marker = m
	c.index.Instance, c.index.Project, c.index.RootID = c.link.Instance, c.link.Project, m.Root
	if err := c.readScope(ctx); err != nil {
		return errors.Join(err, t.Close())
	}
	return nil
}

// run observes, plans and carries out, until a plan has nothing to do.
func (c *cycle) run(ctx context.Context) error {
	if err := c.observe(ctx); err != nil {
		return err
	}
	if err := c.askAllowed(ctx); err != nil {
		return err
	}
	for round := 0; ; round++ {
		c.undo()
		plan := c.plan()
		todo := c.actionable(plan)
		if c.options.DryRun {
			if look := c.options.inspect; look != nil {
				if err := look(ctx, c, plan); err != nil {
					return err
				}
			}
			return c.preview(plan, todo)
		}
		c.report.Pending = len(todo)
		if len(todo) == 0 && !c.again {
			return c.conclude(ctx, plan)
		}
		if round == maxRounds {
			return fmt.Errorf("the tree or the server kept changing during %d rounds; run teammem sync again", maxRounds)
		}
		c.again, c.rescan = false, false
		if err := c.carryOut(ctx, todo); err != nil {
			return err
		}
		if len(c.failures) > 0 {
			return errors.Join(c.tell(plan), c.failed())
		}
		if err := c.observeAgain(ctx); err != nil {
			return err
		}
	}
}

// conclude ends a run whose plan has nothing left to do. Only equal digests
// prove that the server's side of the plan was the whole of it.
func (c *cycle) conclude(ctx context.Context, plan []msync.Op) error {
	if err := c.tell(plan); err != nil {
		return err
	}
	if c.mode() != PullOnly {
		if err := c.retract(ctx); err != nil {
			return err
		}
	}
	if err := c.learnLeaks(ctx); err != nil {
		return err
	}
	if !c.agrees(c.index.Digest) {
		return errors.New("what is known of the server does not have its digest; run teammem sync again")
	}
	c.report.Proven = true
	return nil
}

// fail records that one op could not be carried out. The others go on.
func (c *cycle) fail(format string, args ...any) {
	c.failures = append(c.failures, fmt.Sprintf(format, args...))
}

func (c *cycle) failed() error {
	return fmt.Errorf("%d changes could not be carried out; nothing of them was changed: %s", len(c.failures), c.failures[0])
}

// finish completes the report and writes the index, if there is anything new
// in it. It also runs after an error: what was carried out is remembered.
func (c *cycle) finish(file string, failed error) error {
	c.index.Refusals = c.remembered()
	listed := c.finishReport()
	if c.options.DryRun || c.options.Offline {
		return listed
	}
	c.ownDeletes.remember()
	c.rememberLeaks()
	if failed == nil && len(c.listing.Leftovers) == 0 && len(c.report.Done) > 0 {
		if err := c.trashBin.prune(c.surelyPast().Add(-trashAge)); err != nil {
			c.notice("%v", err)
		}
	}
	if failed == nil {
		c.index.LastSync = c.began
	}
	var err error
	changed := len(c.index.Refusals) != c.recorded || !slices.Equal(c.index.Proposals, c.proposals) ||
		!slices.Equal(c.index.Held, c.heldOps)
	if c.planned && c.index.Scope != c.scope && c.keepsScope() {
		c.index.Scope, changed = c.scope, true
	}
	if c.state.dirty || changed {
		c.index.Proposals, c.index.Held = c.proposals, c.heldOps
		c.index.Own = c.state.digest
		err = c.write(file)
	} else {
		err = c.index.stamp(file)
	}
	if failed == nil && err == nil && c.report.Asked { // else nobody knows what became of what they are about
		c.notes.drop()
	}
	if c.received == nil && err == nil {
		c.receipts.drop()
	}
	return errors.Join(listed, err)
}

// clocked notes a time that the server stated.
func (c *cycle) clocked(at time.Time) {
	if at.After(c.serverTime) {
		c.serverTime = at
	}
}

// surelyPast is a time that has passed by both clocks, this computer's and the
// server's. Either may jump by years, and texts that are deleted do not come
// back; a run in which the server said nothing of the time deletes none.
func (c *cycle) surelyPast() time.Time {
	if now := c.clock(); now.Before(c.serverTime) {
		return now
	}
	return c.serverTime
}

// latest is what texts in the trash are stamped with: were this computer's clock
// behind, they would look old before they are.
func (c *cycle) latest() time.Time {
	if now := c.clock(); now.After(c.serverTime) {
		return now
	}
	return c.serverTime
}

// finishReport adds what the whole run had to say. That the open conflicts
// cannot be listed is an error: none may be passed over.
func (c *cycle) finishReport() error {
	r := c.report
	for _, f := range c.index.Refusals {
		isNew := c.fresh[f.Disk]
		if f.Entry != "" {
			_, known := c.knownForeign[f.Entry]
			isNew = !known
		}
		listed := f.listed(isNew)
		c.sayRequests(&listed, f.Path)
		r.Refused = append(r.Refused, listed)
	}
	for i := range c.proposals {
		p := &c.proposals[i]
		r.Waiting = append(r.Waiting, p.listed(c.ended[p.ID]))
	}
	if c.takenBack > 0 {
		c.notice("%d files were taken back by a maintainer, or by the server for a secret, and are gone here, too; teammem findings lists yours", c.takenBack)
	}
	c.missed()
	r.sort()
	r.Cursor, r.Digest, r.Entries = c.index.Cursor, c.state.digest, c.state.live
	open, err := c.conflicts.conflicts()
	r.Conflicts = open
	return err
}
