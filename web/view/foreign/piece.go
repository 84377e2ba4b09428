package foreign

import (
	"fmt"
	"html"
	"iter"
	"strings"
	"unicode/utf8"
)

// Piece is a part of a text: what can be seen as it is, or one code point that
// cannot.
type Piece struct {
	Text  string // the true bytes
	Chip  string // what to show in their place, such as "U+200B"; "" for text that shows itself
	Class string // what kind of code point it is
}

// Pieces cuts a text into what can be seen and what cannot. Line feeds and tabs
// show themselves.
func Pieces(s string) iter.Seq[Piece] { return pieces(s, "\n\t") }

// pieces cuts a text; the code points in plain show themselves.
func pieces(s, plain string) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		start := 0
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			class := invisible(r)
			if r == utf8.RuneError && size == 1 {
				class = "not UTF-8"
			}
			if class == "" || strings.ContainsRune(plain, r) {
				i += size
				continue
			}
			if more, ok := belongs(s[:i], r, s[i+size:]); ok {
				i += size + more
				continue
			}
			if start < i && !yield(Piece{Text: s[start:i]}) {
				return
			}
			if !yield(Piece{s[i : i+size], chip(r, s[i], size), class}) {
				return
			}
			i += size
			start = i
		}
		if start < len(s) {
			yield(Piece{Text: s[start:]})
		}
	}
}

// chip names a code point, or a byte that is none.
func chip(r rune, first byte, size int) string {
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("0x%02X", first)
	}
	return fmt.Sprintf("U+%04X", r)
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
// behind each chip stands the code point itself, and the chip is not copied.
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

// escapeTrue writes a code point so that a browser has it in the page: an HTML
// parser takes a bare carriage return for a line feed.
func escapeTrue(s string) string {
	if s == "\r" {
		return "&#13;"
	}
	return html.EscapeString(s)
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
	for p := range Pieces(s) {
		if p.Chip != "" {
			n++
		}
	}
	return n
}
