package secrets

import (
	"testing"
	"time"
)

// BenchmarkCorpus compares the scanner with the library's defaults at the same
// depth of decoding, on the same real memory files. The goal is a quarter of
// the library's CPU; "cpu-ms/op" is what counts on a busy machine.
func BenchmarkCorpus(b *testing.B) {
	files := corpus(b)
	size := 0
	for _, text := range files {
		size += len(text)
	}
	run := func(name string, scanAll func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			start := cpuTime()
			for b.Loop() {
				scanAll()
			}
			if spent := cpuTime() - start; spent > 0 {
				b.ReportMetric(float64(spent)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
			}
		})
	}
	oracle, _ := library(b)
	run("library", func() {
		for _, text := range files {
			oracle.DetectString(text)
		}
	})
	s := *scanner(b)
	ours := func() {
		for _, text := range files {
			if _, err := s.Scan(b.Context(), text); err != nil {
				b.Fatal(err)
			}
		}
	}
	run("scanner", func() {
		s.clean = newVerdicts()
		ours()
	})
	run("scanner, seen before", ours)
}

// BenchmarkNew is the price of the first scan of a process.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	start := cpuTime()
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-start)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}
