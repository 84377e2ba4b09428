package sync_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	msync "github.com/teammem/teammem/sync"
)

// indexFile draws a small index: sections with items, each target once.
func indexFile(t *rapid.T) []string {
	lines := []string{"# Index", ""}
	target := 0
	for section := range rapid.IntRange(1, 3).Draw(t, "sections") {
		lines = append(lines, fmt.Sprintf("## Section %d", section), "")
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			target++
			lines = append(lines, item(fmt.Sprintf("o%d", target), "first words"))
		}
		lines = append(lines, "")
	}
	return lines
}

func item(target, words string) string {
	return fmt.Sprintf("- [%s](%s.md) — %s", target, target, words)
}

func isItem(line string) bool { return strings.HasPrefix(line, "- ") }

func target(line string) string {
	_, rest, _ := strings.Cut(line, "](")
	name, _, _ := strings.Cut(rest, ")")
	return name
}

// version draws what one member makes of an index: adds, removes, rewords
// items, and sometimes prose. What it adds is named after the member, but for
// a few links that anybody might add.
func version(t *rapid.T, who string, base []string, prose bool) []string {
	lines := slices.Clone(base)
	for n := range rapid.IntRange(0, 5).Draw(t, who) {
		pos := rapid.IntRange(2, len(lines)-1).Draw(t, "at")
		switch op := rapid.IntRange(0, 5).Draw(t, "op"); {
		case op == 0 && isItem(lines[pos]):
			lines = slices.Delete(lines, pos, pos+1)
		case op == 1 && isItem(lines[pos]):
			lines[pos] = item(strings.TrimSuffix(target(lines[pos]), ".md"), fmt.Sprint("words of ", who, n))
		case op == 2 && prose && !isItem(lines[pos]):
			lines[pos] = fmt.Sprint("Prose of ", who, n)
		case op == 3 && prose:
			lines = slices.Insert(lines, pos, fmt.Sprint("Text of ", who, n))
		case op == 4:
			shared := item(fmt.Sprint("shared", rapid.IntRange(0, 3).Draw(t, "link")), "the same words")
			if !slices.ContainsFunc(lines, func(l string) bool { return target(l) == target(shared) }) {
				lines = slices.Insert(lines, pos, shared)
			}
		case op == 5:
			lines = slices.Insert(lines, pos, item(fmt.Sprint(rapid.SampledFrom([]string{"a", "n", "z"}).Draw(t, "letter"), who, n), "new words"))
		}
	}
	return lines
}

func TestMergeIndex_Laws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		oLines := indexFile(t)
		aLines, bLines := version(t, "a", oLines, true), version(t, "b", oLines, true)
		o, a, b := doc(oLines...), doc(aLines...), doc(bLines...)
		merge := func(base, server, local string) (string, []string) {
			merged, lost := msync.MergeIndex([]byte(base), []byte(server), []byte(local), nil)
			return string(merged), lost
		}
		law := func(name, want, base, server, local string) {
			t.Helper()
			if got, _ := merge(base, server, local); got != want {
				t.Fatalf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
			}
		}
		law("merge(o,o,b) = b", b, o, o, b)
		law("merge(o,a,o) = a", a, o, a, o)
		law("merge(o,a,a) = a", a, o, a, a)
		m, lost := merge(o, a, b)
		again, kept := merge(o, a, m)
		if diff := cmp.Diff(textLines(m), textLines(again, kept...)); diff != "" { // new prose may change places with new items
			t.Fatalf("merge(o,a,m) and what it leaves out have not the lines of m (-want +got):\n%s", diff)
		}
		law("the next round changes nothing", m, m, m, m)
		checkIndex(t, oLines, aLines, bLines, strings.Split(m, "\n"), lost)
	})
}

// textLines returns the lines of a text that are not blank, and more, sorted.
func textLines(text string, more ...string) []string {
	lines := slices.DeleteFunc(append(strings.Split(text, "\n"), more...), func(l string) bool { return l == "" })
	slices.Sort(lines)
	return lines
}

// checkIndex holds a merge against the promises that concern single lines.
func checkIndex(t *rapid.T, o, a, b, m, lost []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, line := range m {
		if isItem(line) && seen[target(line)] {
			t.Fatalf("twice in the result: %q", line)
		}
		seen[target(line)] = true
		if strings.HasPrefix(line, "<<<") || !slices.Contains(a, line) && !slices.Contains(b, line) {
			t.Fatalf("made up: %q", line)
		}
	}
	for _, line := range slices.Concat(a, b) {
		if !slices.Contains(o, line) && !slices.Contains(m, line) && !slices.Contains(lost, line) {
			t.Fatalf("added and neither in the result nor reported lost: %q", line)
		}
	}
	for _, line := range a {
		if !slices.Contains(o, line) && slices.Contains(lost, line) {
			t.Fatalf("the server's line is reported lost: %q", line)
		}
	}
	for _, line := range o {
		gone := func(side []string) bool {
			return !slices.ContainsFunc(side, func(l string) bool { return isItem(l) && target(l) == target(line) })
		}
		if isItem(line) && (gone(a) && slices.Contains(b, line) || gone(b) && slices.Contains(a, line)) && slices.Contains(m, line) {
			t.Fatalf("removed by one side, untouched by the other, still there: %q", line)
		}
	}
}

