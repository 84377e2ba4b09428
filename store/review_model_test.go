package store_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/teammem/teammem/memory"
)

// Pushes, pushes that wait and decisions in any order: what waits is in no tree, and
// what is published is what verdicts and decisions promised.
func TestStore_KeepsWhatReviewPromises(t *testing.T) {
	t.Parallel()
	var approved, moved atomic.Int32
	t.Cleanup(func() {
		if approved.Load() < 20 || moved.Load() < 4 {
			t.Errorf("%d approved, and %d whose base had moved: the test decides too little", approved.Load(), moved.Load())
		}
	})
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			m := &reviewModel{
				model:   model{bundle: b, random: rand.New(rand.NewPCG(11, seed)), live: map[memory.EntryID]modelEntry{}},
				authors: []memory.Member{b.addMember(t, "Ole"), b.addMember(t, "Ute")}, reviewer: b.addMember(t, "Rea"),
			}
			for range 80 {
				switch n := m.random.IntN(10); {
				case n < 1:
					m.step(t)
				case n < 5:
					m.hold(t)
				case len(m.waiting) > 0:
					m.decide(t)
				}
				m.compare(t)
			}
			approved.Add(m.approved)
			moved.Add(m.moved)
		})
	}
}

type reviewModel struct {
	model
	authors         []memory.Member
	reviewer        memory.Member
	waiting         []memory.ProposalID // or replaced since
	approved, moved int32
}

func (m *reviewModel) hold(t *testing.T) {
	t.Helper()
	var writes []memory.Write
	for range 1 + m.random.IntN(4) {
		writes = append(writes, m.write(t))
	}
	batch := m.bundle.proposing(writes...)
	author := m.authors[m.random.IntN(len(m.authors))]
	batch.By.Member, batch.By.Name = author.ID, author.Name
	r, err := m.Push(t.Context(), batch)
	must(t, err)
	for _, v := range r.Verdicts {
		if v.Ruling == memory.RulingPublished {
			t.Fatalf("published without review: %+v", v)
		}
		if v.Ruling == memory.RulingWaiting {
			m.waiting = append(m.waiting, v.Proposal)
		}
	}
	if r.Head.Seq != m.seq {
		t.Fatalf("the receipt is at %d, the feed at %d", r.Head.Seq, m.seq)
	}
}

func (m *reviewModel) decide(t *testing.T) {
	t.Helper()
	p := m.proposal(t, m.waiting[m.random.IntN(len(m.waiting))])
	batch, ending := m.approval(t, p, m.reviewer)
	r, pending, err := m.Publish(t.Context(), batch, ending)
	must(t, err)
	if pending != (p.State == memory.ProposalPending) {
		t.Fatalf("a proposal that is %s: pending %v", p.State, pending)
	}
	if !pending {
		return
	}
	v := r.Verdicts[0]
	if v.Ruling != memory.RulingPublished {
		m.moved++
		if now := m.proposal(t, p.ID); now.State != memory.ProposalPending {
			t.Fatalf("%s, and the proposal is %s", v.Ruling, now.State)
		}
		return
	}
	if m.seq++; v.Rev != m.seq || r.Head.Seq != m.seq || v.EntryID != p.EntryID {
		t.Fatalf("published %+v at %d, where %d was due", v, r.Head.Seq, m.seq)
	}
	m.approved++
	m.apply(batch.Items[0].Write, v)
}
