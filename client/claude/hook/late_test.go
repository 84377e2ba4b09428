package hook

import (
	"os"
	"testing"
	"time"
)

// A sync that ended is never taken for one that came too late.
func TestSync_EndedIsNotLate(t *testing.T) {
	t.Parallel()
	m := newMember(t, badServers()["down"](t))
	m.must(os.RemoveAll(m.team()))
	h := m.hooks()
	for range 2000 {
		s, err := h.Syncer(m.link)
		m.must(err)
		if _, err := h.sync(t.Context(), s, time.Hour); !isHold(err) {
			t.Fatalf("got %v, want that the folder is not there", err)
		}
	}
}
