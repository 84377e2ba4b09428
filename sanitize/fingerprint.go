package sanitize

import (
	"encoding/hex"
	"errors"
)

// A Fingerprint tells whether two findings are of the same secret, to those who
// hold the key it was made with, and to nobody what the secret is.
type Fingerprint [32]byte

var errFingerprint = errors.New("a fingerprint is 64 hexadecimal digits, not all of them zero")

// ParseFingerprint reads what [Fingerprint.String] writes.
func ParseFingerprint(s string) (Fingerprint, error) {
	var f Fingerprint
	if len(s) != hex.EncodedLen(len(f)) {
		return Fingerprint{}, errFingerprint
	}
	if _, err := hex.Decode(f[:], []byte(s)); err != nil || f.IsZero() || f.String() != s {
		return Fingerprint{}, errFingerprint
	}
	return f, nil
}

// String returns the fingerprint in hexadecimal digits, small letters.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// IsZero reports whether there is none.
func (f Fingerprint) IsZero() bool { return f == Fingerprint{} }
