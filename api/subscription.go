package api

import (
	"cmp"
	"slices"

	"github.com/teammem/teammem/memory"
)

// subscription is one reader's view of a [Hub]: the newest cursor of each of
// its projects that it has not taken yet. It never grows beyond one a project,
// however slowly its reader takes. Its methods are safe for concurrent use.
type subscription struct {
	hub   *Hub
	told  map[memory.ProjectID]memory.Cursor // of every project that it follows, what was taken last
	news  map[memory.ProjectID]memory.Cursor
	more  map[memory.ProjectID]bool // is allowed there
	ready chan struct{}             // receives when there may be something to take
}

// hint is where a project stands; with the zero cursor, that more is allowed in
// it.
type hint struct {
	project memory.ProjectID
	at      memory.Cursor
}

// subscribe returns a subscription that follows nothing yet. Its owner ends it.
func (h *Hub) subscribe() *subscription {
	return &subscription{
		hub: h, told: map[memory.ProjectID]memory.Cursor{}, news: map[memory.ProjectID]memory.Cursor{}, more: map[memory.ProjectID]bool{},
		ready: make(chan struct{}, 1),
	}
}

// follow follows the projects, of which the caller has just read where they
// stand: whatever was not taken of that is news, and the hub hears of it. It
// reports whether these are all that were followed before.
func (s *subscription) follow(cursors map[memory.ProjectID]memory.Cursor) (all bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for project := range s.told {
		if _, ok := cursors[project]; !ok {
			return false
		}
	}
	for project, at := range cursors {
		t := s.hub.topic(project)
		s.hub.raise(t, project, at)
		if _, known := s.told[project]; !known {
			s.told[project], t.followers[s] = memory.Cursor{}, true
		}
		if s.told[project] != t.at {
			s.hear(project, t.at)
		}
	}
	return true
}

// hear keeps a cursor for the reader, under the hub's lock.
func (s *subscription) hear(project memory.ProjectID, at memory.Cursor) {
	s.news[project] = at
	s.ring()
}

// hearAllowed keeps for the reader that more is allowed, under the hub's lock.
func (s *subscription) hearAllowed(project memory.ProjectID) {
	s.more[project] = true
	s.ring()
}

func (s *subscription) ring() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// take returns what is new, by project.
func (s *subscription) take() []hint {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	var all []hint
	for project, at := range s.news {
		all = append(all, hint{project, at})
		s.told[project] = at
	}
	for project := range s.more {
		all = append(all, hint{project: project})
	}
	clear(s.news)
	clear(s.more)
	slices.SortFunc(all, func(a, b hint) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.at.Seq, b.at.Seq))
	})
	return all
}

// end stops following.
func (s *subscription) end() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for project := range s.told {
		delete(s.hub.topic(project).followers, s)
	}
}
