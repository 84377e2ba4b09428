package api

import (
	"context"
	"sync"

	"github.com/teammem/teammem/memory"
)

// Hub tells waiting requests of this process about new heads. It is a
// [memory.Notifier]. Hints coalesce: a waiter learns that something is new,
// not how much, so a burst of writes wakes it once.
type Hub struct {
	mu       sync.Mutex
	projects map[memory.ProjectID]*topic
	closed   chan struct{}
	close    sync.Once
}

// topic is what the hub knows of one project. Changed is closed, and replaced,
// when seq rises; it is nil while nobody waits.
type topic struct {
	seq     int64
	changed chan struct{}
}

// NewHub returns a hub that has heard of nothing yet.
func NewHub() *Hub {
	return &Hub{projects: map[memory.ProjectID]*topic{}, closed: make(chan struct{})}
}

// Notify wakes all who wait for the project to pass a lower number. Hints may
// come in any order and more than once.
func (h *Hub) Notify(project memory.ProjectID, seq int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(project)
	if seq <= t.seq {
		return
	}
	t.seq = seq
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// Wait returns when a number above after was notified, even before the call,
// when ctx is done, or when the hub is closed.
func (h *Hub) Wait(ctx context.Context, project memory.ProjectID, after int64) {
	for {
		changed := h.listen(project, after)
		if changed == nil {
			return
		}
		select {
		case <-changed:
		case <-h.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// listen returns nil if the project has passed the number, else a channel that
// is closed at the next hint.
func (h *Hub) listen(project memory.ProjectID, after int64) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(project)
	if t.seq > after {
		return nil
	}
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

func (h *Hub) topic(project memory.ProjectID) *topic {
	t := h.projects[project]
	if t == nil {
		t = &topic{}
		h.projects[project] = t
	}
	return t
}

// Closed reports whether the hub was closed: the server is about to end.
func (h *Hub) Closed() bool {
	select {
	case <-h.closed:
		return true
	default:
		return false
	}
}

// Close lets all waiters go, now and from now on, so that a server which stops
// need not wait for them.
func (h *Hub) Close() { h.close.Do(func() { close(h.closed) }) }
