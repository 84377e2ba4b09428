package store

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/teammem/teammem/memory"
)

// Clock shows the database's time, by which all servers of an instance go:
// what one of them signs or uses up is judged by the others. It is safe for
// concurrent use.
type Clock struct {
	store   *Store
	local   memory.Clock
	reading atomic.Pointer[reading]
}

// reading is what two clocks showed at the same moment.
type reading struct{ database, local time.Time }

// Clock reads the database's clock. Between readings it counts by the local
// one, which should be time.Now: that counts on evenly, whatever somebody sets
// the machine's clock to.
func (s *Store) Clock(ctx context.Context, local memory.Clock) (*Clock, error) {
	c := &Clock{store: s, local: local}
	return c, c.Read(ctx)
}

// Now returns the database's time.
func (c *Clock) Now() time.Time {
	r := c.reading.Load()
	return r.database.Add(c.local().Sub(r.local))
}

// Ahead returns how far the database's clock is ahead of the machine's.
func (c *Clock) Ahead() time.Duration {
	now := c.local().Round(0) // as the machine shows it
	return c.Now().Sub(now)
}

// Read reads the database's clock again, so that it is followed wherever it
// goes. If it cannot be read, the last reading counts on.
func (c *Clock) Read(ctx context.Context) error {
	asked := c.local()
	var now time.Time
	err := c.store.pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&now)
	if err != nil {
		return c.store.fault(ctx, "read the clock", err)
	}
	took := c.local().Sub(asked)
	local := asked.Add(took / 2)
	// The answer was made somewhere within that time. What may be due to that is
	// no reason to go back.
	if last := c.reading.Load(); last != nil && now.Sub(last.database.Add(local.Sub(last.local))).Abs() <= took {
		return nil
	}
	c.reading.Store(&reading{now.UTC(), local})
	return nil
}
