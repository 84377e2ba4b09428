package foreign

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// invisible names the class of a code point that shows as nothing, as a plain
// space or as something that no font has; "" of one that can be seen. Line
// breaks and tabs are left to the caller.
func invisible(r rune) string {
	switch {
	case r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
		return ""
	case unicode.Is(unicode.Cc, r):
		return "control character"
	case 0x200b <= r && r <= 0x200d, r == 0x2060, r == 0xfeff:
		return "zero width"
	case unicode.Is(unicode.Bidi_Control, r):
		return "direction control"
	case 0xe0000 <= r && r <= 0xe007f:
		return "tag character"
	case unicode.Is(unicode.Variation_Selector, r):
		return "variation selector"
	case unicode.Is(unicode.Co, r):
		return "private use"
	case unicode.Is(unicode.Z, r):
		return "unusual space"
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // a format character that can be seen
		return ""
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == 0x2800:
		return "invisible"
	case !strconv.IsPrint(r):
		return "unassigned"
	}
	return ""
}

// belongs reports whether an invisible code point is an ordinary part of what
// stands around it: the joiners and selectors of an emoji, a joiner inside a
// word of a script that writes with them, a wide space between wide letters.
// It returns how many bytes of after belong with it.
func belongs(before string, r rune, after string) (more int, ok bool) {
	prev, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case 0x200c, 0x200d, 0xfe0e, 0xfe0f:
		return 0, sanitize.JoinerBelongs(before, r, after)
	case 0x3000:
		return 0, isWide(prev) || isWide(next)
	}
	if prev == 0x1f3f4 { // a black flag, made the flag of a part of a country by the tags behind it
		for _, flag := range [...]string{"gbeng", "gbsct", "gbwls"} {
			tags := asTags(flag)
			if first, size := utf8.DecodeRuneInString(tags); r == first && strings.HasPrefix(after, tags[size:]) {
				return len(tags) - size, true
			}
		}
	}
	return 0, false
}

// asTags writes a word in tag characters, with the one that ends it.
func asTags(word string) string {
	return strings.Map(func(r rune) rune { return 0xe0000 + r }, word) + "\U000e007f"
}

func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		0x3001 <= r && r <= 0x303f || 0xff01 <= r && r <= 0xffef
}
