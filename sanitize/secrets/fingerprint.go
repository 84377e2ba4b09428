package secrets

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// fingerprint is HMAC-SHA-256 under key of the rule, a zero byte and the secret.
// Without a key there is none: whoever guesses a weak password could check the
// guess against a plain hash.
func (m match) fingerprint(key []byte) sanitize.Fingerprint {
	if len(key) == 0 {
		return sanitize.Fingerprint{}
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(m.rule.id + "\x00" + canonical(m.value)))
	return sanitize.Fingerprint(h.Sum(nil))
}

// wrapping is what stands around a value in prose, Markdown and program text and
// may have become part of a match.
const wrapping = " \t\r\n\"'`*_~<>()[]{}.,;:!?|\\"

// canonical is value however it was wrapped or disguised.
func canonical(value string) string {
	if v, ok := unfold(&view{text: value}); ok {
		value = v.text
	}
	return strings.Trim(value, wrapping)
}

// covers tells whether o is the same secret as m, or a part of it.
func (m match) covers(o match) bool {
	if m.rule.severity == sanitize.SeverityHard {
		return m.overlaps(o.span) || m.span == o.span // nobody gets it past this one
	}
	inner := o.span
	if inner.size() == len(o.value) { // nothing is hidden in it
		inner.start += len(o.value) - len(strings.TrimLeft(o.value, wrapping))
		inner.end -= len(o.value) - len(strings.TrimRight(o.value, wrapping))
	}
	// Two secrets that were decoded from one run have one place, and two values.
	return m.contains(inner) && strings.Contains(canonical(m.value), canonical(o.value))
}
