package auth

import (
	"context"
	"sync"
	"time"

	"github.com/teammem/teammem/memory"
)

// seenEvery is how old the time at which a device was last seen becomes before
// it is kept anew.
const seenEvery = time.Minute

// Sightings collects which devices made requests, so that no request waits for
// that to be written. They are safe for concurrent use.
type Sightings struct {
	mu      sync.Mutex
	devices map[memory.DeviceID]time.Time
}

func newSightings() *Sightings { return &Sightings{devices: map[memory.DeviceID]time.Time{}} }

func (s *Sightings) note(d memory.Device, now time.Time) {
	if now.Sub(d.LastSeen).Abs() < seenEvery { // a clock may have been ahead
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.devices[d.ID] = now
}

// SightingRecords keeps when devices were last seen. The store implements it.
type SightingRecords interface {
	Seen(ctx context.Context, devices map[memory.DeviceID]time.Time) error
}

// Flush writes what was collected since the last time. What cannot be written
// is forgotten: the next request tells it again.
func (s *Sightings) Flush(ctx context.Context, records SightingRecords) error {
	s.mu.Lock()
	devices := s.devices
	s.devices = map[memory.DeviceID]time.Time{}
	s.mu.Unlock()
	return records.Seen(ctx, devices)
}
