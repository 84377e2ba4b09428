package foreign

import (
	"fmt"
	"html"
	"iter"
	"strings"
	"unicode/utf8"
)

// Piece is a part of a text: what can be seen as it is, or a code point that
// cannot, with those like it that follow.
type Piece struct {
	Text  string // the true bytes
	Chip  string // what to show in their place, such as "U+200B" or "U+200B ×3"; "" for text that shows itself
	Class string // what kind of code point it is
	Count int    // of a chip: how many code points it stands for
}

// shown is the white space that shows itself in a text of several lines.
const shown = "\n\t"

// Pieces cuts a text into what can be seen and what cannot. Line feeds and tabs
// show themselves.
func Pieces(s string) iter.Seq[Piece] { return pieces(s, shown) }

// pieces cuts a text; the code points in plain show themselves.
func pieces(s, plain string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for p := range runs(s, plain) {
			if p.Class != "" {
				p.Chip = chip(p)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// runs is pieces without the names of the chips, for those who only count: a
// text can have more chips than a page would show.
func runs(s, plain string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		start := 0
		for i := 0; i < len(s); {
			size, class := unseen(s, i, plain)
			if class == "" {
				i += size
				continue
			}
			if start < i && !yield(Piece{Text: s[start:i]}) {
				return
			}
			p := repeated(s, i, size, plain)
			p.Class = class
			if !yield(p) {
				return
			}
			i += len(p.Text)
			start = i
		}
		if start < len(s) {
			yield(Piece{Text: s[start:]})
		}
	}
}

// unseen names the class of the code point at a place, or returns "" and how
// many bytes from there on show themselves.
func unseen(s string, at int, plain string) (size int, class string) {
	if ' ' <= s[at] && s[at] < 0x7f { // as nearly all is
		return 1, ""
	}
	r, size := utf8.DecodeRuneInString(s[at:])
	class = invisible(r)
	if r == utf8.RuneError && size == 1 {
		class = "not UTF-8"
	}
	if class == "" || strings.ContainsRune(plain, r) {
		return size, ""
	}
	if more, ok := belongs(s[:at], r, s[at+size:]); ok {
		return size + more, ""
	}
	return size, class
}

// repeated makes one piece of an unseen code point and all that are the same
// behind it: each in a chip of its own would make a hundredfold page.
func repeated(s string, at, size int, plain string) Piece {
	one := s[at : at+size]
	n, end := 1, at+size
	for strings.HasPrefix(s[end:], one) {
		if _, class := unseen(s, end, plain); class == "" {
			break
		}
		n, end = n+1, end+size
	}
	return Piece{Text: s[at:end], Count: n}
}

// chip names the code point of a run, or the byte that is none, and how many
// there are of it.
func chip(run Piece) string {
	r, size := utf8.DecodeRuneInString(run.Text)
	name := fmt.Sprintf("U+%04X", r)
	if r == utf8.RuneError && size == 1 {
		name = fmt.Sprintf("0x%02X", run.Text[0])
	}
	if run.Count > 1 {
		name += fmt.Sprintf(" ×%d", run.Count)
	}
	return name
}

// Line returns a text of one line as HTML. In a line even a line feed or a tab
// is a chip.
func Line(s string) string { return markup(pieces(s, "")) }

// Text returns a text of several lines as HTML, for where white space shows.
func Text(s string) string { return markup(Pieces(s)) }

func markup(parts iter.Seq[Piece]) string {
	var b strings.Builder
	for p := range parts {
		writePiece(&b, p)
	}
	return b.String()
}

func writePiece(b *strings.Builder, p Piece) {
	if p.Chip == "" {
		b.WriteString(html.EscapeString(p.Text))
		return
	}
	b.WriteString(`<span class="chip" title="` + p.Class + `">` + p.Chip + `</span>`)
}

// Source returns a text as HTML from which a browser copies the true bytes:
// behind each chip stand the code points themselves, and the chip is not copied.
func Source(s string) string {
	var b strings.Builder
	for p := range Pieces(s) {
		writePiece(&b, p)
		if p.Chip != "" {
			b.WriteString(`<span class="true" aria-hidden="true">` + escapeTrue(p.Text) + `</span>`)
		}
	}
	return b.String()
}

// escapeTrue writes code points so that a browser has them in the page: an HTML
// parser takes a bare carriage return for a line feed.
func escapeTrue(s string) string {
	return strings.ReplaceAll(html.EscapeString(s), "\r", "&#13;")
}

// Plain returns a text of one line for attributes and page titles, which can
// hold no chips: code points that cannot be seen are named in brackets.
func Plain(s string) string {
	var b strings.Builder
	for p := range pieces(s, "") {
		if p.Chip != "" {
			b.WriteString("[" + p.Chip + "]")
			continue
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// Invisible counts the code points of a text that become chips.
func Invisible(s string) int {
	n := 0
	for p := range runs(s, shown) {
		n += p.Count
	}
	return n
}

// Chips counts the chips that a text becomes, of which a run of the same code
// point takes one. It stops behind the one that is more than enough.
func Chips(s string, enough int) int {
	n := 0
	for p := range runs(s, shown) {
		if p.Class != "" {
			n++
		}
		if n > enough {
			break
		}
	}
	return n
}
