package api

import (
	"io"
	"sync"

	"github.com/teammem/teammem/memory"
)

// What bodies of requests and answers may take of the server's memory at one
// time, since whoever sends or reads slowly keeps them there. A member's part
// is a few full pushes: one member cannot lock the others out.
const (
	roomTotal  = 128 << 20
	roomMember = 32 << 20
)

// room counts the bytes of requests and answers that are being served.
type room struct {
	mu      sync.Mutex
	total   int
	members map[memory.MemberID]int
}

func newRoom() *room { return &room{members: map[memory.MemberID]int{}} }

// take adds n bytes, or reports that there is no room for them.
func (r *room) take(who memory.MemberID, n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.total+n > roomTotal || r.members[who]+n > roomMember {
		return false
	}
	r.total += n
	r.members[who] += n
	return true
}

func (r *room) release(who memory.MemberID, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total -= n
	if r.members[who] -= n; r.members[who] == 0 {
		delete(r.members, who)
	}
}

// takeRoom counts n bytes more as the caller's, until the call ends.
func (c *call) takeRoom(n int) error {
	if !c.api.room.take(c.who.Member, n) {
		c.Response().Header().Set("Retry-After", "1")
		return &memory.Error{Code: memory.CodeRateLimited, Message: "too many large requests are being served at the same time", Hint: "wait, then go on"}
	}
	c.taken += n
	return nil
}

// roomReader counts what is read through it.
type roomReader struct {
	r io.Reader
	c *call
}

func (h *roomReader) Read(buf []byte) (int, error) {
	n, err := h.r.Read(buf)
	if full := h.c.takeRoom(n); full != nil {
		return 0, full
	}
	return n, err
}
