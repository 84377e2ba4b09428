package secrets

import "strings"

// naturalness tells words from random characters: the share of neighbouring
// characters that ordinary identifiers, dates and English prose put next to
// each other. Words reach 0.8 and more, random base62 stays near 0.3.
func naturalness(s string) float64 {
	if len(s) < 2 {
		return 1
	}
	common, pairs := 0.0, 0.0
	for i := 1; i < len(s); i++ {
		weight, natural := pair(s[i-1], s[i])
		pairs += weight
		common += weight * natural
	}
	if pairs == 0 {
		return 1
	}
	return common / pairs
}

// pair returns how much two neighbours tell, and how natural they are. A
// separator tells little, since random text can be grouped by dashes as well.
func pair(a, b byte) (weight, natural float64) {
	switch {
	case isLower(a) && isUpper(b):
		return 0.5, 0.5 // the seam of a camelCase name, or one of many in a random string
	case isLetter(a) && isLetter(b):
		if follows(a|0x20, b|0x20) {
			return 1, 1
		}
		return 1, 0
	case isDigit(a) && isDigit(b):
		return 0.5, 1
	case isLetter(a) && isDigit(b), isDigit(a) && isLetter(b):
		return 1, 0
	}
	if isSeparator(a) || isSeparator(b) {
		return 0.25, 1
	}
	return 0.5, 0.5 // a sign, as in program text and in passwords
}

func isSeparator(b byte) bool {
	return b == '-' || b == '_' || b == '.' || b == '/' || b == ' ' || b == ':'
}

// follows tells whether lower-case b often comes after a. The table holds the
// 250 commonest pairs among the words of Go's documentation; they make up 92 %
// of the pairs in words and 37 % of all that exist.
func follows(a, b byte) bool {
	const after = "abcdgiklmnprstuvxy|aeilorsu|acehiklmorstu|adeilmorsu|abcdefglmnpqrstvwx|aefilorsu|aehinors|aeiort|" +
		"abcdefglmnoprstvxz||eis|adeilostuy|abeimopsu|acdefgiklnostuv|abcdfgiklmnoprstuvw|aceilmoprstu|u|" +
		"acdefgiklmnorstuvy|acehiklopstuy|acefhilmoprstuy|abcefilmnprst|aeip|aeior|ept|ps|e"
	row := after
	for range a - 'a' {
		_, row, _ = strings.Cut(row, "|")
	}
	row, _, _ = strings.Cut(row, "|")
	return strings.IndexByte(row, b) >= 0
}

func isLower(b byte) bool  { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool  { return 'A' <= b && b <= 'Z' }
func isLetter(b byte) bool { return isLower(b | 0x20) }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isHex(b byte) bool    { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' }
func isWord(b byte) bool   { return isLetter(b) || isDigit(b) || b == '_' }

// isToken tells whether b may stand in a token.
func isToken(b byte) bool {
	switch b {
	case '_', '-', '.', '+', '/', '=', '~':
		return true
	}
	return isLetter(b) || isDigit(b)
}

func all(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

func has(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if is(s[i]) {
			return true
		}
	}
	return false
}

func count(s string, is func(byte) bool) (n int) {
	for i := range len(s) {
		if is(s[i]) {
			n++
		}
	}
	return n
}
