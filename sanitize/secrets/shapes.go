package secrets

import (
	"slices"
	"strings"
)

// The functions of this file recognise what is no secret by its shape.

// isSlug recognises words joined by separators: parts of at most 12 letters in
// one case or capitalised, some with a short number behind ("base64", "oauth2").
func isSlug(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("-_./:", r) })
	words := 0
	for _, p := range parts {
		word := strings.TrimRight(p, "0123456789")
		if word == p {
			words++
		}
		cased := word == "" || all(word, isUpper) || all(word[1:], isLower)
		if len(word) > 12 || len(p)-len(word) > 4 || !all(word, isLetter) || !cased {
			return false
		}
	}
	return len(parts) > 1 && words*2 >= len(parts)
}

// isUUID recognises the five groups of a UUID.
func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
			continue
		}
		if !isHex(v[i]) {
			return false
		}
	}
	return true
}

// endsInUUID recognises a UUID behind a name, even if its first group is not whole.
func endsInUUID(v string) bool {
	const most, groups = 36, 28 // with and without the first group
	return len(v) >= most && isUUID("00000000"+v[len(v)-groups:])
}

// isNumber recognises numbers, dates, versions and addresses.
func isNumber(v string) bool {
	return all(v, func(b byte) bool { return isDigit(b) || strings.IndexByte(".,:-_+/TZ", b) >= 0 })
}

// isCommit recognises the hash of a commit or a file on a line, or in a table,
// that says so.
func isCommit(c candidate) bool {
	v := c.value()
	if !all(v, isHex) || len(v) != 40 && len(v) != 64 && (len(v) < 7 || len(v) > 16) {
		return false
	}
	line := strings.ToLower(c.heads() + c.line())
	for _, word := range []string{"commit", "sha", "rev", "digest", "checksum", "etag", "blob", "tree"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// isFileName recognises the name of a source, text or image file.
func isFileName(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	return dot > 0 && slices.Contains([]string{
		"c", "cfg", "conf", "cpp", "css", "csv", "gif", "go", "h", "html", "ini", "java", "jpg", "js", "json", "lock", "log", "md",
		"map", "mod", "pdf", "png", "py", "rb", "rs", "sh", "sql", "sum", "svg", "tar", "tf", "tgz", "toml", "ts", "tsx", "txt", "wasm", "webp",
		"woff2", "xml", "yaml", "yml", "zip",
	}, strings.ToLower(v[dot+1:]))
}

// isFileAt tells whether text goes on with the ending of a file's name.
func isFileAt(text string) bool {
	const longest = 6
	end := 1
	for end < len(text) && end <= longest && isWord(text[end]) {
		end++
	}
	return text != "" && text[0] == '.' && end <= longest && isFileName("x"+text[:end])
}

// isChecksum recognises a hash that names its algorithm.
func isChecksum(v string) bool {
	head, _, ok := strings.Cut(strings.ToLower(v), "-")
	if !ok {
		head, _, ok = strings.Cut(strings.ToLower(v), ":")
	}
	return ok && (head == "sha1" || head == "sha256" || head == "sha384" || head == "sha512" || head == "md5" || head == "h1")
}

// isFields recognises measurements: "6i,rejected=9i", "flush=117405i".
func isFields(v string) bool {
	first, rest, list := strings.Cut(v, ",")
	name, _, named := strings.Cut(rest, "=")
	if list && len(first) < 8 && named && name != "" && all(name, isWord) {
		return true
	}
	name, number, named := strings.Cut(first, "=")
	number = strings.TrimRight(number, "iu")
	return named && all(name, isWord) && naturalness(name) >= wordy && number != "" && all(number, isDigit)
}

// isAlgorithm recognises the names of algorithms and curves, one or several.
func isAlgorithm(v string) bool {
	if !has(v, isLetter) {
		return false
	}
	v = strings.ToLower(v)
	for _, name := range []string{
		"aes", "chacha", "poly", "rsa", "ecdsa", "ecdh", "ecdhe", "eddsa", "ed", "x", "dsa", "secp", "prime", "mlkem", "mldsa", "kyber", "sha", "hmac",
		"md", "gcm", "cbc", "ctr", "ccm", "pss", "oaep", "pkcs", "hkdf", "pbkdf", "curve", "nist", "p", "r", "k", "v", "with",
	} {
		v = strings.ReplaceAll(v, name, "-")
	}
	return !has(v, isLetter)
}

// isExpression recognises program text: a call, an index, a member, a type.
func isExpression(v string) bool {
	if strings.ContainsAny(v, "()[]{}") && naturalness(v) >= 0.5 {
		return true
	}
	name, _, member := strings.Cut(v, ".")
	return member && all(name, isLetter) && naturalness(v) >= 0.6
}

// isPattern recognises a regular expression.
func isPattern(v string) bool {
	for _, mark := range []string{"(?", "[^", "[a-", "[A-", "[0-", `\d`, `\w`, `\s`, `\b`, ".*", ".+"} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return false
}

// isComposed recognises how people build a password from words: letters of
// both cases, digits and a sign, with nothing of program text.
func isComposed(v string) bool {
	const signs = "!@#$%^&*?+~"
	sign := strings.ContainsAny(v, signs)
	plain := all(v, func(b byte) bool { return isLetter(b) || isDigit(b) || strings.IndexByte(signs+"-_.", b) >= 0 })
	return sign && plain && has(v, isDigit) && has(v, isUpper) && has(v, isLower) && len(v) <= 32
}

// seams counts the places where a small letter meets a capital one.
func seams(v string) (n int) {
	for i := 1; i < len(v); i++ {
		if isLower(v[i-1]) && isUpper(v[i]) {
			n++
		}
	}
	return n
}

// trimSentence cuts off what a sentence puts behind its last word.
func trimSentence(v string) string { return strings.TrimRight(v, ".,;:!?)]}'\"`*_") }
