package auth

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// masterBytes is the length of a master key.
const masterBytes = 32

// MasterKey keeps the private halves of the signing keys from whoever reads
// only the database. It lives in a file of its own.
type MasterKey struct{ aead cipher.AEAD }

// MintMasterKey returns the text of a new master key.
func MintMasterKey() string {
	b := make([]byte, masterBytes)
	rand.Read(b) // never fails, see crypto/rand
	return base64.StdEncoding.EncodeToString(b)
}

// ParseMasterKey reads what [MintMasterKey] wrote. Its errors quote nothing of
// the text.
func ParseMasterKey(text string) (*MasterKey, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(text))
	switch {
	case err != nil || len(b) != masterBytes:
		return nil, fmt.Errorf("a master key is %d random bytes in base64", masterBytes)
	case bytes.Count(b, b[:1]) == len(b):
		return nil, errors.New("this master key is one byte over and over: it was never random")
	}
	aead, err := newAEAD(b)
	if err != nil {
		return nil, err
	}
	return &MasterKey{aead}, nil
}

// newAEAD returns AES-256-GCM with random nonces in front of what it seals.
func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	return aead, nil
}

// seal encrypts the private half of the key with this id.
func (m *MasterKey) seal(id string, private []byte) []byte {
	return m.aead.Seal(nil, nil, private, []byte(id)) //nolint:gosec // the cipher adds a random nonce itself
}

// open is the inverse of seal. It fails for another master key, another id, and
// for what was changed since; there is no telling which.
func (m *MasterKey) open(id string, sealed []byte) ([]byte, error) {
	private, err := m.aead.Open(nil, nil, sealed, []byte(id))
	if err != nil {
		return nil, errSealed
	}
	return private, nil
}

// errSealed stands for the cipher's own error, which says no more.
var errSealed = errors.New("it was sealed under another key, or changed")
