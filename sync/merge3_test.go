package sync

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMerge3(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		base, server, local string // one letter a line
		want                string // "!" is a conflict
	}{
		{"nothing", "", "", "", ""},
		{"all the same", "abc", "abc", "abc", "abc"},
		{"only the server", "abc", "aXc", "abc", "aXc"},
		{"only here", "abc", "abc", "abX", "abX"},
		{"both the same", "abc", "aXc", "aXc", "aXc"},
		{"apart", "abcde", "Xbcde", "abcdY", "XbcdY"},
		{"a delete apart", "abcde", "bcde", "abcdY", "bcdY"},
		{"the same line", "abc", "aXc", "aYc", "!"},
		{"touching lines", "abcd", "aXcd", "abYd", "!"},
		{"an insertion after a reworded line", "abc", "aXc", "abYc", "aXYc"},
		{"an insertion before a reworded line", "abc", "aXc", "aYbc", "aYXc"},
		{"insertions around a line that is reworded here", "abc", "aXbYc", "aVc", "aXVYc"},
		{"an insertion beside a line that became two", "abc", "abYc", "aVWc", "aVWYc"},
		{"an insertion beside lines that became fewer", "abcd", "aXd", "abcYd", "!"},
		{"an insertion between reworded lines", "abcd", "aXYd", "abVcd", "!"},
		{"an insertion that the rewording has, too", "abc", "aXYc", "abYc", "aXYc"},
		{"an insertion of which the rewording has a part", "abc", "aYXc", "abYZc", "!"},
		{"the same rewording, and more", "abc", "aXYc", "aXc", "aXYc"},
		{"a delete against an edit", "abc", "ac", "aXc", "!"},
		{"a delete over several edits", "abcdef", "af", "aXcdYf", "!"},
		{"edits that a wider one joins", "abcdefg", "aXcdeYg", "abVVVfg", "!"},
		{"two insertions at one point", "ab", "aXb", "aYb", "aXYb"},
		{"the server's insertion holds the other", "ab", "aXYZb", "aYb", "aXYZb"},
		{"the local insertion holds the other", "ab", "aYb", "aXYZb", "aXYZb"},
		{"insertions into nothing", "", "X", "Y", "XY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			letters := func(s string) []string {
				return slices.DeleteFunc(strings.Split(s, ""), func(l string) bool { return l == "" })
			}
			merged, clean := merge3(letters(tt.base), letters(tt.server), letters(tt.local))
			got := strings.Join(merged, "")
			if !clean {
				got = "!"
			}
			if got != tt.want {
				t.Errorf("merge3(%q, %q, %q) = %q, want %q", tt.base, tt.server, tt.local, got, tt.want)
			}
		})
	}
}

// edited draws a version of a text.
func edited(t *rapid.T, label string, base []string, lines *rapid.Generator[string]) []string {
	text := slices.Clone(base)
	for range rapid.IntRange(0, 4).Draw(t, label) {
		pos := rapid.IntRange(0, len(text)).Draw(t, "at")
		switch op := rapid.IntRange(0, 2).Draw(t, "op"); {
		case op == 0 || pos == len(text):
			text = slices.Insert(text, pos, lines.Draw(t, "line"))
		case op == 1:
			text = slices.Delete(text, pos, pos+1)
		default:
			text[pos] = lines.Draw(t, "line")
		}
	}
	return text
}

func TestMerge3_Laws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		alphabet := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
		lines := rapid.SampledFrom(alphabet[:rapid.SampledFrom([]int{4, 10, 26}).Draw(t, "alphabet")])
		o := rapid.SliceOfN(lines, 0, 12).Draw(t, "o")
		a, b := edited(t, "a", o, lines), edited(t, "b", o, lines)

		same := func(law string, want, got []string, clean bool) {
			t.Helper()
			if diff := cmp.Diff(slices.Concat([]string{}, want), slices.Concat([]string{}, got)); !clean || diff != "" {
				t.Fatalf("%s: clean %v (-want +got):\n%s", law, clean, diff)
			}
		}
		m, clean := merge3(o, o, b)
		same("merge(o,o,b) = b", b, m, clean)
		m, clean = merge3(o, a, o)
		same("merge(o,a,o) = a", a, m, clean)
		m, clean = merge3(o, a, a)
		same("merge(o,a,a) = a", a, m, clean)

		m, clean = merge3(o, a, b)
		if _, mirrored := merge3(o, b, a); mirrored != clean {
			t.Fatalf("merge(o,a,b) is clean: %v, merge(o,b,a): %v", clean, mirrored)
		}
		if !clean {
			return
		}
		// Where lines repeat or change places, a diff may pair them in more than one way.
		distinct := unique(slices.Concat(o, added(o, a), added(o, b))) && sameOrder(o, a) && sameOrder(o, b)
		if distinct {
			again, clean := merge3(o, a, m)
			same("merge(o,a,m) = m", m, again, clean)
		}
		kept := map[string]bool{}
		for _, line := range m {
			kept[line] = true
		}
		for _, line := range slices.Concat(a, b) {
			if !slices.Contains(o, line) && !kept[line] {
				t.Fatalf("added line %q is not in %q", line, m)
			}
		}
		for _, line := range o {
			removed := !slices.Contains(a, line) || !slices.Contains(b, line)
			if distinct && removed && kept[line] {
				t.Fatalf("removed line %q is still in %q", line, m)
			}
		}
	})
}

func unique(lines []string) bool {
	seen := map[string]bool{}
	for _, line := range lines {
		seen[line] = true
	}
	return len(seen) == len(lines)
}

// added is the lines of b that a does not have.
func added(a, b []string) (lines []string) {
	for _, line := range b {
		if !slices.Contains(a, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// sameOrder reports whether b has the lines it shares with a once each, and in
// a's order.
func sameOrder(a, b []string) bool {
	last := -1
	for _, line := range b {
		pos := slices.Index(a, line)
		if pos >= 0 && pos <= last {
			return false
		}
		last = max(last, pos)
	}
	return true
}

// Whatever the lines are: a side that changed nothing yields to the other, the
// two sides may change places as to whether they merge, and a clean merge has
// every line that was added.
func FuzzMerge3(f *testing.F) {
	f.Add("a\nb\nc", "a\nB\nc", "a\nb\nC")
	f.Add("", "x\ny", "x")
	f.Add("a\na\na", "a\n\na", "a\na\na\na")
	f.Fuzz(func(t *testing.T, base, server, local string) {
		o, a, b := strings.Split(base, "\n"), strings.Split(server, "\n"), strings.Split(local, "\n")
		for _, law := range [][4][]string{{o, o, b, b}, {o, a, o, a}, {o, a, a, a}} {
			if m, clean := merge3(law[0], law[1], law[2]); !clean || !slices.Equal(m, law[3]) {
				t.Errorf("merge3(%q, %q, %q) = %q, %t; want %q", law[0], law[1], law[2], m, clean, law[3])
			}
		}
		m, clean := merge3(o, a, b)
		if _, mirrored := merge3(o, b, a); mirrored != clean {
			t.Errorf("merge3(%q, %q, %q): clean %t, the other way %t", o, a, b, clean, mirrored)
		}
		for _, line := range slices.Concat(added(o, a), added(o, b)) {
			if clean && !slices.Contains(m, line) {
				t.Errorf("merge3(%q, %q, %q) = %q lost %q", o, a, b, m, line)
			}
		}
	})
}
