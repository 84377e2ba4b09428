package sanitize

import "strings"

// blobs finds runs of over 80 characters that decode to something: base64, also
// over several lines, hex that is longer than a checksum, and rows of escapes.
func (r *riskSearch) blobs() {
	const most = 80
	start, end := -1, 0
	flush := func() {
		if start >= 0 && end-start > most && isBlob(r.text[start:end]) {
			r.add(CauseBlob, start, end)
		}
		start = -1
	}
	for i := 0; i < len(r.text); i++ {
		c := r.text[i]
		switch {
		case isBlobByte(c):
			if start < 0 {
				start = i
			}
			end = i + 1
		case c == '\n' && start >= 0 && goesOn(r.text, start, i):
		case c == '\r' && start >= 0 && strings.HasPrefix(r.text[i+1:], "\n"):
		default:
			flush()
		}
	}
	flush()
}

func isBlobByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte(`+/=-_%\`, c) >= 0
}

// goesOn reports whether the line that ends at i is one of encoded text, and the
// next one, too.
func goesOn(text string, start, i int) bool {
	const least = 40
	lineStart := max(start, strings.LastIndexByte(text[:i], '\n')+1)
	if i-lineStart < least {
		return false
	}
	next := text[i+1 : min(len(text), i+1+4096)]
	n := 0
	for n < len(next) && isBlobByte(next[n]) {
		n++
	}
	return n > 0 && (n == len(next) || next[n] == '\n' || next[n] == '\r')
}

// isBlob tells encoded bytes from words: from paths, rules of dashes and long
// names.
func isBlob(s string) bool {
	const checksum = 128 // hex of the longest
	if escapes := strings.Count(s, "%") + strings.Count(s, `\x`) + strings.Count(s, `\u`); escapes > 20 {
		return true
	}
	var upper, lower, digit, sign, longest, piece int
	for i := range len(s) {
		c := s[i]
		piece++
		switch {
		case 'A' <= c && c <= 'Z':
			upper++
		case 'a' <= c && c <= 'z':
			lower++
		case '0' <= c && c <= '9':
			digit++
		default:
			sign++
			piece = 0
		}
		longest = max(longest, piece)
	}
	if strings.Trim(s, "0123456789abcdefABCDEF\r\n") == "" {
		return len(s) > checksum
	}
	for _, name := range [...]string{"sha512-", "sha384-", "sha256-"} {
		s = strings.TrimPrefix(s, name)
	}
	if len(s) <= 88 && strings.HasSuffix(s, "==") { // base64 of the longest checksum
		return false
	}
	if longest > 80 {
		return strings.Count(s, s[:1])*4 < len(s) // not a rule of one letter
	}
	return longest >= 30 && upper*8 >= len(s) && lower*8 >= len(s) && digit*32 >= len(s) && sign*6 < len(s)
}
