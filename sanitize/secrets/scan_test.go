package secrets

import (
	"sync"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

// shared is one scanner for all tests, as a process has one.
var shared = sync.OnceValues(New)

func scanner(t testing.TB) *Scanner {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// scan is Scan without its deadline, which a busy machine may miss.
func scan(t testing.TB, text string) []sanitize.Finding {
	t.Helper()
	found, err := scanner(t).look(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return findings(text, found, nil)
}

const (
	intro = "# Notes\n\nWhat we learned about the deployment, in short sentences.\n\n"
	outro = "\n\nRotate it when the quarter ends. The runbook has the steps.\n"
)

func TestScan_Shapes(t *testing.T) {
	t.Parallel()
	const seeds = 8
	missed := map[string]int{}
	all := shapes()
	if len(all) != 91 {
		t.Fatalf("%d shapes, want 91", len(all))
	}
	for seed := range uint64(seeds) {
		found := 0
		for _, s := range all {
			if len(scan(t, intro+s.text(newGenerator(seed))+outro)) > 0 {
				found++
				continue
			}
			missed[s.name]++
		}
		if found < 85 {
			t.Errorf("seed %d: %d of 91 shapes found, want at least 85", seed, found)
		}
	}
	total := 0
	for name, n := range missed {
		total += n
		t.Logf("%s: missed %d of %d", name, n, seeds)
	}
	t.Logf("%.2f of 91 found on average", 91-float64(total)/seeds)
}
