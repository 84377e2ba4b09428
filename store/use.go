package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// useLock is the number of the advisory lock that all connections of servers
// share, each for its life, and that a restore takes alone.
const useLock = 0x7465616d6d656d04

// use lets a restore see that the database is in use, and a connection that is
// made after one that it is another instance's now: what this store has handed
// out is of the one before.
func (s *Store) use(ctx context.Context, conn *pgx.Conn) error {
	free, err := scalar[bool](ctx, conn, `select pg_try_advisory_lock_shared(@lock)`, pgx.StrictNamedArgs{"lock": useLock})
	if err != nil {
		return err
	}
	if !free {
		return &memory.Error{
			Code: memory.CodeUnavailable, Message: "a backup is being restored into this database", Hint: "wait until that is done",
		}
	}
	// Under the lock, so that no restore comes in between.
	id, err := scalar[string](ctx, conn, `select instance_id from instance`, nil)
	switch {
	case sqlState(err) == undefinedTable:
		return nil // nothing was migrated: for Ready to tell
	case err != nil:
		return err
	case !s.instance.CompareAndSwap(nil, &id) && *s.instance.Load() != id:
		return &memory.Error{
			Code: memory.CodeUnavailable, Message: "another instance is in this database now", Hint: "start the server again",
		}
	}
	return nil
}

// useAlone takes the database for a restore, until the connection ends.
func useAlone(ctx context.Context, conn *pgx.Conn) error {
	free, err := scalar[bool](ctx, conn, `select pg_try_advisory_lock(@lock)`, pgx.StrictNamedArgs{"lock": useLock})
	if err == nil && !free {
		return &memory.Error{
			Code: memory.CodeConflict, Message: "a teammem server is connected to this database",
			Hint: "stop it first; it would go on under the identity that the database has now",
		}
	}
	return err
}

// scalar runs a query for one value. It leaves nothing prepared on a connection
// that asks once.
func scalar[T any](ctx context.Context, conn *pgx.Conn, sql string, args pgx.StrictNamedArgs) (v T, err error) {
	err = conn.QueryRow(ctx, sql, pgx.QueryExecModeExec, args).Scan(&v)
	return v, err
}
