package api

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teammem/teammem/memory"
)

func at(seq int64) memory.Cursor { return memory.Cursor{Epoch: "e1", Seq: seq} }

func TestHub(t *testing.T) {
	t.Parallel()
	const project = memory.ProjectID("prj_a")
	tests := []struct {
		name   string
		before func(h *Hub)
		after  int64         // what Wait is given
		soon   func(h *Hub)  // a second into the wait
		want   time.Duration // how long it waits, of a minute at most
	}{
		{name: "no hint", after: 4, want: time.Minute},
		{name: "hint", after: 4, soon: func(h *Hub) { h.Notify(project, at(5)) }, want: time.Second},
		{name: "burst", after: 4, soon: func(h *Hub) { h.Notify(project, at(5)); h.Notify(project, at(6)) }, want: time.Second},
		{name: "hint of what is known", after: 5, soon: func(h *Hub) { h.Notify(project, at(5)) }, want: time.Minute},
		{name: "another project's hint", after: 4, soon: func(h *Hub) { h.Notify("prj_b", at(9)) }, want: time.Minute},
		{name: "hint before", before: func(h *Hub) { h.Notify(project, at(5)) }, after: 4},
		{name: "hints out of order", before: func(h *Hub) { h.Notify(project, at(7)); h.Notify(project, at(6)) }, after: 6},
		{name: "hint before of what is known", before: func(h *Hub) { h.Notify(project, at(5)) }, after: 5, want: time.Minute},
		{name: "another epoch", after: 4, soon: func(h *Hub) { h.Notify(project, memory.Cursor{Epoch: "e2", Seq: 1}) }, want: time.Second},
		{name: "closed", before: (*Hub).Close, after: 4},
		{name: "closed twice", before: func(h *Hub) { h.Close(); h.Close() }, after: 4},
		{name: "closed while waiting", after: 4, soon: (*Hub).Close, want: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := NewHub()
				if tt.before != nil {
					tt.before(h)
				}
				if tt.soon != nil {
					time.AfterFunc(time.Second, func() { tt.soon(h) })
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start := time.Now()
				h.Wait(ctx, project, at(tt.after))
				if got := time.Since(start); got != tt.want {
					t.Errorf("waited %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// No waiter is left behind, however hints and waits interleave.
func TestHub_ManyWaiters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := NewHub()
		var wg sync.WaitGroup
		for i := range int64(200) {
			wg.Go(func() { h.Wait(t.Context(), "prj_a", at(i)) })
		}
		synctest.Wait()
		for i := range int64(201) {
			wg.Go(func() { h.Notify("prj_a", at(i)) })
		}
		wg.Wait() // or the bubble deadlocks, which fails the test
	})
}
