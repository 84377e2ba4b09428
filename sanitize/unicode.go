package sanitize

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// refuseUnicode lets only characters pass that people can see and that every
// system stores alike. known tells which code points exist at all.
func refuseUnicode(raw string, known func(rune) bool) *PathError {
	marks := 0
	for i, r := range raw {
		if r < utf8.RuneSelf {
			marks = 0
			continue
		}
		if fault := runeFault(r, known); fault != "" {
			return &PathError{LayerUnicode, i, fmt.Sprintf("%U %s", r, fault)}
		}
		if marks = markRun(marks, raw[i:]); marks > maxMarks {
			return &PathError{LayerUnicode, i, "too many combining marks in a row; at most 8 are allowed"}
		}
	}
	return nil
}

// runeFault says why r may not be in a name, or returns "".
func runeFault(r rune, known func(rune) bool) string {
	structure := foldsTo(r)
	switch {
	case structure != 0:
		return fmt.Sprintf("turns into %q on some systems; use another character", structure)
	case isBlank(r):
		return "is invisible; leave it out"
	case known(r):
		return ""
	case unicode.Is(unicode.Cf, r):
		return "is invisible and controls its neighbours; leave it out"
	case unicode.Is(unicode.Z, r):
		return "is an unusual space; use an ordinary one"
	case unicode.Is(unicode.Co, r):
		return "is for private use and means something else elsewhere; leave it out"
	}
	return "is not assigned to a character; leave it out"
}

// isKnown reports whether r, which is not ASCII, is a letter, mark, number,
// punctuation or symbol. Unassigned code points are none: normalisation is
// stable only for assigned ones.
func isKnown(r rune) bool { return strconv.IsPrint(r) }

// isKnownOrNewer also lets pass what a later Unicode version may assign.
// Noncharacters never will be.
func isKnownOrNewer(r rune) bool {
	return isKnown(r) || unicode.Is(unicode.Cn, r) && !unicode.Is(unicode.Noncharacter_Code_Point, r)
}

// isBlank reports whether r shows as nothing although its category tells
// otherwise: the default-ignorable letters (fillers), marks (variation
// selectors) and unassigned code points, and the blank Braille pattern.
func isBlank(r rune) bool {
	return r == '\u2800' ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Variation_Selector, r)
}

// foldsTo returns the structural character that r holds after compatibility
// decomposition, or 0. Some systems decompose names, and then a dot or slash
// would appear that no layer has seen. Look-alikes that stay themselves, such
// as U+2044, are accepted. A test computes this list again.
func foldsTo(r rune) rune {
	switch r {
	case 0x2024, 0x2025, 0x2026, 0x33C2, 0x33C7, 0x33D8, 0xFE19, 0xFE30, 0xFE52, 0xFF0E, 0x1F100:
		return '.'
	case 0x2100, 0x2101, 0x2105, 0x2106, 0xFF0F:
		return '/'
	case 0xFE68, 0xFF3C:
		return '\\'
	case 0x2A74, 0xFE13, 0xFE55, 0xFF1A:
		return ':'
	case 0xFE6A, 0xFF05:
		return '%'
	case 0xFF5E:
		return '~'
	}
	if 0x2488 <= r && r <= 0x249B { // digits and numbers with a full stop
		return '.'
	}
	return 0
}

// markRun returns how many combining marks are in a row, in NFD, after the
// first rune of s, when run of them stood before it.
func markRun(run int, s string) int {
	decomposed := norm.NFD.PropertiesString(s).Decomposition()
	if decomposed == nil {
		r, _ := utf8.DecodeRuneInString(s)
		return nextRun(run, r)
	}
	for len(decomposed) > 0 {
		r, size := utf8.DecodeRune(decomposed)
		run, decomposed = nextRun(run, r), decomposed[size:]
	}
	return run
}

func nextRun(run int, r rune) int {
	if unicode.Is(unicode.M, r) {
		return run + 1
	}
	return 0
}

// joiner is what x/text puts into a run of over 30 joining code points when it
// normalises (the Stream-Safe Text Format of UAX 15). Few of those are marks:
// Hangul vowels and halfwidth voicing marks are letters.
const joiner = "\u034f"

// refuseJoiner keeps out of a canonical key what nobody typed. Since layer
// unicode refused the joiner in the raw key, x/text must have put it there.
func refuseJoiner(k key) *PathError {
	if !strings.Contains(k.canonical, joiner) && !strings.Contains(k.skeleton, joiner) {
		return nil
	}
	return &PathError{
		LayerUnicode, max(strings.Index(k.canonical, joiner), 0),
		"too many joining characters in a row; at most 30 are allowed",
	}
}
