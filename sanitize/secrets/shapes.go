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

// isNumber recognises numbers, dates, versions and addresses.
func isNumber(v string) bool {
	return all(v, func(b byte) bool { return isDigit(b) || strings.IndexByte(".,:-_+/TZ", b) >= 0 })
}

// isCommit recognises the hash of a commit or a file on a line that says so.
func isCommit(c candidate) bool {
	v := c.value()
	if !all(v, isHex) || len(v) != 40 && len(v) != 64 && (len(v) < 7 || len(v) > 16) {
		return false
	}
	line := strings.ToLower(c.line())
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
		"mod", "pdf", "png", "py", "rb", "rs", "sh", "sql", "sum", "svg", "tf", "toml", "ts", "tsx", "txt", "xml", "yaml", "yml",
	}, strings.ToLower(v[dot+1:]))
}

// isChecksum recognises a hash that names its algorithm.
func isChecksum(v string) bool {
	head, _, ok := strings.Cut(strings.ToLower(v), "-")
	if !ok {
		head, _, ok = strings.Cut(strings.ToLower(v), ":")
	}
	return ok && (head == "sha1" || head == "sha256" || head == "sha384" || head == "sha512" || head == "md5" || head == "h1")
}

// isVariable recognises a reference to a value that stands elsewhere.
func isVariable(v string) bool {
	if v == "" || strings.IndexByte("$%{<[(@&", v[0]) >= 0 && !has(v[1:], isDigit) {
		return true
	}
	for _, mark := range []string{"${", "$(", "{{", "}}", "...", "…", "process.env", "os.environ", "getenv", "%s", "%v"} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	if open := strings.IndexByte(v, '<'); open >= 0 && strings.IndexByte(v[open:], '>') > 0 {
		return true
	}
	return v[0] == '$' && all(v[1:], isWord)
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

// isStandIn recognises the passwords of examples.
func isStandIn(v string) bool {
	v = strings.ToLower(strings.Trim(v, `"'*_`))
	for _, word := range []string{
		"password", "passwd", "pass", "pwd", "pw", "secret", "changeme", "change_me", "change-me", "example", "redacted",
		"your", "placeholder", "postgres", "admin", "root", "user", "guest", "test", "token", "xxx", "***", "hunter2", "foobar",
	} {
		if rest, ok := strings.CutPrefix(v, word); ok && all(rest, func(b byte) bool { return !isLetter(b) }) && len(rest) <= 4 {
			return true
		}
	}
	return strings.HasPrefix(v, "your") || strings.HasPrefix(v, "example") || len(v) > 2 && strings.Trim(v, v[:1]) == ""
}

// isComposed recognises how people build a password from words: letters of
// both cases, digits and a sign, with nothing of program text.
func isComposed(v string) bool {
	const signs = "!@#$%^&*?+~"
	sign := strings.ContainsAny(v, signs)
	plain := all(v, func(b byte) bool { return isLetter(b) || isDigit(b) || strings.IndexByte(signs+"-_.", b) >= 0 })
	return sign && plain && has(v, isDigit) && has(v, isUpper) && has(v, isLower) && len(v) <= 32
}

// harmlessLabel recognises labels whose values are public by their nature: the
// identifier of a key, its length, its path. The label ends where the operator
// begins, so that "public key" in front of a secret's own label counts for
// nothing. A public key is long; what is shorter under that label is none.
func harmlessLabel(label, v string) bool {
	if strings.Contains(label, "secret") {
		return false
	}
	if id := strings.TrimPrefix(v, "0x"); strings.HasSuffix(label, "signingkey") && (len(id) == 8 || len(id) == 16) && all(id, isHex) {
		return true // what git calls the name of a key
	}
	name := label[strings.LastIndexAny(label, " .\t")+1:]
	for _, public := range []string{"pubkey", "pub_key", "pub-key", "publickey", "public_key", "public-key"} {
		if strings.Contains(name, public) {
			return len(v) >= 40
		}
	}
	if strings.HasSuffix(label, "public key") {
		return len(v) >= 40
	}
	for _, end := range []string{
		"author", "authors", "authority", "keyboard", "keyword", "keywords", "keyframes", "monkey", "turkey", "hotkey", "hockey",
		"tokens", "tokenizer", "cache key", "cache_key", "cache-key", "foreign key", "foreign_key", "primary key", "primary_key",
		"partition key", "partition_key", "sort key", "sort_key", "idempotency key", "idempotency_key", "idempotency-key",
	} {
		if strings.HasSuffix(label, end) {
			return true
		}
	}
	for _, end := range []string{
		"id", "name", "alias", "length", "size", "path", "file", "url", "uri", "endpoint", "version", "type", "fingerprint",
		"hash", "signature", "policy", "algorithm", "format", "count", "code", "sha1", "sha256", "sha512", "md5", "h1",
		"digest", "checksum", "integrity",
	} {
		if rest, ok := strings.CutSuffix(label, end); ok && rest != "" && !isLetter(rest[len(rest)-1]) {
			return true
		}
	}
	return false
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
