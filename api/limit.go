package api

import "time"

// What one token may push, PROTOCOL section 7.
const (
	pushesPerMinute = 600
	pushBytesPerDay = 2 << 30

	minute = time.Minute
	day    = 24 * time.Hour
)
