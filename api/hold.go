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
	holdTotal  = 128 << 20
	holdMember = 32 << 20
)

// holds counts the bytes of requests and answers that are being served.
type holds struct {
	mu      sync.Mutex
	total   int
	members map[memory.MemberID]int
}

func newHolds() *holds { return &holds{members: map[memory.MemberID]int{}} }

// take adds n bytes, or reports that there is no room for them.
func (h *holds) take(who memory.MemberID, n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.total+n > holdTotal || h.members[who]+n > holdMember {
		return false
	}
	h.total += n
	h.members[who] += n
	return true
}

func (h *holds) release(who memory.MemberID, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total -= n
	if h.members[who] -= n; h.members[who] == 0 {
		delete(h.members, who)
	}
}

// hold counts n bytes more as the caller's, until the call ends.
func (c *call) hold(n int) error {
	if !c.api.holds.take(c.who.Member, n) {
		c.Response().Header().Set("Retry-After", "1")
		return &memory.Error{Code: memory.CodeRateLimited, Message: "too many large requests are being served at the same time", Hint: "wait, then go on"}
	}
	c.held += n
	return nil
}

// heldReader counts what is read through it.
type heldReader struct {
	r io.Reader
	c *call
}

func (h *heldReader) Read(buf []byte) (int, error) {
	n, err := h.r.Read(buf)
	if full := h.c.hold(n); full != nil {
		return 0, full
	}
	return n, err
}
