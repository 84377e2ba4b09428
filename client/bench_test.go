package client_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// BenchmarkSync_NoOp is a run that finds nothing to do, server included.
func BenchmarkSync_NoOp(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := benchTree(b, n)
			a.sync(b)
			settled := time.Now().Add(time.Hour)
			a.now = func() time.Time { return settled }
			a.syncer("").Sync(b.Context(), syncOnce) //nolint:errcheck // it only settles the time stamps
			b.ReportAllocs()
			for b.Loop() {
				a.sync(b)
			}
		})
	}
}

// BenchmarkSync_Initial is the first push of a tree, and the first pull of it.
func BenchmarkSync_Initial(b *testing.B) {
	const files = 1000
	for b.Loop() {
		b.StopTimer()
		a := benchTree(b, files)
		c := a.team.join(b, "ben")
		b.StartTimer()
		start := time.Now()
		a.sync(b)
		pushed := time.Now()
		c.sync(b)
		b.ReportMetric(files/pushed.Sub(start).Seconds(), "pushed/s")
		b.ReportMetric(files/time.Since(pushed).Seconds(), "pulled/s")
	}
}

func benchTree(b *testing.B, n int) *member {
	b.Helper()
	a := newTeam(b, memory.Limits{}).join(b, "ann")
	for i := range n {
		a.write(b, numbered(i), fmt.Sprintf("---\nname: entry %d\n---\n%01800d\n", i, i))
	}
	return a
}
