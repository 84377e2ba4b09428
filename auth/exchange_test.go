package auth

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// logins keeps one login like package store does, without its rules.
type logins struct {
	who     memory.Principal
	in      memory.LogIn
	offered memory.Refresh
	answer  memory.Refreshed
	refused int
	err     error
}

func (l *logins) LogIn(_ context.Context, who memory.Principal, in memory.LogIn) (memory.Login, error) {
	l.who, l.in = who, in
	d := memory.Device{ID: "dev_new", Member: who.Member, Project: who.Project, Scopes: slices.Clone(who.Scopes), Login: 1}
	return memory.Login{Device: d, Member: memory.Member{ID: who.Member, Name: who.Name}}, l.err
}

func (l *logins) Refresh(_ context.Context, _ memory.Principal, r memory.Refresh) (memory.Refreshed, error) {
	l.offered = r
	return l.answer, l.err
}

func (l *logins) RefuseLogin(context.Context, memory.Principal) error {
	l.refused++
	return l.err
}

func TestExchange_APIToken(t *testing.T) {
	t.Parallel()
	f, l := setup(t), &logins{}
	from := memory.Principal{Remote: "192.0.2.7", Client: "teammem/1"}
	got, err := NewExchange(f.auth, l).Tokens(t.Context(), from, memory.Grant{Kind: memory.GrantAPIToken, Secret: f.api, Name: "laptop", OS: "linux"})
	if err != nil {
		t.Fatal(err)
	}
	if l.who.Token != "tok_a" || l.who.Remote != from.Remote || l.who.Client != from.Client || l.in.Name != "laptop" || l.in.OS != "linux" {
		t.Errorf("logged in %+v as %+v", l.in, l.who)
	}
	if !IsRefreshToken(got.Refresh) || HashToken(got.Refresh) != l.in.Refresh || got.Project != "prj_a" || got.Device != "dev_new" {
		t.Errorf("got %+v", got)
	}
	access, err := f.access.Verify(got.Access)
	if err != nil || access.Device != "dev_new" || access.Login != 1 || !cmp.Equal(access.Scopes, got.Scopes) {
		t.Errorf("got %+v, %v", access, err)
	}
}

func TestExchange_Refuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		grant    func(*testing.T, *fixture) memory.Grant
		spoil    func(*fixture)
		code     memory.Code
		recorded int
	}{
		{name: "unknown grant", grant: grant("device_code", MintAPIToken()), code: memory.CodeInvalid},
		{name: "no grant", grant: grant("", ""), code: memory.CodeInvalid},
		{name: "expired api token", spoil: func(f *fixture) { f.records.token.ExpiresAt = f.now }, grant: own, recorded: 1},
		{name: "revoked api token", spoil: func(f *fixture) { f.records.token.RevokedAt = f.now }, grant: own, recorded: 1},
		{name: "api token of a disabled member", spoil: func(f *fixture) { f.records.member.Disabled = true }, grant: own, recorded: 1},
		{name: "unknown api token", grant: grant(memory.GrantAPIToken, MintAPIToken()), recorded: 1},
		{name: "mistyped api token", grant: grant(memory.GrantAPIToken, MintAPIToken()[:39]+"!")},
		{name: "refresh token as api token", grant: grant(memory.GrantAPIToken, MintRefreshToken())},
		{name: "access token as api token", grant: func(t *testing.T, f *fixture) memory.Grant {
			t.Helper()
			return memory.Grant{Kind: memory.GrantAPIToken, Secret: f.mint(t, memory.ScopeRead)}
		}},
		{name: "access token as refresh token", grant: func(t *testing.T, f *fixture) memory.Grant {
			t.Helper()
			return memory.Grant{Kind: memory.GrantRefresh, Secret: f.mint(t, memory.ScopeRead)}
		}},
		{name: "api token as refresh token", grant: grant(memory.GrantRefresh, MintAPIToken())},
		{name: "mistyped refresh token", grant: grant(memory.GrantRefresh, MintRefreshToken()[:39]+"!")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, l := setup(t), &logins{}
			if tt.spoil != nil {
				tt.spoil(f)
			}
			want := tt.code
			if want == "" {
				want = memory.CodeUnauthenticated
			}
			got, err := NewExchange(f.auth, l).Tokens(t.Context(), memory.Principal{}, tt.grant(t, f))
			if memory.CodeOf(err) != want || got.Access != "" || got.Refresh != "" {
				t.Errorf("got %+v, %v", got, err)
			}
			if l.refused != tt.recorded || l.who.Member != "" || l.offered.Sealed != nil {
				t.Errorf("%d refusals recorded, want %d; %+v", l.refused, tt.recorded, l)
			}
		})
	}
}

