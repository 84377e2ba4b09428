package sanitize

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// A runeClass says what a code point can hide, or do to its neighbours.
type runeClass int

const (
	classShown runeClass = iota

	// Never in a text.
	classControl    // C0 without tab and line ends, DEL and C1
	classNonchar    // never will be a character
	classAnnotation // interlinear annotation: its text is not shown
	classTag        // a second ASCII that nobody sees
	classPrivate    // means something else elsewhere
	classSelector   // one of 240 variation selectors: a byte that nobody sees
	classBidi       // embeds, overrides or isolates what follows
	classDeprecated // format characters that Unicode advises against
	classUnassigned // invisible, but without a meaning yet

	// Not inside a Latin word or number.
	classBlank // shows as nothing

	// Somebody should look, unless the neighbours call for it.
	classJoiner    // joins or parts letters, or chooses the form of an emoji
	classDirection // turns the direction without a trace
)

// class returns the class of a code point above ASCII. The list is compared
// with the tables of Unicode by a test: every default-ignorable code point and
// every format character without a shape of its own has a class.
func class(r rune) runeClass {
	switch {
	case r < 0xA0:
		return classControl
	case r < 0x2000:
		return classBelow2000(r)
	case r < 0x3165:
		return classBelow3165(r)
	case r < 0xE000:
		return classShown
	case r < 0x10000:
		return classBelow10000(r)
	}
	return classAbove(r)
}

func classBelow2000(r rune) runeClass {
	switch {
	case r == 0x00AD, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, 0x180B <= r && r <= 0x180F:
		return classBlank
	case r == 0x061C:
		return classDirection
	}
	return classShown
}

func classBelow3165(r rune) runeClass {
	switch {
	case r == 0x200B, 0x2060 <= r && r <= 0x2064, r == 0x2800, r == 0x3164:
		return classBlank
	case r == 0x200C, r == 0x200D:
		return classJoiner
	case r == 0x200E, r == 0x200F:
		return classDirection
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return classBidi
	case r == 0x2065:
		return classUnassigned
	case 0x206A <= r && r <= 0x206F:
		return classDeprecated
	}
	return classShown
}

func classBelow10000(r rune) runeClass {
	switch {
	case r <= 0xF8FF:
		return classPrivate
	case 0xFDD0 <= r && r <= 0xFDEF, r >= 0xFFFE:
		return classNonchar
	case 0xFE00 <= r && r <= 0xFE0D, r == 0xFEFF, r == 0xFFA0:
		return classBlank
	case r == 0xFE0E, r == 0xFE0F:
		return classJoiner
	case 0xFFF0 <= r && r <= 0xFFF8:
		return classUnassigned
	case 0xFFF9 <= r && r <= 0xFFFB:
		return classAnnotation
	}
	return classShown
}

func classAbove(r rune) runeClass {
	switch {
	case r&0xFFFE == 0xFFFE:
		return classNonchar
	case 0x13430 <= r && r <= 0x1343F, r == 0x13441, r == 0x13442, r == 0x16FE4,
		0x1BCA0 <= r && r <= 0x1BCA3, r == 0x1D159, 0x1D173 <= r && r <= 0x1D17A:
		return classBlank // joiners and blanks of hieroglyphs, a filler, marks of shorthand and scores
	case r < 0xE0000:
		return classShown
	case r <= 0xE007F:
		return classTag
	case 0xE0100 <= r && r <= 0xE01EF:
		return classSelector
	case r <= 0xE0FFF:
		return classUnassigned
	case r >= 0xF0000:
		return classPrivate
	}
	return classShown
}

// refused returns the reason for which no text may hold the class, or "".
func (c runeClass) refused() string {
	switch c {
	case classControl:
		return ReasonControl
	case classNonchar:
		return ReasonNonchar
	case classAnnotation:
		return ReasonAnnotation
	case classTag:
		return ReasonTag
	case classPrivate:
		return ReasonPrivate
	case classSelector:
		return ReasonSelector
	case classBidi:
		return ReasonBidi
	case classDeprecated:
		return ReasonDeprecated
	case classUnassigned:
		return ReasonUnassigned
	case classShown, classBlank, classJoiner, classDirection:
	}
	return ""
}

// isLatinWord reports whether r is part of a word or number in Latin letters,
// or of a name in code.
func isLatinWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.Is(unicode.Latin, r) || unicode.Is(unicode.Nd, r)
}

// isMark reports whether r is written on what stands before it. The large
// blocks without marks need no look into a table.
func isMark(r rune) bool {
	return r >= 0x300 && (r < 0x3400 || r >= 0xA000) && (r < 0xAC00 || r >= 0xE000) && unicode.Is(unicode.M, r)
}

