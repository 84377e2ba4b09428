package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/teammem/teammem/memory"
)

const (
	// renewBefore its end an access token is renewed, so that none ends in the
	// middle of a sync.
	renewBefore = 5 * time.Minute

	// exchangeTimeout bounds an exchange with all its tries. It is shorter than
	// [lockPatience], so whoever waits for the lock can still try it themselves.
	exchangeTimeout = 8 * time.Second
)

// session hands out the access token of a login, and renews it. All processes
// of a member share one login, whose refresh token is good for one use, so only
// one renews at a time; the others take what it got.
type session struct {
	dirs  Dirs
	clock memory.Clock

	mu    sync.Mutex // pull and push run at the same time
	login Login
}

// state returns the login as it is now.
func (s *session) state() Login {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.login
}

// bearer returns a token that the server is going to accept, if all is well.
func (s *session) bearer(ctx context.Context, to *Server) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.login.due(s.clock()) {
		return s.login.bearer(), nil
	}
	err := s.renewed(ctx, to)
	if err == nil || isFinal(ctx, err) {
		return s.login.bearer(), err
	}
	// It may still be good for a few minutes, and its end is the server's to
	// state. If it has ended, the error comes again, and then it counts.
	return s.login.bearer(), nil
}

// isFinal reports whether there is no use in trying the token that we have.
func isFinal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, ErrOffline) || errors.Is(err, ErrNotLoggedIn) || errors.Is(err, ErrOtherServer) ||
		errors.Is(err, errReplaced) || errors.Is(err, errEnded)
}

// renew returns another token than the one that the server did not accept.
func (s *session) renew(ctx context.Context, to *Server, refused string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.login.bearer() != refused { // another call of this process was faster
		return s.login.bearer(), nil
	}
	err := s.renewed(ctx, to)
	return s.login.bearer(), err
}

// errReplaced means that somebody logged in anew while this process was at
// work. What it was about to do belongs to the login before.
var errReplaced = errors.New("somebody logged in anew on this computer meanwhile; run it again")

// renewed exchanges the refresh token for new tokens, once on this computer:
// under a lock, and only if nobody else did so while it was waited for. Before
// anything is sent, a nonce is on disk by which the server knows the attempt
// again, so an answer that is lost costs nothing.
func (s *session) renewed(ctx context.Context, to *Server) (err error) {
	l, err := takeLock(ctx, filepath.Join(s.dirs.Config, "credentials.lock"))
	if err != nil {
		return fmt.Errorf("renew the login: %w", err)
	}
	defer func() { err = errors.Join(err, l.release()) }()
	now, err := s.dirs.Login(s.login.Server)
	if err != nil {
		return err
	}
	if now.Access != s.login.Access && !now.due(s.clock()) || now.Device != s.login.Device {
		return s.adopt(now)
	}
	presented := now.Refresh
	if now.Attempt == "" {
		now.Attempt = rand.Text()
		if now, err = s.dirs.replaceLogin(presented, now); err != nil {
			return err
		}
	}
	if now.Refresh != presented {
		return s.adopt(now)
	}
	next, err := to.refresh(ctx, now)
	if err != nil {
		return ended(now, err)
	}
	if now, err = s.dirs.replaceLogin(presented, next); err != nil {
		return err
	}
	return s.adopt(now)
}

// adopt goes on with what is kept now, if it is still this device.
func (s *session) adopt(now Login) error {
	if now.Device != s.login.Device {
		return errReplaced
	}
	s.login = now
	return nil
}

// errEnded marks the server's own "no" to a refresh token.
var errEnded = errors.New("the login has ended")

// ended says what a "no" to a refresh token means. Only the server's own means
// anything for the login.
func ended(l Login, err error) error {
	e, ok := errors.AsType[*memory.Error](err)
	if !ok || e.Code != memory.CodeUnauthenticated || errors.Is(err, errForeign) {
		return err
	}
	return &memory.Error{
		Code: memory.CodeUnauthenticated, Message: fmt.Sprintf("the login of this computer at %s has ended: %s", l.Server, e.Message), Err: errEnded,
		Hint: "your files stay as they are; log in again with teammem login " + l.Server + " --token TOKEN",
	}
}

// due reports whether the access token should be renewed before it is used.
func (l Login) due(now time.Time) bool { return l.Refresh != "" && !now.Before(l.RenewAt) }

// bearer is what authenticates a request.
func (l Login) bearer() string { return cmp.Or(l.Access, l.Token) }

// renewAt says when a token is to be renewed, by this computer's clock. How
// long it lives is taken at both ends from the clock that the server signs by,
// and dates answers with tokens by, so that ours may show any time. Without that, and with a clock that makes the token's life
// negative, the server's refusal is what renews it.
func renewAt(asked, answered, ends time.Time) time.Time {
	if answered.IsZero() {
		answered = asked
	}
	life := ends.Sub(answered)
	return asked.Add(max(life-min(renewBefore, life/4), time.Minute))
}
