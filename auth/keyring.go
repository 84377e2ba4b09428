package auth

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/teammem/teammem/memory"
)

// Keys are where access tokens find their keys: a fixed [Keyring], or
// [StoredKeys].
type Keys interface {
	// Ring returns the keys of this moment.
	Ring() *Keyring
	// Reread looks for keys that were published since, and reports whether there
	// may be some.
	Reread(ctx context.Context) bool
}

// Keyring holds the keys that sign access tokens, each from its time on, and
// those that verify them: these same keys, and their predecessors until their
// last token has expired. It never changes.
type Keyring struct {
	signers []signer // in the order in which they sign
	verify  map[string]ed25519.PublicKey
}

type signer struct {
	id   string
	key  ed25519.PrivateKey
	from time.Time
}

// NewKeyring builds a ring from the signing key and further keys that verify.
func NewKeyring(signing ed25519.PrivateKey, others ...ed25519.PublicKey) (*Keyring, error) {
	k := &Keyring{verify: map[string]ed25519.PublicKey{}}
	if err := k.addSigner(signing, time.Time{}); err != nil {
		return nil, err
	}
	for _, key := range others {
		if err := k.add(key); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// addSigner adds a key that signs from some time on.
func (k *Keyring) addSigner(key ed25519.PrivateKey, from time.Time) error {
	if len(key) != ed25519.PrivateKeySize {
		return errors.New("the signing key is no Ed25519 key")
	}
	public, _ := key.Public().(ed25519.PublicKey)
	k.signers = append(k.signers, signer{KeyID(public), key, from})
	return k.add(public)
}

// add adds a key that verifies.
func (k *Keyring) add(key ed25519.PublicKey) error {
	if len(key) != ed25519.PublicKeySize {
		return errors.New("a verification key is no Ed25519 key")
	}
	id := KeyID(key)
	if _, taken := k.verify[id]; taken {
		return fmt.Errorf("two keys have the id %s", id)
	}
	k.verify[id] = key
	return nil
}

// Ring returns the ring itself.
func (k *Keyring) Ring() *Keyring { return k }

// Reread finds nothing: the ring is fixed.
func (k *Keyring) Reread(context.Context) bool { return false }

// signer returns the key that signs now: the last one whose time has come. A
// clock that is behind them all takes the first.
func (k *Keyring) signer(now time.Time) (signer, error) {
	if err := k.Signs(); err != nil {
		return signer{}, err
	}
	for _, s := range slices.Backward(k.signers) {
		if !now.Before(s.from) {
			return s, nil
		}
	}
	return k.signers[0], nil
}

// Signs returns nil if there is a key that signs.
func (k *Keyring) Signs() error {
	if len(k.signers) > 0 {
		return nil
	}
	return &memory.Error{Code: memory.CodeUnavailable, Message: "this server has no key to sign tokens with until it is started again"}
}

// only returns the ring without keys that are not stored any more. A nil ring
// has none.
func (k *Keyring) only(stored []memory.SigningKey) *Keyring {
	left := &Keyring{verify: map[string]ed25519.PublicKey{}}
	if k == nil {
		return left
	}
	for _, kept := range stored {
		if key, ours := k.verify[kept.ID]; ours {
			left.verify[kept.ID] = key
		}
	}
	for _, s := range k.signers {
		if _, kept := left.verify[s.id]; kept {
			left.signers = append(left.signers, s)
		}
	}
	return left
}

// PublicKey is a key that verifies access tokens.
type PublicKey struct {
	ID  string // its kid
	Key ed25519.PublicKey
}

// Public returns all keys that verify, by id.
func (k *Keyring) Public() []PublicKey {
	var all []PublicKey
	for _, id := range slices.Sorted(maps.Keys(k.verify)) {
		all = append(all, PublicKey{id, k.verify[id]})
	}
	return all
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
