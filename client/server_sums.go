package client

import "github.com/teammem/teammem/memory"

// serverSums are texts by what the server has to do with them, for whoever asks of
// many at once. They are of the state as it was when they were made.
type serverSums struct {
	known  map[memory.Hash]bool // it has the text, or had it at the last agreement
	purged map[memory.Hash]bool // it wants no copy kept
}

// sums makes them. They are kept until an entry changes.
func (s *state) sums() *serverSums {
	if s.summed != nil {
		return s.summed
	}
	all := &serverSums{known: make(map[memory.Hash]bool, len(s.entries)), purged: map[memory.Hash]bool{}}
	for _, e := range s.entries {
		all.known[e.base.Sum] = true
		if e.remote == nil {
			continue
		}
		all.known[e.remote.Sum] = true
		if e.remote.Purged {
			all.purged[e.base.Sum] = true
		}
	}
	s.summed = all
	return all
}
