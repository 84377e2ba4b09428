package sanitize

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text as a reader takes it: in small letters without accents, with
// ASCII in the place of letters that look like it, and without what is not
// seen.
type folded struct {
	text  string
	marks []foldMark // two for each code point above ASCII: where it starts and ends
}

// foldMark says that the folded byte at is the original byte of.
type foldMark struct{ at, of int }

// span returns the original place of folded bytes.
func (f folded) span(start, end int) (from, to int) {
	from, _ = f.place(start)
	_, to = f.place(end - 1)
	return from, to
}

// place returns the original code point of a folded byte.
func (f folded) place(at int) (start, end int) {
	i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].at > at })
	if i == 0 {
		return at, at + 1
	}
	m := f.marks[i-1]
	if i%2 == 1 { // within it
		return m.of, f.marks[i].of
	}
	return m.of + at - m.at, m.of + at - m.at + 1
}

func fold(text string) folded {
	out := make([]byte, 0, len(text))
	var f folded
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			out = append(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		f.marks = append(f.marks, foldMark{len(out), i})
		out = appendFolded(out, r)
		i += size
		f.marks = append(f.marks, foldMark{len(out), i})
	}
	f.text = string(out)
	return f
}

// appendFolded adds what a reader sees of r.
func appendFolded(out []byte, r rune) []byte {
	switch {
	case r == 0x2800, r == 0x3164, r == 0xFFA0, r == 0x115F, r == 0xA0, unicode.Is(unicode.Zs, r): // as wide as a blank
		return append(out, ' ')
	case r == 0x2019, r == 0x02BC:
		return append(out, '\'')
	case class(r) != classShown, isMark(r):
		return out
	case 0x3400 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7B0:
		return utf8.AppendRune(out, r)
	}
	if c := confusable(r); c != 0 {
		return append(out, c)
	}
	var raw [utf8.UTFMax]byte
	n := utf8.EncodeRune(raw[:], r)
	decomposed := norm.NFKD.Properties(raw[:n]).Decomposition()
	if decomposed == nil {
		return appendSmall(out, r)
	}
	for len(decomposed) > 0 {
		d, size := utf8.DecodeRune(decomposed)
		decomposed = decomposed[size:]
		if !isMark(d) {
			out = appendSmall(out, d)
		}
	}
	return out
}

func appendSmall(out []byte, r rune) []byte {
	r = unicode.ToLower(r)
	if c := confusable(r); c != 0 {
		return append(out, c)
	}
	return utf8.AppendRune(out, r)
}

// confusable returns the small ASCII letter that r looks like, or 0. It knows
// the letters of other scripts with which words are disguised, not all of
// Unicode's list.
func confusable(r rune) byte {
	switch r {
	case 'а', 'А', 'α', 'Α', 'ɑ', 'ᴀ':
		return 'a'
	case 'В', 'Β', 'ʙ', 'Ь':
		return 'b'
	case 'с', 'С', 'ϲ', 'ᴄ', 'ⅽ':
		return 'c'
	case 'ԁ', 'ᴅ', 'ժ':
		return 'd'
	case 'е', 'Е', 'ε', 'Ε', 'ᴇ', 'ҽ':
		return 'e'
	case 'ꜰ', 'ϝ':
		return 'f'
	case 'ɡ', 'ց', 'ɢ':
		return 'g'
	case 'һ', 'Н', 'Η', 'ʜ', 'հ':
		return 'h'
	case 'і', 'І', 'ι', 'Ι', 'ı', 'ɪ':
		return 'i'
	case 'ј', 'Ј', 'ϳ', 'ᴊ':
		return 'j'
	case 'к', 'К', 'κ', 'Κ', 'ᴋ':
		return 'k'
	case 'ӏ', 'ʟ', 'ⅼ':
		return 'l'
	case 'М', 'Μ', 'ᴍ', 'м':
		return 'm'
	case 'ո', 'Ν', 'ɴ', 'п':
		return 'n'
	case 'о', 'О', 'ο', 'Ο', 'ᴏ', 'օ', 'σ':
		return 'o'
	case 'р', 'Р', 'ρ', 'Ρ', 'ᴘ':
		return 'p'
	case 'ԛ', 'զ':
		return 'q'
	case 'г', 'ʀ':
		return 'r'
	case 'ѕ', 'Ѕ', 'ꜱ':
		return 's'
	case 'т', 'Т', 'τ', 'Τ', 'ᴛ':
		return 't'
	case 'υ', 'ս', 'ᴜ':
		return 'u'
	case 'ν', 'ѵ', 'ᴠ':
		return 'v'
	case 'ԝ', 'ѡ', 'ᴡ', 'ω':
		return 'w'
	case 'х', 'Х', 'χ', 'Χ':
		return 'x'
	case 'у', 'У', 'γ', 'Υ', 'ʏ', 'ү':
		return 'y'
	case 'Ζ', 'ᴢ', 'З':
		return 'z'
	}
	return 0
}
