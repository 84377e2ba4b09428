package api

import (
	"sync"
	"time"
)

// What one token may push, PROTOCOL section 7.
const (
	pushesPerMinute = 600
	pushBytesPerDay = 2 << 30

	minute = time.Minute
	day    = 24 * time.Hour
)

// limiter keeps one token bucket per key. A bucket starts full, and refills at
// an even rate.
type limiter struct {
	full float64
	rate float64 // per second

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newLimiter(amount float64, per time.Duration) *limiter {
	return &limiter{full: amount, rate: amount / per.Seconds(), buckets: map[string]bucket{}}
}

// take takes n from the bucket, or returns how long to wait until they are
// there. A wait takes nothing.
func (l *limiter) take(key string, n float64, now time.Time) time.Duration {
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

func (l *limiter) leftAt(key string, now time.Time) float64 {
	b, known := l.buckets[key]
	if !known {
		return l.full
	}
	return min(l.full, b.left+max(0, now.Sub(b.at).Seconds())*l.rate)
}

// forgetFull drops buckets that are full again, once there are many: a full
// bucket is the same as none.
func (l *limiter) forgetFull(now time.Time) {
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
