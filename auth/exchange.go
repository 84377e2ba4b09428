package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/teammem/teammem/memory"
)

// Logins is what keeps the logins. [memory.Service] implements it.
type Logins interface {
	LogIn(ctx context.Context, who memory.Principal, in memory.LogIn) (memory.Login, error)
	Refresh(ctx context.Context, from memory.Principal, r memory.Refresh) (memory.Refreshed, error)
	RefuseLogin(ctx context.Context, from memory.Principal) error
}

// Exchange hands out tokens for what a client has.
type Exchange struct {
	auth   *Authenticator
	logins Logins
}

// NewExchange hands out what the authenticator trusts.
func NewExchange(a *Authenticator, logins Logins) *Exchange {
	return &Exchange{auth: a, logins: logins}
}

// Tokens gives an API token's holder, or a device whose access token has ended,
// a pair of tokens. From says where the request came from. Whatever is wrong
// with a credential, it is a [memory.CodeUnauthenticated] error. A login that
// could not be answered, because no key signs, is not begun: each try would
// leave a device behind.
func (e *Exchange) Tokens(ctx context.Context, from memory.Principal, g memory.Grant) (memory.Tokens, error) {
	if err := e.auth.access.keys.Ring().Signs(); err != nil {
		return memory.Tokens{}, err
	}
	switch g.Kind {
	case memory.GrantAPIToken:
		return e.byAPIToken(ctx, from, g)
	case memory.GrantRefresh:
		return e.byRefreshToken(ctx, from, g)
	}
	return memory.Tokens{}, memory.Invalid("grant_type", "a grant is api_token or refresh_token")
}

func (e *Exchange) byAPIToken(ctx context.Context, from memory.Principal, g memory.Grant) (memory.Tokens, error) {
	if !IsAPIToken(g.Secret) {
		return memory.Tokens{}, denied(errors.New("no API token"))
	}
	who, err := e.auth.byAPIToken(ctx, g.Secret)
	if memory.CodeOf(err) == memory.CodeUnauthenticated {
		if unrecorded := e.logins.RefuseLogin(ctx, from); unrecorded != nil {
			return memory.Tokens{}, unrecorded
		}
	}
	if err != nil {
		return memory.Tokens{}, err
	}
	who.Remote, who.Client = from.Remote, from.Client
	refresh := MintRefreshToken()
	login, err := e.logins.LogIn(ctx, who, memory.LogIn{Device: g.Device, Name: g.Name, OS: g.OS, Refresh: HashToken(refresh)})
	if err != nil {
		return memory.Tokens{}, err
	}
	return e.tokens(login, refresh)
}

func (e *Exchange) byRefreshToken(ctx context.Context, from memory.Principal, g memory.Grant) (memory.Tokens, error) {
	if !IsRefreshToken(g.Secret) {
		return memory.Tokens{}, denied(errors.New("no refresh token"))
	}
	refresh := MintRefreshToken()
	sealed, err := sealSuccessor(g.Secret, refresh)
	if err != nil {
		return memory.Tokens{}, err
	}
	offer := memory.Refresh{Presented: HashToken(g.Secret), Next: memory.RefreshToken{Hash: HashToken(refresh)}, Sealed: sealed}
	if g.Attempt != "" {
		offer.Attempt = HashToken(g.Attempt)
	}
	got, err := e.logins.Refresh(ctx, from, offer)
	if err != nil {
		return memory.Tokens{}, err
	}
	if got.Sealed != nil {
		if refresh, err = openSuccessor(g.Secret, got.Successor, got.Sealed); err != nil {
			return memory.Tokens{}, fmt.Errorf("open the successor of a refresh token of %s: %w", got.Device.ID, err)
		}
	}
	return e.tokens(got.Login, refresh)
}

// tokens adds an access token.
func (e *Exchange) tokens(l memory.Login, refresh string) (memory.Tokens, error) {
	access, ends, err := e.auth.access.Mint(l.Member, l.Device, l.Device.Scopes...)
	if err != nil {
		return memory.Tokens{}, err
	}
	return memory.Tokens{
		Access: access, AccessEnds: ends, Refresh: refresh, RefreshEnds: l.RefreshEnds, Device: l.Device.ID, Member: l.Member,
		Scopes: l.Device.Scopes, Project: l.Device.Project,
	}, nil
}
