package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joinersPerKB is how many joiners an ordinary text has for 1,024 bytes.
const joinersPerKB = 8

// characters finds code points that a person does not see, or takes for others.
func (r *riskSearch) characters() {
	if plainASCII([]byte(r.text)) == len(r.text) && !strings.Contains(r.text, "\r") {
		return
	}
	s := scriptWalk{risks: r}
	marks := 0
	for i, c := range r.text {
		size := utf8.RuneLen(c)
		if c == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(r.text[i:])
		}
		switch {
		case c == '\r' && !strings.HasPrefix(r.text[i+1:], "\n"), c == '\u2028', c == '\u2029':
			r.add(CauseLineEnd, i, i+size)
		case c >= utf8.RuneSelf:
			r.character(i, c, size)
		}
		if marks = nextRun(marks, c); marks == maxMarks+1 {
			r.add(CauseMarks, i, i+size)
		}
		s.step(i, c)
	}
	s.end(len(r.text))
	r.manyJoiners()
	r.channels()
}

func (r *riskSearch) character(i int, c rune, size int) {
	k := class(c)
	if k == classShown || c == '\ufeff' && i == 0 {
		if isOddBlank(c) {
			r.blanks++
		}
		return
	}
	before, after := r.text[:i], r.text[i+size:]
	switch k {
	case classBlank:
		if !ownScript(before, c, after) {
			r.add(CauseHidden, i, i+size)
		} else if !setsOff(c, after) {
			r.fillers = append(r.fillers, i)
		}
	case classJoiner:
		if c >= 0xFE0E {
			r.selectors++
		}
		if !JoinerBelongs(before, c, after) {
			r.add(CauseJoiner, i, i+size)
		}
	case classDirection:
		r.add(CauseDirection, i, i+size)
	default: // no text has it that was checked today
		r.add(CauseHidden, i, i+size)
	}
}

// manyJoiners finds the kilobyte in which even joiners that belong are too
// many: each can be left out or not, which is a bit that nobody sees.
func (r *riskSearch) manyJoiners() {
	const window = 1024
	var at []int
	for i, c := range r.text {
		if c != '\u200c' && c != '\u200d' && c != '\ufe0e' && c != '\ufe0f' {
			continue
		}
		if at = append(at, i); len(at) <= joinersPerKB {
			continue
		}
		if first := at[len(at)-1-joinersPerKB]; i-first < window && !fullOfEmoji(r.text, first, i) {
			r.add(CauseJoiner, i, i+utf8.RuneLen(c))
			return
		}
	}
}

// fullOfEmoji reports whether each joiner from one byte to another stands by an
// emoji: rows of warning signs are ordinary.
func fullOfEmoji(text string, from, to int) bool {
	for i, c := range text[from:to] {
		switch c {
		case '\u200c':
			return false
		case '\u200d', '\ufe0e', '\ufe0f':
			base, _ := utf8.DecodeLastRuneInString(trimModifiers(text[:from+i]))
			if !isPictograph(base) && !isKeycap(base) {
				return false
			}
		}
	}
	return true
}

// ownScript reports whether a blank is an ordinary part of what its neighbours
// are written in.
func ownScript(before string, c rune, after string) bool {
	prev, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	script := unicode.Mongolian
	switch {
	case c == 0x16FE4:
		script = unicode.Khitan_Small_Script
	case 0x180B <= c && c <= 0x180F:
	case c == 0x115F: // which stands for the consonant that a vowel has before it
		return isJamo(next) && !isLeading(next)
	case c == 0x1160: // for the vowel behind one
		return isLeading(prev) && !isVowel(next)
	case 0x13430 <= c && c <= 0x13442:
		script = unicode.Egyptian_Hieroglyphs
	default:
		return false
	}
	return unicode.Is(script, prev) && class(prev) == classShown || unicode.Is(script, next) && class(next) == classShown
}

// setsOff reports whether c is what Mongolian has before the vowel that ends a
// word, and shows by its form.
func setsOff(c rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return c == 0x180E && (next == 0x1820 || next == 0x1821)
}

// isJamo reports whether r is a Hangul letter that is put together with its
// neighbours, and shows.
func isJamo(r rune) bool {
	old := 0xA960 <= r && r <= 0xA97C || 0xD7B0 <= r && r <= 0xD7FB
	return old || 0x1100 <= r && r <= 0x11FF && class(r) == classShown
}

func isLeading(r rune) bool { return 0x1100 <= r && r <= 0x115E || 0xA960 <= r && r <= 0xA97C }

func isVowel(r rune) bool { return 0x1161 <= r && r <= 0x11A7 || 0xD7B0 <= r && r <= 0xD7C6 }

// JoinerBelongs reports whether a joiner or selector is an ordinary part of
// what stands around it: of an emoji, or of a word in a script that spells with
// joiners.
func JoinerBelongs(before string, c rune, after string) bool {
	prev, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch c {
	case 0x200D:
		base, _ := utf8.DecodeLastRuneInString(trimModifiers(before))
		return isPictograph(base) && isPictograph(next) || joins(prev, next)
	case 0x200C:
		return joins(prev, next)
	}
	return isPictograph(prev) || isKeycap(prev) && next == 0x20E3
}

// trimModifiers cuts what may stand between a pictograph and a joiner, of which
// there are few.
func trimModifiers(s string) string {
	const most = 32
	s = s[max(0, len(s)-most):]
	return strings.TrimRightFunc(s, func(r rune) bool { return r == 0xFE0F || 0x1F3FB <= r && r <= 0x1F3FF })
}

func isKeycap(r rune) bool { return '0' <= r && r <= '9' || r == '#' || r == '*' }

// isPictograph tells symbols that have an emoji form. Go has no table of them:
// nearly all are in the category So, and those which are not are listed.
func isPictograph(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r == utf8.RuneError, class(r) != classShown:
		return false
	case r == 0x203C, r == 0x2049, r == 0x2139, r == 0x2194, r == 0x2934, r == 0x2935, r == 0x3030, r == 0x303D:
		return true
	case 0x25FB <= r && r <= 0x25FE, 0x1F3FB <= r && r <= 0x1F3FF:
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
