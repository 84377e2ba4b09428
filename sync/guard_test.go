package sync_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// deletes plans the deletes of the entries from to to, of those that entries
// makes.
func deletes(kind msync.Kind, from, to int) (plan []msync.Op) {
	for _, b := range entries(to)[from:] {
		plan = append(plan, msync.Op{Kind: kind, Row: 6, Entry: b.EntryID, Path: b.Path, Base: b})
	}
	return plan
}

// changed plans to send the texts of that many entries.
func changed(n int) (plan []msync.Op) {
	for _, b := range entries(n) {
		plan = append(plan, msync.Op{Kind: msync.Upload, Row: 3, Entry: b.EntryID, Path: b.Path, Base: b, Local: msync.Local{Path: b.Path, Sum: sum("x")}})
	}
	return plan
}

func entries(n int) (base []msync.Base) {
	for i := range n {
		p := key(fmt.Sprintf("e%02d.md", i))
		base = append(base, msync.Base{EntryID: memory.EntryID(fmt.Sprintf("e%02d", i)), Path: p, Rev: int64(i), Sum: sum("A"), Text: sum("A")})
	}
	return base
}

func TestGuard_Deletes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		guard msync.Guard
		plan  []msync.Op
		held  int
		why   msync.Danger
	}{
		"few":               {msync.Guard{Base: entries(8)}, deletes(msync.DeleteRemote, 0, 5), 0, ""},
		"one too many":      {msync.Guard{Base: entries(8)}, deletes(msync.DeleteRemote, 0, 6), 6, msync.MassDelete},
		"a quarter":         {msync.Guard{Base: entries(40)}, deletes(msync.DeleteRemote, 0, 10), 0, ""},
		"over a quarter":    {msync.Guard{Base: entries(40)}, deletes(msync.DeleteRemote, 0, 11), 11, msync.MassDelete},
		"taken":             {msync.Guard{Base: entries(40)}, deletes(msync.DeleteLocal, 0, 11), 11, msync.MassDelete},
		"a trickle":         {msync.Guard{Base: entries(30), Largest: 40, Sent: 10}, deletes(msync.DeleteRemote, 0, 1), 1, msync.MassDelete},
		"other direction":   {msync.Guard{Base: entries(30), Largest: 40, Taken: 10}, deletes(msync.DeleteRemote, 0, 1), 0, ""},
		"was larger":        {msync.Guard{Base: entries(8), Largest: 40, Sent: 4}, deletes(msync.DeleteRemote, 0, 6), 0, ""},
		"after a jump":      {msync.Guard{Base: entries(8), Jumped: true}, deletes(msync.DeleteRemote, 0, 1), 1, msync.AfterJump},
		"jump, taken":       {msync.Guard{Base: entries(8), Jumped: true}, deletes(msync.DeleteLocal, 0, 1), 1, msync.AfterJump},
		"jump, released":    {msync.Guard{Base: entries(8), Jumped: true, AllowDeletes: 2}, deletes(msync.DeleteRemote, 0, 2), 0, ""},
		"released":          {msync.Guard{Base: entries(40), AllowDeletes: 30}, deletes(msync.DeleteRemote, 0, 30), 0, ""},
		"other number":      {msync.Guard{Base: entries(40), AllowDeletes: 30}, deletes(msync.DeleteRemote, 0, 31), 31, msync.MassDelete},
		"all, of two":       {msync.Guard{Base: entries(2)}, deletes(msync.DeleteRemote, 0, 2), 2, msync.EmptiedFolder},
		"all, of one":       {msync.Guard{Base: entries(1)}, deletes(msync.DeleteRemote, 0, 1), 0, ""},
		"all, by the team":  {msync.Guard{Base: entries(2)}, deletes(msync.DeleteLocal, 0, 2), 0, ""},
		"held before":       {msync.Guard{Base: entries(40), Held: []msync.HeldOp{{"e01", msync.DeleteRemote, msync.EmptiedFolder}}}, deletes(msync.DeleteRemote, 0, 4), 1, msync.EmptiedFolder},
		"held another way":  {msync.Guard{Base: entries(40), Held: []msync.HeldOp{{"e01", msync.DeleteLocal, msync.EmptiedFolder}}}, deletes(msync.DeleteRemote, 0, 4), 0, ""},
		"released before":   {msync.Guard{Base: entries(40), Sent: 29, Released: map[memory.EntryID]bool{"e00": true}}, deletes(msync.DeleteRemote, 0, 1), 0, ""},
		"after the release": {msync.Guard{Base: entries(11), Largest: 40, Sent: 30}, deletes(msync.DeleteRemote, 0, 1), 1, msync.MassDelete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ops, holds := tc.guard.Check(tc.plan)
			held, why := 0, msync.Danger("")
			for _, op := range ops {
				if op.Kind == msync.Report && op.Reason == msync.Held {
					held++
				}
			}
			for _, h := range holds {
				if !h.Released {
					why = h.Why
				}
			}
			if held != tc.held || why != tc.why || len(ops) != len(tc.plan) {
				t.Errorf("held %d of %d: %q; want %d: %q", held, len(ops), why, tc.held, tc.why)
			}
		})
	}
}

