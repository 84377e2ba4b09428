package store_test

import (
	"fmt"
	"testing"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// On a new server no table was analysed yet, and the planner believes them to
// be tiny. What a call reads must not grow with the project all the same.
func TestPlans_ReadNoWholeProject(t *testing.T) {
	t.Parallel()
	const entries, rounds, most = 1000, 25, 40 // rows a call
	b := open(t, store.Options{MaxConns: 1, Log: testLog(t)})
	for _, table := range []string{"entries", "revisions", "changes", "push_keys", "audit", "proposals"} {
		b.exec(t, `alter table `+table+` set (autovacuum_enabled = false)`)
	}
	var heads []memory.Verdict
	push := func(w memory.Write) memory.Verdict {
		t.Helper()
		batch := b.batch(w)
		batch.Key = memory.NewEpoch()
		r, err := b.Push(t.Context(), batch)
		must(t, err)
		return r.Verdicts[0]
	}
	for range 8 { // so that plans are made, and kept, while the tables are empty
		push(put(t, "first/"+memory.NewEpoch()+".md", "the same text"))
	}
	for from := 0; from < entries; from += 100 {
		var writes []memory.Write
		for i := from; i < from+100; i++ {
			writes = append(writes, put(t, pathOf(i), "the same text"))
		}
		heads = append(heads, b.push(t, writes...).Verdicts...)
	}

	b.fillQueue(t, 10, 100)
	proposals := func(q memory.ProposalQuery) {
		t.Helper()
		q.Limit = 5
		found, err := b.Proposals(t.Context(), b.project.ID, q)
		must(t, err)
		if len(found) != q.Limit {
			t.Fatalf("%d proposals", len(found))
		}
	}

	var waiting []memory.Proposal
	for _, tc := range []struct {
		name string
		call func(i int)
	}{
		{"create", func(i int) { push(put(t, pathOf(entries+i), "the same text")) }},
		{"edit", func(i int) { heads[i] = push(edit(t, pathOf(i), "another text", heads[i])) }},
		{"move", func(i int) { heads[i] = push(move(t, pathOf(i), "moved/"+pathOf(i), heads[i])) }},
		{"delete", func(i int) { push(remove(t, "moved/"+pathOf(i), heads[i])) }},
		{"changes", func(i int) {
			_, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Since: int64(i), Limit: 5, InlineMax: 100, PageMax: 1000})
			must(t, err)
		}},
		{"contents", func(i int) {
			v := heads[len(heads)-1-i]
			_, err := b.Revisions(t.Context(), b.project.ID, []memory.RevisionRef{{EntryID: v.EntryID, Rev: v.Rev}}, 1000)
			must(t, err)
		}},
		{"entry", func(i int) {
			_, err := b.EntryAt(t.Context(), b.project.ID, parse(t, pathOf(entries-1-i)))
			must(t, err)
		}},
		{"page of entries", func(i int) {
			_, err := b.Entries(t.Context(), b.project.ID, memory.EntryQuery{Prefix: "notes/area-3/", Limit: 5})
			must(t, err)
		}},
		{"history", func(i int) {
			_, err := b.History(t.Context(), b.project.ID, heads[i].EntryID, 0, 5)
			must(t, err)
		}},
		{"hold", func(i int) {
			waiting = b.offer(t, edit(t, pathOf(entries-1-i%5), fmt.Sprint("held ", i), heads[entries-1-i%5]))
		}},
		{"hold again", func(int) { b.offer(t, edit(t, pathOf(entries-1-4), "held 24", heads[entries-1-4])) }},
		{"queue", func(int) { proposals(memory.ProposalQuery{State: memory.ProposalPending}) }},
		{"proposals of an author", func(int) { proposals(memory.ProposalQuery{Author: b.member.ID}) }},
		{"closed proposals of an author", func(int) { proposals(memory.ProposalQuery{Author: b.member.ID, State: memory.ProposalSuperseded}) }},
		{"proposal", func(int) { b.proposal(t, waiting[0].ID) }},
	} {
		before := b.rowsRead(t)
		for i := range rounds {
			tc.call(i)
		}
		if got := (b.rowsRead(t) - before) / rounds; got > most {
			t.Errorf("%s reads %d rows a call, want at most %d", tc.name, got, most)
		}
	}
	b.check(t)
}

// A project that was filled since the tables were last analysed looks to the
// planner as if it had hardly a revision. Reading all of them for each change
// would keep a core busy for seconds after a first upload.
func TestPlans_ReadNoNewProjectForEachChange(t *testing.T) {
	t.Parallel()
	const entries = 600
	b := open(t, store.Options{MaxConns: 1, Log: testLog(t)})
	fill := func() {
		var writes []memory.Write
		for i := range entries {
			writes = append(writes, put(t, pathOf(i), fmt.Sprint("text ", i)))
		}
		b.push(t, writes...)
	}
	fill()
	b.exec(t, `analyze revisions, changes`)
	b.project = b.addProject(t, "acme/new")
	fill()
	for _, tc := range []struct {
		name string
		most int // rows
		call func() error
	}{
		{"re-scan", 4 * entries, func() error {
			p := memory.RescanProgress{Project: b.project.ID, Goal: entries}
			_, _, err := b.RescanTexts(t.Context(), memory.Rescan{Whole: true}, p, entries, 1<<20)
			return err
		}},
		{"recent changes", 100, func() error {
			_, err := b.Recent(t.Context(), []memory.ProjectID{b.project.ID}, 10)
			return err
		}},
		{"export", 4 * entries, func() error {
			_, err := b.Export(t.Context(), b.project.ID, true, func(memory.Revision, bool) error { return nil })
			return err
		}},
		{"check", 8 * entries, func() error { return b.Check(t.Context(), b.project.ID) }},
		{"overviews", 100, func() error {
			_, err := b.Overviews(t.Context(), b.member.ID, start())
			return err
		}},
	} {
		before := b.rowsRead(t)
		must(t, tc.call())
		if got := b.rowsRead(t) - before; got > tc.most {
			t.Errorf("%s reads %d rows, want at most %d", tc.name, got, tc.most)
		}
	}
}

// rowsRead returns how many rows the one connection of the store has read. It
// reports that when it is told to.
func (b *bundle) rowsRead(t *testing.T) int {
	t.Helper()
	must(t, b.Flush(t.Context()))
	return b.count(t, `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables`)
}
