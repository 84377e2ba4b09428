package sanitize

import (
	"strings"
	"testing"
)

func TestSpellOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "größe, 家族 👨‍👩‍👧\r\n", "größe, 家族 👨‍👩‍👧\r\n"},
		{"bidi", "so\u202eos", "so[U+202E]os"},
		{"inside a word", "pass\u200bword and \u200b", "pass[U+200B]word and \u200b"},
		{"tags", "x\U000E0041\U000E0042y", "x[U+E0041][U+E0042]y"},
		{"control", "a\x00b\x1b[0m", "a[U+0000]b[U+001B][0m"},
		{"no text", "a\xffb", "a[U+FFFD]b"},
		{"of another kind", "\xff\xfea", "[U+FFFD][U+FFFD]a"},
		{"more than are told", strings.Repeat("\u202e", 120), strings.Repeat("[U+202E]", 120)},
	} {
		if got := SpellOut(tt.text); got != tt.want {
			t.Errorf("%s: got %+q, want %+q", tt.name, got, tt.want)
		}
		if err := CheckText([]byte(SpellOut(tt.text))); err != nil {
			t.Errorf("%s: it is refused still: %v", tt.name, err)
		}
	}
}
