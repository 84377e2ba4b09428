package sync_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// A plan without work is made on every run of the client, one with a single op
// on every edit.
func BenchmarkPlan(b *testing.B) {
	for _, size := range []int{100, 1_000, 10_000} {
		in := msync.Input{Local: map[memory.Path]msync.Local{}}
		for i := range size {
			path, text := key(fmt.Sprintf("folder-%d/entry-%d.md", i%50, i)), []byte(fmt.Sprint(i))
			sum, textSum := memory.Sum(text), msync.TextSum(text)
			in.Base = append(in.Base, msync.Base{EntryID: memory.EntryID(fmt.Sprint("ent_", i)), Path: path, Rev: int64(i), Sum: sum, Text: textSum})
			in.Local[path] = msync.Local{Path: path, Sum: sum, Text: textSum}
		}
		plan := func(ops int) func(*testing.B) {
			return func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if got := len(msync.Plan(in)); got != ops {
						b.Fatalf("plan of %d ops, want %d", got, ops)
					}
				}
			}
		}
		b.Run(fmt.Sprint("nothing of ", size), plan(0))
		edited := in.Local[in.Base[0].Path]
		edited.Sum, edited.Text = memory.Sum(nil), memory.Sum(nil)
		in.Local[edited.Path] = edited
		b.Run(fmt.Sprint("one of ", size), plan(1))
	}
}

func BenchmarkMergeIndex(b *testing.B) {
	lines := []string{"# Index", ""}
	for i := range 200 {
		lines = append(lines, item(fmt.Sprint("entry-", i), strings.Repeat("words ", 10)))
	}
	base := doc(lines...)
	server, local := []byte(base+item("theirs", "new")+"\n"), []byte(base+item("mine", "new")+"\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, lost := msync.MergeIndex([]byte(base), server, local, nil); len(lost) > 0 {
			b.Fatal(lost)
		}
	}
}
