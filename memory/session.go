package memory

import (
	"context"
	"time"
)

// How long a way into the console lasts: the link until it is used, and the
// session that it starts.
const (
	LinkLife    = 10 * time.Minute
	SessionLife = 12 * time.Hour
)

// SessionID reads "ses_…". It names a session in the audit and is not what the
// browser holds.
type SessionID string

// NewSessionID mints the identity of a new session.
func NewSessionID() SessionID { return SessionID(newID("ses_")) }

// ConsoleLink is what is kept of a link that signs a member in to the console
// once: never the token in it.
type ConsoleLink struct {
	Hash         Hash // of the whole token
	Member       MemberID
	SessionEpoch int64 // of the member: ending all sessions ends open links too
	CreatedAt    time.Time
	ExpiresAt    time.Time
}

// Session is what is kept of a browser that is signed in: never its cookie.
type Session struct {
	ID           SessionID
	Hash         Hash // of the cookie's value
	Member       MemberID
	SessionEpoch int64 // of the member when it started
	CreatedAt    time.Time
	ExpiresAt    time.Time
}

// AddConsoleLink keeps a link that was just minted for the member: the hash of
// its token.
func (s *Service) AddConsoleLink(ctx context.Context, by Principal, member Member, token Hash) (ConsoleLink, error) {
	if err := administers(by); err != nil {
		return ConsoleLink{}, err
	}
	if member.Disabled {
		return ConsoleLink{}, Invalid("name", "this member is disabled and cannot sign in")
	}
	now := s.clock()
	l := ConsoleLink{
		Hash: token, Member: member.ID, SessionEpoch: member.SessionEpoch, CreatedAt: now, ExpiresAt: now.Add(LinkLife),
	}
	return l, s.store.AddConsoleLink(ctx, l, by.Row(now, "link.add", string(member.ID)))
}

// SignIn is what a browser offers and gets: the hashes of the link's token, of
// the cookie that it will hold, and of the one that it held so far, which is
// worth nothing afterwards. The zero hash stands for none.
type SignIn struct {
	Link     Hash
	Cookie   Hash
	Replaces Hash
}

// SignIn uses a link up and starts a session. Whatever is wrong with the link,
// the error is the same; the audit has a row of either outcome.
func (s *Service) SignIn(ctx context.Context, from Principal, in SignIn) (Session, error) {
	now := s.clock()
	session := Session{ID: NewSessionID(), Hash: in.Cookie, CreatedAt: now, ExpiresAt: now.Add(SessionLife)}
	started, err := s.store.StartSession(ctx, in.Link, in.Replaces, session, from.Row(now, "session.start", string(session.ID)))
	if CodeOf(err) != CodeNotFound {
		return started, err
	}
	row := from.Row(now, "session.start", "")
	row.Decision, row.Rules = string(RulingRefused), []string{string(CodeUnauthenticated)}
	if err := s.store.Audit(ctx, row); err != nil {
		return Session{}, err
	}
	return Session{}, BadLink()
}

// BadLink is what everybody is told whose link does not sign them in.
func BadLink() *Error {
	return &Error{
		Code: CodeUnauthenticated, Message: "this link does not sign you in: it was used, is too old, or was cut short",
		Hint: "ask whoever runs the server for a new one: teammem admin console-link NAME",
	}
}

// SignOut ends the principal's session.
func (s *Service) SignOut(ctx context.Context, who Principal, cookie Hash) error {
	return s.store.EndSession(ctx, cookie, who.Row(s.clock(), "session.end", ""))
}
