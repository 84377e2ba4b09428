package client

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// renamedAlike knows the files again that were renamed and edited before anybody
// looked: they are in another folder, or have the very name that a team-mate gave
// their entry, and resemble what was agreed on. Files with exactly that text the
// planner finds itself. Were such a file taken for a new one, an edit of a
// team-mate's would stay behind at the old name, and everything else be there
// twice.
func (c *cycle) renamedAlike(ctx context.Context) error {
	guesses := c.renameGuesses()
	if len(guesses) == 0 {
		return nil
	}
	var refs []memory.RevisionRef
	for _, g := range guesses {
		refs = append(refs, g.ref())
	}
	bases, err := c.fetch(ctx, slices.Compact(refs))
	if err != nil {
		return err
	}
	taken := map[memory.Path]bool{}
	for _, g := range guesses {
		if _, known := c.moved[g.base.EntryID]; known || taken[g.file.Path] {
			continue
		}
		text, err := c.localText(ctx, g.file)
		if err != nil {
			return err
		}
		if msync.Resembles(text, bases[g.ref()]) {
			c.moved[g.base.EntryID], taken[g.file.Path] = g.file.Path, true
		}
	}
	return nil
}

// renameGuess is one file that may be the text of an entry whose own is gone.
type renameGuess struct {
	base msync.Base
	file msync.Local
}

func (g renameGuess) ref() memory.RevisionRef {
	return memory.RevisionRef{EntryID: g.base.EntryID, Rev: g.base.Rev}
}

// renameGuesses lists them, for each entry the name that the server has first.
func (c *cycle) renameGuesses() (all []renameGuess) {
	var strays map[string][]memory.Path
	for e := range c.state.restless() {
		if _, there := c.state.files[e.base.Path]; there || e.base.EntryID == "" || e.remote != nil && e.remote.Deleted {
			continue
		}
		if strays == nil {
			strays = c.straysByName()
		}
		for _, p := range c.namesOf(e, strays) {
			all = append(all, renameGuess{e.base, msync.Local{Path: p, Sum: c.state.files[p].Sum}})
		}
	}
	slices.SortStableFunc(all, func(a, b renameGuess) int { return cmp.Compare(a.base.EntryID, b.base.EntryID) })
	return all
}

// straysByName returns the files of no entry by the last part of their names.
func (c *cycle) straysByName() map[string][]memory.Path {
	owned := make(map[memory.Path]bool, len(c.state.entries))
	texts := map[memory.Hash]bool{}
	for _, e := range c.state.entries {
		if e.base.EntryID != "" {
			owned[e.base.Path] = true
		}
		if _, there := c.state.files[e.base.Path]; !there {
			texts[e.base.Sum] = true
		}
	}
	strays := map[string][]memory.Path{}
	for p, f := range c.state.files {
		if !owned[p] && !texts[f.Sum] && c.blocked[p] == "" {
			strays[p.Base()] = append(strays[p.Base()], p)
		}
	}
	for _, paths := range strays {
		slices.SortFunc(paths, func(a, b memory.Path) int { return cmp.Compare(a.String(), b.String()) })
	}
	return strays
}

// mostNames is how many files are compared with what an entry said: where a
// thousand folders have a file of one name each, the like of all with all takes
// minutes.
const mostNames = 32

// namesOf returns those that may be an entry's, first the one that the server has
// and then those whose folders are called the most alike. Where the server has
// another entry, or the text that is in the file, there is nothing to guess.
func (c *cycle) namesOf(e *entry, strays map[string][]memory.Path) (names []memory.Path) {
	served, sum, _ := e.served()
	for _, p := range strays[e.base.Path.Base()] {
		if p != served && c.state.liveAt(p) == "" {
			names = append(names, p)
		}
	}
	if len(names) > mostNames {
		old := e.base.Path.String()
		slices.SortStableFunc(names, func(a, b memory.Path) int {
			return cmp.Compare(sameEnd(b.String(), old), sameEnd(a.String(), old))
		})
		names = names[:mostNames]
	}
	if slices.Contains(strays[served.Base()], served) && c.state.files[served].Sum != sum {
		names = slices.Insert(names, 0, served)
	}
	return names
}

// sameEnd is how many bytes at their ends two names share.
func sameEnd(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// withoutMoving leaves new files out of a plan whose text is that of an entry's
// file which is gone by now: a listing that reads one folder before a file leaves
// it, and the other after it came there, has the file twice. The next plan knows
// better.
func (c *cycle) withoutMoving(ops []msync.Op) []msync.Op {
	created := map[memory.Hash]bool{}
	for _, op := range ops {
		if op.Kind == msync.Create {
			created[op.Local.Sum] = true
		}
	}
	if len(created) == 0 {
		return ops
	}
	moving := map[memory.Hash]bool{}
	for _, e := range c.state.entries {
		if e.base.EntryID == "" || !created[e.base.Sum] {
			continue
		}
		if f, there := c.state.files[e.base.Path]; there && f.Sum == e.base.Sum {
			_, err := c.tree.Stat(f.Disk)
			moving[f.Sum] = moving[f.Sum] || errors.Is(err, fs.ErrNotExist)
		}
	}
	return slices.DeleteFunc(slices.Clone(ops), func(op msync.Op) bool {
		gone := op.Kind == msync.Create && moving[op.Local.Sum]
		if gone {
			c.again, c.rescan = true, true
		}
		return gone
	})
}

// restless returns the entries that may not be at rest: all of a state that is not
// tracked.
func (s *state) restless() iter.Seq[*entry] {
	if s.tracked == nil {
		return maps.Values(s.entries)
	}
	return func(yield func(*entry) bool) {
		for p := range s.tracked.loose {
			for e := s.tracked.homes[p]; e != nil; e = e.next {
				if !yield(e) {
					return
				}
			}
		}
	}
}
