package auth

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teammem/teammem/memory"
)

const (
	// RereadEvery is how often a server looks for keys that others published.
	RereadEvery = 30 * time.Second
	// publishedFor is how long a key is known before it signs: long enough that
	// every server has read it.
	publishedFor = 2 * RereadEvery
	// asksPerMinute bounds the looks for keys that tokens named: they can name
	// anything.
	asksPerMinute = 30
)

// KeyRecords is where signing keys are kept. The store implements it.
type KeyRecords interface {
	// SigningKeys returns all keys, in the order in which they sign.
	SigningKeys(ctx context.Context) ([]memory.SigningKey, error)
}

// NewSigningKey makes a key that signs once all servers know it, or at once if
// there is none before it.
func NewSigningKey(master *MasterKey, now time.Time, atOnce bool) (memory.SigningKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return memory.SigningKey{}, fmt.Errorf("make a signing key: %w", err)
	}
	k := memory.SigningKey{ID: KeyID(public), Public: public, CreatedAt: now, SignsFrom: now}
	if !atOnce {
		k.SignsFrom = now.Add(publishedFor)
	}
	k.Sealed = master.seal(k.ID, private.Seed())
	return k, nil
}

// StoredKeys are the keys that all servers of an instance share. They are safe
// for concurrent use.
type StoredKeys struct {
	records KeyRecords
	master  *MasterKey
	clock   memory.Clock
	ring    atomic.Pointer[Keyring]
	asks    *Limiter
	mu      sync.Mutex // of whoever reads
}

// OpenKeys reads the keys. A [memory.CodeForbidden] error says that the master
// key is not theirs.
func OpenKeys(ctx context.Context, records KeyRecords, master *MasterKey, clock memory.Clock) (*StoredKeys, error) {
	s := &StoredKeys{records: records, master: master, clock: clock, asks: NewLimiter(asksPerMinute, time.Minute)}
	return s, s.Load(ctx)
}

// Ring returns the keys as they were read last.
func (s *StoredKeys) Ring() *Keyring { return s.ring.Load() }

// Reread reads the keys again unless that was done too often.
func (s *StoredKeys) Reread(ctx context.Context) bool {
	return s.asks.Take("", 1, s.clock()) == 0 && s.Load(ctx) == nil
}

// Load reads the keys again. If that fails, those from before stay, but never
// one that was given up.
func (s *StoredKeys) Load(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, err := s.records.SigningKeys(ctx)
	if err != nil {
		return fmt.Errorf("read signing keys: %w", err)
	}
	ring, err := s.open(stored, s.clock())
	if err != nil {
		s.ring.Store(s.Ring().only(stored))
		return err
	}
	s.ring.Store(ring)
	return nil
}

// open builds the ring, without keys whose last token has expired.
func (s *StoredKeys) open(stored []memory.SigningKey, now time.Time) (*Keyring, error) {
	ring := &Keyring{verify: map[string]ed25519.PublicKey{}}
	for i, k := range stored {
		if i+1 < len(stored) && now.After(stored[i+1].SignsFrom.Add(SyncLife+2*leeway)) {
			continue
		}
		seed, err := s.master.open(k.ID, k.Sealed)
		if err != nil {
			return nil, wrongMaster(k.ID)
		}
		if len(seed) != ed25519.SeedSize {
			return nil, fmt.Errorf("the signing key %s is damaged", k.ID)
		}
		key := ed25519.NewKeyFromSeed(seed)
		if public, _ := key.Public().(ed25519.PublicKey); !bytes.Equal(public, k.Public) || KeyID(public) != k.ID {
			return nil, fmt.Errorf("the signing key %s is not the one of its id", k.ID)
		}
		if err := ring.addSigner(key, k.SignsFrom); err != nil {
			return nil, err
		}
	}
	if len(ring.signers) == 0 {
		return nil, &memory.Error{Code: memory.CodeInternal, Message: "there is no signing key"}
	}
	return ring, nil
}

func wrongMaster(id string) *memory.Error {
	return &memory.Error{
		Code: memory.CodeForbidden, Message: fmt.Sprintf("the signing key %s cannot be opened with this master key", id), Err: errSealed,
	}
}
