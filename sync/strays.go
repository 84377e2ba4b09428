package sync

// recognise finds the entries whose newest text was published from here while
// the answer got lost, and whose file changed places with others since. The
// index does not have that text as their base, so without this the file would
// be taken for a new one, or for an edit of the file that it changed places
// with. What is recognised is adopted first; the renames follow in the next
// plan.
//
// A tree that was put back from a backup looks the same where the server has
// renamed entries since. It must not undo that, so nothing is recognised in it.
func (p *planner) recognise() []Op {
	if p.AbsentAt.IsZero() {
		return nil
	}
	known := map[*entry]Base{}
	for _, e := range p.entries {
		if p.mayHaveStrayed(e) {
			known[e] = e.base
			e.base = Base{EntryID: e.id, Path: e.remote.Path, Rev: e.remote.Rev, Sum: e.remote.Sum}
			p.baseAt[e.base.Path] = e
		}
	}
	if len(known) == 0 {
		return nil
	}
	moved := p.findRenames()
	var ops []Op
	for _, e := range p.entries {
		base, strayed := known[e]
		if !strayed {
			continue
		}
		e.base = base
		if base.Path.IsZero() {
			delete(p.baseAt, e.remote.Path)
		}
		if to := moved[e]; !to.IsZero() {
			ops = append(ops, Op{Kind: Adopt, Row: 4, Entry: e.id, Path: to, Base: base, Local: p.Local[to], Remote: e.remote})
		}
	}
	return ops
}

// mayHaveStrayed reports whether another text is where the entry's newest one
// should be.
func (p *planner) mayHaveStrayed(e *entry) bool {
	path := e.remote.Path
	l, present := p.Local[path]
	if !present || e.remote.Deleted || p.blocked(path) != "" || l.Sum == e.remote.Sum {
		return false
	}
	if !e.hasBase() {
		return p.baseAt[path] == nil
	}
	return p.baseAt[path] == e && !e.sameThere() && !e.isBase(l)
}
