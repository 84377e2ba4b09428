package store

import "context"

const undefinedFunction = "42883"

// Flush makes a connection report its statistics.
func (s *Store) Flush(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `select pg_stat_force_next_flush()`)
	if sqlState(err) == undefinedFunction {
		return nil // Postgres 14 reports by itself, a little late
	}
	return err
}
