package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// trashAge is how long replaced and removed texts are kept.
const trashAge = 30 * 24 * time.Hour

// The reasons for which nothing moves, in either direction.
var (
	ErrMarker = errors.New("the tree is not the one that was linked")
	ErrReset  = errors.New("the server's history was replaced")
)

// Syncer mirrors one linked tree. Make it with [NewSyncer].
type Syncer struct {
	dirs     Dirs
	link     Link
	server   *Server
	device   memory.DeviceID
	scanner  func() (memory.Scanner, error)
	ruleSet  string
	clock    memory.Clock
	home     string
	progress func(what string, done, total int)
	onDone   func(Done)
}

// SyncerOptions are what a [Syncer] needs from the outside.
type SyncerOptions struct {
	Device   memory.DeviceID
	Scanner  func() (memory.Scanner, error)     // built when the first text is to be sent
	RuleSet  string                             // of that scanner
	Clock    memory.Clock                       //
	Home     string                             // the member's home folder
	Progress func(what string, done, total int) // may be nil
	Done     func(Done)                         // told of each op as it is done; may be nil
}

// NewSyncer prepares to mirror the tree of a link.
func NewSyncer(d Dirs, l Link, s *Server, o SyncerOptions) *Syncer {
	progress := o.Progress
	if progress == nil {
		progress = func(string, int, int) {}
	}
	onDone := o.Done
	if onDone == nil {
		onDone = func(Done) {}
	}
	return &Syncer{
		dirs: d, link: l, server: s, device: o.Device, scanner: o.Scanner, ruleSet: o.RuleSet, clock: o.Clock, home: o.Home, progress: progress, onDone: onDone,
	}
}

// SyncOptions change what one run does.
type SyncOptions struct {
	DryRun  bool // plan, and change nothing
	Verify  bool // hash every file, whatever its time stamps say
	Offline bool // do not ask the server: plan from what is known
}

// cycle is one run under the lock.
type cycle struct {
	*Syncer
	options   SyncOptions
	index     *index
	state     *state
	tree      *tree.Tree
	trashBin  vault
	conflicts vault
	report    *Report

	listing     tree.Listing
	blocked     map[memory.Path]string
	blockedDirs map[string]string
	refused     map[string]refusal // before this scan, by name on disk
	refusals    map[string]refusal // now
	texts       texts
	local       localTexts
	fresh       map[string]bool // refused for the first time
	newForeign  map[memory.EntryID]bool
	names       *sanitize.Names      // of all that the server has; built when a new name comes
	kept        map[memory.Hash]bool // texts that went to the conflict store
	superseded  map[memory.Path]memory.Hash
	absentAt    memory.Cursor
	failures    []string

	again  bool // pull and plan once more
	rescan bool // and look at the tree again
}

// Sync runs one cycle: observe both sides, plan, carry out, until nothing is
// left to do. The report is complete also when an error ended the run.
func (s *Syncer) Sync(ctx context.Context, o SyncOptions) (_ *Report, err error) {
	report := &Report{DryRun: o.DryRun}
	state := s.dirs.stateDir(s.link)
	l, err := takeLock(ctx, filepath.Join(state, "lock"))
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	c, err := s.open(filepath.Join(state, "index"), o, report)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, c.tree.Close()) }()
	err = c.run(ctx)
	return report, errors.Join(err, c.finish(filepath.Join(state, "index"), err))
}

// open reads the index and opens the tree that belongs to it.
func (s *Syncer) open(file string, o SyncOptions, report *Report) (*cycle, error) {
	x, err := loadIndex(file)
	if errors.Is(err, errIndexDamaged) {
		report.Notices = append(report.Notices, "the index was damaged and is made anew; equal files are adopted, nothing is deleted")
		x, err = &index{}, nil
	}
	if err != nil {
		return nil, err
	}
	vaultIn := func(dir string) vault { return vault{dir: dir, device: s.device, clock: s.clock} }
	c := &cycle{
		Syncer: s, options: o, index: x, report: report,
		trashBin: vaultIn(s.dirs.trashDir(s.link)), conflicts: vaultIn(s.dirs.conflictsDir(s.link)),
		refused: map[string]refusal{}, refusals: map[string]refusal{}, fresh: map[string]bool{},
		newForeign: map[memory.EntryID]bool{}, kept: map[memory.Hash]bool{}, superseded: map[memory.Path]memory.Hash{},
	}
	for _, r := range x.Refusals {
		if r.Entry == "" {
			c.refused[r.Disk] = r
		}
	}
	c.state = newState(x)
	return c, c.openTree()
}

