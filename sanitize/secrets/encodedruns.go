package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// encodedAround extends s to the ends of the runs that reach beyond it.
func encodedAround(text string, s span) span {
	// An escape is three bytes or six; the first three tell.
	const head = 6
	s.start, s.end = max(0, s.start-head), min(len(text), s.end+head)
	for s.start > 0 && isEncoded(text[s.start-1]) {
		s.start--
	}
	for s.end < len(text) && isEncoded(text[s.end]) {
		s.end++
	}
	return s
}

// encodedRuns calls yield for every place within a part of text that the library's codec
// could decode to printable text: percent and Unicode escapes, 32 or more
// hexadecimal digits, 16 or more characters of base64. It may report more than
// the codec decodes, never less.
func encodedRuns(text string, within span, yield func(span)) {
	for i := within.start; i < within.end; {
		c := text[i]
		if isEncoded(c) {
			end := i + 1
			for end < len(text) && isEncoded(text[end]) {
				end++
			}
			if decodable(text[i:end]) {
				yield(span{i, end})
			}
			i = end
			continue
		}
		if c == '%' && hexAt(text, i+1, 2) || c == '\\' && i+1 < len(text) && text[i+1]|0x20 == 'u' && hexAt(text, i+2, 4) {
			yield(span{i, i + 3})
		}
		i++
	}
}

// decodable tells whether the codec may find something in a run of the
// characters of base64, which include those of the other encodings.
func decodable(run string) bool {
	if n := strings.Index(run, "U+"); n >= 0 && hexAt(run, n+2, 4) {
		return true
	}
	if len(run) < 16 {
		return false
	}
	digits := 0
	for digits < len(run) && isHex(run[digits]) {
		digits++
	}
	if digits >= 32 {
		// The codec takes the hexadecimal digits off the front and looks at the rest on its own.
		head, err := hex.DecodeString(run[:32])
		if err == nil && printable(head) || len(run)-digits >= 16 && decodable(run[digits:]) {
			return true
		}
	}
	// Whole groups decode on their own, so the first four speak for the run.
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if head, err := alphabet.DecodeString(run[:16]); err == nil && printable(head) {
			return true
		}
	}
	return false
}

// printable is the codec's own idea of printable text.
func printable(b []byte) bool {
	for _, c := range b {
		if c <= '\b' || c >= '\x7f' {
			return false
		}
	}
	return true
}

func hexAt(text string, at, n int) bool {
	return at+n <= len(text) && all(text[at:at+n], isHex)
}

func isEncoded(b byte) bool { return isWord(b) || b == '/' || b == '+' || b == '-' }
