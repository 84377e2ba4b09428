package sync

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/teammem/teammem/memory"
)

// SuspectEmpty is the kind of a blocked file that was emptied: what an editor or
// a full disk does to a file is no edit of the member's.
const SuspectEmpty = "suspect_empty"

// Danger is why ops are held.
type Danger string

// The dangers.
const (
	MassDelete    Danger = "mass_delete"    // more deletes than anybody makes in an hour
	EmptiedFolder Danger = "emptied_folder" // every entry of a folder is gone here
	AllChanged    Danger = "all_changed"    // every entry changed here at once
	AfterJump     Danger = "after_jump"     // deletes, and what is mirrored is not what it was
)

// What a person does not have to be asked about.
const (
	fewDeletes  = 5 // an hour, or a quarter of the base if that is more
	wholeFolder = 2 // entries that make a folder one that is emptied
	wholeBase   = 5 // entries that make a base one that changed as a whole
)

// Guard holds back the ops of a plan that look like an accident: a script that
// went wrong, a disk that is full, an agent that tidied up. What is held waits
// for a person, and everything else goes on.
type Guard struct {
	Base    []Base // that the plan was made from
	Others  int    // entries beside them, of a plan in part; it has no deletes
	Largest int    // entries that the base had at its largest in the last hour
	Sent    int    // deletes that went to the server in that hour
	Taken   int    // files that were removed in that hour because of deletes there
	Jumped  bool   // what is left out, or which way things go, changed since the last plan

	// Held is what an earlier plan's guard held. It stays held for as long as the
	// op is planned, whatever else changes: a new entry in an emptied folder says
	// nothing about those that are gone.
	Held []HeldOp

	// What a person said yes to: that many held deletes, or changes, and no other
	// number; these deletes, in an earlier plan of the same run; and emptied files.
	AllowDeletes int
	AllowChanges int
	Released     map[memory.EntryID]bool
	AllowEmpty   bool
}

// HeldOp names an op that is held.
type HeldOp struct {
	Entry memory.EntryID
	Kind  Kind // Upload stands for Merge too
	Why   Danger
}

// Hold is what is held in one direction.
type Hold struct {
	ID       string // the same for the same entries at the same revisions
	Kind     Kind   // DeleteRemote, DeleteLocal or Upload
	Why      Danger // the first of them
	Ops      []Op   // as planned
	Released bool   // somebody said yes, so the ops stay in the plan
}

// Check returns the plan with reports in the place of what is held, and the
// holds. Moves are no deletes, and what waits for a reviewer was reported
// already.
func (g Guard) Check(plan []Op) ([]Op, []Hold) {
	if !slices.ContainsFunc(plan, func(op Op) bool { return guarded(op) != "" }) {
		return plan, nil
	}
	why := map[memory.EntryID]Danger{}
	g.deletes(plan, DeleteRemote, g.Sent, why)
	g.deletes(plan, DeleteLocal, g.Taken, why)
	g.folders(plan, why)
	g.changes(plan, why)
	g.still(plan, why)
	holds := g.holds(plan, why)
	return g.withhold(plan, holds), holds
}

// still finds what was held before.
func (g Guard) still(plan []Op, why map[memory.EntryID]Danger) {
	before := make(map[memory.EntryID]HeldOp, len(g.Held))
	for _, h := range g.Held {
		before[h.Entry] = h
	}
	for _, op := range plan {
		h, held := before[op.Entry]
		if held && h.Kind == guarded(op) && why[op.Entry] == "" && !g.Released[op.Entry] {
			why[op.Entry] = h.Why
		}
	}
}

// guarded is the kind under which an op is held, "" if it never is.
func guarded(op Op) Kind {
	if op.Remote.Imposed && (op.Kind == DeleteLocal || op.Kind == Conflict) {
		return ""
	}
	switch op.Kind {
	case DeleteRemote, DeleteLocal:
		return op.Kind
	case Upload, Merge:
		return Upload
	case Create, Conflict:
		if op.Local.Blank {
			return Upload
		}
	case Forget, Adopt, MoveLocal, MoveRemote, Rename, Download, Report:
	}
	return ""
}

// deletes finds that there are too many of one kind, with those of the last
// hour, or that nobody can have meant them yet.
func (g Guard) deletes(plan []Op, kind Kind, before int, why map[memory.EntryID]Danger) {
	wanted := map[memory.Path]bool{} // an entry waits for the name
	for _, op := range plan {
		if op.Kind == Report && op.Reason == Later {
			wanted[op.Path] = true
		}
	}
	var pending []memory.EntryID
	for _, op := range plan {
		replaced := kind == DeleteLocal && wanted[op.Path]
		if guarded(op) == kind && !g.Released[op.Entry] && !replaced {
			pending = append(pending, op.Entry)
		}
	}
	danger := MassDelete
	if len(pending)+before <= max(fewDeletes, max(g.Largest, len(g.Base)+g.Others)/4) {
		if !g.Jumped {
			return
		}
		danger = AfterJump
	}
	for _, id := range pending {
		why[id] = danger
	}
}

// unseen reports whether nobody looked at the file of an op's entry, so that it
// says nothing of what became of the others.
func unseen(op Op) bool { return op.Kind == Report && op.Reason == Blocked && op.Base.EntryID != "" }

