package auth

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// Keyring holds the one key that signs access tokens, and those that verify
// them: the signing key itself, its predecessors until their last token has
// expired, and its successor once that is published.
type Keyring struct {
	signing   ed25519.PrivateKey
	signingID string
	verify    map[string]ed25519.PublicKey // by kid; fixed once built
}

// NewKeyring builds a ring from the signing key and further keys that verify.
func NewKeyring(signing ed25519.PrivateKey, others ...ed25519.PublicKey) (*Keyring, error) {
	if len(signing) != ed25519.PrivateKeySize {
		return nil, errors.New("the signing key is no Ed25519 key")
	}
	public, _ := signing.Public().(ed25519.PublicKey)
	k := &Keyring{signing: signing, signingID: KeyID(public), verify: map[string]ed25519.PublicKey{}}
	for _, key := range append([]ed25519.PublicKey{public}, others...) {
		if len(key) != ed25519.PublicKeySize {
			return nil, errors.New("a verification key is no Ed25519 key")
		}
		if _, taken := k.verify[KeyID(key)]; taken {
			return nil, fmt.Errorf("two keys have the id %s", KeyID(key))
		}
		k.verify[KeyID(key)] = key
	}
	return k, nil
}

// KeyID returns the kid of a key: the start of its RFC 7638 thumbprint. It is
// short because each request carries it, and only tells the few keys of one
// ring apart; it proves nothing.
func KeyID(key ed25519.PublicKey) string {
	const bytes = 6
	// The members in the order that RFC 7638 and RFC 8037 prescribe.
	jwk := `{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(key) + `"}`
	sum := sha256.Sum256([]byte(jwk))
	return base64.RawURLEncoding.EncodeToString(sum[:bytes])
}
