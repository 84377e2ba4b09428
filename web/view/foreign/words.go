package foreign

import (
	"iter"
	"strings"
	"unicode"
)

// missing lists the words of the source that were not shown. Each construct
// of Markdown that hides something has a place of its own; this is for those
// that nobody thought of, so that what an agent reads is always in the page.
func (r *renderer) missing() {
	shown := map[string]int{}
	for _, piece := range r.shown {
		for word := range words(piece) {
			shown[word]++
		}
	}
	var missing []string
	for word := range words(string(r.source)) {
		if shown[word]--; shown[word] < 0 {
			missing = append(missing, word)
		}
	}
	if len(missing) > 0 {
		r.aside("div", "also in the text", strings.Join(missing, " "))
	}
}

// words yields the runs of letters, marks and digits.
func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return !isWord(r) })
}

func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
