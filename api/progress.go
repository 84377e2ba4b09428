package api

import (
	"context"
	"sync"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// Progress collects how far devices have come in the feeds, so that no request
// waits for that to be written. It is safe for concurrent use.
type Progress struct {
	mu      sync.Mutex
	members map[memory.MemberID]map[placeKey]memory.DeviceCursor
}

type placeKey struct {
	project memory.ProjectID
	device  memory.DeviceID
}

// placesPerMember is how many places of one member's devices are kept until they
// are written. Devices are only looked up then, and could be made up.
const placesPerMember = 100

func newProgress() *Progress {
	return &Progress{members: map[memory.MemberID]map[placeKey]memory.DeviceCursor{}}
}

func (p *Progress) note(c memory.DeviceCursor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	places := p.members[c.Member]
	if places == nil {
		places = map[placeKey]memory.DeviceCursor{}
		p.members[c.Member] = places
	}
	key := placeKey{c.Project, c.Device}
	before, known := places[key]
	if known && before.At.Epoch == c.At.Epoch {
		c.At.Seq = max(c.At.Seq, before.At.Seq) // requests may end in any order
	}
	if known || len(places) < placesPerMember {
		places[key] = c
	}
}

// ProgressRecords keeps how far devices have come. The store implements it.
type ProgressRecords interface {
	KeepCursors(ctx context.Context, cursors []memory.DeviceCursor, at time.Time) error
}

// Flush writes what was collected since the last time. What cannot be written is
// forgotten: the next request tells it again.
func (p *Progress) Flush(ctx context.Context, records ProgressRecords, at time.Time) error {
	p.mu.Lock()
	members := p.members
	p.members = map[memory.MemberID]map[placeKey]memory.DeviceCursor{}
	p.mu.Unlock()
	var all []memory.DeviceCursor
	for _, places := range members {
		for _, c := range places {
			all = append(all, c)
		}
	}
	return records.KeepCursors(ctx, all, at)
}

// Progress is how far devices have come. Somebody should flush it now and then.
func (a *API) Progress() *Progress { return a.progress }

// sent notes how much of the feed the caller's device has with this answer. It
// is not known whether the answer arrives; if it does not, the next request says
// so.
func (c *call) sent(to memory.Cursor) {
	device := c.who.Device
	if device == "" {
		named, err := wire.ParseDeviceID("Teammem-Device", c.Request().Header.Get("Teammem-Device"))
		if err != nil || named == "" {
			return // who calls by an API token need not say from where
		}
		device = named
	}
	c.api.progress.note(memory.DeviceCursor{Project: c.project, Member: c.who.Member, Device: device, At: to, Client: c.who.Client})
}
