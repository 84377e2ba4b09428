package secrets

import (
	"slices"
	"strings"
)

// label returns what stands before the secret on its line, without the operator
// and the quotes, in lower case; "nextToken" reads "next_token".
func (c candidate) label() string {
	before := c.text[max(0, c.secret.start-96):c.secret.start]
	before = strings.TrimRight(before, " \t\r\n=:>|,?'\"`*")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	var b strings.Builder
	for i := range len(before) {
		if i > 0 && isLower(before[i-1]) && isUpper(before[i]) {
			b.WriteByte('_')
		}
		b.WriteByte(before[i])
	}
	return strings.ToLower(b.String())
}

// run returns what stands before the secret in the same unbroken text.
func (c candidate) run() string {
	before := c.text[max(0, c.secret.start-200):c.secret.start]
	return before[strings.LastIndexAny(before, " \t\r\n\"'`()<>")+1:]
}

// argument cuts a value in a URL where the next one begins.
func (c candidate) argument(v string) string {
	if strings.Contains(c.run(), "?") {
		v, _, _ = strings.Cut(v, "&")
	}
	return v
}

// harmless drops what no label makes a secret: names of resources, the tokens of
// badges, and values that are cut short, made up, or measurements.
func harmless(c candidate, v string) bool {
	run := c.run()
	badge := strings.Contains(run, "badge") || strings.Contains(run, "shields.io")
	traced := strings.Contains(run, "[") && strings.HasSuffix(run, ",") && all(v, isHex) // the numbers of a span, in a log
	if strings.HasPrefix(run, "arn:") || badge && len(v) <= 12 || traced || isReference(run, v) {
		return true
	}
	return isElided(c.value()) || isExample(v) || isSequence(v) || isFields(v) || isAlgorithm(v) || isHeader(v)
}

// isReference recognises the name of an image, tagged with a commit.
func isReference(run, v string) bool {
	_, hash, _ := strings.Cut(v, "-")
	tagged := strings.HasSuffix(run, ":") && strings.Contains(run, "/") && !strings.Contains(run, "://")
	return tagged && all(hash, isHex) && (len(hash) == 40 || len(hash) == 64)
}

// harmlessLabel recognises labels whose values are public by their nature: the
// identifier of a key, its length, its path. The label ends where the operator
// begins, so that "public key" in front of a secret's own label counts for
// nothing. A public key is long; what is shorter under that label is none.
func harmlessLabel(label, v string) bool {
	if endsInAny(label, "secret_name", "secret name", "secretname", "secret_arn", "secret_path", "secret_version", "nopasswd") {
		return true
	}
	if strings.Contains(label, "secret") {
		return false
	}
	if isKeyName(label, strings.TrimPrefix(v, "0x")) {
		return true
	}
	if endsInAny(label, harmlessWords()...) || endsApart(label) {
		return true
	}
	name := label[strings.LastIndexAny(label, " .\t")+1:]
	for _, public := range []string{"pubkey", "pub_key", "pub-key", "publickey", "public_key", "public-key"} {
		if strings.Contains(name, public) {
			return len(v) >= 40
		}
	}
	return strings.HasSuffix(label, "public key") && len(v) >= 40
}

// harmlessWords end labels of values that everybody may know.
func harmlessWords() []string {
	words := []string{
		"author", "authors", "authority", "accessor", "accessors", "keyboard", "keyword", "keywords", "keyframes", "monkey", "turkey", "hotkey",
		"hockey", "tokens", "tokenizer", "hostname",
	}
	for _, kind := range []string{"cache", "foreign", "primary", "partition", "sort", "idempotency", "object", "s3"} {
		words = append(words, kind+" key", kind+"_key", kind+"-key")
	}
	// How a list goes on, or that a request is the same again.
	for _, kind := range []string{
		"next", "page", "pagination", "continuation", "forward", "backward", "starting", "sync", "resume", "idempotency", "cancellation", "lock",
	} {
		words = append(words, kind+" token", kind+"_token", kind+"-token", kind+"token")
	}
	return words
}

// endsApart tells whether the label ends in a word for something that is not
// secret, set apart from what comes before.
func endsApart(label string) bool {
	for _, end := range []string{
		"id", "ids", "name", "alias", "length", "size", "path", "file", "url", "uri", "endpoint", "version", "type", "fingerprint",
		"hash", "signature", "policy", "algorithm", "format", "count", "code", "sha1", "sha256", "sha512", "md5", "h1",
		"digest", "checksum", "integrity", "arn", "host", "domain", "region",
	} {
		rest, ok := strings.CutSuffix(label, end)
		if !ok || rest == "" || isLetter(rest[len(rest)-1]) {
			continue
		}
		return end != "code" || !endsInAny(rest[:len(rest)-1], "pass", "access", "auth", "authorization", "recovery", "backup")
	}
	return false
}

// isKeyName recognises the name by which GnuPG and git know a key.
func isKeyName(label, v string) bool {
	of := (strings.Contains(label, "gpg") || strings.Contains(label, "pgp")) && !strings.Contains(label, "pass")
	if of || endsInAny(label, "signingkey", "signing_key") || strings.Contains(label, "signature-keys") || strings.Contains(label, "signature_keys") {
		return all(v, isHex) && (slices.Contains([]int{8, 16}, len(v)) || of && len(v) == 40)
	}
	return false
}

// opens tells whether the label says that what follows opens something, so that
// even a value of the form of an identifier is one.
func opens(label string) bool {
	label = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(label, " is"), " was"), " \"'`*_])}")
	for _, kind := range []string{"api", "secret", "access", "auth", "private", "master", "license"} {
		if endsInAny(label, kind+"key", kind+"_key", kind+"-key", kind+" key") {
			return true
		}
	}
	if endsInAny(label, "client token", "client_token", "client-token", "request token", "request_token", "request-token") {
		return false // which tells a request from the same one again
	}
	return endsInAny(label, "token", "secret", "password", "bearer")
}

func endsInAny(s string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) })
}
