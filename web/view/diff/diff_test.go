package diff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/web/view/diff"
)

func TestCompare_Marks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, from, to string
		want           string // as drawn by draw
	}{
		{"nothing", "", "", ""},
		{"the same", "a\n", "a\n", " 1 1 a\n"},
		{"a create", "", "a\nb\n", "+0 1 a\n+0 2 b\n"},
		{"a delete", "a\n", "", "-1 0 a\n"},
		{"words", "Refunds over 500 EUR\n", "Refunds over 250 EUR\n", "-1 0 Refunds over {500} EUR\n+0 1 Refunds over {250} EUR\n"},
		{"lines with little in common", "one two three\n", "quite another sentence\n", "-1 0 one two three\n+0 1 quite another sentence\n"},
		{"no final line feed", "a b c", "a b c\n", "-1 0 a b c¶\n+0 1 a b c{}\n"},
		{"line feed lost", "a\nb\n", "a\nb", " 1 1 a\n-2 0 b{}\n+0 2 b¶\n"},
		{"all lines CRLF", "one two\r\nb\r\n", "one 2\r\nb\r\n", "(CRLF)-1 0 one {two}\n+0 1 one {2}\n 2 2 b\n"},
		{"LF becomes CRLF", "a b c\n", "a b c\r\n", "-1 0 a b c{}\n+0 1 a b c{\r}\n"},
		{"one line CRLF", "a\r\nb\n", "a\r\nc\n", " 1 1 a\r\n-2 0 b\n+0 2 c\n"},
		{"emoji joined", "we are 👨‍👩‍👧 here\n", "we are 👨‍👩‍👦 here\n", "-1 0 we are {👨‍👩‍👧} here\n+0 1 we are {👨‍👩‍👦} here\n"},
		{"combining marks", "a cafe\u0301 here\n", "a cafe here\n", "-1 0 a {cafe\u0301} here\n+0 1 a {cafe} here\n"},
		{"invisible word", "per order line\n", "per\u200b order line\n", "-1 0 per order line\n+0 1 per{\u200b} order line\n"},
		{"Chinese", "我们用西红柿做饭\n", "我们用土豆做饭\n", "-1 0 我们用{西红柿}做饭\n+0 1 我们用{土豆}做饭\n"},
		{"one line becomes two", "one two three four\n", "one two\nthree four\n", "-1 0 one two{ }three four\n+0 1 one two{}\n+0 2 three four\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := draw(diff.Compare(diff.Side{Text: tt.from}, diff.Side{Text: tt.to}))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Compare(%q, %q) (-want +got):\n%s", tt.from, tt.to, d)
			}
		})
	}
}

