package auth

import (
	"fmt"
	"testing"
	"time"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := NewLimiter(60, time.Minute)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 60 {
		if wait := l.Take("a", 1, now); wait != 0 {
			t.Fatalf("take %d waits %v", i, wait)
		}
	}
	steps := []struct {
		after time.Duration
		key   string
		n     float64
		want  time.Duration
	}{
		{0, "a", 1, time.Second},
		{0, "b", 60, 0},
		{500 * time.Millisecond, "a", 1, 500 * time.Millisecond},
		{500 * time.Millisecond, "a", 1, 0},
		{0, "a", 1, time.Second},
		{-time.Hour, "a", 1, time.Second}, // a clock that goes back gives nothing
		{2 * time.Hour, "a", 60, 0},       // and an hour does not save up more than the bucket
		{0, "a", 1, time.Second},
	}
	for i, s := range steps {
		now = now.Add(s.after)
		if got := l.Take(s.key, s.n, now); got != s.want {
			t.Errorf("step %d: waits %v, want %v", i, got, s.want)
		}
	}
}

// What is given back counts as never taken, and fills no bucket above its rim.
func TestLimiter_Give(t *testing.T) {
	t.Parallel()
	l := NewLimiter(60, time.Minute)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	l.Take("a", 60, now)
	l.Give("a", 2, now)
	if got := l.Take("a", 3, now); got != time.Second {
		t.Errorf("waits %v", got)
	}
	l.Give("a", 100, now)
	if got := l.Take("a", 61, now); got != time.Second {
		t.Errorf("waits %v", got)
	}
}

// What was charged beyond what was there has to come in first.
func TestLimiter_Charge(t *testing.T) {
	t.Parallel()
	l := NewLimiter(60, time.Minute)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	l.Charge("a", 50, now)
	if got := l.Take("a", 0, now); got != 0 {
		t.Errorf("with 10 left waits %v", got)
	}
	l.Charge("a", 30, now)
	if got := l.Take("a", 0, now); got != 20*time.Second {
		t.Errorf("with 20 missing waits %v", got)
	}
	if got := l.Take("a", 1, now.Add(21*time.Second)); got != 0 {
		t.Errorf("21 s later waits %v", got)
	}
}

// Buckets that are full again are forgotten, so that tokens that come and go
// do not add up.
func TestLimiter_Forgets(t *testing.T) {
	t.Parallel()
	l := NewLimiter(60, time.Minute)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 10_000 {
		l.Take(fmt.Sprint(i), 1, now)
	}
	l.Take("last", 60, now)
	l.Take("next", 1, now.Add(time.Second))
	if n := len(l.buckets); n != 2 {
		t.Errorf("%d buckets are kept", n)
	}
}
