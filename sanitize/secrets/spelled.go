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

// fromNumbers reads a list of numbers that begins with the word from at to end,
// each of them that of a visible character.
func fromNumbers(text string, at, end int) (plain string, last int) {
	var b strings.Builder
	last = end
	for end-at <= 3 && all(text[at:end], isDigit) {
		c, size := asASCII(text[at:end], 10, end-at)
		if size != end-at || c == "" {
			break
		}
		b.WriteString(c)
		last = end
		at = skip(text, end, ", ")
		if at == end {
			break
		}
		for end = at; end < len(text) && isDigit(text[end]); {
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