// draw writes a diff with "{…}" around marked words and "¶" where a line feed
// is missing.
func draw(d diff.Diff) string {
	var b strings.Builder
	if d.CRLF && len(d.Rows) > 0 {
		b.WriteString("(CRLF)")
	}
	for _, r := range d.Rows {
		if r.Op == diff.Skip {
			fmt.Fprintf(&b, "~%d %d (%d)\n", r.Old, r.New, r.Count)
			continue
		}
		fmt.Fprintf(&b, "%c%d %d ", " -+"[r.Op], r.Old, r.New)
		for _, s := range r.Spans {
			if s.Changed {
				b.WriteString("{" + s.Text + "}")
				continue
			}
			b.WriteString(s.Text)
		}
		if r.NoLF {
			b.WriteString("¶")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestCompare_FoldsWhatDidNotChange(t *testing.T) {
	t.Parallel()
	from := strings.Repeat("same\n", 10) + "old\n" + strings.Repeat("same\n", 6) + "old\n" + strings.Repeat("same\n", 12) + "old\n"
	got := draw(diff.Compare(diff.Side{Text: from, Before: 4}, diff.Side{Text: strings.ReplaceAll(from, "old", "new"), Before: 5}))
	want := "~5 6 (7)\n 12 13 same\n 13 14 same\n 14 15 same\n-15 0 old\n+0 16 new\n" +
		" 16 17 same\n 17 18 same\n 18 19 same\n 19 20 same\n 20 21 same\n 21 22 same\n-22 0 old\n+0 23 new\n" +
		" 23 24 same\n 24 25 same\n 25 26 same\n~26 27 (6)\n 32 33 same\n 33 34 same\n 34 35 same\n-35 0 old\n+0 36 new\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Compare (-want +got):\n%s", d)
	}
}

func TestCompare_Counts(t *testing.T) {
	t.Parallel()
	got := diff.Compare(diff.Side{Text: "a\nb\nc\n"}, diff.Side{Text: "a\nd\ne\nf\nc\n"})
	if got.Added != 3 || got.Removed != 1 {
		t.Errorf("Compare counts +%d −%d, want +3 −1", got.Added, got.Removed)
	}
}

// The rows hold both texts, whatever they are.
func TestCompare_LosesNothing(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"a", "word", "other word", " ", "\n", "\r\n", "\r", "👨‍👩‍👧", "e\u0301", "\u200b", "\U000f0000", "\U0010fffd", "日本", "\xff", "\x00", "x-y", "\u2028",
	})
	text := rapid.Map(rapid.SliceOfN(part, 0, 40), func(parts []string) string { return strings.Join(parts, "") })
	rapid.Check(t, func(t *rapid.T) {
		from, to := text.Draw(t, "from"), text.Draw(t, "to")
		d := diff.Compare(diff.Side{Text: from}, diff.Side{Text: to})
		gotFrom, gotTo := texts(d.Rows, d.CRLF)
		if gotFrom != from {
			t.Errorf("the old rows of %q → %q make %q", from, to, gotFrom)
		}
		if gotTo != to {
			t.Errorf("the new rows of %q → %q make %q", from, to, gotTo)
		}
	})
}

// texts puts both sides of a diff together again.
func texts(rows []diff.Row, crlf bool) (from, to string) {
	for _, r := range rows {
		if r.Op == diff.Skip {
			a, b := texts(r.Folded, crlf)
			from, to = from+a, to+b
			continue
		}
		line := ""
		for _, s := range r.Spans {
			line += s.Text
		}
		switch {
		case !r.NoLF && crlf:
			line += "\r\n"
		case !r.NoLF:
			line += "\n"
		}
		if r.Op != diff.Insert {
			from += line
		}
		if r.Op != diff.Delete {
			to += line
		}
	}
	return from, to
}

func TestCompare_Large(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"lines": strings.Repeat("\n", 5001), "bytes": strings.Repeat("a", 600<<10)} {
		if got := diff.Compare(diff.Side{}, diff.Side{Text: text}); !got.Large || got.Rows != nil {
			t.Errorf("%s: Compare has %d rows", name, len(got.Rows))
		}
		if got := diff.Compare(diff.Side{Text: text}, diff.Side{Text: text}); got.Large {
			t.Errorf("%s: the same text is too long to be compared with itself", name)
		}
	}
}

// The largest texts that are compared, with nothing in common but many words,
// stay within a second: a test that does not would run into its timeout.
func TestCompare_BoundedWork(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	shuffled := func() string {
		var b strings.Builder
		for range 4900 {
			for range 8 {
				fmt.Fprintf(&b, "%d ", r.IntN(500))
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	long := func() string { return strings.ReplaceAll(shuffled(), "\n", "") }
	for name, make := range map[string]func() string{"many lines": shuffled, "one line": long} {
		from, to := make(), make()
		d := diff.Compare(diff.Side{Text: from}, diff.Side{Text: to})
		if gotFrom, gotTo := texts(d.Rows, d.CRLF); gotFrom != from || gotTo != to {
			t.Errorf("%s: the rows do not make the texts", name)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	from := strings.Repeat("Refunds over 500 EUR need a second approver in the admin panel.\nThe limit is per order.\n\n", 40)
	to := strings.Replace(from, "500 EUR", "250 EUR", 3)
	for b.Loop() {
		diff.Compare(diff.Side{Text: from}, diff.Side{Text: to})
	}
}
