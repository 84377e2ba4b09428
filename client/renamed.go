package client

import (
	"context"
	"iter"
	"maps"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// renamedAlike knows the files again that got the very name here that a team-mate
// gave their entries, and were edited, too. Their text alone says so: another file
// of that name, which the member wrote before the news came, is an entry of its
// own, and taking it for the team's would put it in the place of theirs.
func (c *cycle) renamedAlike(ctx context.Context) error {
	found := map[memory.RevisionRef]msync.Local{}
	var refs []memory.RevisionRef
	for e := range c.state.restless() {
		if f, ok := c.homeless(e); ok {
			ref := memory.RevisionRef{EntryID: e.base.EntryID, Rev: e.base.Rev}
			found[ref], refs = f, append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	bases, err := c.fetch(ctx, refs)
	if err != nil {
		return err
	}
	for ref, base := range bases {
		text, err := c.localText(ctx, found[ref])
		if err != nil {
			return err
		}
		if msync.Resembles(text, base) {
			c.moved[ref.EntryID] = found[ref].Path
		}
	}
	return nil
}

// homeless returns the file at the name that an entry got on the server, if it
// belongs to no entry while the entry's own is gone.
func (c *cycle) homeless(e *entry) (f msync.Local, ok bool) {
	if e.base.EntryID == "" || e.remote == nil || e.remote.Deleted || e.remote.Path == e.base.Path {
		return f, false
	}
	_, there := c.state.files[e.base.Path]
	_, known := c.moved[e.base.EntryID]
	at, present := c.state.files[e.remote.Path]
	if there || known || !present || at.Sum == e.base.Sum || at.Sum == e.remote.Sum || c.state.owned(e.remote.Path) {
		return f, false
	}
	return msync.Local{Path: e.remote.Path, Sum: at.Sum}, true
}

// owned reports whether an entry has its file at a path, as far as was agreed on.
func (s *state) owned(p memory.Path) bool {
	for _, e := range s.entries {
		if e.base.EntryID != "" && e.base.Path == p {
			return true
		}
	}
	return false
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
