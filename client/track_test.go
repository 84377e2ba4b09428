package client

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// trackedCycle is a cycle over a small tree, most of which is at rest.
func trackedCycle() *cycle {
	x := &index{Rows: someRows(40)}
	s := newState(x)
	s.track(nothingAgain)
	return planning(s)
}

func nothingAgain(memory.Path, file) bool { return false }

// planning is a cycle as far as plans go.
func planning(s *state) *cycle {
	return &cycle{
		Syncer: &Syncer{server: &Server{at: new(atomic.Int64)}, clock: time.Now, ruleSet: "rules"},
		index:  &index{}, state: s, report: &Report{}, listing: tree.Listing{Partly: true},
		released: map[memory.EntryID]bool{}, offered: map[memory.EntryID]bool{}, trashable: map[memory.Hash]bool{},
		absentAt: memory.Cursor{Epoch: "e", Seq: 1},
	}
}

// upset changes a few things of a state in every way in which cycles do.
func upset(t *rapid.T, s *state) {
	names := make([]memory.Path, 0, 12)
	for i := range 8 {
		names = append(names, someRows(40)[i*5].Path)
	}
	for _, n := range []string{"new.md", "topic-0/New.md", "topic-0/new.md", "x/y.md"} {
		names = append(names, memory.StoredPath(n))
	}
	path := func() memory.Path { return rapid.SampledFrom(names).Draw(t, "path") }
	sum := func() memory.Hash {
		return memory.Sum([]byte(rapid.SampledFrom([]string{"one", "two", names[0].String(), names[1].String()}).Draw(t, "text")))
	}
	id := func() memory.EntryID {
		return memory.EntryID(fmt.Sprintf("ent_%020d", rapid.SampledFrom([]int{0, 5, 10, 15, 77, 78}).Draw(t, "entry")))
	}
	rev := rapid.Int64Range(40, 60)
	for range rapid.IntRange(1, 6).Draw(t, "changes") {
		p, e, h := path(), id(), sum()
		op := msync.Op{Kind: msync.MoveLocal, Entry: e, Path: p, Remote: msync.Remote{EntryID: e, Path: p, Rev: 70, Sum: h}}
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0, 1:
			s.learn(msync.Remote{EntryID: e, Path: p, Rev: rev.Draw(t, "rev"), Sum: h, Deleted: rapid.Bool().Draw(t, "deleted")}, origin{author: "Jo"})
		case 2, 3:
			s.saw(p, file{Disk: p.String(), Size: 7, Inode: 9, Sum: h, Text: h, Blank: rapid.Bool().Draw(t, "blank")})
		case 4:
			s.lost(p)
		case 5:
			s.agree(msync.Base{EntryID: e, Path: p, Rev: rev.Draw(t, "rev"), Sum: h, Text: h})
		case 6:
			s.forget(e)
		case 7:
			if s.entries[e] != nil {
				s.doubt(e)
			}
		case 8:
			if old := s.entries[e]; old != nil && old.base.EntryID != "" {
				s.renamed(op)
			}
		case 9:
			s.written(e, origin{author: "Mara", at: 5})
		}
	}
}

// A plan for what is not at rest is the plan for everything.
func TestPlanLoose(t *testing.T) {
	t.Parallel()
	narrow := 0
	rapid.Check(t, func(t *rapid.T) {
		c := trackedCycle()
		for range 3 {
			upset(t, c.state)
			some, all := planning(c.state), planning(c.state)
			got, ok := some.planLoose()
			if !ok {
				continue
			}
			narrow++
			in := all.input()
			want := all.guard(in.Base, 0, msync.Plan(in))
			equal := cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(func(a, b memory.Path) bool { return a == b })}
			if diff := cmp.Diff(want, got, equal); diff != "" {
				t.Fatalf("-all +loose:\n%s", diff)
			}
			if diff := cmp.Diff(all.report, some.report, equal); diff != "" {
				t.Fatalf("reports (-all +loose):\n%s", diff)
			}
			if all.baseSize != some.baseSize || !slices.Equal(all.heldOps, some.heldOps) {
				t.Fatalf("base of %d, held %v; want %d, %v", some.baseSize, some.heldOps, all.baseSize, all.heldOps)
			}
		}
	})
	if narrow == 0 { // about half of them are
		t.Error("no plan was made for what is not at rest")
	}
}

// What is tracked is what a look at everything finds.
func TestTrack_AsFromScratch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := trackedCycle().state
		for range 3 {
			upset(t, s)
			s.settle()
			got := said(s.tracked)
			for _, e := range s.entries {
				e.next = nil
			}
			s.tracked = nil
			s.track(nothingAgain)
			if diff := cmp.Diff(said(s.tracked), got); diff != "" {
				t.Fatalf("-from scratch +tracked:\n%s", diff)
			}
		}
	})
}

// said is what is tracked, in a form to compare.
func said(t *track) map[string]any {
	homes := map[string][]memory.EntryID{}
	for p, e := range t.homes {
		for ; e != nil; e = e.next {
			r := e.row()
			homes[p.String()] = append(homes[p.String()], r.id())
		}
		slices.Sort(homes[p.String()])
	}
	return map[string]any{"bases": t.bases, "loose": pathSet(t.loose), "homes": homes}
}

func pathSet(paths map[memory.Path]bool) map[string]bool {
	all := map[string]bool{}
	for p := range paths {
		all[p.String()] = true
	}
	return all
}

// The rows that are put into a journal are those that the file would have.
func TestTrack_UnsavedRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := trackedCycle().state
		x := &index{Rows: s.rows()}
		x.sortRows()
		for range 3 {
			upset(t, s)
			paths, rows := s.unsaved()
			changed := map[memory.Path][]row{}
			for i, p := range paths {
				changed[p] = rows[i]
			}
			clear(s.tracked.unsaved)
			x.replaceRows(changed)
			all := &index{Rows: s.rows()}
			all.sortRows()
			if !bytes.Equal(all.encode(), x.encode()) {
				t.Fatalf("-all +unsaved:\n%s", indexDiff(all, x))
			}
		}
	})
}
