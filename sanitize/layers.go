package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The layers in this file read the key as it was sent, before any Unicode
// work.

func refuseEncoding(raw string) *PathError {
	for i, r := range raw {
		// Decoding turns each bad byte into U+FFFD; one that was sent stands for bytes that a decoder lost before us.
		if r == utf8.RuneError {
			return &PathError{LayerEncoding, i, "the name is not valid UTF-8, or was damaged on its way; type it again"}
		}
	}
	return nil
}

func refuseNullByte(raw string) *PathError {
	if i := strings.IndexByte(raw, 0); i >= 0 {
		return &PathError{LayerNullByte, i, "a name cannot hold U+0000"}
	}
	return nil
}

func refuseRawLength(raw string) *PathError {
	switch {
	case raw == "":
		return &PathError{LayerSegment, 0, "the name is empty"}
	case len(raw) > maxRawBytes:
		return &PathError{LayerLength, maxRawBytes, "the name is far too long; at most 512 bytes are allowed"}
	}
	return nil
}

func refuseControl(raw string) *PathError {
	if i := strings.IndexFunc(raw, unicode.IsControl); i >= 0 {
		return &PathError{LayerControl, i, "a name cannot hold control characters such as line breaks or tabs"}
	}
	return nil
}

func refuseBackslash(raw string) *PathError {
	if i := strings.IndexByte(raw, '\\'); i >= 0 {
		return &PathError{LayerBackslash, i, "a backslash separates folders on Windows; separate them with a slash"}
	}
	return nil
}

func refuseAbsolute(raw string) *PathError {
	if raw[0] == '/' || raw[0] == '~' {
		return &PathError{LayerAbsolute, 0, "a name starts below team/, not at the root or at home"}
	}
	if colon := strings.IndexByte(raw, ':'); colon > 0 && isScheme(raw[:colon]) {
		return &PathError{LayerAbsolute, colon, "the name starts like a drive or a URL; leave out the colon"}
	}
	return nil
}

// isScheme reports whether s, which a colon follows, reads as the scheme of a
// URL (RFC 3986, section 3.1). A drive letter is the shortest case.
func isScheme(s string) bool {
	for i := range len(s) {
		letter := 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'
		later := '0' <= s[i] && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.'
		if !letter && (i == 0 || !later) {
			return false
		}
	}
	return true
}

// refuseURLEncoded holds that a key is a fixed point of percent-decoding: one
// test for single, double, overlong and %u forms, without a decoder. It also
// refuses a harmless %41, or one entry would have several spellings.
func refuseURLEncoded(raw string) *PathError {
	if i := indexEscape(raw); i >= 0 {
		return &PathError{LayerURLEncoded, i, escapeHint}
	}
	return nil
}

const escapeHint = "a percent sign and the letters or digits after it read as an encoded character; " +
	"put a space after the percent sign or spell it out"

// indexEscape returns the index of the first %HH or %uHHHH in s, or -1.
func indexEscape(s string) int {
	for next := 0; ; {
		i := strings.IndexByte(s[next:], '%')
		if i < 0 {
			return -1
		}
		next += i + 1
		rest := s[next:]
		if startsHex(rest, 2) || rest != "" && rest[0]|0x20 == 'u' && startsHex(rest[1:], 4) {
			return next - 1
		}
	}
}

// startsHex reports whether s starts with n hexadecimal digits.
func startsHex(s string, n int) bool {
	if len(s) < n {
		return false
	}
	for i := range n {
		digit := '0' <= s[i] && s[i] <= '9'
		letter := 'a' <= s[i]|0x20 && s[i]|0x20 <= 'f'
		if !digit && !letter {
			return false
		}
	}
	return true
}
