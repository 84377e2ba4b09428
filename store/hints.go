package store

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/teammem/teammem/memory"
)

// channel is the Postgres channel of all hints. A payload reads
// "<project>:<epoch>:<seq>" or, if more is allowed there, "<project>:finding".
const (
	channel = "teammem"
	allowed = "finding"
)

const (
	announceEvery = 50 * time.Millisecond // of one project, at most
	lookEvery     = 30 * time.Second
	shortestPause = 100 * time.Millisecond // before the connection is made again
	longestPause  = 10 * time.Second
	hintPatience  = 10 * time.Second // with one question
)

// Hints tells other server processes on the same database where projects stand,
// and hears the same from them. Postgres carries hints by LISTEN and NOTIFY and
// keeps none for whoever is not connected, so after every connection, and every
// now and then, all projects are looked at. It is safe for concurrent use.
type Hints struct {
	store *Store
	hear  func(memory.ProjectID, memory.Cursor)
	every time.Duration // between looks

	mu      sync.Mutex
	due     map[memory.ProjectID]memory.Cursor // to be told
	more    map[memory.ProjectID]bool          // likewise, that more is allowed there
	resting map[memory.ProjectID]bool          // told a moment ago
	wake    chan struct{}                      // receives when something may be told
}

// Hints returns hints that are heard by the function, this process's own too. It
// is given the zero cursor where more is allowed.
func (s *Store) Hints(hear func(memory.ProjectID, memory.Cursor)) *Hints {
	return &Hints{
		store: s, hear: hear, every: lookEvery,
		due: map[memory.ProjectID]memory.Cursor{}, more: map[memory.ProjectID]bool{}, resting: map[memory.ProjectID]bool{}, wake: make(chan struct{}, 1),
	}
}

// Run tells and listens until ctx is done. What is due by then is still told.
func (h *Hints) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { h.tell(ctx) })
	both.Go(func() { h.listen(ctx) })
	both.Wait()
}

// look hears where all projects stand.
func (h *Hints) look(ctx context.Context, q querier) error {
	ctx, cancel := context.WithTimeout(ctx, hintPatience)
	defer cancel()
	all, err := readCursors(ctx, q, "")
	for _, c := range all {
		h.hear(c.Project, c.At)
	}
	return h.store.fault(ctx, "look for hints", err)
}

func (h *Hints) warn(ctx context.Context, message string, err error) {
	if ctx.Err() == nil {
		h.store.log.LogAttrs(ctx, slog.LevelWarn, "hints between servers", slog.String("what", message), slog.Any("error", err))
	}
}
