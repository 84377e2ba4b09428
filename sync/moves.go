package sync

import "github.com/teammem/teammem/memory"

// planMoves is rows 14 and 15. The server's names win: it has one entry per
// name, so a rename there can always be followed once the local file that
// holds the name is out of the way, while a rename here may come too late.
func (p *planner) planMoves() {
	undone := p.planMovesThere()
	p.planMovesHere(undone)
}

// planMovesThere tells the server of local renames and returns the entries
// whose new name belongs to another entry there: they go back.
func (p *planner) planMovesThere() (undone map[*entry]bool) {
	movers, waits := map[*entry]bool{}, map[*entry]Reason{}
	p.declined = map[*entry]bool{}
	for _, e := range p.entries {
		if p.planned[e] || !e.movedHere() || e.movedThere() || e.remote.Deleted {
			continue
		}
		if p.Known[e.at].Declined {
			p.declined[e] = true
			continue
		}
		if why := p.asked(e.at, memory.ActionMove, e.local.Sum); why != "" {
			waits[e] = why
			continue
		}
		movers[e] = true
	}

	undone = p.dropTaken(movers, waits)
	for _, e := range p.entries {
		switch {
		case movers[e]:
			p.add(e, Op{Kind: MoveRemote, Row: 14, From: e.base.Path, Path: e.at})
		case waits[e] == Later:
			p.report(e, 14, e.at, Later)
		case waits[e] != "" && !e.sameThere():
			p.add(e, Op{Kind: Download, Row: 2, Path: e.at})
		case waits[e] != "":
			p.report(e, 17, e.at, waits[e])
		}
	}
	return undone
}

// dropTaken takes out of movers those whose new name is taken on the server. A
// name is free when nobody has it, or when its holder moves away too. Where the
// holder waits, so does the mover; else it is undone.
func (p *planner) dropTaken(movers map[*entry]bool, waits map[*entry]Reason) (undone map[*entry]bool) {
	undone = map[*entry]bool{}
	for changed := true; changed; {
		changed = false
		for _, e := range p.entries {
			holder := p.serverAt[e.at]
			if !movers[e] || holder == nil || movers[holder] {
				continue
			}
			delete(movers, e)
			if waits[holder] != "" {
				waits[e] = Later
			} else {
				undone[e] = true
			}
			changed = true
		}
	}
	return undone
}

// planMovesHere brings files to the names that their entries have on the
// server.
func (p *planner) planMovesHere(undone map[*entry]bool) {
	movers := map[*entry]bool{}
	for _, e := range p.entries {
		follows := e.movedThere() && !e.gone() && e.at != e.remote.Path
		movers[e] = !p.planned[e] && (follows || undone[e] || p.declined[e])
	}
	p.leaving = movers
	parked, ok := map[*entry]memory.Path(nil), false
	for !ok {
		p.dropStuck()
		parked, ok = p.park()
	}

	for _, e := range p.entries {
		if !p.leaving[e] {
			continue
		}
		op := Op{Kind: MoveLocal, Row: 15, From: e.at, Path: e.remote.Path}
		switch {
		case !parked[e].IsZero():
			op.Path = parked[e]
		case undone[e]:
			op.Row, op.Notice = 14, noticeUndone
		case p.declined[e]:
			op.Row, op.Notice = 14, noticeDeclined
		case e.movedHere():
			op.Notice = noticeTheirs
		}
		p.add(e, op)
	}
}

// dropStuck reports the movers whose new name is held by a file that stays.
func (p *planner) dropStuck() {
	for changed := true; changed; {
		changed = false
		for _, e := range p.entries {
			path := e.remote.Path
			_, present := p.Local[path]
			holder := p.owner[path]
			if !p.leaving[e] || !present || p.leaving[holder] {
				continue
			}
			p.leaving[e], changed = false, true
			p.planClash(e, path, holder)
		}
	}
}

// planClash deals with an entry whose new name is held by a file of another
// entry, which may be gone by the next plan, or by a new file, which stays
// where the member put it unless the policy may give it a number.
func (p *planner) planClash(e *entry, path memory.Path, holder *entry) {
	if holder != nil {
		p.wait(e, holder, 15)
		return
	}
	already := p.reported[path]
	p.reported[path] = true
	if p.Policy.KeepBoth && !already {
		p.makeRoom(e, 15, path)
		return
	}
	p.report(e, 15, path, Clash)
}

// park breaks rings of local renames (two names swapped on the server): the
// first file of each ring goes to a free name, the others follow, and the next
// plan brings it home. A temporary name that a scan does not see would not
// survive a crash in between. Where no name is free the ring stays, and the
// others have to be looked at again.
func (p *planner) park() (parked map[*entry]memory.Path, ok bool) {
	parked = map[*entry]memory.Path{}
	walk := map[*entry]int{}
	for i, first := range p.entries {
		e := first
		for p.leaving[e] && walk[e] == 0 {
			walk[e] = i + 1
			e = p.owner[e.remote.Path]
		}
		if !p.leaving[e] || walk[e] != i+1 {
			continue
		}
		parked[e] = p.freeName(e.remote.Path)
		if parked[e].IsZero() {
			p.leaving[e] = false
			p.report(e, 15, e.remote.Path, Clash)
			return nil, false
		}
	}
	return parked, true
}
