package auth

import (
	"sync"
	"time"
)

// Limiter keeps one token bucket per key: of an address, of a token. A bucket
// starts full, and refills at an even rate. It is safe for concurrent use.
type Limiter struct {
	full float64
	rate float64 // per second

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	left float64
	at   time.Time
}

// NewLimiter allows an amount per key and time, all of it at once if need be.
func NewLimiter(amount float64, per time.Duration) *Limiter {
	return &Limiter{full: amount, rate: amount / per.Seconds(), buckets: map[string]bucket{}}
}

// Take takes n from the bucket, or returns how long to wait until they are
// there. A wait takes nothing.
func (l *Limiter) Take(key string, n float64, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.leftAt(key, now)
	if left < n {
		return time.Duration((n - left) / l.rate * float64(time.Second))
	}
	l.forgetFull(now)
	l.buckets[key] = bucket{left - n, now}
	return 0
}

// Charge takes n from the bucket, whether they are there or not: what is missing
// has to come in before anything can be taken again.
func (l *Limiter) Charge(key string, n float64, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetFull(now)
	l.buckets[key] = bucket{l.leftAt(key, now) - n, now}
}

// Give puts n back that turned out not to count.
func (l *Limiter) Give(key string, n float64, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buckets[key] = bucket{min(l.full, l.leftAt(key, now)+n), now}
}

func (l *Limiter) leftAt(key string, now time.Time) float64 {
	b, known := l.buckets[key]
	if !known {
		return l.full
	}
	return min(l.full, b.left+max(0, now.Sub(b.at).Seconds())*l.rate)
}

// forgetFull drops buckets that are full again, once there are many: a full
// bucket is the same as none.
func (l *Limiter) forgetFull(now time.Time) {
	const many = 10_000
	if len(l.buckets) < many {
		return
	}
	for key := range l.buckets {
		if l.leftAt(key, now) >= l.full {
			delete(l.buckets, key)
		}
	}
}
