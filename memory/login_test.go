package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// holder is who logs a computer in: the holder of Mara's API token.
func holder() Principal {
	return Principal{Member: "mem_mara", Token: "tok_a", Project: "prj_a", Scopes: []Scope{ScopeRead}, Remote: "192.0.2.1", Client: "test"}
}

func TestLogIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.LogIn(t.Context(), holder(), LogIn{Name: "laptop", OS: "linux", Refresh: Sum([]byte("r"))})
	must(t, err)
	want := Device{
		ID: got.Device.ID, Member: "mem_mara", Name: "laptop", OS: "linux", CreatedAt: start(), Project: "prj_a", Scopes: []Scope{ScopeRead},
		Token: "tok_a", LastSeen: start(), Login: 1, LoginEnds: start().Add(90 * 24 * time.Hour),
	}
	refresh := RefreshToken{Hash: Sum([]byte("r")), CreatedAt: start(), ExpiresAt: start().Add(30 * 24 * time.Hour)}
	if diff := cmp.Diff(want, b.store.logins.device) + cmp.Diff(refresh, b.store.logins.refresh); diff != "" || !strings.HasPrefix(string(want.ID), "dev_") {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	row := holder().Row(start(), "device.login", string(want.ID))
	row.Device = want.ID
	if diff := cmp.Diff([]AuditRow{row}, b.store.audit); diff != "" || b.store.logins.again {
		t.Errorf("audit (-want +got):\n%s", diff)
	}

	_, err = b.LogIn(t.Context(), holder(), LogIn{Device: "dev_mine", Refresh: Sum([]byte("s"))})
	must(t, err)
	if !b.store.logins.again || b.store.logins.device.ID != "dev_mine" {
		t.Errorf("got %+v", b.store.logins)
	}
}

func TestLogIn_Refuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		who  Principal
		in   LogIn
		want Code
	}{
		{"access token", Principal{Member: "mem_mara", Device: "dev_mine", Scopes: []Scope{ScopeRead}}, LogIn{Name: "a"}, CodeForbidden},
		{"nobody", Principal{}, LogIn{Name: "a"}, CodeForbidden},
		{"no name", holder(), LogIn{}, CodeInvalid},
		{"hidden name", holder(), LogIn{Name: "a\u202e"}, CodeInvalid},
		{"long name", holder(), LogIn{Name: strings.Repeat("a", 201)}, CodeInvalid},
		{"odd system", holder(), LogIn{Name: "a", OS: "\n"}, CodeInvalid},
	} {
		b := setup(t)
		_, err := b.LogIn(t.Context(), tt.who, tt.in)
		if CodeOf(err) != tt.want || len(b.store.audit) != 0 {
			t.Errorf("%s: got %v, %d rows", tt.name, err, len(b.store.audit))
		}
	}
}

// One computer too many is refused, and the audit says so, but names no device
// that is not the member's.
func TestLogIn_TooMany(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in    LogIn
		named DeviceID
	}{{LogIn{Name: "laptop"}, ""}, {LogIn{Device: "dev_mine"}, "dev_mine"}, {LogIn{Device: "dev_other"}, ""}} {
		b, in := setup(t), tt.in
		b.store.logins.loginErr = TooManyLogins()
		_, err := b.LogIn(t.Context(), holder(), in)
		wantCode(t, err, CodeQuota)
		want := holder().Row(start(), "device.login", string(tt.named))
		want.Device, want.Decision, want.Rules = tt.named, "refused", []string{"quota"}
		if diff := cmp.Diff(want, b.store.audit[len(b.store.audit)-1]); diff != "" {
			t.Errorf("audit (-want +got):\n%s", diff)
		}
		b.store.auditErr = errFake // no row, no answer
		if _, err := b.LogIn(t.Context(), holder(), in); CodeOf(err) == CodeQuota {
			t.Errorf("got %v", err)
		}
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	from := Principal{Remote: "192.0.2.1", Client: "test"}
	refused := from.Row(start(), "device.login", "")
	refused.Decision, refused.Rules = "refused", []string{"unauthenticated"}
	for _, tt := range []struct {
		name   string
		ruling RefreshRuling
		good   bool
		audit  []AuditRow
	}{
		{"goes on", RefreshGoesOn, true, []AuditRow{from.Row(start(), "device.refresh", "")}},
		{"repeats", RefreshRepeats, true, nil},
		{"refused", RefreshRefused, false, []AuditRow{refused}},
		{"reused", RefreshReused, false, nil}, // the store's own row says that the device ended
	} {
		b := setup(t)
		b.store.logins.ruling = tt.ruling
		got, err := b.Refresh(t.Context(), from, Refresh{Presented: Sum([]byte("p")), Next: RefreshToken{Hash: Sum([]byte("n"))}})
		if (err == nil) != tt.good || (err != nil && !cmp.Equal(asError(err), LoginEnded())) || (got.Successor != Hash{}) != tt.good {
			t.Errorf("%s: got %+v, %v", tt.name, got, err)
		}
		if diff := cmp.Diff(tt.audit, b.store.audit); diff != "" {
			t.Errorf("%s: audit (-want +got):\n%s", tt.name, diff)
		}
		if o := b.store.logins.offered; !o.At.Equal(start()) || !o.Next.ExpiresAt.Equal(start().Add(RefreshIdle)) {
			t.Errorf("%s: offered %+v", tt.name, o)
		}
	}
	b := setup(t)
	b.store.auditErr = errFake // no row, no answer
	if _, err := b.Refresh(t.Context(), from, Refresh{}); CodeOf(err) == CodeUnauthenticated {
		t.Errorf("got %v", err)
	}
}

