package memory

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		since time.Duration
		want  string
	}{
		{-400 * day, "today"}, // a clock that is ahead
		{0, "today"},
		{day - 1, "today"},
		{day, "yesterday"},
		{2*day - 1, "yesterday"},
		{2 * day, "2 days ago"},
		{400 * day, "400 days ago"},
	} {
		if got := Age(start().Add(tt.since), start()); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.since, got, tt.want)
		}
	}
}

// It is the time that counts, not how a zone writes it.
func TestAge_Zones(t *testing.T) {
	t.Parallel()
	east := start().In(time.FixedZone("east", 14*3600))
	if got := Age(start().Add(23*time.Hour), east); got != "today" {
		t.Errorf("got %q", got)
	}
}
