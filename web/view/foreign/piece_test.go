package foreign_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/teammem/teammem/web/view/foreign"
)

func TestInvisible_OrdinaryTextHasNone(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "plain ASCII, tabs\tand\nlines", "Привет, мир: «ёлка»", "مرحبا بالعالم، كيف الحال؟", "می\u200cخواهم", "שלום עולם", "हिन्दी क्\u200dष", "한국어 테스트",
		"日本語　テスト。", "中文，标点", "Ελληνικά", "tiếng Việt", "e\u0301 combining", "naïve café – “quotes” … € ½ ™ →",
		"😀 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ ☎︎ 1️⃣ #️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ℹ️ ↔️ ⚠️ 👩🏽‍💻", "\u0600 number sign",
	} {
		if n := foreign.Invisible(s); n != 0 {
			t.Errorf("Invisible(%q) = %d: %s", s, n, foreign.Text(s))
		}
	}
}

func TestLine_Chips(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		chips        string // in order
	}{
		{"zero width space", "a\u200bb", "U+200B"},
		{"zero width non-joiner between Latin letters", "a\u200cb", "U+200C"},
		{"zero width joiner between Latin letters", "a\u200db", "U+200D"},
		{"joiner at the end of an emoji", "😀\u200d", "U+200D"},
		{"joiners in a row", "😀\u200d\u200d😀", "U+200D ×2"},
		{"selector behind a letter", "a\ufe0f", "U+FE0F"},
		{"selectors in a row", "❤\ufe0f\ufe0f", "U+FE0F"},
		{"selectors of the supplement", "a\U000e0100\U000e01ef", "U+E0100 U+E01EF"},
		{"selector 16 behind a digit without a keycap", "1\ufe0f2", "U+FE0F"},
		{"word joiner and byte order mark", "\ufeffa\u2060", "U+FEFF U+2060"},
		{"direction", "\u202ea\u202c\u2066b\u2069\u200e\u200f\u061c", "U+202E U+202C U+2066 U+2069 U+200E U+200F U+061C"},
		{"tags", "a\U000e0041\U000e007f", "U+E0041 U+E007F"},
		{"tags behind another flag", "🏴\U000e0061\U000e0062\U000e007f", "U+E0061 U+E0062 U+E007F"},
		{"spaces", "a\u00a0b\u2003c\u202fd\u3000e", "U+00A0 U+2003 U+202F U+3000"},
		{"line separators", "a\u2028b\u2029c\u0085", "U+2028 U+2029 U+0085"},
		{"soft hyphen, joiner, filler, blank", "a\u00ad\u034f\u3164\u115f\u2800", "U+00AD U+034F U+3164 U+115F U+2800"},
		{"selector behind a blank", "\u2800\ufe0f", "U+2800 U+FE0F"},
		{"controls", "a\x1b\x07\x7f\x00", "U+001B U+0007 U+007F U+0000"},
		{"breaks inside a line", "a\tb\nc\rd", "U+0009 U+000A U+000D"},
		{"private use", "a\ue000\U000f0000\U0010fffd", "U+E000 U+F0000 U+10FFFD"},
		{"unassigned", "a\u0378\ufffe\U000effff", "U+0378 U+FFFE U+EFFFF"},
		{"a run of one control", strings.Repeat("\x01", 250), "U+0001 ×250"},
		{"runs side by side", "\x01\x01\x02\x02\x02\x01", "U+0001 ×2 U+0002 ×3 U+0001"},
		{"a run that text interrupts", "\u00a0\u00a0a\u00a0", "U+00A0 ×2 U+00A0"},
		{"a run whose last belongs to what follows", "a\u3000\u3000日", "U+3000"},
		{"a run whose first belongs to what stands before", "❤\ufe0f\ufe0f\ufe0f", "U+FE0F ×2"},
		{"bytes of no code point in a run", "a\xff\xff\xfe", "0xFF ×2 0xFE"},
		{"not UTF-8", "a\xff\xc0b", "0xFF 0xC0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var chips []string
			for n := range parse(t, foreign.Line(tt.source)).Descendants() {
				if n.Type == html.ElementNode && n.Data == "span" {
					chips = append(chips, n.FirstChild.Data)
				}
			}
			if got := strings.Join(chips, " "); got != tt.chips {
				t.Errorf("Line(%q) shows the chips %q, want %q", tt.source, got, tt.chips)
			}
			plain := foreign.Plain(tt.source)
			if hasInvisible(plain) || strings.Count(plain, "[") != len(chips) {
				t.Errorf("Plain(%q) = %q, want %d names in brackets", tt.source, plain, len(chips))
			}
		})
	}
}

// What is selected and copied is the text without its chips, byte for byte.
func TestSource_CopiesTrueBytes(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"plain <b>&amp;</b> \"text\"\n", "a\u200bb\u202ec\U000e0041", "line\r\nline\rline\n", "😀\u200d\u200d 👨‍👩‍👧", "tab\tand \u00a0 space", "\x1b[0m",
		"a" + strings.Repeat("\x01", 250) + "b", "a\r\r\r\nb", "\u00a0\u00a0\x02\x02",
	} {
		var b strings.Builder
		for n := range parse(t, "<pre>"+"\n"+foreign.Source(source)+"</pre>").Descendants() {
			if n.Type == html.TextNode && !isChip(n.Parent) {
				b.WriteString(n.Data)
			}
		}
		if b.String() != source {
			t.Errorf("from Source(%q) a browser copies %q", source, b.String())
		}
	}
}

func isChip(n *html.Node) bool {
	return len(n.Attr) > 0 && n.Attr[0].Key == "class" && n.Attr[0].Val == "chip"
}

// The count of a chip is what it stands for, also where chips are counted.
func TestInvisible_CountsRuns(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("\x01", 250) + "a" + strings.Repeat("\u00a0", 3) + "\x02"
	if got := foreign.Invisible(source); got != 254 {
		t.Errorf("Invisible = %d, want 254", got)
	}
	for enough, want := range map[int]int{3: 3, 100: 3, 1: 2} {
		if got := foreign.Chips(source, enough); got != want {
			t.Errorf("Chips up to %d = %d, want %d", enough, got, want)
		}
	}
	if got := foreign.Markdown(source, nil).Hidden; got != 254 {
		t.Errorf("Markdown hides %d, want 254", got)
	}
}

// FuzzPieces: the pieces of a text, put together, are the text.
func FuzzPieces(f *testing.F) {
	for _, s := range hostile() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b strings.Builder
		for p := range foreign.Pieces(s) {
			if p.Text == "" {
				t.Fatalf("an empty piece in %q", s)
			}
			one := strings.Repeat(p.Text[:len(p.Text)/max(p.Count, 1)], p.Count)
			if (p.Count > 0) != (p.Chip != "") || p.Count > 0 && one != p.Text {
				t.Fatalf("%q has a piece %q that is no %q", s, p.Text, p.Chip)
			}
			b.WriteString(p.Text)
		}
		if b.String() != s {
			t.Errorf("the pieces of %q make %q", s, b.String())
		}
	})
}
