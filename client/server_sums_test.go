package client

import (
	"testing"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// What is known of texts by a look at all entries is the same as what is known of
// many at once, also after an entry changed.
func TestState_Sums(t *testing.T) {
	t.Parallel()
	sum := func(s string) memory.Hash { return memory.Sum([]byte(s)) }
	s := newState(&index{})
	c := &cycle{state: s, purged: map[memory.Hash]bool{sum("told"): true}}
	s.change("e1", func(e *entry) { e.base = msync.Base{EntryID: "e1", Rev: 1, Sum: sum("agreed")} })
	s.change("e2", func(e *entry) { e.remote = &msync.Remote{EntryID: "e2", Rev: 2, Sum: sum("new")} })
	s.change("e3", func(e *entry) {
		e.base = msync.Base{EntryID: "e3", Rev: 3, Sum: sum("gone")}
		e.remote = &msync.Remote{EntryID: "e3", Rev: 4, Deleted: true, Purged: true}
	})
	for _, changed := range []bool{false, true} {
		if changed {
			s.sums()
			s.forget("e1")
			s.change("e3", func(e *entry) { e.remote.Purged = false })
		}
		for text, want := range map[string]struct{ known, purged bool }{
			"agreed": {!changed, false}, "new": {true, false}, "gone": {true, !changed}, "told": {false, true}, "other": {},
		} {
			for _, made := range []bool{false, true} {
				if s.summed = nil; made {
					s.sums()
				}
				if known, purged := s.knows(sum(text)), c.wasPurged(sum(text)); known != want.known || purged != want.purged {
					t.Errorf("changed %t, made %t: %s: known %t, purged %t, want %v", changed, made, text, known, purged, want)
				}
			}
		}
		s.sums()
	}
}
