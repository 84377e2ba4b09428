package sanitize

import (
	"unicode"
	"unicode/utf8"
)

// scriptWalk follows the words of a text, and finds those whose letters are of
// scripts that are not written together, such as a Cyrillic "а" in "pаypal"
// (UTS 39, section 5). The scripts of East Asia mix with one another and leave
// no blanks, so a word ends where they begin.
type scriptWalk struct {
	risks  *riskSearch
	start  int // of the word; only with letters
	inWord bool
	script *unicode.RangeTable // of its letters, as far as they have one
	mixed  bool
	last   *unicode.RangeTable // of the newest letter above ASCII
}

func (w *scriptWalk) step(i int, c rune) {
	if c < utf8.RuneSelf {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter {
			if c < '0' || c > '9' {
				w.end(i)
			}
			return
		}
		w.letter(i, unicode.Latin, c)
		return
	}
	if class(c) != classShown || isMark(c) {
		return
	}
	if !unicode.IsLetter(c) {
		w.end(i)
		return
	}
	script := scriptOf(c, w.last)
	if script == nil {
		w.end(i)
		return
	}
	w.last = script
	w.letter(i, script, c)
}

// letter takes a letter into the word. One Greek letter that looks like no Latin
// one is a symbol, as in "Δt".
func (w *scriptWalk) letter(i int, script *unicode.RangeTable, c rune) {
	if !w.inWord {
		w.inWord, w.start, w.script, w.mixed = true, i, script, false
		return
	}
	if script == w.script {
		return
	}
	symbol := func(s *unicode.RangeTable, r rune) bool { return s == unicode.Greek && confusable(r) == 0 }
	first, size := utf8.DecodeRuneInString(w.risks.text[w.start:])
	if script == unicode.Latin && i == w.start+size && symbol(w.script, first) || w.script == unicode.Latin && symbol(script, c) {
		w.script = unicode.Latin
		return
	}
	w.mixed = true
}

// end closes the word before i.
func (w *scriptWalk) end(i int) {
	if w.inWord && w.mixed {
		w.risks.add(CauseScripts, w.start, i)
	}
	w.inWord, w.script = false, nil
}

// scriptOf returns the script of a letter; nil if it mixes with any, or is of
// East Asia. What the letters before had is tried first.
func scriptOf(c rune, before *unicode.RangeTable) *unicode.RangeTable {
	if before != nil && unicode.Is(before, c) {
		return before
	}
	if unicode.In(c, unicode.Common, unicode.Inherited, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) {
		return nil
	}
	for _, script := range [...]*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew} {
		if unicode.Is(script, c) {
			return script
		}
	}
	for _, script := range unicode.Scripts {
		if unicode.Is(script, c) {
			return script
		}
	}
	return nil
}
