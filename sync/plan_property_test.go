package sync_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// TestPlan_Converges takes one tree, lets two members change it in every way,
// and carries their plans out in any order, mixed, with crashes and lost
// answers. Then all is quiet, and the three trees have to become one within 50
// rounds, with no text lost on the way.
func TestPlan_Converges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		policy := msync.Policy{KeepBoth: rapid.Bool().Draw(t, "keepBoth"), MergeText: rapid.Bool().Draw(t, "mergeText")}
		s := newServer()
		team := []*member{newMember("ann", s, policy), newMember("bob", s, policy)}
		c := &chaos{T: t, team: team, merged: map[string]bool{}}

		c.change(team[0], 8)
		c.settle()
		for range rapid.IntRange(1, 4).Draw(t, "stormy rounds") {
			for _, m := range team {
				c.change(m, 6)
			}
			c.round(true)
		}
		for _, m := range team {
			clear(m.blocked)
		}
		c.settle()
	})
}

// TestPlan_Converges_Blocked is about files that stay blocked, as those that a
// member leaves out: whatever others make of their names, an end is reached, and
// nothing waits for ever.
func TestPlan_Converges_Blocked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newServer()
		policy := msync.Policy{KeepBoth: rapid.Bool().Draw(t, "keepBoth"), MergeText: rapid.Bool().Draw(t, "mergeText")}
		oneWay := policy
		oneWay.PushOnly, oneWay.PullOnly = rapid.Bool().Draw(t, "pushOnly"), rapid.Bool().Draw(t, "pullOnly")
		c := &chaos{T: t, team: []*member{newMember("ann", s, policy), newMember("bob", s, policy)}, merged: map[string]bool{}, stuck: true}
		c.change(c.team[0], 8)
		c.settle()
		c.team[0].policy = oneWay
		for range rapid.IntRange(1, 3).Draw(t, "stormy rounds") {
			for _, m := range c.team {
				c.change(m, 6)
			}
			c.round(true)
		}
		c.settle()
	})
}

// chaos drives the model.
type chaos struct {
	*rapid.T
	team   []*member
	merged map[string]bool // what went into a merge
	texts  int
	stuck  bool // what is blocked stays so
}

func (c *chaos) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(c.T, label) }

func names() []memory.Path {
	return []memory.Path{key("MEMORY.md"), key("a.md"), key("b.md"), key("c.md"), key("x/a.md"), key("x/b.md"), key("x/MEMORY.md")}
}

// text is new, or one of a few that are used again and again.
func (c *chaos) text() string {
	n := c.pick("text", 6)
	if n > 2 {
		c.texts++
		n = 100 + c.texts
	}
	return fmt.Sprintf("- [t](t%d.md)\n", n)
}

// change does to a tree what people and agents do.
func (c *chaos) change(m *member, most int) {
	all := names()
	for range c.pick("changes", most+1) {
		from, to := all[c.pick("from", len(all))], all[c.pick("to", len(all))]
		text, present := m.files[from]
		other, taken := m.files[to]
		if m.blocked[from] || m.blocked[to] {
			continue
		}
		switch c.pick("change", 9) {
		case 0:
			delete(m.files, from)
		case 1: // rename, maybe over another file
			if present {
				delete(m.files, from)
				m.files[to] = text
			}
		case 2:
			if present && taken {
				m.files[from], m.files[to] = other, text
			}
		case 3:
			if present {
				m.files[to] = text
			}
		case 4: // rename and edit
			if present {
				delete(m.files, from)
				m.files[to] = text + c.text()
			}
		case 5:
			if present {
				m.files[from] = string(slices.Concat([]byte("\ufeff"), []byte(text)))
			}
		case 6:
			m.blocked[from] = true
		default:
			m.files[from] = c.text()
		}
	}
}

// round lets everybody plan, then carries all plans out in any order.
func (c *chaos) round(stormy bool) (busy bool) {
	type step struct {
		m  *member
		op msync.Op
	}
	var steps []step
	for _, m := range c.team {
		in := m.observe()
		ops := msync.Plan(in)
		c.check(m, in, ops)
		for _, op := range ops {
			busy = busy || op.Kind != msync.Report
			steps = append(steps, step{m, op})
		}
	}

	before := c.kept()
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	if len(steps) > 0 {
		order = rapid.Permutation(order).Draw(c.T, "order")
	}
	moves := map[*member][]msync.Op{}
	for _, s := range steps {
		if s.op.Kind == msync.MoveRemote {
			moves[s.m] = append(moves[s.m], s.op)
		}
	}
	for _, i := range order {
		s := steps[i]
		crashed := stormy && c.pick("crash", 5) == 0
		if batch := moves[s.m]; s.op.Kind == msync.MoveRemote {
			moves[s.m] = nil
			s.m.push(batch, crashed)
			continue
		}
		if s.op.Kind == msync.Merge {
			c.merged[s.m.files[s.op.Path]] = true
		}
		s.m.apply(s.op, crashed)
	}
	after := c.kept()
	for sum, text := range before {
		if _, kept := after[sum]; !kept && !c.merged[text] {
			c.Fatalf("lost text %q", text)
		}
	}
	return busy
}

