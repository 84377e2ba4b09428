package secrets

import (
	"slices"
	"strings"
)

// keepCased wants random letters of both cases, and digits, behind the prefix.
func keepCased(c candidate) bool {
	v := c.value()
	v = v[strings.LastIndexAny(v, "_-")+1:]
	return hasCases(v) && naturalness(v) < 0.5 && !isExample(v)
}

// keepMixed judges what stands behind a prefix of which nobody knows whose it is:
// identifiers have one as well, but they are shorter, or hexadecimal behind a word
// that says what they name.
func keepMixed(c candidate) bool {
	v := c.value()
	if strings.HasPrefix(strings.ToLower(v), "sha") || endsInUUID(v) {
		return false
	}
	if harmless(c, v) || harmlessLabel(c.label(), v) || isFileAt(c.text[c.secret.end:]) {
		return false
	}
	at := strings.LastIndexAny(v, "_.-")
	prefix, last := v[:at], v[at+1:]
	c.secret.start += at + 1
	if isCommit(c) {
		return false
	}
	if len(last) < 32 {
		rest := v[strings.IndexAny(v, "_.-")+1:]
		return hasCases(rest) && naturalness(rest) < 0.5
	}
	if hasCases(last) {
		return naturalness(last) < 0.5
	}
	// Of one case, it may be a hash or the identifier of a thing.
	set := v[at] == '_' || v[at] == '-' && !all(last, isHex)
	return set && count(last, isDigit) >= 4 && has(last, isLetter) && naturalness(last) < 0.5 && !namesThing(prefix)
}

// hasCases tells whether v has digits and letters of both cases.
func hasCases(v string) bool { return has(v, isDigit) && has(v, isUpper) && has(v, isLower) }

// namesThing tells whether one of the parts of a prefix is the word for a thing
// that is known by a hash or a number.
func namesThing(prefix string) bool {
	parts := strings.FieldsFunc(strings.ToLower(prefix), func(r rune) bool { return r == '_' || r == '-' })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(things(), p) })
}

func things() []string {
	return []string{
		"asset", "batch", "block", "build", "bundle", "cache", "chunk", "commit", "container", "css", "data", "digest", "doc", "etag", "event", "file", "font",
		"hash", "id", "image", "img", "index", "item", "job", "js", "layer", "lock", "md5", "migration", "module", "msg", "node", "object", "order", "org",
		"page", "pod", "project", "req", "request", "resp", "response", "rev", "run", "session", "snapshot", "span", "step", "svg", "table", "tag", "task",
		"test", "thread", "trace", "tree", "tx", "uid", "user", "uuid", "version", "volume", "vs",
	}
}
