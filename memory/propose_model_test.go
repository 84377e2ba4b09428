package memory

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// queue is the naive idea of what waits: the pending proposals of every author,
// with the writes that they would be.
type queue struct {
	*world
	pending map[ProposalID]Proposed
	authors map[ProposalID]MemberID
}

func newQueue() *queue {
	return &queue{newWorld(), map[ProposalID]Proposed{}, map[ProposalID]MemberID{}}
}

// heads reads what a store would read for the batch, and no more.
func (q *queue) heads(b Batch) Heads {
	h, l := q.world.heads(b), b.Lookups()
	for _, id := range slices.Sorted(maps.Keys(q.pending)) {
		h.Queued.All++
		if q.authors[id] != l.Author {
			continue
		}
		h.Queued.Own++
		p := q.pending[id].Proposal
		ofEntry := slices.Contains(l.EntryIDs, p.EntryID) || slices.ContainsFunc(h.Entries, func(e EntryHead) bool {
			return e.ID == p.EntryID && e.DeletedRev == 0
		})
		if ofEntry || slices.Contains(l.PathKeys, p.Path.Skeleton()) {
			h.Pending = append(h.Pending, p)
		}
	}
	return h
}

// apply stores what was decided, as the store's tables would.
func (q *queue) apply(t *rapid.T, b Batch, j Judgement) {
	q.world.apply(t, j)
	for _, r := range j.Replaced {
		if _, waits := q.pending[r.ID]; !waits || q.authors[r.ID] != b.Author() {
			t.Fatalf("%s was replaced and did not wait for its author", r.ID)
		}
		delete(q.pending, r.ID)
	}
	for _, p := range j.Proposed {
		if p.Proposal.State == ProposalPending {
			q.pending[p.Proposal.ID], q.authors[p.Proposal.ID] = p, b.Author()
		}
	}
	delete(q.pending, b.Approves.Proposal)
	type place struct {
		author MemberID
		what   string
	}
	taken := map[place]ProposalID{}
	for id, p := range q.pending {
		for _, what := range []string{string(p.Proposal.EntryID), p.Proposal.Path.Skeleton()} {
			at := place{q.authors[id], what}
			if other, double := taken[at]; double {
				t.Fatalf("%s waits for %s and %s of %s", at.author, id, other, what)
			}
			taken[at] = id
		}
	}
}

// batch draws ops of an author, of which some wait.
func (q *queue) batch(t *rapid.T, paths []Path) Batch {
	b := Batch{
		Epoch: "e1", Quota: rapid.SampledFrom([]int{0, 3, 100}).Draw(t, "quota"), Pending: rapid.SampledFrom([]int{0, 4}).Draw(t, "most pending"),
		By: Principal{Member: rapid.SampledFrom([]MemberID{"mem_a", "mem_b"}).Draw(t, "author")},
	}
	for range rapid.IntRange(1, 8).Draw(t, "ops") {
		it := Item{Write: q.op(t, paths)}
		if rapid.IntRange(0, 3).Draw(t, "waits") > 0 {
			it.Proposal = ProposalID(fmt.Sprintf("prp_%d", q.minted))
		}
		b.Items = append(b.Items, it)
	}
	return b
}

// approval is what the service makes of an approved proposal.
func (q *queue) approval(id ProposalID) Batch {
	p, w := q.pending[id].Proposal, q.pending[id].Write
	w.EntryID, w.BaseRev, w.BaseSum, w.AbsentAt, w.AllowEmpty = p.EntryID, p.BaseRev, p.BaseSum, q.head.Cursor(), true
	w.Path, w.Previous = p.Path, p.Previous
	return Batch{Epoch: "e1", By: Principal{Member: "mem_reviewer"}, Approves: Approval{id, q.authors[id]}, Items: []Item{{Write: w}}}
}

// answers holds the answers to what was to wait.
func answers(t *rapid.T, q *queue, b Batch, j Judgement) {
	made := map[ProposalID]bool{}
	for _, p := range j.Proposed {
		made[p.Proposal.ID] = true
		if b.Items[p.Item].Proposal != p.Proposal.ID {
			t.Fatalf("op %d became %s, but was to be %s", p.Item, p.Proposal.ID, b.Items[p.Item].Proposal)
		}
	}
	for i, v := range j.Verdicts {
		_, waited := q.pending[v.Proposal]
		switch {
		case b.Items[i].waits() && v.Ruling == RulingPublished:
			t.Fatalf("op %d was to wait and is published", i)
		case !b.Items[i].waits() && v.Ruling == RulingWaiting:
			t.Fatalf("op %d waits for nobody", i)
		case (v.Ruling == RulingWaiting) != (v.Proposal != ""):
			t.Fatalf("op %d: %+v", i, v)
		case v.Proposal != "" && !waited && !made[v.Proposal]:
			t.Fatalf("op %d waits as %s, which nobody knows", i, v.Proposal)
		}
	}
	more := -len(j.Replaced)
	for _, p := range j.Proposed {
		if p.Proposal.State == ProposalPending {
			more++
		}
	}
	if b.Pending > 0 && more > max(0, b.Pending-len(q.pending)) {
		t.Fatalf("%d more proposals beside %d, of which there may be %d", more, len(q.pending), b.Pending)
	}
}

