package watch

import (
	"time"

	"github.com/fsnotify/fsnotify"
)

// Hurry makes a watcher wait less, and look regularly as seldom as it can: what
// comes about then comes about by events.
func (w *Watcher) Hurry(settle time.Duration) {
	w.pace.settle, w.pace.pull, w.pace.rescan, w.pace.verify[0] = settle, time.Hour, time.Hour, time.Hour
	w.pace.retry[0], w.pace.retry[1] = 20*time.Millisecond, 200*time.Millisecond
	w.pace.watch, w.pace.refused = 50*time.Millisecond, 50*time.Millisecond
	w.ears.pace = w.pace
}

// Deafen lets no event through.
func (w *Watcher) Deafen() {
	w.pace.proof, w.pace.poll[0] = 10*time.Millisecond, 10*time.Millisecond
	w.ears.make = func() (*fsnotify.Watcher, error) {
		real, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, err
		}
		events := real.Events
		real.Events = nil
		go discard(events)
		return real, nil
	}
}

// Without lets no watcher be made, for this reason.
func (w *Watcher) Without(err error) {
	w.pace.poll[0] = 10 * time.Millisecond
	w.ears.make = func() (*fsnotify.Watcher, error) { return nil, err }
}

// Eventless puts all folders on such a file system.
func (w *Watcher) Eventless(kind string) {
	w.pace.poll[0] = 10 * time.Millisecond
	w.eventless = func(string) string { return kind }
}

// Overflow is what the kernel says when events were lost.
func (w *Watcher) Overflow() { w.ears.watcher().Errors <- fsnotify.ErrEventOverflow }

// Slept has all looked at as after a sleep.
func (w *Watcher) Slept() { w.wokeUp() }

// Current reports whether a stream has told of all that the trees are at.
func (w *Watcher) Current() bool {
	for _, p := range w.all() {
		p.mu.Lock()
		same := p.report != nil && p.told == p.report.Cursor
		p.mu.Unlock()
		if !same {
			return false
		}
	}
	return true
}

// Quiet reports whether all that was heard of so far was looked at.
func (w *Watcher) Quiet() bool {
	for _, p := range w.all() {
		p.mu.Lock()
		busy := !p.agenda.edited.IsZero() || p.agenda.heard || len(w.slots) > 0
		p.mu.Unlock()
		if busy {
			return false
		}
	}
	return true
}