// Only the folder that was emptied is held, and everything else goes on.
func TestGuard_EmptiedFolder(t *testing.T) {
	t.Parallel()
	in := msync.Input{
		Base:  baseOf(t, "e1 a/x.md A 1,e2 a/b/y.md B 2,e3 c.md C 3,e4 d.md D 4,e5 f/one.md E 5"),
		Local: localOf(t, "d.md D2"),
	}
	ops, holds := msync.Guard{Base: in.Base, AllowDeletes: 9}.Check(msync.Plan(in))
	want := []string{
		"3 upload e4 d.md",
		"6 delete-remote e3 c.md",
		"6 delete-remote e5 f/one.md",
		"6 report e2 a/b/y.md held",
		"6 report e1 a/x.md held",
	}
	if diff := cmp.Diff(want, render(ops)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(holds) != 1 || holds[0].Why != msync.EmptiedFolder || holds[0].Released {
		t.Errorf("holds %+v", holds)
	}
}

// A file that nobody looks at says nothing of the others; one that is gone is
// gone, whatever comes of that.
func TestGuard_Unseen(t *testing.T) {
	t.Parallel()
	six := "e1 a.md A 1,e2 b.md B 2,e3 c.md C 3,e4 d.md D 4,e5 e.md E 5,e6 f.md F 6"
	for name, tc := range map[string]struct {
		local, remote string
		known         map[string]msync.Known
		kind          msync.Kind
		held          int
	}{
		"all but what is left out":   {"f.md !ignored", "", nil, msync.DeleteRemote, 5},
		"all but what is unreadable": {"e.md !unreadable, f.md !ignored", "", nil, msync.DeleteRemote, 4},
		"one is there":               {"e.md E, f.md !ignored", "", nil, msync.DeleteRemote, 0},
		"one was edited there":       {"", "e6 f.md G 7", nil, msync.DeleteRemote, 5},
		"one waits for a reviewer":   {"", "", map[string]msync.Known{"f.md": {Waiting: msync.Ask{Action: memory.ActionDelete}}}, msync.DeleteRemote, 5},
		"changed but what is hidden": {"a.md X, b.md X, c.md X, d.md X, e.md X, f.md !ignored", "", nil, msync.Upload, 5},
		"changed, and one gone":      {"a.md X, b.md X, c.md X, d.md X, e.md X", "", nil, msync.Upload, 5},
		"changed, and one as it was": {"a.md X, b.md X, c.md X, d.md X, e.md X, f.md F", "", nil, msync.Upload, 0},
		"changed, and one renamed":   {"a.md X, b.md X, c.md X, d.md X, e.md X, g.md F", "", nil, msync.Upload, 0},
		"changed, and one waits":     {"a.md X, b.md X, c.md X, d.md X, e.md X, f.md Y", "", map[string]msync.Known{"f.md": {Waiting: msync.Ask{Action: memory.ActionPut, Sum: sum("Y")}}}, msync.Upload, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := msync.Input{Base: baseOf(t, six), Local: localOf(t, tc.local), Remote: remoteOf(t, tc.remote), Known: map[memory.Path]msync.Known{}}
			for path, k := range tc.known {
				in.Known[key(path)] = k
			}
			_, holds := msync.Guard{Base: in.Base}.Check(msync.Plan(in))
			held := 0
			for _, h := range holds {
				if h.Kind == tc.kind {
					held += len(h.Ops)
				}
			}
			if held != tc.held {
				t.Errorf("held %d, want %d: %+v", held, tc.held, holds)
			}
		})
	}
}

// A move is no delete, nor is a file that makes room for another entry.
func TestGuard_NoDeletes(t *testing.T) {
	t.Parallel()
	moved := msync.Input{Base: baseOf(t, "e1 a/x.md A 1,e2 a/y.md B 2"), Local: localOf(t, "b/x.md A,b/y.md B"), Remote: nil}
	if _, holds := (msync.Guard{Base: moved.Base}).Check(msync.Plan(moved)); len(holds) > 0 {
		t.Errorf("a renamed folder: %+v", holds)
	}
	replaced := msync.Input{
		Base: baseOf(t, "e1 a.md A 1"), Local: localOf(t, "a.md A"), Remote: remoteOf(t, "e1 a.md - 2,e2 a.md B 3"),
	}
	if _, holds := (msync.Guard{Base: replaced.Base, Taken: 99}).Check(msync.Plan(replaced)); len(holds) > 0 {
		t.Errorf("an entry that was made anew: %+v", holds)
	}
}

