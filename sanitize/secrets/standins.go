package secrets

import (
	"encoding/base64"
	"strings"
)

// The functions of this file recognise what stands for a secret in a text.

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
	return v[0] == '$' && all(v[1:], func(b byte) bool { return isWord(b) || b == '.' })
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

// isElided recognises what somebody cut short: so little before the dots opens
// nothing.
func isElided(v string) bool {
	head, _, cut := strings.Cut(strings.ReplaceAll(v, "…", "..."), "...")
	return cut && len(head) < 32
}

// isExample recognises the values of documentation that say what they are, as
// those of AWS do. A word of seven letters is in none by chance.
func isExample(v string) bool {
	v = strings.TrimRight(strings.ToLower(v), "=0123456789")
	return strings.HasPrefix(v, "example") || strings.HasSuffix(v, "example") || strings.HasSuffix(v, "examplekey")
}

// isSequence recognises the alphabet and the digits in their order, whole or in
// stretches.
func isSequence(v string) bool {
	next := 0
	for i := 1; i < len(v); i++ {
		if v[i] == v[i-1]+1 || v[i-1] == '9' && v[i] == '0' {
			next++
		}
	}
	return len(v) >= 8 && next*4 >= (len(v)-1)*3
}

// isHeader recognises the first part of a JSON web token without the others.
func isHeader(v string) bool {
	if !strings.HasPrefix(v, jsonHead) || strings.Contains(v, ".") {
		return false
	}
	head, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && strings.HasSuffix(string(head), "}") && strings.Contains(string(head), `"alg"`)
}
