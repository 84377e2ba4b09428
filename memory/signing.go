package memory

import (
	"context"
	"time"
)

// SigningKey is what is kept of a key that signs access tokens: its private
// half only under the instance's master key.
type SigningKey struct {
	ID        string // the kid
	Public    []byte
	Sealed    []byte
	CreatedAt time.Time
	SignsFrom time.Time // not before every server has had the time to read it
}

// AddSigningKey publishes the next key, or with alone the only one: the keys
// before it are then forgotten, and what they signed ends.
func (s *Service) AddSigningKey(ctx context.Context, by Principal, k SigningKey, alone bool) error {
	if err := administers(by); err != nil {
		return err
	}
	row := by.Row(s.clock(), "key.add", k.ID)
	if alone {
		row.Rules = []string{"alone"}
	}
	return s.store.AddSigningKey(ctx, k, alone, row)
}

// FirstSigningKey adds the instance's first key. Once there is one it does
// nothing: servers that start at the same time all offer theirs.
func (s *Service) FirstSigningKey(ctx context.Context, by Principal, k SigningKey) error {
	if err := administers(by); err != nil {
		return err
	}
	return s.store.FirstSigningKey(ctx, k, by.Row(s.clock(), "key.add", k.ID))
}
