package secrets

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// disguises returns a part of text as it reads without disguises, in one piece,
// and from the end. A view that would equal an earlier one is left out.
func disguises(text string, part span) []view {
	plain := view{text: text[part.start:part.end], origin: func(s span) span {
		return span{part.start + s.start, part.start + s.end}
	}}
	var all []view
	last := plain
	if v, ok := unfold(&plain); ok {
		all = append(all, v)
		last = v
	}
	labelled := func(under *view) (view, bool) { return columns(under, secretHeads(headAbove(text, part.start))) }
	for _, rewrite := range []func(*view) (view, bool){labelled, spell, glue, undump} {
		if v, ok := rewrite(&last); ok {
			all = append(all, v)
		}
	}
	return append(all, backwards(&plain))
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
	if len(r.edits) == 0 {
		r.out.Grow(len(r.under.text))
	}
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
	return view{
		text: r.out.String(), news: r.edits.touch,
		origin: func(s span) span { return r.under.origin(r.edits.below(s)) },
	}, true
}

// unfold takes off what changes the look of a character or nothing at all:
// compatibility forms (NFKC), look-alikes of other scripts, invisible
// characters, and the escapes of Markdown, JSON, HTML, C and mail.
func unfold(under *view) (view, bool) {
	r := rewriting{under: under}
	text := under.text
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c != '\\' && c != '&' && c != '=' {
				i++
				continue
			}
			plain, size := unescape(text, i)
			if size > 1 {
				r.replace(span{i, i + size}, plain)
			}
			i += size
			continue
		}
		end := i
		for end < len(text) && text[end] >= utf8.RuneSelf {
			end++
		}
		if plain := plainForm(text, span{i, end}); plain != text[i:end] {
			r.replace(span{i, end}, plain)
		}
		i = end
	}
	return r.view()
}

// plainForm returns a run of characters beyond ASCII as they look. Only where
// the run is a part of an ASCII word do letters of other scripts become Latin
// ones, and marks go: there they are not at home.
func plainForm(text string, run span) string {
	plain := norm.NFKC.String(strings.Map(visible, text[run.start:run.end]))
	if !(run.start > 0 && isToken(text[run.start-1])) && !(run.end < len(text) && isToken(text[run.end])) {
		return plain
	}
	return strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		if latin, ok := lookalike(c); ok {
			return latin
		}
		return c
	}, plain)
}

// lookalike returns the ASCII character that c is taken for.
func lookalike(c rune) (rune, bool) {
	const (
		others = "авеікмнорстухѕјһԁԛԝѵгАВЕІКМНОРСТУХЅЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχıɡ‐‑‒–—―−⁃∕⁄"
		latins = "abeikmhopctyxsjhdqwvrABEIKMHOPCTYXSJABEZHIKMNOPTYXaikvoptuxig--------//"
	)
	if n := strings.IndexRune(others, c); n >= 0 {
		return rune(latins[utf8.RuneCountInString(others[:n])]), true
	}
	return 0, false
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
