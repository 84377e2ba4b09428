package store

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	// restore ends in between. The lock is answered also if there is no table.
	found, err := conn.PgConn().Exec(ctx, fmt.Sprintf(`
		select pg_try_advisory_lock_shared(%d);
		select instance_id
		from instance`, useLock)).ReadAll()
	migrated := sqlState(err) != undefinedTable
	if err != nil && migrated {
		return err
	}
	if shared := string(found[0].Rows[0][0]) == "t"; !shared {
		return &memory.Error{
			Code: memory.CodeUnavailable, Message: "a backup is being restored into this database", Hint: "wait until that is done",
		}
	}
	id := "" // until a migration has given it one, which is for Ready to tell
	if migrated && len(found[1].Rows) > 0 {
		id = string(found[1].Rows[0][0])
		s.instance.CompareAndSwap(nil, &id)
	}
	if known := s.instance.Load(); known != nil && *known != id {
		return &memory.Error{
			Code: memory.CodeUnavailable, Message: "another instance is in this database now", Hint: "start the server again",
		}
	}
	return nil
}

// useAlone takes the database for a restore, until [leave] or the connection's
// end.
func useAlone(ctx context.Context, conn *pgx.Conn) error {
	// A server that has just been stopped is given two seconds: Postgres sees the
	// end of its connections a little later.
	for range 20 {
		var free bool
		err := conn.QueryRow(ctx, `select pg_try_advisory_lock(@lock)`, pgx.StrictNamedArgs{"lock": useLock}).Scan(&free)
		if err != nil || free {
			return err
		}
		if _, err := conn.Exec(ctx, `select pg_sleep(0.1)`); err != nil {
			return err
		}
	}
	users, err := usersOf(ctx, conn)
	if err != nil {
		return err
	}
	return &memory.Error{
		Code: memory.CodeConflict, Message: "a teammem server is connected to this database: " + strings.Join(users, ", "),
		Hint: "stop it first; it would go on under the identity that the database has now",
	}
}

// usersOf says who shares the lock.
func usersOf(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	return list(ctx, conn, userRow.String, `
		select a.pid, coalesce(host(a.client_addr), '') as client, a.backend_start
		from pg_locks l
		join pg_database d on d.oid = l.database
		join pg_stat_activity a on a.pid = l.pid
		where d.datname = current_database()
			and l.locktype = 'advisory'
			and l.granted
			and (l.classid::bigint << 32 | l.objid::bigint) = @lock
			and l.objsubid = 1 -- the lock's number is one of 64 bits
		order by a.backend_start`,
		pgx.StrictNamedArgs{"lock": useLock})
}

// leave gives the database back. Whoever starts a server as soon as the restore
// has ended would else find it locked until Postgres sees the connection's end,
// which gives it back too if this fails.
func leave(ctx context.Context, conn *pgx.Conn) {
	_, _ = conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock(@lock)`, pgx.StrictNamedArgs{"lock": useLock})
}

// userRow is a connection that shares the lock. To whom it belongs is hidden
// from roles that may not see it.
type userRow struct {
	Pid          int32
	Client       string
	BackendStart *time.Time
}

func (r userRow) String() string {
	s := fmt.Sprintf("process %d of Postgres", r.Pid)
	if r.Client != "" {
		s += " for " + r.Client
	}
	if r.BackendStart != nil {
		s += " since " + r.BackendStart.UTC().Format(time.RFC3339)
	}
	return s
}
