package memory

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Lives of a login. The refresh token that follows another has RefreshIdle from
// then on, and none outlives RefreshLife after the login itself.
const (
	RefreshIdle = 30 * 24 * time.Hour
	RefreshLife = 90 * 24 * time.Hour
)

// MaxLogins is how many computers of one member may be logged in. One more is
// refused, where the person or the script that does it is told: ending another
// in its place would end one that is only switched off, and tell nobody.
const MaxLogins = 64

// TooManyLogins is what whoever logs in one computer too many is told.
func TooManyLogins() *Error {
	return &Error{
		Code: CodeQuota, Message: fmt.Sprintf("%d of your computers are logged in, and no more can be", MaxLogins),
		Hint: "end those that are gone: teammem devices, then teammem devices revoke ID; a job on fresh machines logs in with --keep-token",
	}
}

// GrantKind is what a client offers for tokens.
type GrantKind string

// The kinds of grants.
const (
	GrantAPIToken GrantKind = "api_token"
	GrantRefresh  GrantKind = "refresh_token"
)

// Grant is a client's request for tokens: an API token together with the
// computer to log in, or the refresh token of a login.
type Grant struct {
	Kind    GrantKind
	Secret  string   // the token itself, which is neither kept nor logged
	Device  DeviceID // with an API token: the device to log in again; "" for a new one
	Name    string   // of a new device
	OS      string
	Attempt string // with a refresh token: the same as long as no answer to it arrived; "" if the client cannot tell
}

// Tokens is what a device that is logged in holds. Access and Refresh are the
// tokens themselves.
type Tokens struct {
	Access      string
	AccessEnds  time.Time
	Refresh     string
	RefreshEnds time.Time
	Device      DeviceID
	Member      Member
	Scopes      []Scope
	Project     ProjectID // the only project that the device reaches; "" for all
}

// EndReason says why a device was logged out.
type EndReason string

// The reasons.
const (
	EndLogout        EndReason = "logout"         // it said so itself
	EndRemoved       EndReason = "removed"        // by its member, or an administrator
	EndTokenRevoked  EndReason = "token_revoked"  // the API token that logged it in was
	EndRefreshReused EndReason = "refresh_reused" // two parties used one refresh token: one of them is a thief
)

// RefreshToken is what is kept of a refresh token: never the token itself.
type RefreshToken struct {
	Hash      Hash // of the whole token
	CreatedAt time.Time
	ExpiresAt time.Time
}

// LogIn is a computer to log in: a new one, or with an id one that was logged
// in before. Refresh is the hash of its refresh token.
type LogIn struct {
	Device  DeviceID
	Name    string
	OS      string
	Refresh Hash
}

// Login is a device that is logged in, and until when its refresh token is
// good.
type Login struct {
	Device      Device
	Member      Member
	RefreshEnds time.Time
}

// LogIn logs a computer in on the strength of an API token, whose project and
// scopes it inherits. What the device held before ends.
func (s *Service) LogIn(ctx context.Context, who Principal, in LogIn) (Login, error) {
	if who.Token == "" {
		return Login{}, &Error{
			Code: CodeForbidden, Message: "only an API token logs a computer in", Hint: "ask an administrator for one: teammem admin token create",
		}
	}
	now := s.clock().Truncate(time.Microsecond) // as it is stored
	d := Device{
		ID: in.Device, Member: who.Member, Name: in.Name, OS: in.OS, CreatedAt: now, Project: who.Project,
		Scopes: slices.Clone(who.Scopes), Token: who.Token, LastSeen: now, Login: 1, LoginEnds: now.Add(RefreshLife),
	}
	if in.Device == "" {
		if err := s.checkDevice(ctx, in.Name, in.OS); err != nil {
			return Login{}, err
		}
		d.ID = NewDeviceID()
	}
	refresh := RefreshToken{Hash: in.Refresh, CreatedAt: now, ExpiresAt: now.Add(RefreshIdle)}
	keep := s.store.LogInAgain
	if in.Device == "" {
		keep = s.store.LogIn
	}
	login, err := keep(ctx, d, refresh, loginRow(who, now, d.ID))
	if CodeOf(err) == CodeQuota {
		if unrecorded := s.recordTooMany(ctx, who, in.Device, now); unrecorded != nil {
			return Login{}, unrecorded
		}
	}
	return login, err
}

// loginRow says that a device logs in, or is to.
func loginRow(who Principal, at time.Time, d DeviceID) AuditRow {
	row := who.Row(at, "device.login", string(d))
	row.Device = d
	return row
}

// recordTooMany records that a login too many was refused: with the device that
// was named, if that is the member's.
func (s *Service) recordTooMany(ctx context.Context, who Principal, named DeviceID, at time.Time) error {
	if named != "" {
		_, err := s.store.Device(ctx, who.Member, named)
		switch {
		case err == nil:
		case CodeOf(err) == CodeNotFound:
			named = ""
		default:
			return err
		}
	}
	row := loginRow(who, at, named)
	row.Decision, row.Rules = string(RulingRefused), []string{string(CodeQuota)}
	return s.store.Audit(ctx, row)
}

// RefuseLogin records that somebody's credential was good for nothing.
func (s *Service) RefuseLogin(ctx context.Context, from Principal) error {
	row := from.Row(s.clock(), "device.login", "")
	row.Decision, row.Rules = string(RulingRefused), []string{string(CodeUnauthenticated)}
	return s.store.Audit(ctx, row)
}

// LogOut ends the device whose refresh token this is. A token that is not known
// is good for nothing anyway.
func (s *Service) LogOut(ctx context.Context, from Principal, refresh Hash) error {
	now := s.clock()
	row := from.Row(now, "device.revoke", "")
	row.Decision = string(EndLogout)
	err := s.store.LogOut(ctx, refresh, now, row)
	if CodeOf(err) == CodeNotFound {
		return nil
	}
	return err
}
