package sanitize

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestInline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"blank", " \t\r\n ", ""},
		{"plain", "How tests get a database", "How tests get a database"},
		{"other scripts", "数据库 · базa · نص", "数据库 · базa · نص"},
		{"lines", " a\r\nb\n\n\tc ", "a b c"},
		{"separators of lines", "a\u2028b\u2029c\u0085d", "a b c d"},
		{"unusual spaces", "a\u00a0\u3000b", "a b"},
		{"control", "a\x1b[31mred\x00\x7f\u009bb", "a [31mred b"},
		{"zero width", "pass\u200bword\u2060\ufeff", "password"},
		{"reordered", "safe\u202egnp.exe\u2066x\u2069", "safegnp.exex"},
		{"tags", "ok\U000e0041\U000e0042\U000e007f", "ok"},
		{"variation selectors", "a\ufe0f\U000e0100b", "ab"},
		{"fillers", "a\u3164\u115f\u2800b", "ab"},
		{"soft hyphen", "co\u00adop", "coop"},
		{"private use", "a\ue000\U0010ffffb", "a\ufffd\ufffdb"},
		{"broken", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"marks", "e" + strings.Repeat("\u0301", 20) + "x", "e" + strings.Repeat("\u0301", 8) + "x"},
		{"dropped beside a gap", "a \u200b b", "a b"},
		{"newer than our tables", "a\U0001fadeb", "a\U0001fadeb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Inline(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Whatever comes in, the result is one visible line, is not longer, and is
// its own result.
func FuzzInline(f *testing.F) {
	for _, seed := range []string{"a  b", "\u202e\ufeff\x00", "\xff\u0301", "a\u2028", "~ "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Inline(text)
		hidden := func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r != ' ' && unicode.Is(unicode.Z, r)
		}
		if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) || strings.TrimSpace(got) != got {
			t.Errorf("Inline(%q) = %q", text, got)
		}
		if utf8.RuneCountInString(got) > utf8.RuneCountInString(text) || Inline(got) != got {
			t.Errorf("Inline(%q) = %q", text, got)
		}
	})
}
