package secrets

import (
	"encoding/base32"
	"strings"
)

const (
	// spelledLeast is the shortest secret worth spelling out.
	spelledLeast = 12
	// base32Least is its length in base32.
	base32Least = 24
)

// spell puts the text in the place of its base32 and of the numbers of its
// characters, neither of which the library decodes.
func spell(under *view) (view, bool) {
	r := rewriting{under: under}
	text := under.text
	for at := 0; at < len(text); {
		if !isWord(text[at]) {
			at++
			continue
		}
		end := at
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if plain, ok := fromBase32(text[at:end]); ok {
			r.replace(span{at, end}, plain)
		} else if mark := hexMark(text[at:end]); mark > 0 {
			r.replace(span{at, at + mark}, " ") // the rest is decoded
		} else if plain, last := fromNumbers(text, at, end); last > end {
			r.replace(span{at, last}, plain)
			end = last
		}
		at = end
	}
	return r.view()
}

func fromBase32(word string) (string, bool) {
	if len(word) < base32Least || !all(word, func(b byte) bool { return isUpper(b) || '2' <= b && b <= '7' }) {
		return "", false
	}
	plain, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(word)
	return string(plain), err == nil && printable(plain)
}

// hexMark returns how long the mark is by which programs tell that the digits of a
// word are hexadecimal: those of C and SQL, and the rest of PostgreSQL's.
func hexMark(word string) int {
	const least = 32
	for _, mark := range []string{"0x", "0X", "x"} {
		if digits, ok := strings.CutPrefix(word, mark); ok && len(digits) >= least && all(digits, isHex) {
			return len(mark)
		}
	}
	return 0
}

// fromNumbers reads a list of numbers that begins with the word from at to end,
// each of them that of a visible character, in one line or several.
func fromNumbers(text string, at, end int) (plain string, last int) {
	var b strings.Builder
	last = end
	for {
		digits, base := text[at:end], 10
		if hex, ok := strings.CutPrefix(digits, "0x"); ok {
			digits, base = hex, 16
		}
		c, size := asASCII(digits, base, 2)
		if len(digits) > 3 || size != 2 {
			break
		}
		b.WriteString(c)
		last = end
		if at = skip(text, end, ", \t\r\n"); at == end {
			break
		}
		for end = at; end < len(text) && end-at < 5 && isWord(text[end]); {
			end++
		}
		if end == at {
			break
		}
	}
	if b.Len() < spelledLeast {
		return "", 0
	}
	return b.String(), last
}

// backwards is the text from its end. Only what has a fixed prefix is looked for
// in it, and nothing is decoded.
func backwards(under *view) view {
	n := len(under.text)
	b := make([]byte, n)
	for i := range n {
		b[n-1-i] = under.text[i]
	}
	return view{
		text: string(b), joined: true, backwards: true,
		origin: func(s span) span { return under.origin(span{n - s.end, n - s.start}) },
	}
}
