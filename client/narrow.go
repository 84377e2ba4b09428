package client

import (
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// fewLoose is the share of a tree, one in so many, up to which a plan is made
// from what is not at rest alone.
const fewLoose = 4

// planLoose plans for what is not at rest, which is all that a plan can be about:
// the entries and files that are, and those whose names they want. It reports
// false if that says too little: all of the tree may be at stake, or all names,
// or the guard has to compare with all entries.
func (c *cycle) planLoose() (plan []msync.Op, ok bool) {
	s := c.state
	if !c.listing.Partly || len(c.blockedDirs)+len(s.foreign)+len(c.moved) > 0 || c.options.RestoreHeld || len(c.options.Removed) > 0 {
		return nil, false
	}
	s.settle()
	if len(s.tracked.loose)*fewLoose > len(s.entries) {
		return nil, false
	}
	in := c.inputOf(s.stake(c.blocked))
	plan, ok = msync.PlanPart(in)
	for _, op := range plan {
		ok = ok && op.Kind != msync.DeleteLocal && op.Kind != msync.DeleteRemote
	}
	if !ok {
		return nil, false
	}
	return c.guard(in.Base, s.tracked.bases-len(in.Base), plan), true
}

// stake returns the paths that are not at rest, and those that their entries
// have on the server.
func (s *state) stake(blocked map[memory.Path]string) map[memory.Path]bool {
	paths := make(map[memory.Path]bool, len(s.tracked.loose))
	for p := range blocked {
		paths[p] = true
	}
	for p := range s.tracked.loose {
		paths[p] = true
		for e := s.tracked.homes[p]; e != nil; e = e.next {
			if e.remote != nil {
				paths[e.remote.Path] = true
			}
		}
	}
	return paths
}

// inputOf is [cycle.input] of the entries that are at home at some paths, and of
// the files there.
func (c *cycle) inputOf(paths map[memory.Path]bool) msync.Input {
	in := c.inputFor(len(paths))
	for p := range paths {
		if f, there := c.state.files[p]; there {
			addFile(&in, p, f)
		}
	}
	for p := range paths {
		for e := c.state.tracked.homes[p]; e != nil; e = e.next {
			c.addEntry(&in, e)
		}
	}
	c.blockTwins(&in)
	return in
}