// openTree opens team/ and compares its marker with the index. A tree whose
// marker is gone or another's may be an empty mount point or a restored copy:
// what is missing in it must not be taken for deleted.
func (c *cycle) openTree() error {
	t, err := tree.Open(c.link.MemoryDir, tree.Options{Clock: c.clock, Keep: c.keepOld, Home: c.home})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s has no %s folder; put it back, or run teammem link again to start from the server's copy",
			ErrMarker, c.link.MemoryDir, tree.FolderName)
	}
	if err != nil {
		return err
	}
	c.tree = t
	m, err := t.Marker(context.Background())
	known := c.index.RootID != ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: the marker team/.teammem is missing; put the folder back, or run teammem link again, which deletes nothing", ErrMarker)
	case err != nil:
	case m.Project != c.link.Project || m.Instance != c.link.Instance:
		err = fmt.Errorf("%w: its marker names project %s of instance %s", ErrMarker, m.Project, m.Instance)
	case m.Root != c.link.RootID || (known && m.Root != c.index.RootID):
		err = fmt.Errorf("%w: its marker was made for another copy; run teammem link again, which deletes nothing", ErrMarker)
	}
	if err != nil {
		return errors.Join(err, t.Close())
	}
	if known && m.Inode == c.index.MarkerInode {
		c.absentAt = c.index.Cursor // this tree was complete at that point
	}
	if !known || m.Inode != c.index.MarkerInode {
		c.state.dirty = true
	}
	c.index.Instance, c.index.Project, c.index.RootID, c.index.MarkerInode = c.link.Instance, c.link.Project, m.Root, m.Inode
	return nil
}

// run observes, plans and carries out, until a plan has nothing to do.
func (c *cycle) run(ctx context.Context) error {
	if err := c.observe(ctx); err != nil {
		return err
	}
	for round := 0; ; round++ {
		plan := msync.Plan(c.input())
		todo := actionable(plan)
		if c.options.DryRun {
			c.preview(plan, todo)
			return nil
		}
		c.report.Pending = len(todo)
		if len(todo) == 0 && !c.again {
			c.tell(plan)
			c.report.Proven = len(c.failures) == 0
			return nil
		}
		if round == maxRounds {
			return fmt.Errorf("the tree or the server kept changing during %d rounds; run teammem sync again", maxRounds)
		}
		c.again, c.rescan = false, false
		if err := c.carryOut(ctx, todo); err != nil {
			return err
		}
		if len(c.failures) > 0 {
			c.tell(plan)
			return c.failed()
		}
		if err := c.observeAgain(ctx); err != nil {
			return err
		}
	}
}

// observe pulls and scans at the same time.
func (c *cycle) observe(ctx context.Context) error {
	type pulled struct {
		news news
		err  error
	}
	answer := make(chan pulled, 1)
	go func() {
		if c.options.Offline {
			answer <- pulled{}
			return
		}
		n, err := c.pull(ctx, c.index.Cursor, c.index.Digest)
		answer <- pulled{n, err}
	}()
	scanned := c.scanFirst(ctx)
	p := <-answer
	if err := cmp.Or(scanned, explain(p.err)); err != nil {
		c.report.Requests += p.news.requests
		return err
	}
	return c.takeOrResync(ctx, p.news)
}

// scanFirst also clears away what an interrupted run left in the tree.
func (c *cycle) scanFirst(ctx context.Context) error {
	if err := c.scan(ctx, c.options.Verify); err != nil {
		return err
	}
	if len(c.listing.Leftovers) == 0 || c.options.DryRun || c.options.Offline {
		return nil
	}
	var known []memory.Path
	for p := range c.state.files {
		known = append(known, p)
	}
	if err := c.tree.Sweep(ctx, c.listing, known); err != nil {
		return fmt.Errorf("clear away what an interrupted run left: %w", err)
	}
	return c.scan(ctx, c.options.Verify)
}

// observeAgain looks again at whatever a round has shown to have moved.
func (c *cycle) observeAgain(ctx context.Context) error {
	if c.rescan {
		if err := c.scan(ctx, false); err != nil {
			return err
		}
	}
	if !c.again {
		return nil
	}
	n, err := c.pull(ctx, c.index.Cursor, c.index.Digest)
	if err != nil {
		return explain(err)
	}
	c.again = false
	return c.takeOrResync(ctx, n)
}

// takeOrResync takes in the news, and compares with the manifest if the state
// turns out to have drifted.
func (c *cycle) takeOrResync(ctx context.Context, n news) error {
	if c.take(n) {
		return nil
	}
	c.notice("what was known of the server did not add up; it was compared entry by entry")
	n, err := c.pullManifest(ctx, news{})
	if err != nil {
		return explain(err)
	}
	c.take(n)
	return nil
}

// explain adds what a person needs to know about a server that went back in
// time: nothing was moved.
func explain(err error) error {
	if err == nil {
		return nil
	}
	switch memory.CodeOf(err) {
	case memory.CodeEpochChanged, memory.CodeCursorAhead, memory.CodeHistoryForked:
		return fmt.Errorf("%w: %w; nothing was changed here or there. Ask whoever runs the server, then link the folder again", ErrReset, err)
	default:
		return err
	}
}

