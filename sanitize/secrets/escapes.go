package secrets

import (
	"strconv"
	"strings"
)

// unescape returns what the escape at offset at stands for and how long it is.
// What is none stands for itself.
func unescape(text string, at int) (plain string, size int) {
	switch text[at] {
	case '\\':
		return backslash(text, at)
	case '&':
		return entity(text, at)
	case '=':
		return quotedPrintable(text, at)
	}
	return "", 1
}

// backslash reads the signs that Markdown and JSON escape, and bytes as C writes
// them. Those of Unicode are left to the decoder.
func backslash(text string, at int) (plain string, size int) {
	rest := text[at+1 : min(at+4, len(text))]
	if rest == "" {
		return "", 1
	}
	if strings.IndexByte(`_-.+~=/`, rest[0]) >= 0 {
		return rest[:1], 2
	}
	if rest[0] == 'x' && len(rest) == 3 && !hexAt(text, at+2, 32) { // else it is the mark of a long number
		return asASCII(rest[1:], 16, 4)
	}
	if len(rest) == 3 && all(rest, func(b byte) bool { return '0' <= b && b <= '7' }) {
		return asASCII(rest, 8, 4)
	}
	return "", 1
}

// entity reads a character reference of HTML.
func entity(text string, at int) (plain string, size int) {
	const longest = 20
	end := strings.IndexByte(text[at:min(at+longest, len(text))], ';')
	if end < 2 {
		return "", 1
	}
	name := text[at+1 : at+end]
	if name[0] != '#' {
		plain, ok := map[string]string{
			"lowbar": "_", "UnderBar": "_", "hyphen": "-", "dash": "-", "period": ".", "plus": "+", "sol": "/", "equals": "=",
			"colon": ":", "commat": "@", "dollar": "$", "num": "#", "excl": "!", "amp": "&", "quot": `"`, "apos": "'",
			"shy": "", "zwj": "", "zwnj": "", "ZeroWidthSpace": "", "NoBreak": "", "lrm": "", "rlm": "",
		}[name]
		if !ok {
			return "", 1
		}
		return plain, end + 1
	}
	if digits := strings.TrimLeft(name[1:], "xX"); digits != name[1:] {
		return asASCII(digits, 16, end+1)
	}
	return asASCII(name[1:], 10, end+1)
}

// quotedPrintable reads the letters, the digits and the signs of a token as mail
// escapes them. Where the digits of a long number go on, the sign is an operator.
func quotedPrintable(text string, at int) (plain string, size int) {
	if at+3 > len(text) || has(text[at+1:at+3], isLower) || hexAt(text, at+3, 8) {
		return "", 1
	}
	plain, size = asASCII(text[at+1:at+3], 16, 3)
	if size > 1 && !isToken(plain[0]) {
		return "", 1
	}
	return plain, size
}

// asASCII returns the visible character whose number is in digits.
func asASCII(digits string, base, size int) (plain string, length int) {
	if !all(digits, isHex) {
		return "", 1 // a word; its error would cost more than all the rest
	}
	n, err := strconv.ParseUint(digits, base, 8)
	if err != nil || n <= ' ' || n > '~' {
		return "", 1
	}
	return string(rune(n)), size
}
