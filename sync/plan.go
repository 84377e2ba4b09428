package sync

import (
	"cmp"
	"slices"

	"github.com/teammem/teammem/memory"
)

// What a member is told beside the op itself.
const (
	noticeEdited   = "edited by a team-mate after you deleted it"
	noticeRenamed  = "renamed by a team-mate after you deleted it"
	noticeRevived  = "deleted by a team-mate, but you edited it"
	noticeMoved    = "deleted by a team-mate, but you renamed it"
	noticeTheirs   = "renamed on both sides; the server's name stays"
	noticeUndone   = "the new name was taken by a team-mate; the old one stays"
	noticeDeclined = "the new name was not approved; the old one stays"
	noticeBoth     = "a team-mate created a file of this name too; yours got a number"
)

// Plan lists what has to be done so that tree and server agree, as the table
// in the package comment has it: moves, downloads, uploads, merges, deletes
// last, then by path. An empty plan, or one of reports, means there is nothing
// to do. Carry the ops out, observe again, and plan again until then.
func Plan(in Input) []Op {
	ops, _ := PlanPart(in)
	return ops
}

// PlanPart is [Plan] for an input that leaves out entries at rest: those whose
// file is at its place with its text, of which the server has nothing newer, and
// whose name no entry wants that is listed. They make no difference, unless names
// have to be compared with theirs: then it reports false, and the plan has to be
// made from everything.
func PlanPart(in Input) (ops []Op, ok bool) {
	if in.quiet() {
		return nil, true
	}
	p := &planner{view: newView(in), planned: map[*entry]bool{}, reported: map[memory.Path]bool{}, waits: map[*entry]*entry{}}
	ops = p.recognise()
	if len(ops) == 0 {
		ops = p.plan()
	}
	return ops, p.taken == nil
}

func (p *planner) plan() []Op {
	p.findFiles()
	p.releaseDeleted()
	p.planBlocked()
	p.planMoves()
	for _, e := range p.entries {
		if !p.planned[e] {
			p.planText(e)
		}
	}
	p.planNewFiles()
	p.dropHopeless()
	return p.inOrder()
}

// planner collects the ops. Each entry gets at most one.
type planner struct {
	*view
	ops      []Op
	planned  map[*entry]bool
	declined map[*entry]bool      // their new names will not be published
	leaving  map[*entry]bool      // their files make room in this plan
	revived  map[memory.Path]bool // new files that once were an entry the server has deleted
	reported map[memory.Path]bool // new files that need no op of their own
	waits    map[*entry]*entry    // for the other one's file to leave its place
}

// add plans op for e at its file.
func (p *planner) add(e *entry, op Op) {
	op.Entry, op.Base, op.Local, op.Remote = e.id, e.base, e.local, e.remote
	p.ops = append(p.ops, op)
	p.planned[e] = true
}

// report says why nothing is done for e.
func (p *planner) report(e *entry, row int, path memory.Path, why Reason) {
	p.add(e, Op{Kind: Report, Row: row, Path: path, Reason: why})
}

// wait reports that e cannot have its name before the file of another entry has
// left it.
func (p *planner) wait(e, holder *entry, row int) {
	p.report(e, row, e.remote.Path, Later)
	p.waits[e] = holder
}

// dropHopeless finds those who wait for a file that stays where it is: only a
// person can make room.
func (p *planner) dropHopeless() {
	if len(p.waits) == 0 {
		return
	}
	stays := map[memory.EntryID]bool{}
	for _, op := range p.ops {
		stays[op.Entry] = stays[op.Entry] || op.Reason == Blocked || op.Reason == Clash
	}
	for changed := true; changed; {
		changed = false
		for e, holder := range p.waits {
			if stays[holder.id] && !stays[e.id] {
				stays[e.id], changed = true, true
			}
		}
	}
	for i, op := range p.ops {
		if op.Reason == Later && stays[op.Entry] {
			p.ops[i].Reason = Clash
		}
	}
}