// Members add items to one index, each from the same base. In whatever order
// their changes reach the server, the same file comes out, and ten more rounds
// leave it as it is.
func TestMergeIndex_AddsInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := indexFile(t)
		versions := make([]string, rapid.IntRange(2, 5).Draw(t, "members"))
		order := make([]int, len(versions))
		for i := range versions {
			lines := slices.Clone(base)
			for n := range rapid.IntRange(1, 4).Draw(t, "adds") {
				pos := len(lines) // where a careless agent appends
				if rapid.Bool().Draw(t, "in a list") {
					pos = rapid.SampledFrom(places(lines)).Draw(t, "at")
				}
				lines = slices.Insert(lines, pos, item(fmt.Sprint(rapid.SampledFrom([]string{"a", "z"}).Draw(t, "letter"), i, "-", n), "new"))
			}
			versions[i], order[i] = doc(lines...), i
		}

		all := func(order []int) string {
			server := doc(base...)
			for _, i := range order {
				merged, lost := msync.MergeIndex([]byte(doc(base...)), []byte(server), []byte(versions[i]), nil)
				if len(lost) > 0 {
					t.Fatalf("lost: %q", lost)
				}
				server = string(merged)
			}
			return server
		}
		want := all(order)
		shuffled := rapid.Permutation(order).Draw(t, "order")
		if diff := cmp.Diff(want, all(shuffled)); diff != "" {
			t.Fatalf("another file in order %v:\n%s", shuffled, diff)
		}
		again := want
		for range 10 {
			for _, v := range versions {
				merged, _ := msync.MergeIndex([]byte(doc(base...)), []byte(again), []byte(v), nil)
				again = string(merged)
			}
		}
		if diff := cmp.Diff(want, again); diff != "" {
			t.Fatalf("ten more rounds changed the file:\n%s", diff)
		}
	})
}

// places is where a new item would join a list: beside another item, or below
// a heading and its blank line.
func places(lines []string) (at []int) {
	for i := 2; i <= len(lines); i++ {
		if isItem(lines[i-1]) || i < len(lines) && isItem(lines[i]) || lines[i-1] == "" && strings.HasPrefix(lines[i-2], "## ") {
			at = append(at, i)
		}
	}
	return at
}

// Two members append to one index ten times, each to what the last round left:
// no line is lost or doubled.
func TestMergeIndex_TenRounds(t *testing.T) {
	t.Parallel()
	base := doc("# Index", "", "- start")
	var want []string
	for round := range 10 {
		server, local := base, base
		for n := range 3 {
			theirs, mine := item(fmt.Sprintf("s%d-%d", round, n), "w"), item(fmt.Sprintf("l%d-%d", round, n), "w")
			server, local, want = server+theirs+"\n", local+mine+"\n", append(want, theirs, mine)
		}
		merged, lost := msync.MergeIndex([]byte(base), []byte(server), []byte(local), nil)
		if len(lost) > 0 {
			t.Fatalf("round %d lost %q", round, lost)
		}
		base = string(merged)
	}
	got := strings.Split(strings.TrimSuffix(base, "\n"), "\n")[3:]
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// Whatever the three files are: no panic, no line out of nowhere, every line
// that the member added is in the result or reported, and merging the result
// again changes nothing.
func FuzzMergeIndex(f *testing.F) {
	f.Add("# I\n- [a](a.md)\n", "# I\n- [a](a.md)\n- [b](b.md)\n", "# I\n- [a](a.md) x\n")
	f.Add("", "- a\r\n  b\r\n", "\ufeff1. a\n\n```\n- a\n")
	f.Add("---\n- x\n", "<!-- a\n- [x](<a b> \"t\")\n", "- [x](./a#b)\n-->\n")
	f.Fuzz(func(t *testing.T, base, server, local string) {
		merged, lost := msync.MergeIndex([]byte(base), []byte(server), []byte(local), nil)
		lines := func(s string) []string {
			return strings.Split(strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n"), "\n")
		}
		o, a, b, m := lines(base), lines(server), lines(local), lines(string(merged))
		for _, line := range m {
			if !slices.Contains(a, line) && !slices.Contains(b, line) && line != "" {
				t.Fatalf("made up: %q", line)
			}
		}
		for _, line := range b {
			known := slices.Contains(o, line) || slices.Contains(m, line) || slices.Contains(lost, line)
			if strings.TrimSpace(line) != "" && !known && !sameWords(line, m) {
				t.Fatalf("lost without a word: %q", line)
			}
		}
		again, lost := msync.MergeIndex(merged, merged, merged, nil)
		if !bytes.Equal(again, merged) || len(lost) > 0 {
			t.Fatalf("again: %q, lost %q", again, lost)
		}
	})
}

// sameWords reports whether a line that says the same, with another marker or
// spacing, is in lines.
func sameWords(line string, lines []string) bool {
	plain := func(l string) string {
		return strings.Join(strings.Fields(strings.TrimLeft(l, " \t0123456789-*+.)")), " ")
	}
	return slices.ContainsFunc(lines, func(l string) bool { return plain(l) == plain(line) })
}
