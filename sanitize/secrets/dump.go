package secrets

import (
	"encoding/hex"
	"strings"
)

// undump puts bytes in the place of two or more lines that show them as xxd and
// hexdump do: an offset, the bytes, and what these look like, in parts.
func undump(under *view) (view, bool) {
	r := rewriting{under: under}
	text := under.text
	for at := 0; at < len(text); {
		var plain strings.Builder
		start, lines := at, 0
		for at < len(text) {
			line, _, _ := strings.Cut(text[at:], "\n")
			shown := dumped(line)
			if shown == "" && lines > 0 {
				break
			}
			at = min(at+len(line)+1, len(text))
			if shown == "" {
				break
			}
			plain.WriteString(shown)
			lines++
		}
		if lines > 1 {
			r.replace(span{start, at}, plain.String()+"\n")
		}
	}
	return r.view()
}

// dumped returns the bytes of one line, with blanks for those that do not show.
func dumped(line string) string {
	const most = 32 // digits in a line
	line = strings.TrimLeft(line, " \t>")
	offset := hexDigits(line)
	if offset < 4 || offset > 16 {
		return ""
	}
	var digits strings.Builder
	for rest := strings.TrimPrefix(line[offset:], ":"); digits.Len() < most; {
		group := strings.TrimLeft(rest, " ")
		n := hexDigits(group)
		if gap := len(rest) - len(group); gap == 0 || gap > 2 || n == 0 || n%2 != 0 || n > 8 || n < len(group) && group[n] > ' ' {
			break
		}
		digits.WriteString(group[:n])
		rest = group[n:]
	}
	raw, err := hex.DecodeString(digits.String())
	if err != nil {
		return ""
	}
	for i, b := range raw {
		if b <= ' ' || b > '~' {
			raw[i] = ' '
		}
	}
	return string(raw)
}

func hexDigits(s string) int {
	n := 0
	for n < len(s) && isHex(s[n]) {
		n++
	}
	return n
}