// Whatever is pushed and approved, in whatever order: what waits changes
// nothing, an author waits for one thing at a time, and what is approved is
// published as it was proposed or not at all.
func TestJudge_ModelOfReview(t *testing.T) {
	t.Parallel()
	paths := modelPaths(t)
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if waiting := slices.Sorted(maps.Keys(q.pending)); len(waiting) > 0 && rapid.Bool().Draw(t, "approve") {
				q.approve(t, rapid.SampledFrom(waiting).Draw(t, "proposal"))
				continue
			}
			b := q.batch(t, paths)
			j := Judge(b, q.heads(b))
			verdicts(t, b, j)
			answers(t, q, b, j)
			q.apply(t, b, j)
			q.check(t, j)
		}
	})
}

func (q *queue) approve(t *rapid.T, id ProposalID) {
	p, b := q.pending[id].Proposal, q.approval(id)
	was, known := q.entries[p.EntryID]
	j := Judge(b, q.heads(b))
	verdicts(t, b, j)
	stands := !known && p.Creates || known && was.Rev == p.BaseRev
	if len(j.Stored) == 0 {
		if r := j.Verdicts[0].Ruling; stands && r != RulingRefused {
			t.Fatalf("the base stands, and the approval is %s", r)
		}
		return
	}
	s := j.Stored[0]
	if !stands || s.EntryID != p.EntryID || s.Path != p.Path || s.Sum != p.Sum || s.BaseRev != p.BaseRev || s.Created != p.Creates || s.Action != p.Action {
		t.Fatalf("%+v was approved and %+v published", p, s)
	}
	if len(j.Replaced) > 0 || len(j.Proposed) > 0 {
		t.Fatalf("an approval replaced %v and proposed %v", j.Replaced, j.Proposed)
	}
	q.apply(t, b, j)
	q.check(t, j)
}

// What waits leaves no trace in the project: the others are judged as if it had
// not been sent.
func TestJudge_HeldLeavesNoTrace(t *testing.T) {
	t.Parallel()
	paths := modelPaths(t)
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		for range rapid.IntRange(1, 6).Draw(t, "batches") {
			b := q.batch(t, paths)
			j := Judge(b, q.heads(b))
			kept := b
			kept.Items = nil
			var others []Ruling
			for i, it := range b.Items {
				if !it.waits() {
					kept.Items, others = append(kept.Items, it), append(others, j.Verdicts[i].Ruling)
				}
			}
			without := Judge(kept, q.heads(kept))
			if diff := cmp.Diff(without.Head, j.Head); diff != "" || without.Live != j.Live {
				t.Fatalf("head with what waits and without (-without +with):\n%s", diff)
			}
			if diff := cmp.Diff(rulings(without), others); diff != "" {
				t.Fatalf("the other ops (-without +with):\n%s", diff)
			}
			q.apply(t, b, j)
		}
	})
}

// What waits after a batch is what waits when it is sent again, unless one op of
// it took the place of what another had said.
func TestJudge_HeldSentTwice(t *testing.T) {
	t.Parallel()
	paths := modelPaths(t)
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		for range rapid.IntRange(1, 6).Draw(t, "batches") {
			b := q.batch(t, paths)
			for i := range b.Items {
				b.Items[i].Proposal = ProposalID(fmt.Sprintf("prp_%d_%d", q.minted, i))
			}
			first := Judge(b, q.heads(b))
			q.apply(t, b, first)
			if slices.ContainsFunc(first.Verdicts, func(v Verdict) bool {
				_, waits := q.pending[v.Proposal]
				return v.Proposal != "" && !waits
			}) {
				continue
			}
			again := b
			again.Items = slices.Clone(b.Items)
			for i := range again.Items {
				again.Items[i].Proposal += "_again"
			}
			second := Judge(again, q.heads(again))
			for i, v := range second.Verdicts {
				if was := first.Verdicts[i]; was.Ruling == RulingWaiting && (v.Ruling != RulingWaiting || v.Proposal != was.Proposal) {
					t.Fatalf("op %d waits as %s, and sent again: %+v", i, was.Proposal, v)
				}
			}
			q.apply(t, again, second)
		}
	})
}
