package auth

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// sightingRecords keeps what was flushed.
type sightingRecords struct {
	seen map[memory.DeviceID]time.Time
	err  error
}

func (r *sightingRecords) Seen(_ context.Context, devices map[memory.DeviceID]time.Time) error {
	r.seen = devices
	return r.err
}

// A device is told once a minute, however many requests it makes, and a refused
// one not at all.
func TestSightings(t *testing.T) {
	t.Parallel()
	f, r := setup(t), &sightingRecords{}
	header := "Bearer " + f.mint(t, memory.ScopeRead)
	for _, tt := range []struct {
		name  string
		last  time.Duration // before now, or by a wrong clock after it; 0: never
		spoil bool
		want  int
	}{{"never seen", 0, false, 1}, {"seen just now", 59 * time.Second, false, 0}, {"seen a minute ago", time.Minute, false, 1}, {"seen in a year", -365 * 24 * time.Hour, false, 1}, {"logged out", time.Hour, true, 0}} {
		f.records.device.LastSeen, f.records.device.RevokedAt = time.Time{}, time.Time{}
		if tt.last != 0 {
			f.records.device.LastSeen = f.now.Add(-tt.last)
		}
		if tt.spoil {
			f.records.device.RevokedAt = f.now
		}
		for range 3 {
			if _, err := f.auth.Authenticate(t.Context(), header); (err != nil) != tt.spoil {
				t.Fatal(err)
			}
		}
		if err := f.auth.Seen().Flush(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if len(r.seen) != tt.want || (tt.want == 1 && !cmp.Equal(r.seen, map[memory.DeviceID]time.Time{f.records.device.ID: f.now})) {
			t.Errorf("%s: %v", tt.name, r.seen)
		}
	}
	r.err = errors.New("gone")
	if err := f.auth.Seen().Flush(t.Context(), r); err == nil {
		t.Error("a failure is kept quiet")
	}
}