// kept is every text that exists anywhere.
func (c *chaos) kept() map[memory.Hash]string {
	texts := map[memory.Hash]string{}
	keep := func(text string) { texts[msync.TextSum([]byte(text))] = text }
	for _, text := range c.team[0].server.history {
		keep(text)
	}
	for _, m := range c.team {
		for _, text := range m.files {
			keep(text)
		}
		for text := range m.conflicts {
			keep(text)
		}
	}
	return texts
}

// check holds a plan against what the package promises.
func (c *chaos) check(m *member, in msync.Input, ops []msync.Op) {
	slices.Reverse(in.Base)
	slices.Reverse(in.Remote)
	if diff := cmp.Diff(ops, msync.Plan(in), cmp.AllowUnexported(memory.Path{})); diff != "" {
		c.Fatalf("two plans from one input:\n%s", diff)
	}
	if some, ok := msync.PlanPart(partOf(in)); ok {
		if diff := cmp.Diff(ops, some, cmp.AllowUnexported(memory.Path{}), cmpopts.EquateEmpty()); diff != "" {
			c.Fatalf("the plan for what is not at rest (-all +part):\n%s", diff)
		}
	}
	entries, paths := map[memory.EntryID]bool{}, map[memory.Path]bool{}
	for _, op := range ops {
		if entries[op.Entry] && op.Entry != "" {
			c.Fatalf("second op for entry %s: %+v", op.Entry, op)
		}
		entries[op.Entry] = true
		if op.Kind == msync.Report || op.Kind == msync.Forget {
			continue
		}
		if paths[op.Path] {
			c.Fatalf("second op for path %s: %+v", op.Path, op)
		}
		paths[op.Path] = true
		if m.blocked[op.Path] || m.blocked[op.From] {
			c.Fatalf("op on a blocked path: %+v", op)
		}
		base, known := m.base[op.Entry]
		switch op.Kind {
		case msync.DeleteLocal:
			if !known || !op.Remote.Deleted || op.Path != base.Path || in.Local[op.Path].Text != base.Text {
				c.Fatalf("delete of an unknown or changed file: %+v", op)
			}
		case msync.DeleteRemote:
			if _, present := in.Local[op.Path]; !known || present || op.Path != base.Path || op.Remote.Sum != base.Sum || op.Remote.Path != base.Path {
				c.Fatalf("delete of an unknown or changed entry: %+v", op)
			}
		default:
		}
	}
}

// partOf leaves out the entries at rest whose names nobody wants.
func partOf(in msync.Input) msync.Input {
	wanted, homes := map[memory.Path]bool{}, map[memory.Path]int{}
	news := map[memory.EntryID]bool{}
	for _, r := range in.Remote {
		news[r.EntryID], wanted[r.Path] = true, true
	}
	for _, b := range in.Base {
		homes[b.Path]++
	}
	part := in
	part.Base, part.Local = nil, maps.Clone(in.Local)
	for _, b := range in.Base {
		l, there := in.Local[b.Path]
		if there && l.Blocked == "" && l.Sum == b.Sum && homes[b.Path] == 1 && !news[b.EntryID] && !wanted[b.Path] {
			delete(part.Local, b.Path)
			continue
		}
		part.Base = append(part.Base, b)
	}
	return part
}

// settle runs quiet rounds until nothing is left to do, then compares.
func (c *chaos) settle() {
	rounds := 0
	for c.round(false) {
		if rounds++; rounds > 50 {
			c.Fatalf("no fixpoint; plans now: %v, %v", render(msync.Plan(c.team[0].observe())), render(msync.Plan(c.team[1].observe())))
		}
	}
	want := texts(c.team[0].server.tree(), nil)
	for _, m := range c.team {
		clashes := map[memory.Path]bool{}
		for _, op := range msync.Plan(m.observe()) {
			switch {
			case op.Kind != msync.Report, c.stuck && (op.Reason == msync.Clash || op.Reason == msync.Skipped):
			case !m.policy.KeepBoth && (op.Reason == msync.Clash || op.Reason == msync.Later): // a person has to rename a file
				clashes[op.Path], clashes[op.Base.Path], clashes[op.Local.Path] = true, true, true
			case op.Reason != msync.LineEnds && !m.blocked[op.Path]:
				c.Fatalf("%s is left with %v", m.name, render([]msync.Op{op}))
			}
		}
		if c.stuck || len(m.blocked) > 0 {
			continue
		}
		if diff := cmp.Diff(without(want, clashes), texts(m.files, clashes)); diff != "" {
			c.Fatalf("tree of %s (-server +tree):\n%s", m.name, diff)
		}
	}
}

func texts(tree map[memory.Path]string, except map[memory.Path]bool) map[string]string {
	out := map[string]string{}
	for p, text := range tree {
		if !except[p] {
			out[p.String()] = msync.TextSum([]byte(text)).String()[:8]
		}
	}
	return out
}

func without(tree map[string]string, except map[memory.Path]bool) map[string]string {
	tree = maps.Clone(tree)
	for p := range except {
		delete(tree, p.String())
	}
	return tree
}