// releaseDeleted forgets the entries that the server has deleted and whose
// file, if any, has to find its way as a new one: it was renamed, or another
// entry took its name.
func (p *planner) releaseDeleted() {
	p.revived = map[memory.Path]bool{}
	for _, e := range p.entries {
		if !e.remote.Deleted || p.blocked(e.base.Path) != "" || e.remote.Imposed && !e.gone() {
			continue // what was taken back is no new file, whatever became of it here
		}
		row, orphan := 8, e.at
		switch {
		case e.gone():
		case e.movedHere():
			row = 14
		case !e.sameHere() && p.serverAt[e.at] != nil:
			row = 10
		default:
			continue
		}
		if !orphan.IsZero() {
			p.revived[orphan] = row == 14
			delete(p.owner, orphan)
			e.at, e.local = memory.Path{}, Local{}
		}
		p.add(e, Op{Kind: Forget, Row: row, Path: e.base.Path})
	}
}

// planBlocked is row 18: it comes before all others.
func (p *planner) planBlocked() {
	for _, e := range p.entries {
		paths := []memory.Path{e.base.Path, e.remote.Path}
		if e.remote.Deleted {
			paths = paths[:1]
		}
		for _, path := range paths {
			kind := p.blocked(path)
			if kind == "" || path.IsZero() || p.planned[e] {
				continue
			}
			e.local = Local{Path: path, Blocked: kind}
			p.report(e, 18, path, Blocked)
			p.reported[path] = true
		}
	}
}

// planText is every row in which the entry keeps its place.
func (p *planner) planText(e *entry) {
	switch {
	case !e.hasBase():
		p.planArrival(e, Op{Kind: Download, Row: 12})
	case e.gone():
		p.planGone(e)
	case e.remote.Deleted && e.sameHere():
		p.add(e, Op{Kind: DeleteLocal, Row: 7, Path: e.at})
	case e.remote.Deleted && e.remote.Imposed:
		p.add(e, Op{Kind: Conflict, Row: 10, Path: e.at})
	case e.remote.Deleted:
		p.ask(e, memory.ActionPut, Op{Kind: Create, Row: 10, Path: e.at, Notice: noticeRevived})
	case e.local.Sum == e.remote.Sum:
		if !e.settled() {
			p.add(e, Op{Kind: Adopt, Row: 4, Path: e.at})
		}
	case e.sameHere() && !e.sameThere():
		p.add(e, Op{Kind: Download, Row: 2, Path: e.at})
	case e.sameHere() && !e.settled():
		p.add(e, Op{Kind: Adopt, Row: 16, Path: e.at})
	case e.sameHere():
		p.report(e, 16, e.at, LineEnds)
	case e.sameThere():
		p.ask(e, memory.ActionPut, Op{Kind: Upload, Row: 3, Path: e.at})
	case e.local.Sum == p.Known[e.at].Superseded:
		p.add(e, Op{Kind: Download, Row: 5, Path: e.at})
	default:
		p.add(e, Op{Kind: p.bothChanged(e), Row: 5, Path: e.at})
	}
}

// bothChanged is the policy of row 5.
func (p *planner) bothChanged(e *entry) Kind {
	if (e.at.IsIndex() || p.Policy.MergeText) && !p.Policy.PullOnly && !e.remote.Imposed {
		return Merge
	}
	return Conflict
}

// planGone is an entry whose file is nowhere.
func (p *planner) planGone(e *entry) {
	switch {
	case e.movedThere():
		p.planArrival(e, Op{Kind: Download, Row: 9, Notice: noticeRenamed})
	case !e.sameThere():
		p.planArrival(e, Op{Kind: Download, Row: 9, Notice: noticeEdited})
	default:
		p.ask(e, memory.ActionDelete, Op{Kind: DeleteRemote, Row: 6, Path: e.base.Path})
	}
}

// planArrival brings the text of an entry without a file to its place, which
// another file may hold.
func (p *planner) planArrival(e *entry, download Op) {
	path := e.remote.Path
	file, present := p.Local[path]
	switch holder := p.owner[path]; {
	case !present, p.leaving[holder]:
		download.Path = path
		p.add(e, download)
	case holder != nil:
		p.wait(e, holder, download.Row)
	default:
		p.reported[path] = true
		e.local = file
		p.planTwins(e, path)
	}
}

// planTwins is row 13: server and member each have a text of their own for one
// name, and no common past.
func (p *planner) planTwins(e *entry, path memory.Path) {
	e.base = Base{}
	switch {
	case e.local.Sum == e.remote.Sum:
		p.add(e, Op{Kind: Adopt, Row: 13, Path: path})
	case e.local.Sum == p.Known[path].Superseded:
		p.add(e, Op{Kind: Download, Row: 13, Path: path})
	case path.IsIndex() && !p.Policy.PullOnly:
		p.add(e, Op{Kind: Merge, Row: 13, Path: path})
	case p.Policy.KeepBoth && !p.absentAt(path).IsZero():
		p.makeRoom(e, 13, path)
	default:
		p.add(e, Op{Kind: Conflict, Row: 13, Path: path})
	}
}

