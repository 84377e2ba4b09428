package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/teammem/teammem/memory"
)

// Lives of access tokens. What can change other members' work lives shorter.
const (
	SyncLife  = 12 * time.Hour
	AdminLife = 10 * time.Minute
)

const (
	maxTokenBytes = 8 << 10
	leeway        = 30 * time.Second
	audience      = "api"
	tokenType     = "at+jwt" // RFC 9068
	tokenUse      = "access"
)

// Access is what an access token says.
type Access struct {
	Member    memory.MemberID
	Device    memory.DeviceID
	Login     int64 // of the device; it is bound to the member's sessions
	Scopes    []memory.Scope
	ExpiresAt time.Time
}

// AccessTokens mints and verifies access tokens. It is safe for concurrent use.
type AccessTokens struct {
	keys   Keys
	issuer string
	clock  memory.Clock
	parser *jwt.Parser
}

// NewAccessTokens uses the keys for the tokens of one instance, whose id is
// their issuer.
func NewAccessTokens(keys Keys, instance string, clock memory.Clock) *AccessTokens {
	return &AccessTokens{
		keys: keys, issuer: instance, clock: clock,
		// A check whose option is missing here is not made at all.
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
			jwt.WithIssuer(instance),
			jwt.WithAudience(audience),
			jwt.WithExpirationRequired(),
			jwt.WithIssuedAt(),
			jwt.WithLeeway(leeway),
			jwt.WithStrictDecoding(),
			jwt.WithTimeFunc(clock),
		),
	}
}

// claims are the claims of an access token. Their names are short because each
// request carries them.
type claims struct {
	Issuer   string           `json:"iss"`
	Subject  string           `json:"sub"`
	Audience string           `json:"aud"`
	Expires  *jwt.NumericDate `json:"exp"`
	Issued   *jwt.NumericDate `json:"iat"`
	Use      string           `json:"token_use"`
	Scope    string           `json:"scp"` // one letter a scope
	Device   string           `json:"dev"`
	Login    int64            `json:"lgn"`
}

func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.Expires, nil }
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error)       { return c.Issued, nil }
func (c *claims) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (c *claims) GetIssuer() (string, error)                   { return c.Issuer, nil }
func (c *claims) GetSubject() (string, error)                  { return c.Subject, nil }
func (c *claims) GetAudience() (jwt.ClaimStrings, error)       { return jwt.ClaimStrings{c.Audience}, nil }

// Validate makes the checks that the library knows nothing of.
func (c *claims) Validate() error {
	switch {
	case c.Issued == nil:
		return errors.New("no iat")
	case c.Use != tokenUse:
		return errors.New("not an access token")
	case c.Subject == "" || c.Device == "":
		return errors.New("bound to no member or device")
	case c.Expires != nil && c.Expires.Sub(c.Issued.Time) > SyncLife:
		return errors.New("lives too long")
	}
	return nil
}

// scopeLetters are the scopes as claims write them.
func scopeLetters() []struct {
	letter string
	scope  memory.Scope
} {
	return []struct {
		letter string
		scope  memory.Scope
	}{{"r", memory.ScopeRead}, {"w", memory.ScopeWrite}, {"v", memory.ScopeReview}, {"a", memory.ScopeAdmin}}
}

// Mint returns an access token for a member's device, and when it expires.
func (a *AccessTokens) Mint(m memory.Member, device memory.Device, scopes ...memory.Scope) (string, time.Time, error) {
	if m.ID == "" || device.ID == "" || len(scopes) == 0 {
		return "", time.Time{}, errors.New("an access token needs a member, a device and a scope")
	}
	life, letters := SyncLife, ""
	for _, known := range scopeLetters() {
		if slices.Contains(scopes, known.scope) {
			letters += known.letter
		}
	}
	if len(letters) != len(scopes) {
		return "", time.Time{}, fmt.Errorf("unknown or repeated scope in %v", scopes)
	}
	if slices.Contains(scopes, memory.ScopeReview) || slices.Contains(scopes, memory.ScopeAdmin) {
		life = AdminLife
	}
	now := a.clock().Truncate(time.Second) // as a token says it
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, &claims{
		Issuer: a.issuer, Subject: string(m.ID), Audience: audience, Issued: jwt.NewNumericDate(now), Expires: jwt.NewNumericDate(now.Add(life)),
		Use: tokenUse, Scope: letters, Device: string(device.ID), Login: device.Login,
	})
	signs, err := a.keys.Ring().signer(now)
	if err != nil {
		return "", time.Time{}, err
	}
	token.Header["typ"], token.Header["kid"] = tokenType, signs.id
	signed, err := token.SignedString(signs.key)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("sign access token: %w", err)
	}
	return signed, now.Add(life), nil
}

// Verify checks form, signature and claims of an access token. Whether member,
// sessions and device still stand is for [Authenticator] to ask.
func (a *AccessTokens) Verify(token string) (Access, error) {
	if len(token) > maxTokenBytes {
		return Access{}, errors.New("the token is too long")
	}
	var c claims
	if _, err := a.parser.ParseWithClaims(token, &c, a.key); err != nil {
		return Access{}, fmt.Errorf("verify access token: %w", err)
	}
	access := Access{
		Member: memory.MemberID(c.Subject), Device: memory.DeviceID(c.Device), Login: c.Login, ExpiresAt: c.Expires.Time,
	}
	for _, known := range scopeLetters() {
		if strings.Contains(c.Scope, known.letter) {
			access.Scopes = append(access.Scopes, known.scope)
		}
	}
	return access, nil
}

// key finds the key by kid, in our own ring only: jku, jwk and x5u of the
// token are never looked at. An extension that must be understood (crit) is
// one that we do not know.
func (a *AccessTokens) key(t *jwt.Token) (any, error) {
	kid, _ := t.Header["kid"].(string)
	typ, _ := t.Header["typ"].(string)
	_, critical := t.Header["crit"]
	key, ours := a.keys.Ring().verify[kid]
	switch {
	case typ != tokenType:
		return nil, errors.New("not of type at+jwt")
	case critical:
		return nil, errors.New("has critical extensions")
	case t.Method != jwt.SigningMethodEdDSA: // all our keys are Ed25519
		return nil, errors.New("not signed with EdDSA")
	case !ours:
		return nil, errUnknownKey
	}
	return key, nil
}

// errUnknownKey is the one failure that may pass: another server may have
// published the key since.
var errUnknownKey = errors.New("signed with a key that is not ours")
