package api

import (
	"fmt"
	"sync"
	"time"

	"github.com/teammem/teammem/memory"
)

// beat is how often a stream shows that it lives, and looks whether it may go
// on. Proxies that end silent connections wait for a minute.
const beat = 15 * time.Second

// streams are the streams of events that are open.
type streams struct {
	hub  *Hub
	beat time.Duration

	mu      sync.Mutex
	members map[memory.MemberID]int
}

func newStreams(hub *Hub) *streams {
	if hub == nil {
		hub = NewHub()
	}
	return &streams{hub: hub, beat: beat, members: map[memory.MemberID]int{}}
}

// open counts a stream of the member until the returned function is called, or
// says that there are too many.
func (s *streams) open(who memory.MemberID) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.members[who] >= streamsPerMember {
		return nil, &memory.Error{
			Code: memory.CodeRateLimited, Message: fmt.Sprintf("you have %d streams of events open, which is the limit", streamsPerMember),
			Hint: "end teammem on a computer where you do not need it, or ask for changes instead",
		}
	}
	s.members[who]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.members[who]--; s.members[who] == 0 {
			delete(s.members, who)
		}
	}, nil
}
