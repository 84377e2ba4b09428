package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// A run that is told to end while it waits for a slow disk ends in order,
// whichever wait that is: no file is half, nothing is left behind, and the next
// run ends in sync.
func TestSync_SlowDisk(t *testing.T) {
	t.Parallel()
	for name, folders := range map[string]int{"few changes": 3, "many changes": 20} { // which wait for other things
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			a, b := tm.join(t, "ann"), tm.join(t, "ben")
			for n := 1; tm.endInWait(t, a, b, n, folders); n++ {
				if t.Failed() {
					return
				}
			}
		})
	}
}

// endInWait gives ben something to do and ends his run in its nth wait, unless
// it has fewer.
func (tm *team) endInWait(t *testing.T, a, b *member, n, folders int) (ended bool) {
	t.Helper()
	for i := range folders {
		a.write(t, fmt.Sprintf("%d/edited.md", i), fmt.Sprintf("edit %d\n", n))
		a.write(t, fmt.Sprintf("%d/new-%d.md", i, n), "new\n")
		if n > 1 {
			a.remove(t, fmt.Sprintf("%d/new-%d.md", i, n-1))
		}
	}
	a.sync(t)
	b.write(t, "ben.md", fmt.Sprintf("edit %d\n", n))
	before, served := b.files(t), tm.served(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waits := 0
	s := b.syncer("")
	s.OnSync(func() {
		if waits++; waits == n {
			cancel() // and the disk goes on when the signal has come
		}
	})
	_, err := s.Sync(ctx, client.SyncOptions{})
	if ended = waits >= n; ended && !errors.Is(err, context.Canceled) {
		t.Errorf("ended in wait %d: got %v", n, err)
	}
	if !ended {
		must(t, err)
	}
	for path, text := range b.files(t) {
		if text != before[path] && text != served[path] || strings.Contains(path, ".teammem-") {
			t.Errorf("ended in wait %d: %s has the text %.100q", n, path, text)
		}
	}
	b.sync(t)
	tm.equal(t, b)
	return ended
}
