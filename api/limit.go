package api

import "time"

// What one token may push, PROTOCOL section 7.
const (
	pushesPerMinute = 600
	pushBytesPerDay = 2 << 30

	// What one may report of its trees. A client does when something changed.
	reportsPerMinute = 60

	// Streams of events that one member may have open: one a computer, and some to spare.
	streamsPerMember = 10

	// Logins from one address that may fail, by which nobody finds a token and nobody fills the audit.
	guessesPerMinute = 10

	minute = time.Minute
	day    = 24 * time.Hour
)
