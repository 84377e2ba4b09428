package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// newAPI answers the calls of the members' clients, who prove themselves with
// tokens that the instance's own keys sign.
func (s *server) newAPI(ctx context.Context, service *memory.Service, o api.Options) (*api.API, error) {
	instance, err := s.db.store.Instance(ctx)
	if err != nil {
		return nil, err
	}
	if s.keys, err = s.app.openKeys(ctx, s.db, service, s.master); err != nil {
		return nil, err
	}
	warnOfReaders(s.log, s.master.path())
	authenticator := auth.NewAuthenticator(s.db.store, auth.NewAccessTokens(s.keys, instance, s.db.clock.Now), s.db.clock.Now)
	s.seen = authenticator.Seen()
	o.Instance = instance
	s.warnOfClock(ctx)
	return api.New(service, authenticator, s.app.now, o), nil // which counts deadlines by the machine's clock
}

// openKeys reads the keys that sign access tokens, and makes the first one.
func (a *app) openKeys(ctx context.Context, db *database, service *memory.Service, o masterOptions) (*auth.StoredKeys, error) {
	stored, err := db.store.SigningKeys(ctx)
	if err != nil {
		return nil, err
	}
	master, err := o.read()
	if isMissing(err) && len(stored) == 0 {
		master, err = o.create()
	}
	if err != nil {
		return nil, o.explain(err)
	}
	if len(stored) == 0 {
		first, err := auth.NewSigningKey(master, db.clock.Now(), true)
		if err != nil {
			return nil, err
		}
		by := operator()
		by.Client = "teammem serve"
		if err := service.FirstSigningKey(ctx, by, first); err != nil {
			return nil, err
		}
	}
	keys, err := auth.OpenKeys(ctx, db.store, master, db.clock.Now)
	if memory.CodeOf(err) == memory.CodeForbidden {
		return nil, o.foreign(err)
	}
	return keys, err
}

// warnOfClock says when the machine's clock is off, which harms nothing of ours,
// but explains times in its log, and when it is right again.
func (s *server) warnOfClock(ctx context.Context) {
	const much = 30 * time.Second
	ahead := s.db.clock.Ahead()
	off := ahead.Abs() > much
	if off == s.clockOff {
		return
	}
	s.clockOff = off
	difference := slog.Duration("database_ahead", ahead.Round(time.Second))
	if off {
		s.log.LogAttrs(ctx, slog.LevelWarn, "this machine's clock is not the database's, which counts", difference)
		return
	}
	s.log.LogAttrs(ctx, slog.LevelInfo, "this machine's clock is the database's again", difference)
}

// upkeep reads the database's clock and keys that other servers publish, and
// writes which devices were seen and how far they have come, until ctx is done.
// The server goes on if any of it fails: requests show by themselves what is
// wrong with the database.
func (s *server) upkeep(ctx context.Context) {
	tick := time.NewTicker(auth.RereadEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.keepUp(ctx)
		case <-ctx.Done():
			const patience = 5 * time.Second
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			s.warn(ctx, "when devices were seen is not kept", s.seen.Flush(last, s.db.store))
			s.warn(ctx, "how far devices have come is not kept", s.calls.Progress().Flush(last, s.db.store, s.db.clock.Now()))
			return
		}
	}
}

// keepUp does it once. A database that does not answer holds none of it up for
// longer than until the next time.
func (s *server) keepUp(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, auth.RereadEvery)
	defer cancel()
	for _, part := range []struct {
		otherwise string
		do        func(context.Context) error
	}{
		{"the database's clock cannot be read again", s.db.clock.Read},
		{"signing keys cannot be read again", s.keys.Load},
		{"when devices were seen is not kept", func(ctx context.Context) error { return s.seen.Flush(ctx, s.db.store) }},
		{"how far devices have come is not kept", func(ctx context.Context) error {
			return s.calls.Progress().Flush(ctx, s.db.store, s.db.clock.Now())
		}},
	} {
		if err := part.do(limited); ctx.Err() == nil {
			s.warn(ctx, part.otherwise, err)
		}
	}
	s.warnOfClock(ctx)
}

func (s *server) warn(ctx context.Context, what string, err error) {
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "upkeep failed", slog.String("what", what), slog.Any("error", err))
	}
}
