package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// keyLock is the number of the advisory lock under which signing keys are made.
const keyLock = 0x7465616d6d656d03

type signingKeyRow struct {
	Kid       string
	Public    []byte
	Sealed    []byte
	CreatedAt time.Time
	SignsFrom time.Time
}

func (r signingKeyRow) key() memory.SigningKey {
	return memory.SigningKey{ID: r.Kid, Public: r.Public, Sealed: r.Sealed, CreatedAt: r.CreatedAt.UTC(), SignsFrom: r.SignsFrom.UTC()}
}

// SigningKeys returns all keys that sign or signed access tokens, in the order
// in which they do.
func (s *Store) SigningKeys(ctx context.Context) ([]memory.SigningKey, error) {
	keys, err := list(ctx, s.pool, signingKeyRow.key, `
		select kid, public, sealed, created_at, signs_from
		from signing_keys
		order by signs_from, created_at, kid`,
		pgx.StrictNamedArgs{})
	return keys, s.fault(ctx, "read signing keys", err)
}

// FirstSigningKey adds the key unless there is one. Servers that start at the
// same time wait for one another here, and only the first adds its own.
func (s *Store) FirstSigningKey(ctx context.Context, k memory.SigningKey, row memory.AuditRow) error {
	return s.fault(ctx, "add the first signing key", s.inTx(ctx, func(tx pgx.Tx) error {
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		added, err := tx.Exec(ctx, `
			insert into signing_keys (kid, public, sealed, created_at, signs_from)
			select @kid, @public, @sealed, @created_at, @signs_from
			where not exists (select from signing_keys)`,
			keyArgs(k))
		if err != nil || added.RowsAffected() == 0 {
			return err
		}
		return appendInstance(ctx, tx, row)
	}))
}

// AddSigningKey adds a key, in place of all others if it is to be alone.
func (s *Store) AddSigningKey(ctx context.Context, k memory.SigningKey, alone bool, row memory.AuditRow) error {
	return s.fault(ctx, "add signing key", s.inTx(ctx, func(tx pgx.Tx) error {
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		if alone {
			batch.Queue(`delete from signing_keys`)
		}
		batch.Queue(`
			insert into signing_keys (kid, public, sealed, created_at, signs_from)
			values (@kid, @public, @sealed, @created_at, @signs_from)`,
			keyArgs(k))
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		return appendInstance(ctx, tx, row)
	}))
}

func lockKeys(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(@lock)`, pgx.StrictNamedArgs{"lock": keyLock})
	return err
}

func keyArgs(k memory.SigningKey) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"kid": k.ID, "public": k.Public, "sealed": k.Sealed, "created_at": k.CreatedAt, "signs_from": k.SignsFrom,
	}
}