func TestSpentRefresh_Rule(t *testing.T) {
	t.Parallel()
	const idle = 30 * 24 * time.Hour
	nonce, other := Sum([]byte("nonce")), Sum([]byte("other"))
	used := func(change func(*SpentRefresh)) SpentRefresh {
		s := SpentRefresh{UsedAt: start(), NextEnds: start().Add(idle), Presented: Refresh{At: start()}}
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name string
		give SpentRefresh
		want RefreshRuling
	}{
		{"unknown", SpentRefresh{}, RefreshRefused},
		{"expired, not used", SpentRefresh{Presented: Refresh{At: start()}}, RefreshRefused},
		{"at once", used(func(*SpentRefresh) {}), RefreshRepeats},
		{"from a server that is behind", used(func(s *SpentRefresh) { s.Presented.At = start().Add(-time.Second) }), RefreshRepeats},
		{"at the end of the grace", used(func(s *SpentRefresh) { s.Presented.At = start().Add(RefreshGrace) }), RefreshReused},
		{"the same attempt, late", used(func(s *SpentRefresh) {
			s.Attempt, s.Presented.Attempt, s.Presented.At = nonce, nonce, start().Add(idle-time.Second)
		}), RefreshRepeats},
		{"the same attempt, too late", used(func(s *SpentRefresh) {
			s.Attempt, s.Presented.Attempt, s.Presented.At = nonce, nonce, start().Add(idle)
		}), RefreshRefused},
		{"another attempt, late", used(func(s *SpentRefresh) {
			s.Attempt, s.Presented.Attempt, s.Presented.At = nonce, other, start().Add(time.Hour)
		}), RefreshReused},
		{"no attempts, late", used(func(s *SpentRefresh) { s.Presented.At = start().Add(time.Hour) }), RefreshReused},
		{"successor used, at once", used(func(s *SpentRefresh) { s.NextUsed = true }), RefreshReused},
		{"successor used, the same attempt", used(func(s *SpentRefresh) {
			s.Attempt, s.Presented.Attempt, s.NextUsed = nonce, nonce, true
		}), RefreshReused},
		{"over", used(func(s *SpentRefresh) { s.Over = true }), RefreshRefused},
		{"over, successor used", used(func(s *SpentRefresh) { s.Over, s.NextUsed = true, true }), RefreshRefused},
	} {
		if got := tt.give.Rule(); got != tt.want {
			t.Errorf("%s: ruling %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestLogOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.LogOut(t.Context(), Principal{Remote: "192.0.2.1"}, Sum([]byte("r"))))
	if row := b.store.audit[0]; row.Action != "device.revoke" || row.Decision != "logout" || b.store.logins.loggedOut != Sum([]byte("r")) {
		t.Errorf("audit %+v", row)
	}
	b.store.err = NotFound("login")
	must(t, b.LogOut(t.Context(), Principal{}, Hash{}))
	b.store.err = &Error{Code: CodeUnavailable}
	wantCode(t, b.LogOut(t.Context(), Principal{}, Hash{}), CodeUnavailable)
}

func TestDevices(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bound := b.who
	bound.Project = "prj_a"
	_, err := b.Devices(t.Context(), bound, "dev_x", 0)
	must(t, err)
	if want := (DeviceQuery{Member: "mem_mara", Project: "prj_a", After: "dev_x", Limit: 200}); b.store.logins.query != want {
		t.Errorf("asked for %+v", b.store.logins.query)
	}
	reader := b.who
	reader.Scopes = []Scope{ScopeRead}
	wantCode(t, b.RemoveDevice(t.Context(), reader, "dev_mine"), CodeForbidden)
	wantCode(t, b.RemoveDevice(t.Context(), b.who, "dev_other"), CodeNotFound)
	wantCode(t, b.RemoveDevice(t.Context(), bound, "dev_mine"), CodeNotFound) // it reaches all projects
	if len(b.store.audit) != 0 {
		t.Errorf("%d rows", len(b.store.audit))
	}
	must(t, b.RemoveDevice(t.Context(), b.who, "dev_mine"))
	if row := b.store.audit[0]; row.Action != "device.revoke" || row.Decision != "removed" || row.Object != "dev_mine" || b.store.logins.endedFor != EndRemoved {
		t.Errorf("audit %+v", row)
	}
}

// What ends other members' access is the administrator's.
func TestAdministration_OfLogins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, call := range map[string]func(Principal) error{
		"list tokens":  func(by Principal) error { _, err := b.APITokens(t.Context(), by, ""); return err },
		"revoke token": func(by Principal) error { return b.RevokeAPIToken(t.Context(), by, "tok_a") },
		"list devices": func(by Principal) error { _, err := b.AllDevices(t.Context(), by, DeviceQuery{}); return err },
		"end device":   func(by Principal) error { return b.RevokeDevice(t.Context(), by, "dev_mine") },
		"add key":      func(by Principal) error { return b.AddSigningKey(t.Context(), by, SigningKey{ID: "k"}, true) },
		"first key":    func(by Principal) error { return b.FirstSigningKey(t.Context(), by, SigningKey{ID: "k"}) },
	} {
		for _, by := range []Principal{b.who, {Admin: true, Scopes: []Scope{ScopeRead}}, {Scopes: []Scope{ScopeAdmin}}} {
			if err := call(by); CodeOf(err) != CodeForbidden {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := call(operator()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var actions []string
	for _, row := range b.store.audit {
		actions = append(actions, row.Action+" "+row.Object+" "+strings.Join(row.Rules, ","))
	}
	for _, want := range []string{"token.revoke tok_a ", "device.revoke dev_mine ", "key.add k alone", "key.add k "} {
		if !strings.Contains(strings.Join(actions, "\n")+"\n", want+"\n") {
			t.Errorf("no row %q in %q", want, actions)
		}
	}
}
