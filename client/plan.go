package client

import (
	"slices"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// plan asks the planner: about what is not at rest, if that is known, else about
// everything, unless every entry's file has its text and there is nothing else on
// either side, which most runs find.
func (c *cycle) plan() []msync.Op {
	if plan, ok := c.planLoose(); ok {
		return plan
	}
	if c.quiet() {
		c.hold(nil)
		c.report.Settling = nil
		return nil
	}
	in := c.input()
	return c.guard(in.Base, 0, msync.Plan(in))
}

func (c *cycle) quiet() bool {
	s := c.state
	if len(c.blocked)+len(c.blockedDirs)+len(s.foreign) > 0 || len(s.files) != len(s.entries) {
		return false
	}
	for _, e := range s.entries {
		if e.remote != nil || s.files[e.base.Path].Sum != e.base.Sum {
			return false
		}
	}
	return true
}

// input gathers the observations for the planner.
func (c *cycle) input() msync.Input {
	in := c.inputFor(len(c.state.entries))
	for p, f := range c.state.files {
		addFile(&in, p, f)
	}
	for _, e := range c.state.entries {
		c.addEntry(&in, e)
	}
	c.blockTwins(&in)
	return in
}

// inputFor is an input without files, but for blocked ones, and entries.
func (c *cycle) inputFor(entries int) msync.Input {
	in := msync.Input{
		Base: make([]msync.Base, 0, entries), Local: make(map[memory.Path]msync.Local, entries),
		Known: c.known(), Moved: c.moved, BlockedDirs: c.blockedDirs, AbsentAt: c.absentAt, RuleSet: c.ruleSet,
		Policy: c.policy(), MayUse: c.listing.Covers,
	}
	for p, kind := range c.blocked {
		in.Local[p] = msync.Local{Path: p, Blocked: kind}
	}
	return in
}

func addFile(in *msync.Input, p memory.Path, f file) {
	if _, blocked := in.Local[p]; !blocked {
		in.Local[p] = msync.Local{Path: p, Sum: f.Sum, Text: f.Text, Blank: f.Blank || f.Size == 0}
	}
}

// addEntry comes after all files.
func (c *cycle) addEntry(in *msync.Input, e *entry) {
	if e.base.EntryID != "" {
		in.Base = append(in.Base, e.base)
		c.unknown(in.Local, e.base.Path)
	}
	if e.remote != nil {
		in.Remote = append(in.Remote, *e.remote)
		c.unknown(in.Local, e.remote.Path)
	}
	if _, foreign := c.state.foreign[e.base.EntryID]; foreign {
		// The server gave the entry a name or a text that may not be here.
		in.Local[e.base.Path] = msync.Local{Path: e.base.Path, Blocked: string(tree.KindPathRejected)}
	}
}

// blockTwins blocks the new entries whose name is that of a file of the
// member's in another spelling: once both were on disk, nobody could tell which
// of them is the entry.
func (c *cycle) blockTwins(in *msync.Input) {
	owned := make(map[memory.Path]bool, len(in.Base))
	for _, b := range in.Base {
		owned[b.Path] = true
	}
	var arriving []memory.Path
	for _, r := range in.Remote {
		if _, there := in.Local[r.Path]; !there && !r.Deleted && !owned[r.Path] {
			arriving = append(arriving, r.Path)
		}
	}
	if len(arriving) == 0 {
		return
	}
	mine := map[string]bool{}
	for p := range in.Local {
		if !owned[p] {
			mine[p.Skeleton()] = true
		}
	}
	for _, p := range arriving {
		if len(mine) > 0 && mine[p.Skeleton()] {
			in.Local[p] = msync.Local{Path: p, Blocked: string(tree.KindClash)}
		}
	}
}

// unknown blocks a path that has no file, unless the listing proves that there
// is none: a name that is never looked at, a folder that cannot be read, or a
// rule that became tighter must not look like a delete.
func (c *cycle) unknown(local map[memory.Path]msync.Local, p memory.Path) {
	if _, seen := local[p]; seen || c.listing.Covers(p) {
		return
	}
	kind := tree.KindUnreadable
	if tree.Ignored(p.String()) || c.listing.LeavesOut(p) {
		kind = tree.KindIgnored
	}
	local[p] = msync.Local{Path: p, Blocked: string(kind)}
}

// known is what earlier asking has shown. A path with a refusal was not absent
// when the index was written, so nothing is said of when it was.
func (c *cycle) known() map[memory.Path]msync.Known {
	known := map[memory.Path]msync.Known{}
	add := func(r refusal, ruleSet string) {
		if r.Path.IsZero() {
			return
		}
		k := msync.Known{}
		if c.holds(r) {
			k.Refused, k.RuleSet = msync.Ask{Action: r.Action, Sum: r.Sum}, ruleSet
		}
		known[r.Path] = k
	}
	for _, r := range c.refused {
		add(r, c.knownRules(r))
	}
	for _, r := range c.refusals {
		add(r, c.ruleSet) // whatever it was: once in a run is enough
	}
	for i := range c.proposals {
		p := &c.proposals[i]
		if !c.asked(p) {
			continue
		}
		k := known[p.Path]
		if p.Action == memory.ActionMove && !p.pending() {
			k.Declined = true
		} else {
			k.Waiting = msync.Ask{Action: p.Action, Sum: p.askedSum()}
		}
		known[p.Path] = k
	}
	c.unseen(known)
	for p, sum := range c.superseded {
		k, seen := known[p]
		if !seen {
			k.AbsentAt = c.absentAt
		}
		k.Superseded = sum
		known[p] = k
	}
	return known
}

// actionable returns the ops of a plan that do something.
func (c *cycle) actionable(plan []msync.Op) []msync.Op {
	var todo []msync.Op
	for _, op := range plan {
		stuck := (op.Kind == msync.Merge || op.Kind == msync.Create) && c.unmergeable[op.Path] == op.Local.Sum
		if op.Kind != msync.Report && !stuck {
			todo = append(todo, op)
		}
	}
	return todo
}

// preview reports what a dry run would do. What was refused, and would be asked
// about once more, is refused as far as anybody knows: it is not pending, or those
// who look for something to do would find it for ever.
func (c *cycle) preview(plan, todo []msync.Op) error {
	todo = slices.DeleteFunc(todo, c.wasRefused)
	for _, op := range todo {
		c.tellDone(Done{Kind: op.Kind, Path: op.Path, From: op.From, Rev: op.Remote.Rev})
		c.noticeOf(op)
	}
	c.report.Pending = len(todo)
	err := c.tell(plan)
	c.report.Proven = err == nil && len(todo) == 0 && !c.options.Offline && c.agrees(c.index.Digest)
	return err
}

// tell lists, of a plan with nothing left to do, why files stay as they are.
// The error says that something is in the way which another run may find gone.
func (c *cycle) tell(plan []msync.Op) error {
	lineEnds, waiting := 0, 0
	c.report.LeftOut, c.report.Skipped = nil, nil
	for _, op := range plan {
		switch {
		case op.Kind != msync.Report:
		case op.Reason == msync.Refused:
			c.refuseAgain(c.state.disk(op.Local.Path, op.Path))
		case op.Reason == msync.Clash:
			c.refuse(refusalOf(c.state.disk(op.Path, op.Path), op.Path, nameTaken()))
		case op.Reason == msync.Blocked:
			c.refuseEntry(op)
		case op.Reason == msync.Skipped:
			c.report.Skipped = append(c.report.Skipped, op.Path)
		case op.Reason == msync.LineEnds:
			lineEnds++
		case op.Reason == msync.Later && c.keptByMove(op.Path):
			c.notice("%s cannot be renamed for all before a reviewer has decided on another rename", op.Path)
		case op.Reason == msync.Later:
			waiting++
		}
	}
	c.told = true
	if lineEnds > 0 {
		c.notice("%d files differ from the server's in line ends only, which are not shared", lineEnds)
	}
	if waiting > 0 {
		c.fail("a name is still held by another file; see what is listed above")
		return c.failed()
	}
	return nil
}
