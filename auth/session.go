package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"

	"github.com/teammem/teammem/memory"
)

// sessionBytes is how many random bytes a session's cookie holds.
const sessionBytes = 32

// MintSession returns the value of a new session's cookie. What is kept is its
// [HashToken].
func MintSession() string {
	b := make([]byte, sessionBytes)
	rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// SessionRecords is what must be looked up to trust a cookie. The store
// implements it.
type SessionRecords interface {
	// Session finds a session by the hash of its cookie, with its member.
	Session(ctx context.Context, hash memory.Hash) (memory.Session, memory.Member, error)
}

// Sessions recognises the browsers that are signed in to the console.
type Sessions struct {
	records SessionRecords
	clock   memory.Clock
}

// NewSessions trusts the sessions in records.
func NewSessions(records SessionRecords, clock memory.Clock) *Sessions {
	return &Sessions{records: records, clock: clock}
}

// Authenticate says who sent the value of a session's cookie. It asks the
// records each time, so that the end of a session, or of its member's, counts
// at once. A value that is good for nothing gives a
// [memory.CodeUnauthenticated] error, as [Authenticator.Authenticate] does.
func (s *Sessions) Authenticate(ctx context.Context, cookie string) (memory.Principal, error) {
	if len(cookie) != base64.RawURLEncoding.EncodedLen(sessionBytes) {
		return memory.Principal{}, signedOut(errors.New("no session cookie"))
	}
	session, member, err := s.records.Session(ctx, HashToken(cookie))
	if err != nil {
		if memory.CodeOf(err) == memory.CodeNotFound {
			return memory.Principal{}, signedOut(err)
		}
		return memory.Principal{}, err
	}
	switch {
	case !s.clock().Before(session.ExpiresAt):
		return memory.Principal{}, signedOut(errors.New("the session has expired"))
	case member.Disabled:
		return memory.Principal{}, signedOut(errors.New("the member is disabled"))
	case member.SessionEpoch != session.SessionEpoch:
		return memory.Principal{}, signedOut(errors.New("the member's sessions were ended"))
	}
	return memory.Principal{
		Member: member.ID, Name: member.Name, Admin: member.Admin,
		Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview},
	}, nil
}

func signedOut(cause error) error {
	return &memory.Error{
		Code: memory.CodeUnauthenticated, Message: "you are not signed in",
		Hint: "ask whoever runs the server for a link: teammem admin console-link NAME", Err: cause,
	}
}
