package wire

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func TestTokenRequest_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range []memory.Grant{
		{Kind: memory.GrantAPIToken, Secret: "x", Name: "laptop", OS: "linux"},
		{Kind: memory.GrantAPIToken, Secret: "x", Device: "dev_a"},
		{Kind: memory.GrantRefresh, Secret: "x"},
		{Kind: memory.GrantRefresh, Secret: "x", Attempt: "0123456789abcdef"},
	} {
		body, err := Encode(NewTokenRequest(want))
		if err != nil {
			t.Fatal(err)
		}
		var w TokenRequest
		if err := Decode(body, &w); err != nil {
			t.Fatal(err)
		}
		got, err := w.Domain()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
	}
}

func TestTokens_RoundTrip(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	want := memory.Tokens{
		Access: "a", AccessEnds: at, Refresh: "r", RefreshEnds: at.Add(time.Hour), Device: "dev_a",
		Member: memory.Member{ID: "mem_a", Name: "Zoë"}, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}, Project: "prj_a",
	}
	body, err := Encode(NewTokens(want))
	if err != nil {
		t.Fatal(err)
	}
	var w Tokens
	if err := DecodeAnswer(body, &w); err != nil {
		t.Fatal(err)
	}
	got, err := w.Domain()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// An answer that is not whole must not take the place of tokens that work.
func TestTokens_Incomplete(t *testing.T) {
	t.Parallel()
	whole := NewTokens(memory.Tokens{
		Access: "a", AccessEnds: time.Unix(1, 0), Refresh: "r", Device: "dev_a", Member: memory.Member{ID: "mem_a"},
	})
	if _, err := whole.Domain(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Tokens){
		"no access token":  func(w *Tokens) { w.AccessToken = "" },
		"no refresh token": func(w *Tokens) { w.RefreshToken = "" },
		"no end":           func(w *Tokens) { w.ExpiresAt = time.Time{} },
		"no device":        func(w *Tokens) { w.Device = "" },
		"no member":        func(w *Tokens) { w.Member.ID = "" },
	} {
		w := whole
		spoil(&w)
		if got, err := w.Domain(); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDevice_RoundTrip(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, want := range []memory.Device{
		{ID: "dev_a", Name: "laptop", OS: "linux", CreatedAt: at},
		{ID: "dev_a", Name: "laptop", CreatedAt: at, LastSeen: at.Add(time.Hour), RevokedAt: at.Add(2 * time.Hour), RevokedFor: memory.EndRefreshReused},
	} {
		w := NewDevice(want, "dev_a")
		got, err := w.Domain()
		if diff := cmp.Diff(want, got); err != nil || diff != "" || !w.Current || NewDevice(want, "").Current {
			t.Errorf("%v, current %v (-want +got):\n%s", err, w.Current, diff)
		}
	}
}
