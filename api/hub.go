package api

import (
	"context"
	"sync"

	"github.com/teammem/teammem/memory"
)

// Hub tells waiting requests of this process where projects stand. It is a
// [memory.Notifier], and hears of what other processes wrote from whoever is
// given its method Notify. Hints coalesce: a waiter learns that something is
// new, not how much, so a burst of writes wakes it once.
type Hub struct {
	mu       sync.Mutex
	projects map[memory.ProjectID]*topic
	closed   chan struct{}
	close    sync.Once
}

// topic is what the hub knows of one project. Changed is closed, and replaced,
// when the project moves on; it is nil while nobody waits.
type topic struct {
	at        memory.Cursor
	changed   chan struct{}
	followers map[*subscription]bool
}

// NewHub returns a hub that has heard of nothing yet.
func NewHub() *Hub {
	return &Hub{projects: map[memory.ProjectID]*topic{}, closed: make(chan struct{})}
}

// Notify wakes all who wait for the project to pass an earlier cursor. Hints may
// come in any order and more than once. A cursor of another epoch is news: which
// of two epochs is the later one, nobody can tell by their names.
// The zero cursor says that more is allowed in the project, which wakes only those
// who follow it.
func (h *Hub) Notify(project memory.ProjectID, at memory.Cursor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(project)
	if !at.IsZero() {
		h.raise(t, project, at)
		return
	}
	for s := range t.followers {
		s.hearAllowed(project)
	}
}

func (h *Hub) raise(t *topic, project memory.ProjectID, at memory.Cursor) {
	if !behind(at, t.at) {
		return
	}
	t.at = at
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
	for s := range t.followers {
		s.hear(project, at)
	}
}

// behind reports whether at is news to whoever knows of the feed up to known.
func behind(at, known memory.Cursor) bool { return at.Epoch != known.Epoch || at.Seq > known.Seq }

// Wait returns when a cursor behind after was notified, even before the call,
// when ctx is done, or when the hub is closed.
func (h *Hub) Wait(ctx context.Context, project memory.ProjectID, after memory.Cursor) {
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

// listen returns nil if the project has passed the cursor, else a channel that
// is closed at the next hint.
func (h *Hub) listen(project memory.ProjectID, after memory.Cursor) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topic(project)
	if !t.at.IsZero() && behind(t.at, after) {
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
		t = &topic{followers: map[*subscription]bool{}}
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
