package sync

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/teammem/teammem/memory"
)

// entry joins what the three sides say of one entry.
type entry struct {
	id     memory.EntryID
	base   Base   // zero: new on the server
	remote Remote // equal to base unless the server said otherwise
	at     memory.Path
	local  Local // the file at at; both zero: gone
}

func (e *entry) hasBase() bool   { return !e.base.Path.IsZero() }
func (e *entry) gone() bool      { return e.at.IsZero() }
func (e *entry) movedHere() bool { return e.hasBase() && !e.gone() && e.at != e.base.Path }
func (e *entry) movedThere() bool {
	return e.hasBase() && !e.remote.Deleted && e.remote.Path != e.base.Path
}
func (e *entry) sameThere() bool   { return !e.remote.Deleted && e.remote.Sum == e.base.Sum }
func (e *entry) sameHere() bool    { return !e.gone() && e.isBase(e.local) }
func (e *entry) from() memory.Path { return cmp.Or(e.base.Path, e.remote.Path) }

// isBase is "=" of the table; by row 16 line ends do not count.
func (e *entry) isBase(l Local) bool {
	return l.Sum == e.base.Sum || !e.base.Text.IsZero() && l.Text == e.base.Text
}

// settled reports whether base says all there is to say about the server.
func (e *entry) settled() bool {
	return e.remote.Path == e.base.Path && e.remote.Rev == e.base.Rev && e.remote.Sum == e.base.Sum
}

// view is the input, indexed.
type view struct {
	Input
	entries  []*entry               // by path, then id
	owner    map[memory.Path]*entry // of a file on disk; a file without one is new
	serverAt map[memory.Path]*entry // live entries by their path on the server
	baseAt   map[memory.Path]*entry // entries by their path in the index
	taken    map[string]bool        // skeletons of all names in use, made when first needed
}

func newView(in Input) *view {
	size := len(in.Base) + len(in.Remote)
	v := &view{
		Input:    in,
		entries:  joinSides(in.Base, in.Remote),
		owner:    make(map[memory.Path]*entry, len(in.Local)),
		serverAt: make(map[memory.Path]*entry, size),
		baseAt:   make(map[memory.Path]*entry, len(in.Base)),
	}
	for _, e := range v.entries {
		if !e.remote.Deleted {
			v.serverAt[e.remote.Path] = e
		}
	}
	for _, e := range v.entries {
		// After a crash two rows of the index may claim one path. It belongs to
		// the entry that has it on the server too; the other's file is gone.
		if rival := v.baseAt[e.base.Path]; e.hasBase() && (rival == nil || v.serverAt[e.base.Path] == e) {
			v.baseAt[e.base.Path] = e
		}
	}
	return v
}

// joinSides makes one entry of what the index and the server say of it. An
// entry that was new and is deleted already is none.
func joinSides(base []Base, remote []Remote) []*entry {
	news := make(map[memory.EntryID]*entry, len(remote))
	for _, r := range remote {
		news[r.EntryID] = &entry{id: r.EntryID, remote: r}
	}
	entries := make([]*entry, 0, len(base)+len(remote))
	rows := make([]entry, len(base)) // one allocation for ten thousand entries
	for i, b := range base {
		e := &rows[i]
		*e = entry{id: b.EntryID, base: b, remote: Remote{EntryID: b.EntryID, Path: b.Path, Rev: b.Rev, Sum: b.Sum}}
		if n := news[e.id]; n != nil {
			e.remote = n.remote
			delete(news, e.id)
		}
		entries = append(entries, e)
	}
	for _, e := range news {
		if !e.remote.Deleted {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(comparePaths(a.from(), b.from()), cmp.Compare(a.id, b.id))
	})
	return entries
}

// quiet reports whether row 1 is all there is, which most runs find: every
// entry's file has its text, and there is nothing else on either side.
func (in Input) quiet() bool {
	if len(in.Remote) > 0 || len(in.BlockedDirs) > 0 || len(in.Base) != len(in.Local) {
		return false
	}
	for _, b := range in.Base {
		if l, present := in.Local[b.Path]; !present || l.Blocked != "" || l.Sum != b.Sum {
			return false
		}
	}
	return true
}

// own records which file on disk is the text of e.
func (v *view) own(e *entry, p memory.Path) {
	e.at, e.local = p, v.Local[p]
	v.owner[p] = e
}

// blocked returns why a path must not be touched, "" if it may be.
func (v *view) blocked(p memory.Path) string {
	if l := v.Local[p]; l.Blocked != "" {
		return l.Blocked
	}
	if len(v.BlockedDirs) == 0 {
		return ""
	}
	for dir := p.Dir(); ; dir = dir[:max(0, strings.LastIndexByte(dir, '/'))] {
		if kind := v.BlockedDirs[dir]; kind != "" || dir == "" {
			return kind
		}
	}
}

// absentAt is when this index last saw the path free.
func (v *view) absentAt(p memory.Path) memory.Cursor {
	if known, seen := v.Known[p]; seen {
		return known.AbsentAt
	}
	return v.AbsentAt
}

// asked is row 17: why a change that was asked for before is not asked for
// again, "" if it may be.
func (v *view) asked(p memory.Path, action memory.Action, sum memory.Hash) Reason {
	known := v.Known[p]
	// A move brings its text along; what was asked for is the name.
	same := func(a Ask) bool { return a.Action == action && (action == memory.ActionMove || a.Sum == sum) }
	switch {
	case same(known.Waiting):
		return Waiting
	case same(known.Refused) && known.RuleSet == v.RuleSet:
		return Refused
	}
	return ""
}

// freeName returns the first of <stem>-2.md, <stem>-3.md, … that neither side
// uses and claims it, or the zero Path if there is none that is allowed.
func (v *view) freeName(p memory.Path) memory.Path {
	if v.taken == nil {
		v.taken = map[string]bool{}
		for used := range v.Local {
			v.taken[used.Skeleton()] = true
		}
		for _, e := range v.entries {
			v.taken[e.base.Path.Skeleton()], v.taken[e.remote.Path.Skeleton()] = true, true
		}
	}
	stem := strings.TrimSuffix(p.String(), ".md")
	for n := 2; n < 10_000; n++ {
		free, err := memory.ParsePath(stem + "-" + strconv.Itoa(n) + ".md")
		if err != nil {
			return memory.Path{}
		}
		if s := free.Skeleton(); !v.taken[s] && (v.MayUse == nil || v.MayUse(free)) {
			v.taken[s] = true
			return free
		}
	}
	return memory.Path{}
}

func comparePaths(a, b memory.Path) int { return cmp.Compare(a.String(), b.String()) }

func sortedPaths[V any](m map[memory.Path]V) []memory.Path {
	return slices.SortedFunc(maps.Keys(m), comparePaths)
}
