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
	oracle := library(libraryConfig(b))
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
