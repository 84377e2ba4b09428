package memory

import (
	"context"
	"time"
)

// RefreshGrace is how long everybody who offers a refresh token gets the same
// successor, as long as nobody has used that.
const RefreshGrace = 30 * time.Second

// Refresh is a refresh token that is offered for its successor.
type Refresh struct {
	Presented Hash
	Attempt   Hash         // of the client's nonce; zero if it has none
	Next      RefreshToken // the successor, if this is the first time
	Sealed    []byte       // the successor itself, which only who has the presented token can open
	At        time.Time
}

// Refreshed is a login that goes on.
type Refreshed struct {
	Login
	Successor Hash
	Sealed    []byte // of a successor that was made before; nil: it is the one that was offered
}

// Refresh continues a login: it uses the token up and puts its successor into
// force. A client that lost the answer gets the same successor again. Whatever
// is wrong with a token, the error is the same, and the audit has a row of it.
func (s *Service) Refresh(ctx context.Context, from Principal, r Refresh) (Refreshed, error) {
	r.At = s.clock().Truncate(time.Microsecond) // as it is stored
	r.Next.CreatedAt, r.Next.ExpiresAt = r.At, r.At.Add(RefreshIdle)
	got, ruling, err := s.store.Refresh(ctx, r, from.Row(r.At, "device.refresh", ""))
	switch {
	case err != nil:
		return Refreshed{}, err
	case ruling == RefreshGoesOn, ruling == RefreshRepeats:
		return got, nil
	case ruling == RefreshRefused:
		if err := s.RefuseLogin(ctx, from); err != nil {
			return Refreshed{}, err
		}
	}
	return Refreshed{}, LoginEnded()
}

// LoginEnded is what everybody is told whose refresh token is good for nothing.
func LoginEnded() *Error {
	return &Error{
		Code: CodeUnauthenticated, Message: "this login has ended", Hint: "sign in again with teammem login",
	}
}

// RefreshRuling is what becomes of an offered refresh token.
type RefreshRuling int

// The rulings.
const (
	RefreshRefused RefreshRuling = iota // it is good for nothing
	RefreshGoesOn                       // it was used up, and its successor is in force
	RefreshRepeats                      // it was used before, and gets the same successor
	RefreshReused                       // it was used before by somebody else: the device is logged out
)

// SpentRefresh is a refresh token that cannot be used up, as it stands.
type SpentRefresh struct {
	Over      bool      // the device, its login, its member or the member's sessions were ended
	UsedAt    time.Time // zero: it was not used, but has expired
	Attempt   Hash      // under which it was used; zero: under none
	NextUsed  bool      // its successor was used
	NextEnds  time.Time
	Presented Refresh
}

// Rule decides about a token that was used before. The client may have lost the
// answer: then it offers the token again, with the nonce that it kept, before it
// ever had the successor. Two processes of one client may also have offered it
// at the same time. Anything else means that two parties have the token.
func (s SpentRefresh) Rule() RefreshRuling {
	at := s.Presented.At
	switch {
	case s.Over, s.UsedAt.IsZero():
		return RefreshRefused
	case s.NextUsed:
		return RefreshReused
	case !at.Before(s.NextEnds):
		return RefreshRefused
	case at.Before(s.UsedAt.Add(RefreshGrace)), !s.Attempt.IsZero() && s.Attempt == s.Presented.Attempt:
		return RefreshRepeats
	}
	return RefreshReused
}
