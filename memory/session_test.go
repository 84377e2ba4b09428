package memory

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// linkOfMara is the hash of a link's token that signs Mara in.
func linkOfMara() Hash { return Sum([]byte("link")) }

func TestAddConsoleLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mara := Member{ID: "mem_mara", Name: "Mara", SessionEpoch: 4}
	got, err := b.AddConsoleLink(t.Context(), operator(), mara, linkOfMara())
	must(t, err)
	want := ConsoleLink{Hash: linkOfMara(), Member: "mem_mara", SessionEpoch: 4, CreatedAt: start(), ExpiresAt: start().Add(10 * time.Minute)}
	if diff := cmp.Diff([]ConsoleLink{want, want}, append(b.store.links, got)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if row := b.store.audit[0]; row.Action != "link.add" || row.Object != "mem_mara" || row.Client != operator().Client {
		t.Errorf("audit %+v", row)
	}
	mara.Disabled = true
	_, err = b.AddConsoleLink(t.Context(), operator(), mara, linkOfMara())
	wantCode(t, err, CodeInvalid)
	for _, who := range []Principal{b.who, {Admin: true, Scopes: []Scope{ScopeRead}}, {Scopes: []Scope{ScopeAdmin}}} {
		_, err := b.AddConsoleLink(t.Context(), who, Member{}, linkOfMara())
		wantCode(t, err, CodeForbidden)
	}
	if len(b.store.links) != 1 {
		t.Errorf("%d links were kept", len(b.store.links))
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := SignIn{Link: linkOfMara(), Cookie: Sum([]byte("new")), Replaces: Sum([]byte("old"))}
	got, err := b.SignIn(t.Context(), Principal{Remote: "192.0.2.1", Client: "console"}, in)
	must(t, err)
	want := Session{
		ID: got.ID, Hash: in.Cookie, Member: "mem_mara", CreatedAt: start(), ExpiresAt: start().Add(12 * time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(string(got.ID), "ses_") {
		t.Errorf("session %s (-want +got):\n%s", got.ID, diff)
	}
	row := AuditRow{At: start(), Actor: "mem_mara", Remote: "192.0.2.1", Client: "console", Action: "session.start", Object: string(got.ID)}
	if diff := cmp.Diff([]AuditRow{row}, b.store.audit); diff != "" || b.store.replaced != in.Replaces {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// A link that does not sign in is on record, and the answer says nothing of
// the reason.
func TestSignIn_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.SignIn(t.Context(), Principal{Remote: "192.0.2.1"}, SignIn{Link: Sum([]byte("other")), Cookie: Sum([]byte("new"))})
	if e := problemOf(t, err, CodeUnauthenticated); !cmp.Equal(e, BadLink()) {
		t.Errorf("got %v", e)
	}
	row := AuditRow{
		At: start(), Remote: "192.0.2.1", Action: "session.start", Decision: "refused", Rules: []string{"unauthenticated"},
	}
	if diff := cmp.Diff([]AuditRow{row}, b.store.audit); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	b.store.auditErr = errFake // no row, no answer
	if _, err := b.SignIn(t.Context(), Principal{}, SignIn{}); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
	b.store.err = errFake
	if _, err := b.SignIn(t.Context(), Principal{}, SignIn{Link: linkOfMara()}); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.SignOut(t.Context(), b.who, Sum([]byte("cookie"))))
	if row := b.store.audit[0]; row.Action != "session.end" || row.Actor != b.who.Member || b.store.replaced != Sum([]byte("cookie")) {
		t.Errorf("audit %+v", row)
	}
}
