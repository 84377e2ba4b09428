package store_test

import (
	"context"
	"testing"
	"time"
)

// Servers whose machines show different times go by one clock, and it stays
// right when somebody sets a machine's clock.
func TestClock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	near := func(got time.Time) bool { return time.Since(got).Abs() < time.Minute } // the database is on this machine
	for name, off := range map[string]time.Duration{"right": 0, "behind": -time.Hour, "years ahead": 3 * 365 * 24 * time.Hour} {
		local := func() time.Time { return time.Now().Add(off) }
		c, err := b.Clock(t.Context(), local)
		must(t, err)
		if got := c.Now(); !near(got) || got.Location() != time.UTC {
			t.Errorf("%s: %v", name, got)
		}
		if ahead := c.Ahead(); (ahead + off).Abs() > time.Minute {
			t.Errorf("%s: the database's clock is %v ahead", name, ahead)
		}
	}
}

// Where it cannot be read, it goes on; where it jumped, it is followed.
func TestClock_Read(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var off time.Duration
	local := func() time.Time { return start().Add(off) }
	c, err := b.Clock(t.Context(), local)
	must(t, err)
	first := c.Now()
	off = time.Hour
	if got := c.Now().Sub(first); got != time.Hour {
		t.Errorf("%v passed, want an hour", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Read(ended); err == nil || c.Now().Sub(first) != time.Hour {
		t.Errorf("a reading that failed: %v, %v passed", err, c.Now().Sub(first))
	}
	must(t, c.Read(t.Context())) // which has not moved on by an hour
	if got := c.Now().Sub(first); got < 0 || got > time.Minute {
		t.Errorf("%v passed, want what passed at the database", got)
	}
}
