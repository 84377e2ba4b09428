package diff

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// Bounds of the search for changed words. The work of comparing two lists of
// words is at most the product of their lengths; those are the cells.
const (
	mostCells = 8 << 20
	mostWords = 60_000 // different ones: each takes a code point of the two last planes
	patience  = 250 * time.Millisecond
)

// words compares two texts word by word and returns each with its changed
// words marked. Nothing is marked if one text is empty, if they have little in
// common, or if comparing them takes more cells than are left.
func words(from, to string, cells *int) (before, after []Span) {
	before, after = whole(from), whole(to)
	if from == "" || to == "" {
		return before, after
	}
	v := vocabulary{codes: map[string]rune{}, next: firstCode}
	a, b := v.encode(from), v.encode(to)
	if len(a)*len(b) > *cells || len(v.words) > mostWords {
		return before, after
	}
	*cells -= len(a) * len(b)

	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = patience
	diffs := dmp.DiffCleanupSemantic(dmp.DiffMainRunes(a, b, false))
	var marked, other []Span
	same := 0
	for _, d := range diffs {
		text := v.decode(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			marked, other = append(marked, Span{Text: text}), append(other, Span{Text: text})
			same += weight(text)
		case diffmatchpatch.DiffDelete:
			marked = append(marked, Span{text, true})
		case diffmatchpatch.DiffInsert:
			other = append(other, Span{text, true})
		}
	}
	// The library's clean-up is not trusted with the text itself.
	if joined(marked) != from || joined(other) != to || same*3 < max(weight(from), weight(to)) {
		return before, after
	}
	return marked, other
}

func whole(s string) []Span {
	if s == "" {
		return nil
	}
	return []Span{{Text: s}}
}

// weight is how much of a text can be recognised: its characters without white
// space.
func weight(s string) int {
	n := 0
	for field := range strings.FieldsSeq(s) {
		n += utf8.RuneCountInString(field)
	}
	return n
}

func joined(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// vocabulary gives each different word a code point, since the library
// compares those.
type vocabulary struct {
	words []string
	codes map[string]rune
	next  rune
}

// firstCode is the first code point of the last two planes, which have room
// for all; the private use area below holds only 6,400.
const firstCode = 0xf0000

// encode writes a text as one code point a word. Words are those of Unicode: a
// letter stays with its marks and an emoji with what it is joined to.
func (v *vocabulary) encode(s string) []rune {
	var codes []rune
	for state := -1; s != ""; {
		var word string
		word, s, state = uniseg.FirstWordInString(s, state)
		code, known := v.codes[word]
		if !known {
			code = v.next
			v.next++
			v.codes[word] = code
			v.words = append(v.words, word)
		}
		codes = append(codes, code)
	}
	return codes
}

func (v *vocabulary) decode(codes string) string {
	var b strings.Builder
	for _, code := range codes {
		if i := int(code - firstCode); i >= 0 && i < len(v.words) {
			b.WriteString(v.words[i])
		}
	}
	return b.String()
}
