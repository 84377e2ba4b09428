package watch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// A server that has moved on is asked again once a cycle has come by what is
// new, and in a pause not at all.
func TestRemote_PollFor(t *testing.T) {
	t.Parallel()
	p := quiet(t)
	p.pace.retry, p.pace.watch = [2]time.Duration{time.Millisecond, time.Millisecond}, time.Millisecond
	var asked, waited atomic.Int64
	p.spread = func() float64 { waited.Add(1); return 0 }
	http := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Teammem-Instance", "ins_one")
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"epoch":"e","changes":[]}`)
	}))
	t.Cleanup(http.Close)
	server, err := client.NewServer(http.URL, client.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{Watcher: p.Watcher, now: &link{server: server}}
	standsAt := func(seq int64, m Mode) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.report, p.mode = &client.Report{Cursor: memory.Cursor{Epoch: "e", Seq: seq}}, m
	}
	standsAt(1, Paused)
	go r.pollFor(t.Context(), p)
	for seq, want := range []int64{0, 1, 2, 2} {
		mode := Watching
		if seq == 0 || seq == 3 {
			mode = Paused
		}
		standsAt(int64(seq+1), mode)
		became(t, "the question", func() bool { return asked.Load() >= want })
		before := waited.Load()
		became(t, "the wait", func() bool { return waited.Load() >= before+20 || asked.Load() > want })
		if got := asked.Load(); got != want {
			t.Fatalf("at %d, %s: asked %d times, want %d", seq+1, mode, got, want)
		}
	}
}

// became polls for something that has to come about.
func became(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if ok() {
			return
		}
	}
	t.Fatalf("%s did not come about", what)
}
