package client

import (
	"slices"
	"time"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Held are changes that look like an accident and wait for a person. All else is
// carried out.
type Held struct {
	ID    string       // the same while the same entries are held at the same revisions
	Kind  msync.Kind   // DeleteRemote: files gone here; DeleteLocal: entries deleted for all; Upload: files changed here
	Why   msync.Danger //
	Paths []memory.Path
}

// HeldDeletes counts the deletes that are held, in both directions.
func (r *Report) HeldDeletes() int {
	n := 0
	for _, h := range r.Held {
		if h.Kind != msync.Upload {
			n += len(h.Paths)
		}
	}
	return n
}

// deleted counts the deletes of one run. They are kept for an hour.
type deleted struct {
	At    int64 // ns since 1970, server time
	Base  int64 // entries before the run deleted any
	Sent  int64 // at the server
	Taken int64 // here
}

const deletesCount = time.Hour // how long

// serverNow is the time at the server, by its newest answer. One that does not
// tell it, and a look without asking, leave this computer's clock.
func (c *cycle) serverNow() time.Time {
	if at := c.server.answered(); !at.IsZero() {
		return at
	}
	return c.clock()
}

// lately returns what was deleted in the last hour.
func (c *cycle) lately() []deleted {
	since := c.serverNow().Add(-deletesCount).UnixNano()
	old := func(d deleted) bool { return d.At < since }
	return slices.DeleteFunc(slices.Clone(c.index.Deleted), old)
}

// countDelete keeps that a delete was carried out.
func (c *cycle) countDelete(kind msync.Kind) {
	if c.deletes.At == 0 {
		c.deletes.Base = c.baseSize
	} else {
		c.index.Deleted = c.index.Deleted[:len(c.index.Deleted)-1] // this run's
	}
	c.index.Deleted = c.lately()
	c.deletes.At = c.serverNow().UnixNano()
	if kind == msync.DeleteRemote {
		c.deletes.Sent++
	} else {
		c.deletes.Taken++
	}
	c.index.Deleted, c.state.dirty = append(c.index.Deleted, c.deletes), true
}