// makeRoom gives the new file at path a number, so that e can have the name
// in the next plan.
func (p *planner) makeRoom(e *entry, row int, path memory.Path) {
	free := p.freeName(path)
	if free.IsZero() {
		p.report(e, row, path, Clash)
		return
	}
	p.ops = append(p.ops, Op{Kind: Rename, Row: row, From: path, Path: free, Local: p.Local[path], Notice: noticeBoth})
	p.report(e, row, path, Later)
}

// ask plans a write to the server unless row 17 says that it was asked before.
func (p *planner) ask(e *entry, action memory.Action, op Op) {
	if why := p.asked(op.Path, action, e.local.Sum); why != "" {
		p.report(e, 17, op.Path, why)
		return
	}
	p.add(e, op)
}

// planNewFiles is the files that belong to no entry.
func (p *planner) planNewFiles() {
	for _, path := range sortedPaths(p.Local) {
		l := p.Local[path]
		if p.owner[path] != nil || p.reported[path] {
			continue
		}
		op := Op{Kind: Create, Row: 11, Path: path, Local: l, AbsentAt: p.absentAt(path)}
		if p.revived[path] {
			op.Row, op.Notice = 14, noticeMoved
		}
		if kind := p.blocked(path); kind != "" {
			op = Op{Kind: Report, Row: 18, Path: path, Local: Local{Path: path, Blocked: kind}, Reason: Blocked}
		} else if p.serverAt[path] != nil { // an entry that may not come here, as its own file is blocked
			op = Op{Kind: Report, Row: 11, Path: path, Local: l, Reason: Clash}
		} else if why := p.asked(path, memory.ActionPut, l.Sum); why != "" {
			op = Op{Kind: Report, Row: 17, Path: path, Local: l, Reason: why}
		}
		p.ops = append(p.ops, op)
	}
}

// inOrder applies the direction and sorts. What waits for a file to leave its
// place waits for nothing if no file is touched.
func (p *planner) inOrder() []Op {
	for i, op := range p.ops {
		inTree := op.Kind.writesTree() || op.Reason == Later && op.Row != 14
		if p.Policy.PullOnly && op.Kind.writesServer() || p.Policy.PushOnly && inTree {
			op.Kind, op.Reason, op.Notice = Report, Skipped, ""
			p.ops[i] = op
		}
	}
	slices.SortFunc(p.ops, func(a, b Op) int {
		return cmp.Or(
			cmp.Compare(a.Kind.rank(), b.Kind.rank()), comparePaths(a.Path, b.Path),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Entry, b.Entry),
		)
	})
	return followMoves(p.ops)
}

// followMoves lets a move wait for the one that frees its name. Only moves
// of one side hang together; where the server's form a ring (a swap), they are
// pushed in one batch.
func followMoves(ops []Op) []Op {
	type place struct {
		kind Kind
		path memory.Path
	}
	leaves := map[place]int{}
	for i, op := range ops {
		if op.Kind == MoveLocal || op.Kind == MoveRemote {
			leaves[place{op.Kind, op.From}] = i
		}
	}
	if len(leaves) < 2 {
		return ops
	}

	ordered, seen := make([]Op, 0, len(ops)), make([]bool, len(ops))
	var visit func(int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		if first, ok := leaves[place{ops[i].Kind, ops[i].Path}]; ok {
			visit(first)
		}
		ordered = append(ordered, ops[i])
	}
	for i := range ops {
		visit(i)
	}
	return ordered
}

func (k Kind) rank() int {
	return slices.IndexFunc([][]Kind{
		{Forget, Adopt},
		{MoveLocal, MoveRemote, Rename},
		{Download},
		{Upload, Create},
		{Merge, Conflict},
		{DeleteLocal, DeleteRemote},
		{Report},
	}, func(group []Kind) bool { return slices.Contains(group, k) })
}

func (k Kind) writesServer() bool {
	return slices.Contains([]Kind{MoveRemote, Upload, Create, Merge, DeleteRemote}, k)
}

func (k Kind) writesTree() bool {
	return slices.Contains([]Kind{MoveLocal, Rename, Download, Merge, Conflict, DeleteLocal}, k)
}
