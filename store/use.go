package store

import (
	"context"
	"fmt"

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
	// At once, as every connection does it; and one after the other, so that no
	// restore ends in between.
	found, err := conn.PgConn().Exec(ctx, fmt.Sprintf(`
		select pg_try_advisory_lock_shared(%d);
		select instance_id
		from instance`, useLock)).ReadAll()
	switch {
	case sqlState(err) == undefinedTable:
		return nil // nothing was migrated: for Ready to tell
	case err != nil:
		return err
	case string(found[0].Rows[0][0]) != "t":
		return &memory.Error{
			Code: memory.CodeUnavailable, Message: "a backup is being restored into this database", Hint: "wait until that is done",
		}
	case len(found[1].Rows) == 0: // a migration is being run
		return nil
	}
	id := string(found[1].Rows[0][0])
	if !s.instance.CompareAndSwap(nil, &id) && *s.instance.Load() != id {
		return &memory.Error{
			Code: memory.CodeUnavailable, Message: "another instance is in this database now", Hint: "start the server again",
		}
	}
	return nil
}

// useAlone takes the database for a restore, until the connection ends.
func useAlone(ctx context.Context, conn *pgx.Conn) error {
	var free bool
	err := conn.QueryRow(ctx, `select pg_try_advisory_lock(@lock)`, pgx.StrictNamedArgs{"lock": useLock}).Scan(&free)
	if err == nil && !free {
		return &memory.Error{
			Code: memory.CodeConflict, Message: "a teammem server is connected to this database",
			Hint: "stop it first; it would go on under the identity that the database has now",
		}
	}
	return err
}
