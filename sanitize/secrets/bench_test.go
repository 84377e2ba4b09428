package secrets

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zricethezav/gitleaks/v8/detect"
)

// BenchmarkCorpus compares the scanner with the library's defaults at the same
// depth of decoding, on the same real memory files. The goal is a quarter of
// the library's CPU; "cpu-ms/op" is what counts on a busy machine.
func BenchmarkCorpus(b *testing.B) {
	files := corpus(b)
	s, oracle := *scanner(b), library(libraryConfig(b))
	size := 0
	for _, text := range files {
		size += len(text)
	}
	var libraryCost, firstCost time.Duration
	run := func(name string, scanAll func(), report func(b *testing.B, each time.Duration)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			start := cpuTime()
			for b.Loop() {
				scanAll()
			}
			each := (cpuTime() - start) / time.Duration(b.N)
			b.ReportMetric(float64(each)/float64(time.Millisecond), "cpu-ms/op")
			report(b, each)
		})
	}
	run("library", func() {
		for _, text := range files {
			oracle.DetectString(text)
		}
	}, func(_ *testing.B, each time.Duration) { libraryCost = each })
	ours := func() { scanEach(b, &s, files) }
	run("scanner", func() { s.known = newVerdicts(); ours() }, func(b *testing.B, each time.Duration) {
		firstCost = each
		reportShare(b, each, libraryCost, "of-library")
	})
	run("scanner, seen before", ours, func(b *testing.B, each time.Duration) { reportShare(b, each, firstCost, "of-first") })
}

func scanEach(b *testing.B, s *Scanner, texts []string) {
	b.Helper()
	for _, text := range texts {
		if _, err := s.look(b.Context(), text); err != nil {
			b.Fatal(err)
		}
	}
}

func reportShare(b *testing.B, cost, whole time.Duration, unit string) {
	b.Helper()
	if whole > 0 {
		b.ReportMetric(float64(cost)/float64(whole), unit)
	}
}

// BenchmarkEdit scans an entry of 64 KB again after one of its lines changed.
// The goal is a tenth of its first scan.
func BenchmarkEdit(b *testing.B) {
	var entry strings.Builder
	for _, text := range corpus(b) {
		if len(text) < 32<<10 {
			entry.WriteString(text + "\n")
		}
	}
	text := entry.String()[:64<<10]
	half := strings.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
	edited := func(i int) string { return text[:half] + fmt.Sprintf("- Edit %d of the day.\n", i) + text[half:] }
	s := *scanner(b)
	const edits = 50
	var first, again time.Duration
	n := 0
	for b.Loop() {
		n++
		s.known = newVerdicts()
		start := cpuTime()
		scanEach(b, &s, []string{text})
		between := cpuTime()
		for i := range edits {
			scanEach(b, &s, []string{edited(i)})
		}
		first += between - start
		again += (cpuTime() - between) / edits
	}
	b.ReportMetric(float64(first)/float64(time.Millisecond)/float64(n), "first-cpu-ms")
	b.ReportMetric(float64(again)/float64(time.Millisecond)/float64(n), "edit-cpu-ms")
	reportShare(b, again, first, "of-first")
}

// BenchmarkHostile measures how long a note waits for its verdict beside eight
// entries of a line of random characters that are as long as entries may be.
func BenchmarkHostile(b *testing.B) {
	s := *scanner(b)
	line := newGenerator(4).random("b", 256<<10)
	notes := func(b *testing.B) {
		b.Helper()
		var waits []time.Duration
		for b.Loop() {
			start := time.Now()
			s.known = newVerdicts()
			if _, err := s.Scan(b.Context(), firstNote()); err != nil {
				b.Fatal(err)
			}
			waits = append(waits, time.Since(start))
		}
		slices.Sort(waits)
		b.ReportMetric(float64(waits[len(waits)*95/100])/float64(time.Millisecond), "p95-ms")
	}
	b.Run("line", func(b *testing.B) {
		for b.Loop() {
			s.known = newVerdicts()
			if _, err := s.Scan(b.Context(), line); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("note alone", notes)
	b.Run("note beside eight lines", func(b *testing.B) {
		ctx, cancel := context.WithCancel(b.Context())
		var group sync.WaitGroup
		for i := range 8 {
			other := *scanner(b)
			other.slots = s.slots
			group.Go(func() {
				for ctx.Err() == nil {
					other.known = newVerdicts()
					if _, err := other.Scan(ctx, line[i:]); err != nil && ctx.Err() == nil {
						b.Errorf("line %d: %v", i, err)
					}
				}
			})
		}
		notes(b)
		cancel()
		group.Wait()
	})
}

// BenchmarkCatalogue reports the share of the catalogue's texts that is found,
// beside the library's defaults as they come and at our depth of decoding.
func BenchmarkCatalogue(b *testing.B) {
	cfg := libraryConfig(b)
	deep, plain := library(cfg), detect.NewDetector(cfg)
	for name, finds := range map[string]func(text string) bool{
		"scanner":         func(text string) bool { return len(scan(b, text)) > 0 },
		"library":         func(text string) bool { return len(plain.DetectString(text)) > 0 },
		"library, decode": func(text string) bool { return len(deep.DetectString(text)) > 0 },
	} {
		b.Run(name, func(b *testing.B) {
			all, round := newTally(), uint64(1)
			for b.Loop() {
				eachText(round, func(c catalogued, _, text string) { all.add(c.kind, finds(text)) })
				round++
			}
			for _, k := range []kind{prefixed, contextual, evasive} {
				b.ReportMetric(100*all.share(k), "%"+string(k))
			}
		})
	}
}

// BenchmarkNew is what each process pays before its first scan.
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

// BenchmarkFirstScan is what a process pays that scans one note of 2 KB: a note
// about tokens, passwords and keys, which wakes more rules than most.
func BenchmarkFirstScan(b *testing.B) {
	b.ReportAllocs()
	note := firstNote()
	start := cpuTime()
	for b.Loop() {
		s, err := New()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Scan(b.Context(), note); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-start)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

func firstNote() string {
	return "# Sign-in of the deploy job\n\n" + prose(700) + `
- The job reads its API key from the vault: ` + "`vault read secret/ci`" + `.
- Set GITHUB_TOKEN=${CI_TOKEN} and DB_PASSWORD=$DB_PASSWORD before the first run.
- Authorization: Bearer $TOKEN is what https://api.example.com/v1 expects.
- The AWS secret is rotated by the platform team, the GitLab token by us.
- See docs/architecture-decisions/0001-record.md and commit 4f2a9c1.

| system | user | password |
|---|---|---|
| staging | admin | in the vault |

` + prose(700)
}
