package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// wayIn prepares a change after which an entry has the name. The change tells
// whether it has.
type wayIn struct {
	name    string
	prepare func(t *testing.T, b *bundle, path string) (change func() bool)
}

// waysIn are all by which an entry gets a name: what is imported or restored is
// pushed, too.
func waysIn() []wayIn {
	return []wayIn{
		{"push", func(t *testing.T, b *bundle, path string) func() bool {
			return func() bool { return b.gets(t, b.batch(put(t, path, "new in "+path))) }
		}},
		{"move", func(t *testing.T, b *bundle, path string) func() bool {
			from := fmt.Sprintf("from/%x.md", path)
			v := b.push(t, put(t, from, "moved to "+path)).Verdicts[0]
			return func() bool { return b.gets(t, b.batch(move(t, from, path, v))) }
		}},
		{"restore", func(t *testing.T, b *bundle, path string) func() bool {
			v := b.push(t, put(t, path, "deleted in "+path)).Verdicts[0]
			gone := b.push(t, remove(t, path, v)).Verdicts[0]
			return func() bool { return b.gets(t, b.batch(edit(t, path, "restored in "+path, gone))) }
		}},
		{"approval", func(t *testing.T, b *bundle, path string) func() bool {
			author, reviewer := b.addMember(t, "author of "+path), b.addMember(t, "reviewer of "+path)
			batch, ending := b.approval(t, b.offerBy(t, author, put(t, path, "proposed in "+path))[0], reviewer)
			return func() bool {
				r, pending, err := b.Publish(t.Context(), batch, ending)
				if err != nil || !pending {
					t.Errorf("approve %s: pending %t, %v", path, pending, err)
					return false
				}
				return in(t, r.Verdicts[0])
			}
		}},
		{"release", func(t *testing.T, b *bundle, path string) func() bool {
			v := b.push(t, put(t, path, "suspect in "+path)).Verdicts[0]
			q := b.quarantine(t, memory.Suspects{Entries: []memory.EntryID{v.EntryID}})
			return func() bool { return b.release(t, q).Released == 1 }
		}},
	}
}

// gets pushes a batch of one and tells whether it got its name.
func (b *bundle) gets(t *testing.T, batch memory.Batch) bool {
	t.Helper()
	r, err := b.Push(t.Context(), batch)
	if err != nil {
		t.Errorf("push: %v", err)
		return false
	}
	return in(t, r.Verdicts[0])
}

// in tells whether an op was done. One that was not is refused for its twin.
func in(t *testing.T, v memory.Verdict) bool {
	t.Helper()
	if v.Ruling == memory.RulingPublished {
		return true
	}
	if v.Problem == nil || v.Problem.Code != memory.CodePathRejected || v.Problem.Layer != string(sanitize.LayerCase) {
		t.Errorf("got %s (%v), want layer case", v.Ruling, v.Problem)
	}
	return false
}

// Two names that some disks take for one come at the same moment, by every way
// there is: one gets in, and it alone. The index of the database keeps files
// apart; folders, which have no row, are kept apart by the project's lock.
func TestTwins_OneOfTwoAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	n := 0
	for _, twins := range [][2]string{{"Dir%d/a.md", "dir%d/b.md"}, {"note%d.md", "NOTE%d.md"}} {
		for i, one := range waysIn() {
			others := waysIn()[i:]
			if !strings.Contains(twins[0], "/") {
				others = others[:1] // the index does not ask by which way
			}
			for _, other := range others {
				n++
				first := one.prepare(t, b, fmt.Sprintf(twins[0], n))
				second := other.prepare(t, b, fmt.Sprintf(twins[1], n))
				var got [2]bool
				var group sync.WaitGroup
				group.Go(func() { got[0] = first() })
				group.Go(func() { got[1] = second() })
				group.Wait()
				if got[0] == got[1] {
					t.Errorf("%s of %s and %s of %s: in %v, want one of the two", one.name, twins[0], other.name, twins[1], got)
				}
			}
		}
	}
	var names sanitize.Names
	for path := range b.tree(t) {
		if err := names.Check(path); err != nil {
			t.Errorf("%s is there beside its twin: %v", path, err)
		}
		names.Add(path)
	}
	b.check(t)
}
