package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// link keeps a link that was made for the member at the start.
func (b *bundle) link(tb testing.TB, m memory.Member, token string) memory.Hash {
	tb.Helper()
	hash := memory.Sum([]byte(token))
	must(tb, b.AddConsoleLink(tb.Context(), memory.ConsoleLink{
		Hash: hash, Member: m.ID, SessionEpoch: m.SessionEpoch, CreatedAt: start(), ExpiresAt: start().Add(memory.LinkLife),
	}, memory.Principal{}.Row(start(), "link.add", string(m.ID))))
	return hash
}

// session is what a browser would get at a time.
func session(cookie string, at time.Time) memory.Session {
	return memory.Session{
		ID: memory.NewSessionID(), Hash: memory.Sum([]byte(cookie)), CreatedAt: at, ExpiresAt: at.Add(memory.SessionLife),
	}
}

func (b *bundle) signIn(tb testing.TB, link memory.Hash, s memory.Session) (memory.Session, error) {
	tb.Helper()
	return b.StartSession(tb.Context(), link, memory.Hash{}, s, memory.Principal{}.Row(s.CreatedAt, "session.start", string(s.ID)))
}

func TestSession_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := session("cookie", start())
	got, err := b.signIn(t, b.link(t, b.member, "token"), want)
	must(t, err)
	want.Member = b.member.ID
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
	got, member, err := b.Session(t.Context(), want.Hash)
	must(t, err)
	if diff := cmp.Diff(want, got) + cmp.Diff(b.member, member); diff != "" {
		t.Errorf("session and member (-want +got):\n%s", diff)
	}
	if n := b.count(t, "select count(*) from audit where action = 'session.start' and actor = $1", b.member.ID); n != 1 {
		t.Errorf("%d rows in the audit", n)
	}
	_, _, err = b.Session(t.Context(), memory.Sum([]byte("another")))
	wantCode(t, err, memory.CodeNotFound)
	b.check(t)
}

// A link that is not good any more is as unknown as one that never was, starts
// nothing, and leaves no row that says it did.
func TestStartSession_Refuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		at    time.Duration // after the link was made
		spoil func(b *bundle, link memory.Hash)
		token string
	}{
		{name: "unknown", token: "another"},
		{name: "at its end", at: memory.LinkLife},
		{name: "used", spoil: func(b *bundle, link memory.Hash) {
			_, err := b.signIn(t, link, session("first", start()))
			must(t, err)
			b.exec(t, "delete from audit where action = 'session.start'")
			b.exec(t, "delete from console_sessions")
		}},
		{name: "disabled member", spoil: func(b *bundle, _ memory.Hash) { b.exec(t, "update members set disabled = true") }},
		{name: "sessions were ended", spoil: func(b *bundle, _ memory.Hash) { b.exec(t, "update members set session_epoch = 1") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			link := b.link(t, b.member, "token")
			if tt.spoil != nil {
				tt.spoil(b, link)
			}
			if tt.token != "" {
				link = memory.Sum([]byte(tt.token))
			}
			_, err := b.signIn(t, link, session("cookie", start().Add(tt.at)))
			wantCode(t, err, memory.CodeNotFound)
			if n := b.count(t, "select (select count(*) from console_sessions) + (select count(*) from audit where action = 'session.start')"); n != 0 {
				t.Errorf("%d rows were written", n)
			}
		})
	}
}

// Of many who use one link at the same time, one gets in.
func TestStartSession_Once(t *testing.T) {
	t.Parallel()
	b := setup(t)
	link := b.link(t, b.member, "token")
	const users = 8
	var wg sync.WaitGroup
	outcomes := make(chan error, users)
	for range users {
		s := session(string(memory.NewSessionID()), start())
		wg.Go(func() {
			_, err := b.signIn(t, link, s)
			outcomes <- err
		})
	}
	wg.Wait()
	close(outcomes)
	in := 0
	for err := range outcomes {
		if err == nil {
			in++
			continue
		}
		wantCode(t, err, memory.CodeNotFound)
	}
	if n := b.count(t, "select count(*) from console_sessions"); in != 1 || n != 1 {
		t.Errorf("%d got in, %d sessions", in, n)
	}
	b.check(t)
}

// The session that a browser had is worth nothing once it signs in again, and
// what is over is forgotten.
func TestStartSession_Replaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old, err := b.signIn(t, b.link(t, b.member, "one"), session("old", start()))
	must(t, err)
	other, err := b.signIn(t, b.link(t, b.member, "two"), session("other", start()))
	must(t, err)
	over := start().Add(-memory.SessionLife)
	b.exec(t, "insert into console_sessions values ($1, 'ses_over', $2, 0, $3, $4)", []byte("01234567890123456789012345678901"), b.member.ID, over, start())

	_, err = b.StartSession(t.Context(), b.link(t, b.member, "three"), old.Hash, session("new", start()), memory.AuditRow{At: start(), Action: "session.start"})
	must(t, err)
	_, _, err = b.Session(t.Context(), old.Hash)
	wantCode(t, err, memory.CodeNotFound)
	_, _, err = b.Session(t.Context(), other.Hash)
	must(t, err)
	if n := b.count(t, "select count(*) from console_sessions"); n != 2 {
		t.Errorf("%d sessions", n)
	}
}

func TestEndSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, err := b.signIn(t, b.link(t, b.member, "token"), session("cookie", start()))
	must(t, err)
	for range 2 { // the second time there is nothing left to end
		must(t, b.EndSession(t.Context(), s.Hash, b.principal().Row(start(), "session.end", "")))
	}
	_, _, err = b.Session(t.Context(), s.Hash)
	wantCode(t, err, memory.CodeNotFound)
	if n := b.count(t, "select count(*) from audit where action = 'session.end' and object = $1", s.ID); n != 1 {
		t.Errorf("%d rows in the audit", n)
	}
	b.check(t)
}

// Links that are over are forgotten when the next one is made; the hash is all
// that is kept of a token.
func TestAddConsoleLink_ForgetsWhatIsOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.link(t, b.member, "early")
	b.exec(t, "update console_links set created_at = created_at - interval '1 h', expires_at = $1", start())
	b.link(t, b.member, "token")
	if n := b.count(t, "select count(*) from console_links"); n != 1 {
		t.Errorf("%d links", n)
	}
	if n := b.count(t, "select count(*) from console_links l where l::text like '%token%'"); n != 0 {
		t.Error("the token was stored")
	}
	b.check(t)
}

func TestURL_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, want := range []string{"", "http://127.0.0.1:8080", "https://memory.example"} {
		if want != "" {
			must(t, b.SetURL(t.Context(), want))
		}
		got, err := b.URL(t.Context())
		if err != nil || got != want {
			t.Errorf("url %q, want %q: %v", got, want, errors.Join(err))
		}
	}
}