// input gathers the observations for the planner.
func (c *cycle) input() msync.Input {
	in := msync.Input{
		Local: make(map[memory.Path]msync.Local, len(c.state.files)), Known: map[memory.Path]msync.Known{},
		BlockedDirs: c.blockedDirs, AbsentAt: c.absentAt, RuleSet: c.ruleSet,
	}
	for _, e := range c.state.entries {
		if e.base.EntryID != "" {
			in.Base = append(in.Base, e.base)
		}
		if e.remote != nil {
			in.Remote = append(in.Remote, *e.remote)
		}
	}
	for p, f := range c.state.files {
		in.Local[p] = msync.Local{Path: p, Sum: f.Sum, Text: f.Text}
		if r, ok := c.stillRefused(p); ok {
			in.Known[p] = msync.Known{Refused: msync.Ask{Action: memory.ActionPut, Sum: r.Sum}, RuleSet: r.RuleSet, AbsentAt: c.absentAt}
		}
	}
	for p, sum := range c.superseded {
		k := in.Known[p]
		k.Superseded, k.AbsentAt = sum, c.absentAt
		in.Known[p] = k
	}
	for p, kind := range c.blocked {
		in.Local[p] = msync.Local{Path: p, Blocked: kind}
	}
	return in
}

func actionable(plan []msync.Op) []msync.Op {
	var todo []msync.Op
	for _, op := range plan {
		if op.Kind != msync.Report {
			todo = append(todo, op)
		}
	}
	return todo
}

// preview reports what a dry run would do.
func (c *cycle) preview(plan, todo []msync.Op) {
	for _, op := range todo {
		c.tellDone(Done{Kind: op.Kind, Path: op.Path, From: op.From, Rev: op.Remote.Rev})
		c.noticeOf(op)
	}
	c.report.Pending = len(todo)
	c.tell(plan)
	c.report.Proven = len(todo) == 0
}

// tell reports, of a plan with nothing left to do, why files stay as they are.
func (c *cycle) tell(plan []msync.Op) {
	for _, op := range plan {
		if op.Kind != msync.Report {
			continue
		}
		switch op.Reason {
		case msync.Refused:
			disk := c.state.files[op.Local.Path].Disk
			if r, ok := c.refused[disk]; ok {
				c.refuse(disk, r.Path, r.Sum, r.RuleSet, r.problem())
			}
		case msync.Clash:
			c.notice("%s: another file of yours has the name that a team-mate's entry now has; rename yours", op.Path)
		case msync.LineEnds, msync.Waiting, msync.Blocked, msync.Skipped, msync.Later:
		}
	}
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
	c.finishReport()
	if c.options.DryRun || c.options.Offline {
		return nil
	}
	if failed == nil && len(c.listing.Leftovers) == 0 {
		if err := c.trashBin.prune(trashAge); err != nil {
			c.notice("%v", err)
		}
	}
	if failed == nil {
		c.index.LastSync = c.clock()
	}
	c.index.Refusals = c.remembered()
	if c.state.dirty || len(c.index.Refusals) != len(c.refused)+len(c.state.foreign) {
		c.index.Own, c.index.Rows = c.state.digest, c.state.rows()
		if err := c.index.save(file); err != nil {
			return err
		}
	}
	return c.index.stamp(file)
}

// remembered returns what the next run must know of refusals: those of this
// run, and those from before as long as it did not come to look at the files.
func (c *cycle) remembered() []refusal {
	all := c.refusals
	if c.listing.Started.IsZero() {
		all = c.refused
	}
	return append(slices.Collect(maps.Values(all)), slices.Collect(maps.Values(c.state.foreign))...)
}

func (c *cycle) finishReport() {
	r := c.report
	for disk, f := range c.refusals {
		r.Refused = append(r.Refused, Refused{File: disk, New: c.fresh[disk], Problem: f.problem()})
	}
	for id, f := range c.state.foreign {
		r.Refused = append(r.Refused, Refused{File: f.Disk, Remote: true, New: c.newForeign[id], Problem: f.problem()})
	}
	r.sort()
	r.Cursor, r.Digest, r.Entries = c.index.Cursor, c.state.digest, c.state.live
	open, err := c.conflicts.conflicts()
	if err != nil {
		c.notice("%v", err)
	}
	r.Conflicts = open
}

// keepOld takes over a text that was replaced or removed in the tree. What the
// plan knew is the server's, or part of a merge: it goes to the trash. Anything
// else is somebody's only copy, and goes to the conflict store.
func (c *cycle) keepOld(_ context.Context, old tree.Old) error {
	p := old.Path
	if p.IsZero() {
		p = rescuedPath(old.Disk)
	}
	if !old.Changed() && (old.Expected == old.Sum || c.state.knows(old.Sum)) {
		if c.kept[old.Sum] {
			return nil // just now, in the conflict store
		}
		_, err := c.trashBin.keep(p, old.Content)
		return err
	}
	conflict, err := c.conflicts.keepConflict(p, old.Content, nil, conflictMeta{Reason: "written while it was being replaced"})
	if err == nil {
		c.notice("%s was written while it was being replaced: that text is kept in %s", p, conflict.File)
	}
	return err
}
