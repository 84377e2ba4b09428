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

// warnOfClock says that the machine's clock is off, which harms nothing of ours,
// but explains times in its log.
func (s *server) warnOfClock(ctx context.Context) {
	const much = 30 * time.Second
	if ahead := s.db.clock.Ahead(); ahead.Abs() > much {
		s.log.LogAttrs(ctx, slog.LevelWarn, "this machine's clock is not the database's, which counts", slog.Duration("database_ahead", ahead.Round(time.Second)))
	}
}

// upkeep reads the database's clock and keys that other servers publish, and
// writes which devices were seen, until ctx is done. The server goes on if any
// of it fails: requests show by themselves what is wrong with the database.
func (s *server) upkeep(ctx context.Context) {
	tick := time.NewTicker(auth.RereadEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.db.clock.Read(ctx); err != nil && ctx.Err() == nil {
				s.log.LogAttrs(ctx, slog.LevelWarn, "the database's clock cannot be read again", slog.Any("error", err))
			}
			if err := s.keys.Load(ctx); err != nil && ctx.Err() == nil {
				s.log.LogAttrs(ctx, slog.LevelWarn, "signing keys cannot be read again", slog.Any("error", err))
			}
			s.keepSeen(ctx)
		case <-ctx.Done():
			const patience = 5 * time.Second
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			s.keepSeen(last)
			return
		}
	}
}

func (s *server) keepSeen(ctx context.Context) {
	if err := s.seen.Flush(ctx, s.db.store); err != nil && ctx.Err() == nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "when devices were seen is not kept", slog.Any("error", err))
	}
}
