package sanitize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// How often an ordinary text is written otherwise than it mostly is, where nobody
// sees a difference. Above that it may be a message: each such place is a bit.
const (
	oddPerKB = 8  // within 1,024 bytes
	oddMost  = 24 // in all
)

// choices are the places of a text where something else could stand that looks
// the same, in the order of the text and by their surroundings, in which people
// write the same each time.
type choices map[string][]choice

// choice is what was written at a place.
type choice struct {
	what string
	at   int
}

func (c choices) add(where, what string, at int) { c[where] = append(c[where], choice{what, at}) }

// odd returns, in the order of the text, the places where something else is
// written than mostly is, or than before: where one part of a text is written so
// and the other so, it is the second that tells of no message.
func (c choices) odd() (odd []int) {
	for _, all := range c {
		usual := usualOf(all)
		var rare, turns []int
		for i, one := range all {
			if one.what != usual {
				rare = append(rare, one.at)
			}
			if i > 0 && one.what != all[i-1].what {
				turns = append(turns, one.at)
			}
		}
		if len(turns) < len(rare) {
			rare = turns
		}
		odd = append(odd, rare...)
	}
	slices.Sort(odd)
	return odd
}

func usualOf(all []choice) (usual string) {
	count := map[string]int{}
	for _, one := range all {
		count[one.what]++
	}
	for what, n := range count {
		if most := count[usual]; n > most || n == most && what < usual {
			usual = what
		}
	}
	return usual
}

// channels finds what could be a message that nobody sees.
func (r *riskSearch) channels() {
	if len(r.fillers) > oddPerKB {
		r.channel(r.fillers, len(r.text))
		r.channel(words(r.text).odd(), oddMost)
	}
	if r.selectors > oddPerKB {
		signs := pictographs(r.text)
		r.channel(signs.odd(), oddMost)
		if single := signs.single(); len(single) > oddMost {
			r.channel(single, oddMost)
		}
	}
	if r.blanks > oddPerKB {
		r.channel(blanks(r.text).odd(), oddMost)
	}
	if !norm.NFC.IsNormalString(r.text) {
		r.channel(spellings(r.text).odd(), oddMost)
	}
}

// channel tells of odd places if there are more of them than ordinary: in a
// stretch of the text, or than most in all.
func (r *riskSearch) channel(odd []int, most int) {
	const window = 1024
	for i, at := range odd {
		first := max(i-oddPerKB, 0)
		if i == most {
			first = 0
		} else if i < oddPerKB || at-odd[first] >= window {
			continue
		}
		_, size := utf8.DecodeRuneInString(r.text[odd[first]:])
		r.add(CauseChannel, odd[first], odd[first]+size)
		return
	}
}

// pictographs collects which form is chosen for signs that have several.
func pictographs(text string) choices {
	c := choices{}
	for i, sign := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		form, rest := "", text[i+size:]
		if strings.HasPrefix(rest, "\ufe0e") || strings.HasPrefix(rest, "\ufe0f") {
			form, rest = rest[:len("\ufe0f")], rest[len("\ufe0f"):]
		}
		if isPictograph(sign) || isKeycap(sign) && strings.HasPrefix(rest, "\u20e3") {
			c.add(string(sign), form, i)
		}
	}
	return c
}

// single returns the signs that the text has in one form alone, of the form that
// fewer have: where each sign stands once, that is the choice.
func (c choices) single() []int {
	var bare, chosen []int
	for _, all := range c {
		switch usual := usualOf(all); {
		case slices.ContainsFunc(all, func(one choice) bool { return one.what != usual }):
		case usual == "":
			bare = append(bare, all[0].at)
		default:
			chosen = append(chosen, all[0].at)
		}
	}
	if len(bare) < len(chosen) {
		chosen = bare
	}
	slices.Sort(chosen)
	return chosen
}

// words collects how words are written that hold fillers or selectors, which are
// spelled alike each time.
func words(text string) choices {
	c := choices{}
	at := 0
	inWord := func(r rune) bool {
		return unicode.IsLetter(r) || r >= utf8.RuneSelf && (class(r) == classBlank || isMark(r))
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inWord(r) }) {
		at += strings.Index(text[at:], word)
		seen := strings.Map(func(r rune) rune {
			if r >= utf8.RuneSelf && class(r) == classBlank {
				return -1
			}
			return r
		}, word)
		c.add(seen, word, at)
		at += len(word)
	}
	return c
}

// spellings collects how letters are put together that can be written as one code
// point or as several.
func spellings(text string) choices {
	c := choices{}
	var parts norm.Iter
	parts.InitString(norm.NFC, text)
	for !parts.Done() {
		from := parts.Pos()
		composed := parts.Next()
		written := text[from:parts.Pos()]
		if len(written) > 1 && (written != string(composed) || len(norm.NFD.String(written)) > len(written)) {
			c.add(string(composed), written, from)
		}
	}
	return c
}