func TestGuard_AllChanged(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		guard msync.Guard
		plan  []msync.Op
		held  int
	}{
		"all":            {msync.Guard{Base: entries(5)}, changed(5), 5},
		"all of four":    {msync.Guard{Base: entries(4)}, changed(4), 0},
		"all but one":    {msync.Guard{Base: entries(6)}, changed(5), 0},
		"released":       {msync.Guard{Base: entries(5), AllowChanges: 5}, changed(5), 0},
		"no such number": {msync.Guard{Base: entries(5), AllowChanges: 4, AllowDeletes: 5}, changed(5), 5},
		"held before":    {msync.Guard{Base: entries(6), Held: []msync.HeldOp{{"e00", msync.Upload, msync.AllChanged}}}, changed(5), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, holds := tc.guard.Check(tc.plan)
			held := 0
			for _, h := range holds {
				if !h.Released {
					held += len(h.Ops)
				}
			}
			if held != tc.held {
				t.Errorf("held %d, want %d", held, tc.held)
			}
		})
	}
}

func TestGuard_Emptied(t *testing.T) {
	t.Parallel()
	blank := msync.Local{Path: key("a.md"), Sum: sum(""), Blank: true}
	for name, tc := range map[string]struct {
		base  string
		allow bool
		want  string
	}{
		"emptied":       {"e1 a.md A 1", false, "18 report e1 a.md blocked"},
		"on purpose":    {"e1 a.md A 1", true, "3 upload e1 a.md"},
		"was empty":     {"e1 a.md ^ 1", false, "3 upload e1 a.md"},
		"new and empty": {"", false, "11 create a.md"},
		"another entry": {"e2 b.md A 1", true, "11 create a.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := msync.Input{Base: baseOf(t, tc.base), Local: map[memory.Path]msync.Local{blank.Path: blank}}
			ops, _ := msync.Guard{Base: in.Base, AllowEmpty: tc.allow}.Check(msync.Plan(in))
			got := ""
			for i, line := range render(ops) {
				if ops[i].Path == blank.Path {
					got = line
				}
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// However deletes are spread over folders and directions, no plan carries out
// more than nobody has to be asked about.
func TestGuard_Bound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := entries(rapid.IntRange(1, 60).Draw(t, "base"))
		g := msync.Guard{Base: base, Largest: rapid.IntRange(0, 80).Draw(t, "largest"), Sent: rapid.IntRange(0, 20).Draw(t, "sent"), Taken: rapid.IntRange(0, 20).Draw(t, "taken")}
		var plan []msync.Op
		for _, b := range base {
			if kind := rapid.SampledFrom([]msync.Kind{"", msync.DeleteRemote, msync.DeleteLocal}).Draw(t, "kind"); kind != "" {
				plan = append(plan, msync.Op{Kind: kind, Entry: b.EntryID, Path: b.Path, Base: b})
			}
		}
		ops, holds := g.Check(plan)
		done, held := map[msync.Kind]int{}, 0
		for _, op := range ops {
			done[op.Kind]++
		}
		for _, h := range holds {
			held += len(h.Ops)
		}
		most := max(5, max(g.Largest, len(base))/4)
		tooMany := func(kind msync.Kind, before int) bool { return done[kind] > 0 && done[kind]+before > most }
		if tooMany(msync.DeleteRemote, g.Sent) || tooMany(msync.DeleteLocal, g.Taken) || done[msync.Report] != held || len(ops) != len(plan) {
			t.Fatalf("of %d ops %v are done, %d held; most is %d", len(plan), done, held, most)
		}
		if held > 0 {
			g.AllowDeletes = held
			if ops, _ := g.Check(plan); slices.ContainsFunc(ops, func(op msync.Op) bool { return op.Kind == msync.Report }) {
				t.Fatal("what was released is held")
			}
		}
	})
}

// The number of a hold depends on nothing but what is held.
func TestGuard_HoldID(t *testing.T) {
	t.Parallel()
	id := func(plan []msync.Op) string {
		_, holds := msync.Guard{Base: entries(40)}.Check(plan)
		return holds[0].ID
	}
	first, turned := deletes(msync.DeleteRemote, 0, 20), deletes(msync.DeleteRemote, 0, 20)
	turned[0], turned[19] = turned[19], turned[0]
	if a, b, c := id(first), id(turned), id(deletes(msync.DeleteRemote, 0, 21)); a != b || a == c || len(a) != 16 {
		t.Errorf("ids %s %s %s", a, b, c)
	}
}