// RuneName writes a code point so that people can look for it: its number, and
// its name where it is one that hides.
func RuneName(r rune) string {
	if name := hiddenName(r); name != "" {
		return fmt.Sprintf("%U %s", r, name)
	}
	return fmt.Sprintf("%U", r)
}

// hiddenName returns the name that Unicode gives to a code point which can
// hide, "" of one that has none. The tables of all names would make the program
// larger by a megabyte.
func hiddenName(r rune) string {
	switch {
	case 0xE0020 <= r && r <= 0xE007E:
		return fmt.Sprintf("TAG %q", r-0xE0000)
	case 0xE0100 <= r && r <= 0xE01EF:
		return fmt.Sprintf("VARIATION SELECTOR-%d", r-0xE0100+17)
	case 0xFE00 <= r && r <= 0xFE0F:
		return fmt.Sprintf("VARIATION SELECTOR-%d", r-0xFE00+1)
	}
	for _, n := range [...]struct {
		r    rune
		name string
	}{
		{0x00AD, "SOFT HYPHEN"},
		{0x034F, "COMBINING GRAPHEME JOINER"},
		{0x061C, "ARABIC LETTER MARK"},
		{0x115F, "HANGUL CHOSEONG FILLER"},
		{0x1160, "HANGUL JUNGSEONG FILLER"},
		{0x17B4, "KHMER VOWEL INHERENT AQ"},
		{0x17B5, "KHMER VOWEL INHERENT AA"},
		{0x180B, "MONGOLIAN FREE VARIATION SELECTOR ONE"},
		{0x180C, "MONGOLIAN FREE VARIATION SELECTOR TWO"},
		{0x180D, "MONGOLIAN FREE VARIATION SELECTOR THREE"},
		{0x180E, "MONGOLIAN VOWEL SEPARATOR"},
		{0x180F, "MONGOLIAN FREE VARIATION SELECTOR FOUR"},
		{0x200B, "ZERO WIDTH SPACE"},
		{0x200C, "ZERO WIDTH NON-JOINER"},
		{0x200D, "ZERO WIDTH JOINER"},
		{0x200E, "LEFT-TO-RIGHT MARK"},
		{0x200F, "RIGHT-TO-LEFT MARK"},
		{0x2028, "LINE SEPARATOR"},
		{0x2029, "PARAGRAPH SEPARATOR"},
		{0x202A, "LEFT-TO-RIGHT EMBEDDING"},
		{0x202B, "RIGHT-TO-LEFT EMBEDDING"},
		{0x202C, "POP DIRECTIONAL FORMATTING"},
		{0x202D, "LEFT-TO-RIGHT OVERRIDE"},
		{0x202E, "RIGHT-TO-LEFT OVERRIDE"},
		{0x2060, "WORD JOINER"},
		{0x2061, "FUNCTION APPLICATION"},
		{0x2062, "INVISIBLE TIMES"},
		{0x2063, "INVISIBLE SEPARATOR"},
		{0x2064, "INVISIBLE PLUS"},
		{0x2066, "LEFT-TO-RIGHT ISOLATE"},
		{0x2067, "RIGHT-TO-LEFT ISOLATE"},
		{0x2068, "FIRST STRONG ISOLATE"},
		{0x2069, "POP DIRECTIONAL ISOLATE"},
		{0x206A, "INHIBIT SYMMETRIC SWAPPING"},
		{0x206B, "ACTIVATE SYMMETRIC SWAPPING"},
		{0x206C, "INHIBIT ARABIC FORM SHAPING"},
		{0x206D, "ACTIVATE ARABIC FORM SHAPING"},
		{0x206E, "NATIONAL DIGIT SHAPES"},
		{0x206F, "NOMINAL DIGIT SHAPES"},
		{0x2800, "BRAILLE PATTERN BLANK"},
		{0x3164, "HANGUL FILLER"},
		{0xFEFF, "ZERO WIDTH NO-BREAK SPACE"},
		{0xFFA0, "HALFWIDTH HANGUL FILLER"},
		{0xFFF9, "INTERLINEAR ANNOTATION ANCHOR"},
		{0xFFFA, "INTERLINEAR ANNOTATION SEPARATOR"},
		{0xFFFB, "INTERLINEAR ANNOTATION TERMINATOR"},
		{0xE0001, "LANGUAGE TAG"},
		{0xE007F, "CANCEL TAG"},
	} {
		if n.r == r {
			return n.name
		}
	}
	return ""
}
