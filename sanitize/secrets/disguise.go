package secrets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// views returns the texts to read: as it stands, without disguises, and in one
// line. A view that would equal an earlier one is left out.
func views(text string) []view {
	plain := view{text: text}
	all := []view{plain}
	last := plain
	if v, ok := unfold(&plain); ok {
		all = append(all, v)
		last = v
	}
	if v, ok := columns(&last); ok {
		all = append(all, v)
	}
	if v, ok := join(&last); ok {
		all = append(all, v)
	}
	return all
}

// rewriting builds a view from the text below it.
type rewriting struct {
	under *view
	out   strings.Builder
	edits edits
	kept  int // how much of the text below has been dealt with
}

// replace puts s in the place of the given range of the text below.
func (r *rewriting) replace(in span, s string) {
	r.out.WriteString(r.under.text[r.kept:in.start])
	start := r.out.Len()
	r.out.WriteString(s)
	r.edits = append(r.edits, edit{in, span{start, r.out.Len()}})
	r.kept = in.end
}

// view returns the result, and false if nothing was replaced.
func (r *rewriting) view() (view, bool) {
	if len(r.edits) == 0 {
		return view{}, false
	}
	r.out.WriteString(r.under.text[r.kept:])
	v := view{text: r.out.String(), news: r.edits.touch, origin: r.edits.below}
	if r.under.origin != nil {
		v.origin = func(s span) span { return r.under.origin(r.edits.below(s)) }
	}
	return v, true
}

// unfold takes off what changes the look of a character or nothing at all:
// compatibility forms (NFKC), format characters, variation selectors, tags and
// other invisible ones, and the backslashes with which Markdown and JSON escape
// the signs of a token.
func unfold(under *view) (view, bool) {
	r := rewriting{under: under}
	text := under.text
	for i := 0; i < len(text); {
		switch {
		case text[i] == '\\' && i+1 < len(text) && strings.IndexByte(`_-.+~=/`, text[i+1]) >= 0:
			r.replace(span{i, i + 1}, "")
			i += 2
		case text[i] < utf8.RuneSelf:
			i++
		default:
			end := i
			for end < len(text) && text[end] >= utf8.RuneSelf {
				end++
			}
			if plain := norm.NFKC.String(strings.Map(visible, text[i:end])); plain != text[i:end] {
				r.replace(span{i, end}, plain)
			}
			i = end
		}
	}
	return r.view()
}

// visible drops the code points that nobody sees.
func visible(c rune) rune {
	switch {
	case unicode.Is(unicode.Cf, c), unicode.Is(unicode.Variation_Selector, c), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c),
		c == '\u2800': // the empty Braille cell
		return -1
	}
	return c
}

// join takes out the line breaks within words, with the white space, the
// quotation marks and the backslash that may stand around them.
func join(under *view) (view, bool) {
	r := rewriting{under: under}
	text := under.text
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n
		start, end := at, at+1
		for start > r.kept && strings.IndexByte(" \t\r\\", text[start-1]) >= 0 {
			start--
		}
		for end < len(text) && strings.IndexByte(" \t>", text[end]) >= 0 {
			end++
		}
		at = end
		if start > r.kept && end < len(text) && isToken(text[start-1]) && isToken(text[end]) {
			r.replace(span{start, end}, "")
		}
	}
	v, ok := r.view()
	v.joined = true
	return v, ok
}

func isToken(b byte) bool { return isWord(b) || strings.IndexByte("-.+/=~", b) >= 0 }
