package memory

import (
	"fmt"
	"testing"
)

// The project's row is locked while a batch is judged. The worst batch is a
// chain of moves of which the last is stuck, so that each round finds one more.
func BenchmarkJudge(b *testing.B) {
	const ops = 200
	key := func(i int) string { return fmt.Sprintf("team-notes/part-%d/how-we-do-it-%d.md", i%10, i) }
	entry := func(i int) EntryHead {
		p, err := ParsePath(key(i))
		if err != nil {
			b.Fatal(err)
		}
		return EntryHead{ID: EntryID(fmt.Sprintf("ent_%d", i)), Path: p, Rev: int64(i + 1), Sum: Sum([]byte(key(i))), Size: 10}
	}
	var entries []EntryHead
	for i := range ops + 1 {
		entries = append(entries, entry(i))
	}
	edits, chain := Batch{}, Batch{}
	for i := range ops {
		e, next := entries[i], entries[i+1]
		edits.Items = append(edits.Items, Item{Write: Write{
			Action: ActionPut, EntryID: e.ID, Path: e.Path, BaseRev: e.Rev, Content: clean("other text"),
		}})
		chain.Items = append(chain.Items, Item{Write: Write{
			Action: ActionMove, EntryID: e.ID, Path: next.Path, Previous: e.Path, BaseRev: e.Rev,
		}})
	}
	heads := headsOf(ops+1, nil, entries...)
	for _, bb := range []struct {
		name  string
		batch Batch
		want  int
	}{{"200 edits", edits, ops}, {"200 moves, all stuck", chain, 0}} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if j := Judge(bb.batch, heads); len(j.Stored) != bb.want {
					b.Fatalf("%d stored, want %d", len(j.Stored), bb.want)
				}
			}
		})
	}
}
