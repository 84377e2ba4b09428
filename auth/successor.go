package auth

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"

	"github.com/teammem/teammem/memory"
)

// sealSuccessor encrypts a refresh token under the one before it, so that only
// whoever has that can get at it: the database keeps neither.
func sealSuccessor(presented, successor string) ([]byte, error) {
	aead, err := successorCipher(presented)
	if err != nil {
		return nil, err
	}
	hash := HashToken(successor)
	return aead.Seal(nil, nil, []byte(successor), hash[:]), nil //nolint:gosec // the cipher adds a random nonce itself
}

// openSuccessor is the inverse. The hash is that by which the successor is
// known.
func openSuccessor(presented string, hash memory.Hash, sealed []byte) (string, error) {
	aead, err := successorCipher(presented)
	if err != nil {
		return "", err
	}
	successor, err := aead.Open(nil, nil, sealed, hash[:])
	if err != nil || HashToken(string(successor)) != hash {
		return "", errSealed
	}
	return string(successor), nil
}

// successorCipher derives its key from the token itself, of which the database
// keeps another hash.
func successorCipher(presented string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(presented), nil, "teammem refresh successor", masterBytes)
	if err != nil {
		return nil, err
	}
	return newAEAD(key)
}
