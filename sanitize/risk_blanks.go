package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isOddBlank reports whether c is a blank as people see it, and no U+0020.
func isOddBlank(c rune) bool {
	return c == 0xA0 || c == 0x1680 || 0x2000 <= c && c <= 0x200A || c == 0x202F || c == 0x205F || c == 0x3000
}

// blanks collects which blanks are chosen within lines.
func blanks(text string) choices {
	c := choices{}
	start := -1 // of a run of blanks
	for i, next := range text {
		switch {
		case next == ' ' || isOddBlank(next):
			if start < 0 {
				start = i
			}
			continue
		case start >= 0 && next != '\n' && next != '\r':
			where := surroundings(text[:start], text[i:])
			for j, blank := range text[start:i] {
				c.add(where, string(blank), start+j)
			}
		}
		start = -1
	}
	return c
}

// surroundings names what people choose a blank by: signs before which French has
// one that does not break, numbers, short words that shall not end a line, and
// the scripts with a wide blank or with endings that one sets off.
func surroundings(before, after string) string {
	prev, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	word := lastWord(before)
	short := utf8.RuneCountInString(word) <= 3
	atStart := before == "" || prev == '\n' || prev == '\r'
	switch {
	case atStart && isWide(next):
		return "start wide"
	case atStart:
		return "start"
	case strings.ContainsRune(":;!?»›%‰€£$°–—", next):
		return "before " + string(next)
	case strings.ContainsRune("«‹§№–—", prev):
		return "after " + string(prev)
	case unicode.Is(unicode.Mongolian, next):
		return "before " + firstWord(after)
	case isWide(prev) && isWide(next):
		return "within wide"
	case isWide(prev) || isWide(next):
		return "beside wide"
	case unicode.IsDigit(prev) && unicode.IsDigit(next):
		return "0 0"
	case unicode.IsDigit(prev):
		return "0"
	case unicode.IsDigit(next):
		return word + " 0"
	case word != "" && short:
		return word
	}
	return ""
}

// isWide reports whether r is of a script whose blank is as wide as a letter.
func isWide(r rune) bool {
	return 0x3001 <= r && r <= 0x30FF || 0x3400 <= r && r <= 0x9FFF || 0xFF01 <= r && r <= 0xFF60
}

// mostWord is how many bytes of a word are looked at.
const mostWord = 64

// lastWord returns the letters at the end of s, with a full stop behind them if
// there is one.
func lastWord(s string) string {
	s = s[max(0, len(s)-mostWord):]
	return s[len(strings.TrimRightFunc(strings.TrimSuffix(s, "."), unicode.IsLetter)):]
}

// firstWord returns the letters at the beginning of s.
func firstWord(s string) string {
	s = s[:min(len(s), mostWord)]
	return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsLetter))]
}

// lineEnds finds messages behind the lines: in blanks and in what ends a line.
func (r *riskSearch) lineEnds() {
	const sloppy = 64 // single blanks that were left behind
	count := func(s string) int { return strings.Count(r.text, s) }
	behind := count(" \n") + count("\t\n") + count(" \r") + count("\t\r") + r.blanks
	windows := count("\r\n")
	if behind <= oddPerKB && windows == 0 {
		return
	}
	var turns, one []int
	other := choices{} // since what stands behind all lines alike tells nothing
	at, was := 0, false
	for line := range strings.Lines(r.text) {
		text, ended := strings.CutSuffix(line, "\n")
		shown, crlf := strings.CutSuffix(text, "\r")
		if ended && at > 0 && crlf != was {
			turns = append(turns, at+len(line)-1)
		}
		was = crlf
		shown = strings.TrimRightFunc(shown, func(c rune) bool { return c == ' ' || c == '\t' || isOddBlank(c) })
		switch left := strings.TrimSuffix(text[len(shown):], "\r"); {
		case shown == "":
		case left == "", left == "  ": // which breaks a line in Markdown
			other.add("", "", at+len(shown))
		case left == " ":
			one = append(one, at+len(shown))
		default:
			other.add("", left, at+len(shown))
		}
		at += len(line)
	}
	r.channel(turns, oddMost)
	r.channel(other.odd(), oddMost)
	if len(one) > sloppy {
		r.channel(one, sloppy)
	}
}
