package client_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Whatever members do to their trees, whatever a reviewer decides, and in
// whatever order they sync: a sync changes a tree only to what was approved, or
// gives a file its approved name, and no text is lost. In the end everybody has
// what was approved, but for what the report lists.
func TestReview_Walk(t *testing.T) {
	t.Parallel()
	const walks, steps = 6, 60
	for seed := range uint64(walks) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			tm := newReviewed(t)
			w := &walk{reviewed: tm, T: t, rand: rand.New(rand.NewPCG(seed, 1)), shared: map[string]bool{}}
			w.members = []*member{tm.join(t, "ann"), tm.join(t, "ben")}
			for n := range steps {
				w.step(n)
			}
			w.settle()
		})
	}
}

type walk struct {
	reviewed
	*testing.T

	rand    *rand.Rand
	members []*member
	shared  map[string]bool // texts that were approved
	written int
}

func (w *walk) step(n int) {
	m := w.members[w.rand.IntN(len(w.members))]
	files := slices.Sorted(maps.Keys(m.files(w.T)))
	name := fmt.Sprintf("n%d.md", w.rand.IntN(6))
	has := slices.Contains(files, name)
	switch w.rand.IntN(9) {
	case 0, 1:
		w.written++
		m.write(w.T, name, fmt.Sprintf("text %d of %s\n", w.written, m.id.Name))
	case 2:
		if has {
			m.remove(w.T, name)
		}
	case 3:
		if to := fmt.Sprintf("n%d.md", w.rand.IntN(6)); has && !slices.Contains(files, to) {
			m.rename(w.T, name, to)
		}
	case 4:
		if text, shared := w.served(w.T)[name]; shared && has {
			m.write(w.T, name, text) // reverted
		}
	case 5, 6:
		w.decide(w.rand.IntN(3) > 0)
	default:
		w.sync(m, n)
	}
}

// decide approves or rejects one proposal. One that cannot be approved, since
// its base is gone, is rejected.
func (w *walk) decide(approve bool) {
	all := mustList(w.T, w.reviewed)
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b memory.Proposal) int {
		return cmp.Or(cmp.Compare(a.Path.String(), b.Path.String()), cmp.Compare(a.Author.Name, b.Author.Name))
	})
	p := all[w.rand.IntN(len(all))]
	seen := memory.Seen{Sum: p.Sum, BaseRev: p.BaseRev}
	if approve {
		if _, err := w.service.Approve(w.Context(), w.reviewer, w.project.ID, p.ID, seen); err == nil {
			w.remember()
			return
		}
	}
	_, err := w.service.Reject(w.Context(), w.reviewer, w.project.ID, p.ID, seen, memory.ReasonWrong, "")
	must(w.T, err)
}

func (w *walk) remember() {
	for _, text := range w.served(w.T) {
		w.shared[text] = true
	}
}

// sync runs one sync, and looks at what it did to the tree.
func (w *walk) sync(m *member, n int) {
	before := m.files(w.T)
	w.run(m)
	after := m.files(w.T)
	known := slices.AppendSeq(slices.Collect(maps.Values(w.served(w.T))), maps.Values(before)) // here perhaps under a name that waits
	for path, text := range after {
		if before[path] != text && !slices.Contains(known, text) {
			w.Errorf("step %d: %s of %s became %q, which nobody approved", n, path, m.id.Name, text)
		}
	}
	for path, text := range before {
		there := slices.Contains(slices.Collect(maps.Values(after)), text)
		if !there && !w.shared[text] && m.kept(w.T, text) == "" {
			w.Errorf("step %d: %q, which %s had as %s, is nowhere", n, text, m.id.Name, path)
		}
	}
	if again := w.run(m); len(again.Done) != 0 {
		w.Errorf("step %d: %s is not settled, the next run did %v", n, m.id.Name, again.Done)
	}
}

// run runs one sync. It must end in sync, unless a file of the member's is in
// the way of an entry, and listed.
func (w *walk) run(m *member) *client.Report {
	r, err := m.willingly(w.Context())
	if (err != nil || !r.Proven) && len(r.Refused) == 0 {
		w.Fatalf("sync of %s: proven %t, %v\nnotices: %q", m.id.Name, r.Proven, err, r.Notices)
	}
	return r
}

// settle decides on everything, until nothing waits when all have synced, and
// compares.
func (w *walk) settle() {
	for round := 0; ; round++ {
		for _, m := range w.members {
			w.sync(m, -round)
		}
		if len(mustList(w.T, w.reviewed)) == 0 {
			break
		}
		if round == 10 {
			w.Fatalf("%v still wait", mustList(w.T, w.reviewed))
		}
		for len(mustList(w.T, w.reviewed)) > 0 {
			w.decide(true)
		}
	}
	served := w.served(w.T)
	for _, m := range w.members {
		got, want := m.files(w.T), maps.Clone(served)
		k := m.known(w.T)
		for _, r := range k.Waiting {
			if path := r.Path.String(); r.Action == memory.ActionPut {
				want[path] = got[path] // not approved, so it is as it was
			}
		}
		if len(k.Refused) == 0 && !maps.Equal(got, want) {
			w.Errorf("%s has %q, want %q", m.id.Name, got, want)
		}
	}
}
