package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const undefinedFunction = "42883"

// Flush makes a connection report its statistics.
func (s *Store) Flush(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `select pg_stat_force_next_flush()`)
	if sqlState(err) == undefinedFunction {
		return nil // Postgres 14 reports by itself, a little late
	}
	return err
}

// MigrateTo brings an empty database to an earlier schema.
func MigrateTo(ctx context.Context, url string, version int) error {
	return alone(ctx, url, func(conn *pgx.Conn) error {
		files, err := readMigrations()
		if err != nil {
			return err
		}
		return migrateTo(ctx, conn, files[:version])
	})
}

// AnnounceEvery is how long hints of one project are apart, at least.
const AnnounceEvery = announceEvery

// LookEvery sets how often all projects are looked at, before Run.
func (h *Hints) LookEvery(every time.Duration) { h.every = every }

// WordColumns names the columns that a re-scan reads words from.
func WordColumns() (names []string) {
	for _, c := range wordColumns() {
		names = append(names, c.table+"."+c.column)
	}
	return names
}
