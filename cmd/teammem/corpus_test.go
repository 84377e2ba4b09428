package main

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// Every real memory tree goes from one member through the server to another:
// byte for byte, but for what a rule refuses, which is listed three times over.
func TestCorpus_TravelsByteForByte(t *testing.T) {
	t.Parallel()
	for name, dir := range corpusTrees() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := shared(t, append([]string{"corpus"}, dir...)...)
			tm := newTeam(t)
			a, b := tm.join(t, "mara"), tm.join(t, "jo")
			if err := os.CopyFS(a.tree(), os.DirFS(source)); err != nil {
				t.Fatal(err)
			}
			all := a.files(t)

			first := a.run(t, "sync", a.work(), "--json")
			refused := refusedIn(t, first.stdout)
			if want := exitFor(refused); first.code != want {
				t.Fatalf("first sync: exit %d, want %d\n%s", first.code, want, first.stderr)
			}
			listed(t, "stderr of sync", a.sync(t, 0).stderr, refused)
			listed(t, "status", a.must2(t, "status", a.work()).stderr, refused)

			b.sync(t, 0)
			for file := range refused {
				delete(all, file)
			}
			if diff := cmp.Diff(all, b.files(t)); diff != "" {
				t.Errorf("the second member's tree (-want +got):\n%s", diff)
			}
			for _, m := range []*member{a, b} {
				if s := summaryOf(t, m.sync(t, 0, "--json").stdout); s.Counts["requests"] != 1 || !s.InSync {
					t.Errorf("a sync without news made %d requests, in sync: %v", s.Counts["requests"], s.InSync)
				}
			}
			t.Logf("%d files travelled, refused: %v", len(all), refused)
		})
	}
}

// corpusTrees are the folders below the corpus that hold a tree.
func corpusTrees() map[string][]string {
	return map[string][]string{
		"xray": {"xray", "memory"}, "tlamatini": {"tlamatini", "memory"}, "blog": {"blog", "memory"},
		"compose-envkit": {"compose-envkit", "agent-memory"}, "twelve-factor-explorer": {"twelve-factor-explorer"},
		"ai-governance": {"ai-governance", "memory"},
	}
}

func exitFor(refused map[string]string) int {
	if len(refused) > 0 {
		return exitRefused
	}
	return exitOK
}

// refusedIn returns the refused files of a --json run with their codes.
func refusedIn(t *testing.T, lines string) map[string]string {
	t.Helper()
	refused := map[string]string{}
	for scanner := bufio.NewScanner(strings.NewReader(lines)); scanner.Scan(); {
		var l refusedLine
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			t.Fatalf("line %q: %v", scanner.Text(), err)
		}
		if l.Type == "refused" || l.Type == "blocked" {
			refused[l.Path] = l.Code
		}
	}
	return refused
}

func summaryOf(t *testing.T, lines string) summaryLine {
	t.Helper()
	all := strings.Split(strings.TrimSpace(lines), "\n")
	var s summaryLine
	if err := json.Unmarshal([]byte(all[len(all)-1]), &s); err != nil || s.Type != "summary" {
		t.Fatalf("the last line is no summary: %q: %v", all[len(all)-1], err)
	}
	return s
}

func listed(t *testing.T, where, text string, refused map[string]string) {
	t.Helper()
	for _, file := range slices.Sorted(maps.Keys(refused)) {
		found := false
		for line := range strings.Lines(text) {
			found = found || (strings.Contains(line, shown(file)) && strings.Contains(line, refused[file]))
		}
		if !found {
			t.Errorf("%s does not list %s with %s:\n%s", where, filepath.ToSlash(file), refused[file], text)
		}
	}
}

// must2 is must for a caller that wants stderr as well.
func (m *member) must2(t *testing.T, args ...string) result {
	t.Helper()
	r := m.run(t, args...)
	if r.code != 0 {
		t.Fatalf("teammem %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}