// Without a key to sign with, nothing is begun that could not be answered.
func TestExchange_NoKey(t *testing.T) {
	t.Parallel()
	for _, kind := range []memory.GrantKind{memory.GrantAPIToken, memory.GrantRefresh} {
		f, l := setup(t), &logins{}
		f.keys.signers = nil
		secret := f.api
		if kind == memory.GrantRefresh {
			secret = MintRefreshToken()
		}
		_, err := NewExchange(f.auth, l).Tokens(t.Context(), memory.Principal{}, memory.Grant{Kind: kind, Secret: secret, Name: "laptop"})
		if memory.CodeOf(err) != memory.CodeUnavailable || l.who.Member != "" || l.offered.Sealed != nil || l.refused != 0 {
			t.Errorf("%s: got %v, %+v", kind, err, l)
		}
	}
}

func grant(kind memory.GrantKind, secret string) func(*testing.T, *fixture) memory.Grant {
	return func(*testing.T, *fixture) memory.Grant { return memory.Grant{Kind: kind, Secret: secret} }
}

func own(_ *testing.T, f *fixture) memory.Grant {
	return memory.Grant{Kind: memory.GrantAPIToken, Secret: f.api}
}

// The database gives the sealed successor back, and only who has the token
// before it can open that.
func TestExchange_Successor(t *testing.T) {
	t.Parallel()
	f, l := setup(t), &logins{}
	e := NewExchange(f.auth, l)
	first := memory.Grant{Kind: memory.GrantRefresh, Secret: MintRefreshToken(), Attempt: "0123456789abcdef"}
	l.answer = memory.Refreshed{Login: memory.Login{Device: f.records.device, Member: f.records.member}}
	made, err := e.Tokens(t.Context(), memory.Principal{}, first)
	if err != nil || HashToken(made.Refresh) != l.offered.Next.Hash || l.offered.Attempt != HashToken(first.Attempt) || l.offered.Presented != HashToken(first.Secret) {
		t.Fatalf("got %+v, %v, offered %+v", made, err, l.offered)
	}
	l.answer.Successor, l.answer.Sealed = l.offered.Next.Hash, l.offered.Sealed
	again, err := e.Tokens(t.Context(), memory.Principal{}, first)
	if err != nil || again.Refresh != made.Refresh {
		t.Errorf("got another successor: %v", err)
	}
	sealed := slices.Clone(l.answer.Sealed)
	for name, spoil := range map[string]func(){
		"changed ciphertext": func() { l.answer.Sealed[len(sealed)/2] ^= 1 },
		"cut ciphertext":     func() { l.answer.Sealed = l.answer.Sealed[:4] },
		"another successor":  func() { l.answer.Successor = HashToken("another") },
		"another token's": func() {
			l.answer.Sealed, err = sealSuccessor(MintRefreshToken(), made.Refresh)
			if err != nil {
				t.Error(err)
			}
		},
	} {
		l.answer.Successor, l.answer.Sealed = HashToken(made.Refresh), slices.Clone(sealed)
		spoil()
		if got, err := e.Tokens(t.Context(), memory.Principal{}, first); memory.CodeOf(err) != memory.CodeInternal || got.Access != "" || got.Refresh != "" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}