// absent reports whether the file of an op's entry is gone here, whatever comes
// of that.
func absent(op Op) bool {
	switch op.Kind {
	case DeleteRemote, Download, Report:
		return op.Base.EntryID != "" && op.Local.Path.IsZero()
	default:
		return false
	}
}

// folders finds those whose entries are all gone here, the whole tree included.
func (g Guard) folders(plan []Op, why map[memory.EntryID]Danger) {
	all, gone := map[string]int{}, map[string]int{}
	for _, b := range g.Base {
		addAbove(all, b.Path, 1)
	}
	for _, op := range plan {
		switch {
		case op.Kind == Forget, unseen(op):
			addAbove(all, op.Base.Path, -1)
		case absent(op):
			addAbove(gone, op.Base.Path, 1)
		}
	}
	for _, op := range plan {
		if op.Kind != DeleteRemote || g.Released[op.Entry] || why[op.Entry] != "" {
			continue
		}
		for _, dir := range above(op.Base.Path) {
			if all[dir] >= wholeFolder && gone[dir] == all[dir] {
				why[op.Entry] = EmptiedFolder
			}
		}
	}
}

// above returns the folders that a file is in, "" for the tree.
func above(p memory.Path) []string {
	dirs := []string{""}
	for i, c := range p.String() {
		if c == '/' {
			dirs = append(dirs, p.String()[:i])
		}
	}
	return dirs
}

func addAbove(counts map[string]int, p memory.Path, n int) {
	for _, dir := range above(p) {
		counts[dir] += n
	}
}

// changes finds that no entry's file is as it was, of those that were seen.
// Conflicts count: nothing of theirs is sent, but their files changed. So do
// texts that were asked for before.
func (g Guard) changes(plan []Op, why map[memory.EntryID]Danger) {
	changed, other := 0, 0
	for _, op := range plan {
		switch {
		case op.Base.EntryID == "":
		case guarded(op) == Upload, op.Kind == Conflict:
			changed++
		case op.Kind == Forget, op.Reason == Waiting, op.Reason == Refused, unseen(op), absent(op):
			other++
		}
	}
	if changed < wholeBase || changed+other < len(g.Base)+g.Others {
		return
	}
	for _, op := range plan {
		if (op.Kind == Upload || op.Kind == Merge) && !g.Released[op.Entry] {
			why[op.Entry] = AllChanged
		}
	}
}

// holds gathers what is held, and releases what somebody said yes to.
func (g Guard) holds(plan []Op, why map[memory.EntryID]Danger) []Hold {
	var holds []Hold
	for _, kind := range []Kind{DeleteRemote, DeleteLocal, Upload} {
		h := Hold{Kind: kind}
		for _, op := range plan {
			if guarded(op) == kind && why[op.Entry] != "" {
				h.Ops, h.Why = append(h.Ops, op), why[op.Entry]
			}
		}
		if len(h.Ops) > 0 {
			h.Why, h.ID = why[h.Ops[0].Entry], HoldID(h.Ops)
			holds = append(holds, h)
		}
	}
	deletes := 0
	for _, h := range holds {
		if h.Kind != Upload {
			deletes += len(h.Ops)
		}
	}
	for i, h := range holds {
		holds[i].Released = h.Kind == Upload && len(h.Ops) == g.AllowChanges || h.Kind != Upload && deletes == g.AllowDeletes
	}
	return holds
}

// HoldID is the same wherever the same entries are held at the same revisions.
func HoldID(ops []Op) string {
	lines := make([]string, len(ops))
	for i, op := range ops {
		lines[i] = fmt.Sprintf("%s\x00%d\n", op.Base.Path.Skeleton(), op.Base.Rev)
	}
	slices.Sort(lines)
	var all []byte
	for _, line := range lines {
		all = append(all, line...)
	}
	sum := memory.Sum(all)
	return hex.EncodeToString(sum[:8])
}

// withhold puts reports in the place of what is held or was emptied. They come
// last, like all reports.
func (g Guard) withhold(plan []Op, holds []Hold) []Op {
	held := map[memory.EntryID]bool{}
	for _, h := range holds {
		for _, op := range h.Ops {
			held[op.Entry] = !h.Released
		}
	}
	kept, reports := make([]Op, 0, len(plan)), []Op(nil)
	for _, op := range plan {
		switch {
		case guarded(op) == Upload && g.emptied(op):
			op.Row, op.Kind, op.Reason, op.Notice = 18, Report, Blocked, ""
			op.Local.Blocked = SuspectEmpty
			reports = append(reports, op)
		case guarded(op) != "" && held[op.Entry]:
			op.Kind, op.Reason, op.Notice = Report, Held, ""
			reports = append(reports, op)
		default:
			kept = append(kept, op)
		}
	}
	return append(kept, reports...)
}

// emptied reports whether nothing is left of a text that was not empty. A file
// that never had a base may be as empty as it likes.
func (g Guard) emptied(op Op) bool {
	return !g.AllowEmpty && op.Local.Blank && op.Base.EntryID != "" && op.Base.Text != TextSum(nil)
}
