package auth

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// sessions is a store with one session in it.
type sessions struct {
	session memory.Session
	member  memory.Member
	err     error
	asked   int
}

func (s *sessions) Session(_ context.Context, hash memory.Hash) (memory.Session, memory.Member, error) {
	s.asked++
	if s.err == nil && hash != s.session.Hash {
		return memory.Session{}, memory.Member{}, memory.NotFound("session")
	}
	return s.session, s.member, s.err
}

// signedIn returns a store with a session, and its cookie.
func signedIn(now time.Time) (*sessions, string) {
	cookie := MintSession()
	m := memory.Member{ID: "mem_mara", Name: "Mara", Admin: true, SessionEpoch: 3}
	return &sessions{member: m, session: memory.Session{
		ID: "ses_a", Hash: HashToken(cookie), Member: m.ID, SessionEpoch: 3, CreatedAt: now, ExpiresAt: now.Add(memory.SessionLife),
	}}, cookie
}

func TestSessions_Authenticate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	records, cookie := signedIn(now)
	got, err := NewSessions(records, func() time.Time { return now.Add(memory.SessionLife - 1) }).Authenticate(t.Context(), cookie)
	want := memory.Principal{
		Member: "mem_mara", Name: "Mara", Admin: true, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview},
	}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}

// Every reason to refuse gives the very same answer, and the cause holds
// nothing of the cookie.
func TestSessions_Refuses(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		spoil  func(*sessions)
		cookie func(good string) string
		asks   bool
	}{
		{name: "none", cookie: func(string) string { return "" }},
		{name: "cut short", cookie: func(good string) string { return good[:len(good)-1] }},
		{name: "longer", cookie: func(good string) string { return good + "A" }},
		{name: "another", cookie: func(string) string { return MintSession() }, asks: true},
		{name: "in capitals", cookie: strings.ToUpper, asks: true},
		{name: "its own hash", cookie: func(good string) string { return HashToken(good).String()[:len(good)] }, asks: true},
		{name: "expired", spoil: func(s *sessions) { s.session.ExpiresAt = now }, asks: true},
		{name: "disabled member", spoil: func(s *sessions) { s.member.Disabled = true }, asks: true},
		{name: "sessions were ended", spoil: func(s *sessions) { s.member.SessionEpoch++ }, asks: true},
		{name: "epoch of the future", spoil: func(s *sessions) { s.member.SessionEpoch-- }, asks: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			records, cookie := signedIn(now)
			if tt.spoil != nil {
				tt.spoil(records)
			}
			if tt.cookie != nil {
				cookie = tt.cookie(cookie)
			}
			who, err := NewSessions(records, func() time.Time { return now }).Authenticate(t.Context(), cookie)
			checkDenied(t, err, signedOut(nil), cookie)
			if !cmp.Equal(who, memory.Principal{}) {
				t.Errorf("a refusal names %+v", who)
			}
			if asked := records.asked > 0; asked != tt.asks {
				t.Errorf("the database was asked: %v", asked)
			}
		})
	}
}

// A database that does not answer signs nobody out.
func TestSessions_Unavailable(t *testing.T) {
	t.Parallel()
	records, cookie := signedIn(time.Now())
	records.err = &memory.Error{Code: memory.CodeUnavailable}
	if _, err := NewSessions(records, time.Now).Authenticate(t.Context(), cookie); memory.CodeOf(err) != memory.CodeUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestMintSession(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 200 {
		c := MintSession()
		if len(c) != 43 || strings.Trim(c, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" || seen[c] {
			t.Fatalf("minted %d characters, seen before: %v", len(c), seen[c])
		}
		seen[c] = true
	}
}

func TestLinkToken(t *testing.T) {
	t.Parallel()
	token := MintLinkToken()
	if !IsLinkToken(token) || IsAPIToken(token) || !strings.HasPrefix(token, "tmi_") || token == MintLinkToken() {
		t.Errorf("minted a token of %d characters with form %v", len(token), IsLinkToken(token))
	}
	for _, bad := range []string{"", "tmi_", token[:39], token + "0", strings.ToLower(token), "tmp_" + token[4:], MintAPIToken(), token[:39] + "!"} {
		if IsLinkToken(bad) {
			t.Errorf("a bad token of %d characters is accepted", len(bad))
		}
	}
}
