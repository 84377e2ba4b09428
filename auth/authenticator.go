package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
)

// Records is what must be looked up to trust a token. The store implements it.
type Records interface {
	// APIToken finds a token by its hash, together with its member.
	APIToken(ctx context.Context, hash memory.Hash) (memory.APIToken, memory.Member, error)
	// MemberDevice returns the member's device, in force or not, together with the
	// member; another member's is not found.
	MemberDevice(ctx context.Context, member memory.MemberID, id memory.DeviceID) (memory.Device, memory.Member, error)
}

// Authenticator establishes who makes a request.
type Authenticator struct {
	records Records
	access  *AccessTokens
	clock   memory.Clock
	seen    *Sightings
}

// NewAuthenticator trusts the API tokens in records, and access tokens.
func NewAuthenticator(records Records, access *AccessTokens, clock memory.Clock) *Authenticator {
	return &Authenticator{records: records, access: access, clock: clock, seen: newSightings()}
}

// Seen is which devices made requests. Somebody should flush it now and then.
func (a *Authenticator) Seen() *Sightings { return a.seen }

// Now returns the time by which tokens live.
func (a *Authenticator) Now() time.Time { return a.clock() }

// Keys returns the public halves of the keys that sign access tokens.
func (a *Authenticator) Keys() []PublicKey { return a.access.keys.Ring().Public() }

// Authenticate reads the value of an Authorization header. A credential that
// is missing, malformed, expired, revoked or whose member is disabled gives a
// [memory.CodeUnauthenticated] error, always with the same message; its cause
// is for the log and holds nothing of the token.
func (a *Authenticator) Authenticate(ctx context.Context, authorization string) (memory.Principal, error) {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return memory.Principal{}, denied(errors.New("no bearer token"))
	}
	if IsAPIToken(token) {
		return a.byAPIToken(ctx, token)
	}
	return a.byAccessToken(ctx, token)
}

func (a *Authenticator) byAPIToken(ctx context.Context, token string) (memory.Principal, error) {
	t, member, err := a.records.APIToken(ctx, HashToken(token))
	if err != nil {
		return memory.Principal{}, lookup("api token", err)
	}
	switch {
	case !t.RevokedAt.IsZero():
		return memory.Principal{}, denied(errors.New("the token was revoked"))
	case !a.clock().Before(t.ExpiresAt):
		return memory.Principal{}, denied(errors.New("the token has expired"))
	case member.Disabled:
		return memory.Principal{}, denied(errors.New("the member is disabled"))
	}
	return memory.Principal{
		Member: member.ID, Name: member.Name, Admin: member.Admin, Token: t.ID, Project: t.Project, Scopes: syncOnly(t.Scopes),
	}, nil
}

// syncOnly drops the scopes that no API token may have, whatever was stored.
func syncOnly(scopes []memory.Scope) []memory.Scope {
	return slices.DeleteFunc(slices.Clone(scopes), func(s memory.Scope) bool {
		return s != memory.ScopeRead && s != memory.ScopeWrite
	})
}

func (a *Authenticator) byAccessToken(ctx context.Context, token string) (memory.Principal, error) {
	access, err := a.access.Verify(token)
	if errors.Is(err, errUnknownKey) && a.access.keys.Reread(ctx) {
		access, err = a.access.Verify(token)
	}
	if err != nil {
		return memory.Principal{}, denied(err)
	}
	device, member, err := a.records.MemberDevice(ctx, access.Member, access.Device)
	if err != nil {
		return memory.Principal{}, lookup("device", err)
	}
	switch {
	case member.Disabled:
		return memory.Principal{}, denied(errors.New("the member is disabled"))
	case member.SessionEpoch != device.SessionEpoch:
		return memory.Principal{}, denied(errors.New("the member's sessions were ended"))
	case !device.RevokedAt.IsZero():
		return memory.Principal{}, denied(errors.New("the device was logged out"))
	case device.Login != access.Login:
		return memory.Principal{}, denied(errors.New("the device was logged in again"))
	}
	a.seen.note(device, a.clock())
	return memory.Principal{
		Member: member.ID, Name: member.Name, Admin: member.Admin, Device: device.ID, Project: device.Project,
		Scopes: both(access.Scopes, device.Scopes),
	}, nil
}

// both keeps the scopes of a token that its device still has.
func both(token, device []memory.Scope) []memory.Scope {
	return slices.DeleteFunc(token, func(s memory.Scope) bool { return !slices.Contains(device, s) })
}

// lookup tells "there is none" from a database that does not answer.
func lookup(what string, err error) error {
	err = fmt.Errorf("look up %s: %w", what, err)
	if memory.CodeOf(err) == memory.CodeNotFound {
		return denied(err)
	}
	return err
}

func denied(cause error) error {
	return &memory.Error{
		Code: memory.CodeUnauthenticated, Message: "the token is missing, wrong, expired or revoked",
		Hint: "sign in again with teammem login", Err: cause,
	}
}
