package memory

import (
	"strconv"
	"time"
)

// Age says how old something from then is: "today", "yesterday" or
// "N days ago", in whole days and never less than today.
func Age(now, then time.Time) string {
	switch days := ageDays(now, then); days {
	case 0:
		return "today"
	case 1:
		return "yesterday"
	default:
		return strconv.Itoa(days) + " days ago"
	}
}

// ageDays counts whole days of 24 hours. A clock that is ahead makes nothing
// younger than today.
func ageDays(now, then time.Time) int { return max(0, int(now.Sub(then)/(24*time.Hour))) }
