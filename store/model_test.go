package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// Whatever is pushed: what the verdicts promised is what manifest, feed and
// history then say.
func TestStore_KeepsWhatVerdictsPromise(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			m := &model{bundle: b, random: rand.New(rand.NewPCG(7, seed)), live: map[memory.EntryID]modelEntry{}}
			for range 40 {
				m.step(t)
				m.compare(t)
			}
			if m.published < 40 || m.published == m.asked {
				t.Errorf("%d of %d ops were published: the test asks for too much of one thing", m.published, m.asked)
			}
		})
	}
}

// model is the naive idea of a project.
type model struct {
	*bundle
	random           *rand.Rand
	live             map[memory.EntryID]modelEntry
	dead             []memory.Verdict
	seq              int64
	asked, published int
}

type modelEntry struct {
	Path, Text string
	Rev        int64
}

func (m *model) step(t *testing.T) {
	t.Helper()
	var writes []memory.Write
	for range 1 + m.random.IntN(6) {
		writes = append(writes, m.write(t))
	}
	r, err := m.Push(t.Context(), m.batch(writes...))
	must(t, err)
	var done []int
	for i, v := range r.Verdicts {
		if v.Ruling == memory.RulingPublished {
			done = append(done, i)
		}
	}
	slices.SortFunc(done, func(i, j int) int { return cmp.Compare(r.Verdicts[i].Rev, r.Verdicts[j].Rev) })
	for _, i := range done {
		if m.seq++; r.Verdicts[i].Rev != m.seq {
			t.Fatalf("rev %d where %d was due", r.Verdicts[i].Rev, m.seq)
		}
		m.apply(writes[i], r.Verdicts[i])
	}
	m.asked, m.published = m.asked+len(writes), m.published+len(done)
	if r.Head.Seq != m.seq {
		t.Fatalf("the receipt is at %d, the last verdict at %d", r.Head.Seq, m.seq)
	}
}

func (m *model) apply(w memory.Write, v memory.Verdict) {
	e := m.live[v.EntryID]
	e.Rev = v.Rev
	switch w.Action {
	case memory.ActionPut:
		e.Path, e.Text = w.Path.String(), w.Content.Text()
	case memory.ActionMove:
		e.Path = w.Path.String()
	default:
		delete(m.live, v.EntryID)
		m.dead = append(m.dead, v)
		return
	}
	m.live[v.EntryID] = e
}

// write makes any op on a few names, mostly with the right base.
func (m *model) write(t *testing.T) memory.Write {
	t.Helper()
	names := []string{"a.md", "b.md", "B.md", "f/a.md", "F/c.md", "f/g/a.md", "h/a.md", "MEMORY.md"}
	name, text := names[m.random.IntN(len(names))], fmt.Sprint("text ", m.random.IntN(5))
	// By path: ids are made anew in each run, and a seed has to mean one run.
	known := slices.SortedFunc(maps.Keys(m.live), func(a, b memory.EntryID) int {
		return strings.Compare(m.live[a].Path, m.live[b].Path)
	})
	if len(known) == 0 || m.random.IntN(4) == 0 {
		w := put(t, name, text)
		w.AbsentAt = memory.Cursor{Epoch: m.project.Head.Epoch, Seq: m.random.Int64N(m.seq + 1)}
		return w
	}
	id := known[m.random.IntN(len(known))]
	e := m.live[id]
	v := memory.Verdict{EntryID: id, Rev: e.Rev, Sum: memory.Sum([]byte(e.Text))}
	if m.random.IntN(8) == 0 {
		v.Rev = 1 + m.random.Int64N(m.seq)
	}
	switch m.random.IntN(6) {
	case 0:
		return remove(t, e.Path, v)
	case 1, 2:
		return move(t, e.Path, name, v)
	case 3:
		if len(m.dead) > 0 {
			return edit(t, name, text, m.dead[m.random.IntN(len(m.dead))])
		}
	case 4:
		return edit(t, name, text, v)
	}
	return edit(t, e.Path, text, v)
}

func (m *model) compare(t *testing.T) {
	t.Helper()
	m.check(t)
	want := slices.SortedFunc(maps.Values(m.live), func(a, b modelEntry) int { return strings.Compare(a.Path, b.Path) })
	_, entries, err := m.Manifest(t.Context(), m.project.ID)
	must(t, err)
	var manifest []modelEntry
	for _, e := range entries {
		found, err := m.Revisions(t.Context(), m.project.ID, []memory.RevisionRef{{EntryID: e.ID, Rev: e.Rev}}, 0)
		must(t, err)
		manifest = append(manifest, modelEntry{e.Path.String(), string(found[0].Content), e.Rev})
	}
	if diff := gocmp.Diff(want, manifest); diff != "" {
		t.Fatalf("manifest (-promised +stored):\n%s", diff)
	}
	if diff := gocmp.Diff(want, m.replay(t)); diff != "" {
		t.Fatalf("feed (-promised +stored):\n%s", diff)
	}
}

// replay builds the tree from the feed, in pages of any size.
func (m *model) replay(t *testing.T) []modelEntry {
	t.Helper()
	tree := map[memory.EntryID]modelEntry{}
	var digest memory.Digest
	for page := (memory.FeedPage{To: 0, Head: m.seq}); page.More(); {
		var err error
		page, err = m.Changes(t.Context(), m.project.ID, memory.FeedQuery{
			Since: page.To, Limit: 1 + m.random.IntN(100), InlineMax: 100, PageMax: 1 << 20,
		})
		must(t, err)
		for _, c := range page.Changes {
			if old, ok := tree[c.EntryID]; ok {
				digest.Remove(memory.StoredPath(old.Path), memory.Sum([]byte(old.Text)))
				delete(tree, c.EntryID)
			}
			if c.Action != memory.ActionDelete {
				tree[c.EntryID] = modelEntry{c.Path.String(), string(c.Content), c.Rev}
				digest.Add(c.Path, c.Sum)
			}
		}
		if page.Digest != digest {
			t.Fatalf("the page to %d does not prove the tree", page.To)
		}
	}
	return slices.SortedFunc(maps.Values(tree), func(a, b modelEntry) int { return strings.Compare(a.Path, b.Path) })
}
