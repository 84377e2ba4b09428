package store

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// listen hears other processes until ctx is done. It has a connection of its
// own, which is made again whenever it breaks; meanwhile the pool's are asked.
func (h *Hints) listen(ctx context.Context) {
	for failed := 0; ; failed++ {
		err := h.listenOnce(ctx, func() {
			if failed > 0 {
				h.store.log.LogAttrs(ctx, slog.LevelInfo, "hints of other servers arrive again")
			}
			failed = 0
		})
		if failed == 0 {
			h.warn(ctx, "hints of other servers do not arrive", err)
		}
		_ = h.look(ctx, h.store.pool) // fails for the same reason, or tells what was missed
		select {
		case <-time.After(pauseAfter(failed)):
		case <-ctx.Done():
			return
		}
	}
}

// pauseAfter grows with the number of attempts that failed one after the other.
func pauseAfter(failed int) time.Duration {
	return min(shortestPause<<min(failed, 10), longestPause)
}

// listenOnce hears hints until its connection breaks. When it listens it looks
// where all projects stand, so that no hint of before is missed, and then calls
// the function.
func (h *Hints) listenOnce(ctx context.Context, listening func()) error {
	conn, err := h.connect(ctx)
	if err != nil {
		return err
	}
	defer func() {
		const patience = time.Second
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		_ = conn.Close(last)
	}()
	for {
		if err := h.look(ctx, conn); err != nil {
			return err
		}
		listening()
		if err := h.hearUntil(ctx, conn, h.every); err != nil {
			return h.store.fault(ctx, "wait for hints", err)
		}
	}
}

// connect opens a connection like those of the pool, and listens on it. A pooler
// that gives every transaction another connection breaks it; then only looks
// are left.
func (h *Hints) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, hintPatience)
	defer cancel()
	config := h.store.pool.Config().ConnConfig
	config.RuntimeParams["application_name"] += ": hints"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, unreachable(err)
	}
	if err = h.store.use(ctx, conn); err == nil {
		_, err = conn.Exec(ctx, "listen "+channel)
	}
	if err != nil {
		_ = conn.Close(ctx)
		return nil, h.store.fault(ctx, "listen", err)
	}
	return conn, nil
}

// hearUntil hears what arrives within the time.
func (h *Hints) hearUntil(ctx context.Context, conn *pgx.Conn, within time.Duration) error {
	period, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		n, err := conn.WaitForNotification(period)
		switch {
		case err == nil:
			h.hearPayload(n.Payload)
		case period.Err() != nil && ctx.Err() == nil:
			return nil
		default:
			return err
		}
	}
}

// hearPayload hears one hint. What reads otherwise is not ours.
func (h *Hints) hearPayload(payload string) {
	project, cursor, _ := strings.Cut(payload, ":")
	at, err := memory.ParseCursor(cursor)
	if cursor == allowed {
		at, err = memory.Cursor{}, nil
	}
	if err != nil || !strings.HasPrefix(project, "prj_") {
		return
	}
	h.hear(memory.ProjectID(project), at)
}
