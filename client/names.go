package client

import (
	"slices"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// vacate makes ready for a page of the feed. Its changes are the newest of each
// entry, not all of them in a row, so every name that they give up is free
// before the first new one is looked at. Most pages bring no new name; then
// there is nothing to compare.
func (c *cycle) vacate(changes []memory.Change) {
	if c.names == nil && !c.bringsNames(changes) {
		return
	}
	if c.names == nil {
		c.names = c.namesBut("")
	}
	for _, change := range changes {
		if e := c.state.entries[change.EntryID]; e != nil {
			if path, _, live := e.served(); live {
				c.names.Remove(path.String())
			}
		}
	}
}

func (c *cycle) bringsNames(changes []memory.Change) bool {
	for _, change := range changes {
		if change.Gone() {
			continue
		}
		e := c.state.entries[change.EntryID]
		if e == nil {
			return true
		}
		if path, _, live := e.served(); !live || path != change.Path {
			return true
		}
	}
	return false
}

// claim gives a live entry its name, or says why it may not have it here.
func (c *cycle) claim(r msync.Remote) *memory.Error {
	if c.names == nil {
		return nil
	}
	if e := c.state.entries[r.EntryID]; e != nil {
		if path, _, live := e.served(); live {
			c.names.Remove(path.String())
		}
	}
	if r.Deleted {
		return nil
	}
	if err := checkName(c.names, r.Path); err != nil {
		return err
	}
	c.names.Add(r.Path.String())
	return nil
}

// checkName refuses a name beside those of other entries: one of them is its
// twin, or has it.
func checkName(names *sanitize.Names, p memory.Path) *memory.Error {
	if names.Has(p.String()) {
		return &memory.Error{
			Code: memory.CodePathRejected, Layer: string(sanitize.LayerCase), Message: "the server has two entries of this name",
			Hint: "the first one is here; ask whoever runs the server",
		}
	}
	return memory.CheckTwin(names, p)
}

// refuseForeign records that the server has an entry which may not exist here.
func (c *cycle) refuseForeign(f wire.Refusal) {
	if f.Deleted {
		delete(c.state.foreign, f.EntryID)
		if e := c.state.entries[f.EntryID]; e != nil {
			path, sum, _ := e.served()
			c.state.learn(msync.Remote{EntryID: f.EntryID, Path: path, Rev: f.Rev, Sum: sum, Deleted: true}, origin{})
		}
		return
	}
	r := refusalOf(f.Path, memory.Path{}, f.Problem)
	r.Entry = f.EntryID
	c.state.foreign[f.EntryID], c.state.dirty = r, true
}

// refuseText keeps a text of the server's out of the tree which holds what nobody
// sees and an agent reads. The server should have refused it; the entry stays as
// it is here until there is another text. A text with a few invisible breaks in
// words may be from before those were refused: it is taken, and told.
func (c *cycle) refuseText(op msync.Op, text []byte) (refused bool) {
	problem := memory.CheckText(text)
	if problem == nil {
		return false
	}
	const few = 8
	other := func(f sanitize.Finding) bool { return f.Rule != sanitize.ReasonInWord }
	if len(problem.Findings) <= few && !slices.ContainsFunc(problem.Findings, other) {
		c.notice("%s came with what nobody sees: %s", op.Path, problem.Message)
		return false
	}
	r := refusalOf(op.Remote.Path.String(), memory.Path{}, problem)
	r.Entry, r.RuleSet = op.Entry, c.ruleSet
	c.state.foreign[op.Entry] = r
	c.state.change(op.Entry, func(e *entry) { e.remote = nil })
	if op.Base.EntryID == "" && !op.Local.Sum.IsZero() { // a new file is in its place, and would be offered over and over
		c.unmergeable[op.Path] = op.Local.Sum
		c.notice("%s: the server's text of this name is not taken, so yours is not shared in this run", op.Path)
	}
	return true
}

// curable reports whether an entry that could not be taken may be taken now:
// this program has other rules than the one that refused it, its text was
// damaged on the way, or its name is free. The feed will not bring it again.
func (c *cycle) curable() bool {
	for id, f := range c.state.foreign {
		p, err := memory.ParseServedPath(f.Disk)
		if f.Code == memory.CodeTextRejected && f.RuleSet == c.ruleSet {
			continue // by the same rules
		}
		if err == nil && (f.Layer != string(sanitize.LayerCase) || checkName(c.namesBut(id), p) == nil) {
			return true
		}
	}
	return false
}

// namesBut returns the names of all entries but one.
func (c *cycle) namesBut(but memory.EntryID) *sanitize.Names {
	names := &sanitize.Names{}
	for id, e := range c.state.entries {
		if path, _, live := e.served(); live && id != but {
			names.Add(path.String())
		}
	}
	return names
}
