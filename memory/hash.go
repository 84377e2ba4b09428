package memory

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is a SHA-256. The zero value means "not stated".
type Hash [sha256.Size]byte

// Sum hashes content exactly as it is stored and delivered.
func Sum(content []byte) Hash { return sha256.Sum256(content) }

// ParseHash reads 64 hexadecimal digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != hex.EncodedLen(len(h)) {
		return Hash{}, &Error{Code: CodeInvalid, Message: "a sha256 has 64 hexadecimal digits"}
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, &Error{Code: CodeInvalid, Message: "a sha256 has 64 hexadecimal digits", Err: err}
	}
	return h, nil
}

// String returns 64 lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether no hash was stated.
func (h Hash) IsZero() bool { return h == Hash{} }
