package foreign

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
	case 0x200d:
		base, _ := utf8.DecodeLastRuneInString(trimModifiers(before))
		return 0, isPictograph(base) && isPictograph(next) || joins(prev, next)
	case 0x200c:
		return 0, joins(prev, next)
	case 0xfe0f, 0xfe0e:
		return 0, isPictograph(prev) || isKeycap(prev) && next == 0x20e3
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

// trimModifiers cuts what may stand between a pictograph and a joiner.
func trimModifiers(s string) string {
	return strings.TrimRightFunc(s, func(r rune) bool { return r == 0xfe0f || 0x1f3fb <= r && r <= 0x1f3ff })
}

func isKeycap(r rune) bool { return '0' <= r && r <= '9' || r == '#' || r == '*' }

// isPictograph tells symbols that have an emoji form. Go has no table of them:
// nearly all are in the category So, and those which are not are listed.
func isPictograph(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r == utf8.RuneError: // of nothing at all
		return false
	case r == 0x203c, r == 0x2049, r == 0x2139, r == 0x2194, r == 0x2934, r == 0x2935, r == 0x3030, r == 0x303d:
		return true
	case 0x25fb <= r && r <= 0x25fe, 0x1f3fb <= r && r <= 0x1f3ff:
		return true
	}
	return unicode.Is(unicode.So, r)
}

// joins reports whether a joiner between the two is how their script spells a
// word, as in Persian or Hindi.
func joins(prev, next rune) bool {
	for _, script := range [...]*unicode.RangeTable{
		unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer,
	} {
		if unicode.Is(script, prev) {
			return unicode.Is(script, next)
		}
	}
	return false
}

func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		0x3001 <= r && r <= 0x303f || 0xff01 <= r && r <= 0xffef
}
