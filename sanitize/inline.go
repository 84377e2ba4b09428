package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inline returns what a reader sees of a text as one line, for names and
// descriptions in lists. It is valid UTF-8 whatever comes in, and no longer
// than the text in code points.
//
// Line breaks, tabs and control characters become spaces, and a row of spaces
// becomes one. What is invisible or reorders its neighbours is dropped
// (zero-width and bidirectional characters, variation selectors, tags), so
// nothing can hide in it. What has no agreed meaning, such as private use and
// broken UTF-8, shows as U+FFFD. More than 8 combining marks in a row are cut.
func Inline(text string) string {
	if isInline(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	gap, marks := false, 0
	for _, r := range text {
		switch {
		case ' ' < r && r <= '~':
		case isGap(r):
			gap, marks = true, 0
			continue
		case unicode.Is(unicode.Cf, r), isBlank(r):
			continue
		case unicode.Is(unicode.Co, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
			r = utf8.RuneError
		}
		if marks = nextRun(marks, r); marks > maxMarks {
			continue
		}
		if gap && out.Len() > 0 {
			out.WriteByte(' ')
		}
		gap = false
		out.WriteRune(r)
	}
	return out.String()
}

// isInline reports whether text is what Inline would return, without looking
// beyond ASCII.
func isInline(text string) bool {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return before != ' ' || text == ""
}

func isGap(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Z, r)
}
