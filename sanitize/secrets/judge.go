package secrets

import (
	"slices"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// wordy is the naturalness from which on a value counts as words. One random
// value in 150 reaches it at 12 characters, next to none at 20.
const wordy = 0.7

// judgeOf picks the judgement for a rule of the library.
func judgeOf(id string, severity sanitize.Severity) func(candidate) bool {
	switch id {
	case genericRule:
		return keepGeneric
	case "hashicorp-tf-password":
		return keepPassword
	case "curl-auth-header", "curl-auth-user":
		return keepCredential
	case "kubernetes-secret-yaml":
		return keepManifest
	case "jwt":
		return keepJWT
	case "private-key":
		return keepBlock
	case "jwt-base64", "aws-amazon-bedrock-api-key-short-lived":
		return nil
	}
	if severity == sanitize.SeverityHard {
		return keepToken
	}
	return keepAssigned
}

// keepToken drops the stand-ins of documentation, whose prefix is followed by
// words.
func keepToken(c candidate) bool {
	v := c.value()
	return count(v, isLetter)*3 < len(v)*2 || naturalness(v) < 0.8
}

// keepRandom drops words that begin like a token, and identifiers made of words.
func keepRandom(c candidate) bool {
	v := c.value()
	return has(v, isDigit) && has(v, isLetter) && naturalness(v) < 0.66
}

// keepDense judges a long value of any characters beside a word for a secret.
func keepDense(c candidate) bool {
	v := c.argument(trimSentence(c.value()))
	if _, rest, ok := strings.Cut(v, "base64:"); ok {
		v = rest
	}
	if isUUID(v) {
		return opens(c.label()) && !harmlessLabel(c.label(), v)
	}
	if len(v) < 16 || len(c.value()) < 20 || isVariable(v) || isStandIn(v) || isExpression(v) || isSlug(v) || isFileName(v) || isPattern(v) {
		return false
	}
	if strings.Contains(v, "://") || harmless(c, v) || isCommit(c) || isChecksum(v) || isNumber(v) || harmlessLabel(c.label(), v) {
		return false
	}
	return has(v, isDigit) && has(v, isLetter) && naturalness(v) < 0.55
}

// keepAssigned drops words and commits beside the name of a product.
func keepAssigned(c candidate) bool {
	v := c.value()
	return !harmless(c, v) && !isCommit(c) && !isStandIn(v) && (!has(v, isLetter) || naturalness(v) < wordy)
}

// keepGeneric drops what a label such as "key" or "token" is often followed by:
// words, identifiers, numbers, versions, commits and public keys.
func keepGeneric(c candidate) bool {
	v := strings.Trim(c.value(), ".-=")
	if isUUID(v) {
		return opens(c.label()) && !harmlessLabel(c.label(), v)
	}
	if len(v) < 8 || naturalness(v) >= wordy || isSlug(v) || isFileName(v) {
		return false
	}
	return !harmless(c, v) && !isNumber(v) && !isCommit(c) && !isChecksum(v) && !harmlessLabel(c.label(), v)
}

// keepCredential judges what curl is told on the command line: a token, or a
// user and a password. Some services take the token as user, without password.
func keepCredential(c candidate) bool {
	v := strings.Trim(c.value(), `"'`)
	if user, password, ok := strings.Cut(v, ":"); ok {
		if v = strings.Trim(password, `"'`); v == "" {
			v = strings.Trim(user, `"'`)
		}
	}
	return !isVariable(v) && !isStandIn(v) && !harmless(c, v) && naturalness(v) < wordy
}

// keepJWT drops tokens without a signature: they open nothing, and stand in
// texts about why that is so.
func keepJWT(c candidate) bool { return !strings.HasSuffix(c.value(), ".") }

// keepManifest drops the empty and templated values of a Kubernetes manifest,
// and matches that run from one document into the next.
func keepManifest(c candidate) bool {
	if strings.Contains(c.text[c.match.start:c.match.end], "\n---\n") {
		return false
	}
	_, v, _ := strings.Cut(c.value(), ":")
	v = strings.Trim(v, " \t\r\n|>+-\"'")
	nested := strings.HasPrefix(c.text[c.secret.end:], ":") // a text in which there are names again
	return v != "" && !nested && !isVariable(v)
}

// keepPassword judges what follows "password =".
func keepPassword(c candidate) bool {
	v := strings.TrimLeft(trimSentence(c.value()), `"'`)
	if len(v) < 8 || isVariable(v) || isStandIn(v) || isExpression(v) || harmlessLabel(c.label(), v) {
		return false
	}
	if isUUID(v) {
		return opens(c.label()) && !harmlessLabel(c.label(), v)
	}
	if harmless(c, v) || isCommit(c) || isNumber(v) {
		return false
	}
	return naturalness(v) < wordy || isComposed(v)
}

// keepProse judges a value in running text, where far more words than secrets
// stand near the word "password".
func keepProse(c candidate) bool {
	v := trimSentence(c.value())
	if len(v) < 8 || isVariable(v) || isStandIn(v) || isExpression(v) || isSlug(v) || isFileName(v) || strings.Contains(v, "://") {
		return false
	}
	if isUUID(v) {
		return opens(c.label()) && !harmlessLabel(c.label(), v)
	}
	if harmless(c, v) || isCommit(c) || isChecksum(v) || isNumber(v) || harmlessLabel(c.label(), v) {
		return false
	}
	return naturalness(v) < 0.66 && (has(v, isDigit) || seams(v) >= 3)
}

// keepPair judges the second half of "user:password".
func keepPair(c candidate) bool {
	if strings.HasSuffix(c.text[:c.match.start], "://") {
		return false // the user of a URL, of which another rule tells
	}
	if n := strings.IndexAny(c.value(), ":/"); n >= 0 {
		c.secret.start += n + 1
	}
	return keepProse(c)
}

// keepURL judges the password of a URL.
func keepURL(c candidate) bool {
	v := c.value()
	port := strings.TrimLeft(v, "0123456789")
	if isVariable(v) || isStandIn(v) || len(v) < 5 || strings.HasPrefix(port, ",") && len(v)-len(port) <= 5 {
		return false
	}
	if has(v, isDigit) && len(v) >= 8 {
		return naturalness(v) < 0.8
	}
	return naturalness(v) < wordy
}

// keepAWSSecret tells the base64 of random bytes from a path or a hash of the
// same length.
func keepAWSSecret(c candidate) bool {
	v := c.value()
	if before := c.text[:c.secret.start]; strings.HasSuffix(before, ".") {
		return false // the path behind the name of a host
	}
	return !isExample(v) && has(v, isUpper) && has(v, isLower) && has(v, isDigit) && naturalness(v) < 0.6
}

// keepBlock drops the header and the footer of a key without the key, or with
// words in its place, as documentation has them: the shortest key has 64
// characters.
func keepBlock(c candidate) bool {
	body := c.text[c.match.start:c.match.end]
	if _, rest, ok := strings.Cut(strings.TrimLeft(body, "-"), "-----"); ok {
		body = rest
	}
	body, _, _ = strings.Cut(body, "-----")
	random := func(v string) bool { return count(v, isLetter)+count(v, isDigit) >= 40 && naturalness(v) < wordy }
	lines := strings.Fields(body)
	return random(strings.Join(lines, "")) || slices.ContainsFunc(lines, random)
}
