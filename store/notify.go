package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Notify lets the other processes know where a project stands. It does not wait
// for that: a hint is sent after the commit, and on a connection of its own, as
// NOTIFY takes a lock of the whole cluster when its transaction commits. The
// first is sent at once, those that follow shortly after become one.
func (h *Hints) Notify(project memory.ProjectID, at memory.Cursor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at.IsZero() {
		h.more[project] = true
	} else {
		h.due[project] = at
	}
	if !h.resting[project] {
		h.ring()
	}
}

func (h *Hints) ring() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// tell sends what is due until ctx is done, and then the rest.
func (h *Hints) tell(ctx context.Context) {
	for {
		select {
		case <-h.wake:
			h.send(ctx, h.take())
		case <-ctx.Done():
			h.mu.Lock()
			clear(h.resting)
			h.mu.Unlock()
			h.send(ctx, h.take())
			return
		}
	}
}

// take returns what is due and may be sent, by project, and lets these rest.
func (h *Hints) take() map[memory.ProjectID][]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	batch := map[memory.ProjectID][]string{}
	for project, at := range h.due {
		if !h.resting[project] {
			batch[project] = append(batch[project], at.String())
			delete(h.due, project)
		}
	}
	for project := range h.more {
		if !h.resting[project] {
			batch[project] = append(batch[project], allowed)
			delete(h.more, project)
		}
	}
	for project := range batch {
		h.resting[project] = true
	}
	return batch
}

// send sends hints, and ends the rest of their projects a while later. One that
// cannot be sent is lost: others look for themselves every now and then. The end
// of ctx does not stop it, as it is when what is left has to be sent.
func (h *Hints) send(ctx context.Context, batch map[memory.ProjectID][]string) {
	if len(batch) == 0 {
		return
	}
	var payloads []string
	for project, hints := range batch {
		for _, hint := range hints {
			payloads = append(payloads, string(project)+":"+hint)
		}
	}
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_, err := h.store.pool.Exec(ctx, `
		select pg_notify(@channel, hint)
		from unnest(@hints::text[]) as hint`,
		pgx.StrictNamedArgs{"channel": channel, "hints": payloads})
	if err != nil {
		h.warn(ctx, "other servers are not told of changes", h.store.fault(ctx, "notify", err))
	}
	time.AfterFunc(announceEvery, func() { h.rested(slices.Collect(maps.Keys(batch))) })
}

// rested lets hints of the projects be sent again.
func (h *Hints) rested(projects []memory.ProjectID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, project := range projects {
		delete(h.resting, project)
	}
	if len(h.due)+len(h.more) > 0 {
		h.ring()
	}
}
