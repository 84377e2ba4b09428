package api

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

const (
	burstChanges = 100         // in a project, from which on its pages are made ready
	burstQuiet   = time.Second // after the last of them
)

// bursts tells which projects got many changes and then were left alone.
type bursts struct {
	over chan memory.ProjectID

	mu       sync.Mutex
	projects map[memory.ProjectID]*burst
}

// burst is what a project got since its pages were made ready.
type burst struct {
	changes int
	quiet   *time.Timer // nil until it is a burst
}

func newBursts() *bursts {
	return &bursts{over: make(chan memory.ProjectID, 64), projects: map[memory.ProjectID]*burst{}}
}

// pushed notes that a project got changes.
func (b *bursts) pushed(id memory.ProjectID, changes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.projects[id]
	if p == nil {
		p = &burst{}
		b.projects[id] = p
	}
	p.changes += changes
	switch {
	case p.changes < burstChanges:
	case p.quiet == nil:
		p.quiet = time.AfterFunc(burstQuiet, func() { b.end(id) })
	default:
		p.quiet.Reset(burstQuiet)
	}
}

// end says that a burst is over. Where too many are, or nobody listens, the
// project waits for its next one: its pages are then made when they are asked for.
func (b *bursts) end(id memory.ProjectID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.projects, id)
	select {
	case b.over <- id:
	default:
	}
}

// busy reports whether the project is getting many changes.
func (b *bursts) busy(id memory.ProjectID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.projects[id]
	return p != nil && p.quiet != nil
}

// KeepPages makes the pages ready that a new member will ask for, whenever a
// project got many changes and then was left alone for a moment. It makes one
// at a time, and returns when ctx is done.
func (a *API) KeepPages(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-a.bursts.over:
			if err := a.keepPagesOf(ctx, id); err != nil && ctx.Err() == nil {
				a.log.LogAttrs(ctx, slog.LevelWarn, "pages for new members were not made ready", slog.String("project_id", string(id)), slog.Any("error", err))
			}
		}
	}
}

func (a *API) keepPagesOf(ctx context.Context, id memory.ProjectID) error {
	var since int64
	for limit := memory.FirstPage; ctx.Err() == nil && !a.bursts.busy(id); limit = 0 {
		feed, err := a.service.PageAhead(ctx, id, since, limit, a.kept.has)
		if memory.CodeOf(err) == memory.CodeCursorTooOld {
			return nil // and so will new members hear
		}
		if err != nil {
			return err
		}
		if !feed.Kept && len(feed.Page.Changes) >= keptChanges {
			_, changes, err := wire.EncodeFeed(feed.Page)
			if err != nil {
				return err
			}
			a.kept.add(feed.Key, feed.Common, changes)
		}
		if since = feed.Page.To; !feed.Page.More() {
			return nil
		}
	}
	return nil
}
