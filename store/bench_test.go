package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
)

// text is a memory of usual length.
func text(i int) string {
	return fmt.Sprintf("---\nname: Fact %d\ntype: project\n---\n%s", i, strings.Repeat("Run the tests against a cluster of your own. ", 20))
}

// fill brings the project to n entries in ten folders.
func (b *bundle) fill(tb testing.TB, n int) {
	tb.Helper()
	for from := 0; from < n; from += 200 {
		var writes []memory.Write
		for i := from; i < min(from+200, n); i++ {
			writes = append(writes, put(tb, pathOf(i), text(i)))
		}
		b.push(tb, writes...)
	}
	b.exec(tb, `analyze`)
}

func BenchmarkPush(b *testing.B) {
	for _, ops := range []int{1, 20, 100} {
		b.Run(fmt.Sprintf("create=%d", ops), func(b *testing.B) {
			s := setup(b)
			s.fill(b, 2000)
			n := 2000
			for b.Loop() {
				b.StopTimer()
				var writes []memory.Write
				for range ops {
					writes = append(writes, put(b, pathOf(n), text(n)))
					n++
				}
				b.StartTimer()
				s.push(b, writes...)
			}
			b.ReportMetric(float64(ops)*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
		})
	}
	b.Run("edit=1", func(b *testing.B) {
		s := setup(b)
		s.fill(b, 2000)
		v := s.push(b, put(b, "edited.md", "0")).Verdicts[0]
		for i := 1; b.Loop(); i++ {
			v = s.push(b, edit(b, "edited.md", text(i), v)).Verdicts[0]
		}
	})
	b.Run("same=1", func(b *testing.B) { // a retry after a lost answer
		s := setup(b)
		s.fill(b, 2000)
		batch := s.batch(put(b, pathOf(7), text(7)))
		h, err := s.Heads(b.Context(), s.project.ID, batch.Lookups())
		must(b, err)
		batch.Items[0].Write.EntryID, batch.Items[0].Write.BaseRev = h.Entries[0].ID, h.Entries[0].Rev
		for b.Loop() {
			r, err := s.Push(b.Context(), batch)
			if err != nil || r.Verdicts[0].Ruling != memory.RulingSame {
				b.Fatal(r.Verdicts[0].Ruling, err)
			}
		}
	})
}

func BenchmarkPush_Writers(b *testing.B) {
	for _, ops := range []int{1, 20} {
		b.Run(fmt.Sprintf("writers=16/create=%d", ops), func(b *testing.B) {
			s := setup(b)
			b.SetParallelism(8)
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					var writes []memory.Write
					for i := range ops {
						id := string(memory.NewEntryID())
						writes = append(writes, put(b, "n/"+id+".md", text(i)))
					}
					s.push(b, writes...)
				}
			})
			b.ReportMetric(float64(ops)*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
		})
	}
}

func BenchmarkFeed(b *testing.B) {
	s := setup(b)
	s.fill(b, 10_000)
	b.Run("head", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Head(b.Context(), s.project.ID); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, limit := range []int{1, 1000} {
		b.Run(fmt.Sprintf("changes=%d", limit), func(b *testing.B) {
			for b.Loop() {
				page, err := s.Changes(b.Context(), s.project.ID, memory.FeedQuery{
					Since: 5000, Limit: limit, InlineMax: 64 << 10, PageMax: 4 << 20,
				})
				if err != nil || len(page.Changes) != limit {
					b.Fatal(len(page.Changes), err)
				}
			}
		})
	}
	b.Run("manifest=10000", func(b *testing.B) {
		for b.Loop() {
			_, entries, err := s.Manifest(b.Context(), s.project.ID)
			if err != nil || len(entries) != 10_000 {
				b.Fatal(len(entries), err)
			}
		}
	})
	b.Run("entries=200", func(b *testing.B) {
		for b.Loop() {
			entries, err := s.Entries(b.Context(), s.project.ID, memory.EntryQuery{Prefix: "notes/area-3/", Limit: 200})
			if err != nil || len(entries) != 200 {
				b.Fatal(len(entries), err)
			}
		}
	})
}
