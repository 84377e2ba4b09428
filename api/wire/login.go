package wire

import (
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
)

// TokenRequest is the body of POST /auth/token.
type TokenRequest struct {
	GrantType    string     `json:"grant_type"`
	Token        string     `json:"token,omitzero"`         // of the grant api_token
	Device       *DeviceAdd `json:"device,omitzero"`        // the computer to log in, or
	DeviceID     string     `json:"device_id,omitzero"`     // the one to log in again
	RefreshToken string     `json:"refresh_token,omitzero"` // of the grant refresh_token
	Attempt      string     `json:"attempt,omitzero"`
}

// NewTokenRequest asks for tokens.
func NewTokenRequest(g memory.Grant) TokenRequest {
	w := TokenRequest{GrantType: string(g.Kind)}
	if g.Kind == memory.GrantRefresh {
		w.RefreshToken, w.Attempt = g.Secret, g.Attempt
		return w
	}
	w.Token, w.DeviceID = g.Secret, string(g.Device)
	if g.Device == "" {
		w.Device = &DeviceAdd{Name: g.Name, OS: g.OS}
	}
	return w
}

// Domain returns the grant. Fields of another grant are refused: they show that
// the caller means something else.
func (w TokenRequest) Domain() (memory.Grant, error) {
	switch memory.GrantKind(w.GrantType) {
	case memory.GrantAPIToken:
		return w.byAPIToken()
	case memory.GrantRefresh:
		return w.byRefresh()
	}
	return memory.Grant{}, memory.Invalid("grant_type", "a grant is api_token or refresh_token")
}

func (w TokenRequest) byAPIToken() (memory.Grant, error) {
	g := memory.Grant{Kind: memory.GrantAPIToken, Secret: w.Token}
	var err error
	switch {
	case w.Token == "":
		return memory.Grant{}, missing("token")
	case w.RefreshToken != "":
		return memory.Grant{}, memory.Invalid("refresh_token", "this grant has none")
	case w.Attempt != "":
		return memory.Grant{}, memory.Invalid("attempt", "this grant has none")
	case (w.Device == nil) == (w.DeviceID == ""):
		return memory.Grant{}, memory.Invalid("device", "say device for a new one or device_id, and not both")
	case w.Device != nil:
		g.Name, g.OS, err = w.Device.Domain()
	default:
		g.Device, err = ParseDeviceID("device_id", w.DeviceID)
	}
	return g, err
}

func (w TokenRequest) byRefresh() (memory.Grant, error) {
	switch {
	case w.RefreshToken == "":
		return memory.Grant{}, missing("refresh_token")
	case w.Token != "":
		return memory.Grant{}, memory.Invalid("token", "this grant has none")
	case w.Device != nil || w.DeviceID != "":
		return memory.Grant{}, memory.Invalid("device", "this grant has none")
	case w.Attempt != "" && !isAttempt(w.Attempt):
		return memory.Grant{}, memory.Invalid("attempt", "this has 16 to 64 characters of base64url")
	}
	return memory.Grant{Kind: memory.GrantRefresh, Secret: w.RefreshToken, Attempt: w.Attempt}, nil
}

// isAttempt reports whether s is long enough that nobody else guesses it.
func isAttempt(s string) bool {
	const least, most = 16, 64
	return len(s) >= least && len(s) <= most &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// Tokens is the answer of POST /auth/token.
type Tokens struct {
	AccessToken      string    `json:"access_token"`
	ExpiresAt        time.Time `json:"expires_at"`
	RefreshToken     string    `json:"refresh_token"`
	RefreshExpiresAt time.Time `json:"refresh_expires_at"`
	Device           string    `json:"device"`
	Member           Member    `json:"member"`
	Scopes           []string  `json:"scopes"`
	Project          string    `json:"project,omitzero"` // the only one that the device reaches
}

// Member is a person, by id and name.
type Member struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NewTokens hands tokens out.
func NewTokens(t memory.Tokens) Tokens {
	w := Tokens{
		AccessToken: t.Access, ExpiresAt: utc(t.AccessEnds), RefreshToken: t.Refresh, RefreshExpiresAt: utc(t.RefreshEnds),
		Device: string(t.Device), Member: Member{ID: string(t.Member.ID), Name: t.Member.Name}, Scopes: []string{}, Project: string(t.Project),
	}
	for _, s := range t.Scopes {
		w.Scopes = append(w.Scopes, string(s))
	}
	return w
}

// Domain returns the tokens.
func (w Tokens) Domain() (memory.Tokens, error) {
	if w.AccessToken == "" || w.RefreshToken == "" || w.ExpiresAt.IsZero() {
		return memory.Tokens{}, malformed("a login without its tokens")
	}
	device, err := served[memory.DeviceID]("dev_", w.Device)
	if err != nil {
		return memory.Tokens{}, err
	}
	member, err := served[memory.MemberID]("mem_", w.Member.ID)
	if err != nil {
		return memory.Tokens{}, err
	}
	t := memory.Tokens{
		Access: w.AccessToken, AccessEnds: w.ExpiresAt, Refresh: w.RefreshToken, RefreshEnds: w.RefreshExpiresAt,
		Device: device, Member: memory.Member{ID: member, Name: fit(w.Member.Name)},
		Project: memory.ProjectID(fit(w.Project)),
	}
	for _, s := range w.Scopes {
		t.Scopes = append(t.Scopes, memory.Scope(fit(s)))
	}
	return t, nil
}

// TokenRevoke is the body of POST /auth/revoke.
type TokenRevoke struct {
	RefreshToken string `json:"refresh_token"`
}

// Domain returns the token.
func (w TokenRevoke) Domain() (string, error) {
	if w.RefreshToken == "" {
		return "", missing("refresh_token")
	}
	return w.RefreshToken, nil
}

// Done is an answer that says nothing but that it was done.
type Done struct{}

// Keys is the answer of GET /auth/jwks: a JSON Web Key Set, RFC 7517.
type Keys struct {
	Keys []Key `json:"keys"`
}

// Key is the public half of a key that signs access tokens, RFC 8037.
type Key struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	X     string `json:"x"`
	ID    string `json:"kid"`
	Alg   string `json:"alg"`
	Use   string `json:"use"`
}
