package auth

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

const instance = "ins_abcdefghijklmnopqrst"

// fixture is one instance with a member, a device and an API token.
type fixture struct {
	now     time.Time
	records *records
	keys    *Keyring
	access  *AccessTokens
	auth    *Authenticator
	api     string // an API token in force
}

func setup(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), api: MintAPIToken()}
	keys, err := NewKeyring(seeded(1), public(seeded(2)))
	if err != nil {
		t.Fatal(err)
	}
	member := memory.Member{ID: "mem_abcdefghijklmnopqrst", Name: "Mara", SessionEpoch: 3}
	f.records = &records{
		member: member,
		device: memory.Device{ID: "dev_abcdefghijklmnopqrst", Member: member.ID, Login: 2, SessionEpoch: 3, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}},
		token: memory.APIToken{
			ID: "tok_a", Hash: HashToken(f.api), Member: member.ID, Project: "prj_a",
			Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}, ExpiresAt: f.now.Add(time.Hour),
		},
	}
	clock := func() time.Time { return f.now }
	f.keys, f.access = keys, NewAccessTokens(keys, instance, clock)
	f.auth = NewAuthenticator(f.records, f.access, clock)
	return f
}

func (f *fixture) mint(t testing.TB, scopes ...memory.Scope) string {
	t.Helper()
	token, _, err := f.access.Mint(f.records.member, f.records.device, scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func seeded(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

// records is a store with one of each.
type records struct {
	member memory.Member
	device memory.Device
	token  memory.APIToken
	err    error
	asked  int
}

func (r *records) APIToken(_ context.Context, hash memory.Hash) (memory.APIToken, memory.Member, error) {
	r.asked++
	if r.err == nil && hash != r.token.Hash {
		return memory.APIToken{}, memory.Member{}, memory.NotFound("token")
	}
	return r.token, r.member, r.err
}

func (r *records) MemberDevice(_ context.Context, member memory.MemberID, id memory.DeviceID) (memory.Device, memory.Member, error) {
	r.asked++
	if r.err == nil && (member != r.member.ID || id != r.device.ID) {
		return memory.Device{}, memory.Member{}, memory.NotFound("device")
	}
	return r.device, r.member, r.err
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	f := setup(t)
	want := memory.Principal{
		Member: f.records.member.ID, Name: "Mara", Token: "tok_a", Project: "prj_a", Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite},
	}
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		got, err := f.auth.Authenticate(t.Context(), scheme+" "+f.api)
		if err != nil || !cmp.Equal(want, got) {
			t.Errorf("api token: %v (-want +got):\n%s", err, cmp.Diff(want, got))
		}
	}
	got, err := f.auth.Authenticate(t.Context(), "Bearer "+f.mint(t, memory.ScopeWrite, memory.ScopeRead))
	want = memory.Principal{
		Member: f.records.member.ID, Name: "Mara", Device: f.records.device.ID, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite},
	}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("access token: %v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}

// Every reason to refuse gives the very same answer, and the cause holds
// nothing of the token.
func TestAuthenticate_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(f *fixture)
		give  func(t *testing.T, f *fixture) string
	}{
		{name: "no header", give: fixed("")},
		{name: "no token", give: fixed("Bearer ")},
		{name: "another scheme", give: func(_ *testing.T, f *fixture) string { return "Basic " + f.api }},
		{name: "token in the scheme", give: func(_ *testing.T, f *fixture) string { return f.api }},
		{name: "two spaces", give: func(_ *testing.T, f *fixture) string { return "Bearer  " + f.api }},
		{name: "trailing token", give: func(_ *testing.T, f *fixture) string { return "Bearer " + f.api + " x" }},
		{name: "random text", give: fixed("Bearer nonsense")},
		{name: "unknown api token", give: func(*testing.T, *fixture) string { return "Bearer " + MintAPIToken() }},
		{name: "expired api token", spoil: func(f *fixture) { f.records.token.ExpiresAt = f.now }, give: api},
		{name: "api token without an end", spoil: func(f *fixture) { f.records.token.ExpiresAt = time.Time{} }, give: api},
		{name: "revoked api token", spoil: func(f *fixture) { f.records.token.RevokedAt = f.now }, give: api},
		{name: "api token of a disabled member", spoil: func(f *fixture) { f.records.member.Disabled = true }, give: api},
		{name: "access token of a disabled member", spoil: func(f *fixture) { f.records.member.Disabled = true }, give: access},
		{name: "old session epoch", spoil: func(f *fixture) { f.records.member.SessionEpoch++ }, give: access},
		{name: "future session epoch", spoil: func(f *fixture) { f.records.member.SessionEpoch-- }, give: access},
		{name: "refresh token as bearer", give: func(*testing.T, *fixture) string { return "Bearer " + MintRefreshToken() }},
		{name: "removed device", spoil: func(f *fixture) { f.records.device.ID = "dev_other" }, give: access},
		{name: "device that was logged out", spoil: func(f *fixture) { f.records.device.RevokedAt = f.now }, give: access},
		{name: "device that was logged in again", spoil: func(f *fixture) { f.records.device.Login++ }, give: access},
		{name: "removed member", spoil: func(f *fixture) { f.records.member.ID = "mem_other" }, give: access},
	}
	_, want := setup(t).auth.Authenticate(t.Context(), "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			header := tt.give(t, f)
			if tt.spoil != nil {
				tt.spoil(f)
			}
			got, err := f.auth.Authenticate(t.Context(), header)
			checkDenied(t, err, want, strings.TrimPrefix(header, "Bearer "))
			if !cmp.Equal(got, memory.Principal{}) {
				t.Errorf("a refusal names %+v", got)
			}
		})
	}
}

func fixed(s string) func(*testing.T, *fixture) string {
	return func(*testing.T, *fixture) string { return s }
}

func api(_ *testing.T, f *fixture) string { return "Bearer " + f.api }

func access(t *testing.T, f *fixture) string {
	t.Helper()
	return "Bearer " + f.mint(t, memory.ScopeRead)
}

func checkDenied(t *testing.T, err, want error, token string) {
	t.Helper()
	e, ok := errors.AsType[*memory.Error](err)
	w, _ := errors.AsType[*memory.Error](want)
	if !ok || e.Code != memory.CodeUnauthenticated || e.Message != w.Message || e.Hint != w.Hint {
		t.Fatalf("got %v, want %v", err, want)
	}
	if len(token) > 20 && strings.Contains(e.Err.Error(), token) {
		t.Errorf("the cause holds the token: %v", e.Err)
	}
}

// A database that does not answer is no reason to tell people that their
// token is bad: clients would throw it away.
func TestAuthenticate_Unavailable(t *testing.T) {
	t.Parallel()
	f := setup(t)
	headers := []string{api(t, f), access(t, f)}
	f.records.err = &memory.Error{Code: memory.CodeUnavailable}
	for _, header := range headers {
		if _, err := f.auth.Authenticate(t.Context(), header); memory.CodeOf(err) != memory.CodeUnavailable {
			t.Errorf("got %v", err)
		}
	}
}

// What an access token may do can shrink with its device, and never grow.
func TestAuthenticate_DeviceBounds(t *testing.T) {
	t.Parallel()
	f := setup(t)
	wide, narrow := f.mint(t, memory.ScopeRead, memory.ScopeWrite), f.mint(t, memory.ScopeRead)
	for _, tt := range []struct {
		name   string
		token  string
		device []memory.Scope
		want   []memory.Scope
	}{
		{"as minted", wide, []memory.Scope{memory.ScopeRead, memory.ScopeWrite}, []memory.Scope{memory.ScopeRead, memory.ScopeWrite}},
		{"narrowed", wide, []memory.Scope{memory.ScopeRead}, []memory.Scope{memory.ScopeRead}},
		{"widened", narrow, []memory.Scope{memory.ScopeRead, memory.ScopeWrite, memory.ScopeAdmin}, []memory.Scope{memory.ScopeRead}},
		{"taken away", wide, nil, nil},
	} {
		f.records.device.Scopes, f.records.device.Project = tt.device, "prj_a"
		got, err := f.auth.Authenticate(t.Context(), "Bearer "+tt.token)
		if err != nil || len(got.Scopes) != len(tt.want) || !cmp.Equal(tt.want, append([]memory.Scope(nil), got.Scopes...)) {
			t.Errorf("%s: got %v, %v, want %v", tt.name, got.Scopes, err, tt.want)
		}
		if got.Project != "prj_a" {
			t.Errorf("%s: it reaches %q", tt.name, got.Project)
		}
	}
	if f.records.asked != 4 {
		t.Errorf("%d lookups for 4 requests", f.records.asked)
	}
}

// Review and admin are never granted to API tokens, whatever the row says.
func TestAuthenticate_APITokensNeverApprove(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.records.token.Scopes = []memory.Scope{memory.ScopeAdmin, memory.ScopeRead, memory.ScopeReview, "new"}
	who, err := f.auth.Authenticate(t.Context(), api(t, f))
	if want := []memory.Scope{memory.ScopeRead}; err != nil || !cmp.Equal(want, who.Scopes) {
		t.Errorf("got %v, %v", who.Scopes, err)
	}
	if len(f.records.token.Scopes) != 4 {
		t.Error("the stored token was changed")
	}
}

func TestVerify_Attacks(t *testing.T) {
	t.Parallel()
	type parts = map[string]any
	const day = 24 * 60 * 60
	tests := []struct {
		name   string
		header parts // over the good header; nil values remove
		claims parts // over the good claims
		sign   func(text string) []byte
		change func(token string) string
	}{
		{name: "alg none", header: parts{"alg": "none"}, sign: unsigned},
		{name: "alg None", header: parts{"alg": "None"}, sign: unsigned},
		{name: "alg none with the signature kept", header: parts{"alg": "none"}},
		{name: "no alg", header: parts{"alg": nil}},
		{name: "alg as list", header: parts{"alg": []string{"EdDSA"}}},
		{name: "HS256 with the public key", header: parts{"alg": "HS256"}, sign: hs256},
		{name: "EdDSA by name, HS256 by signature", sign: hs256},
		{name: "unknown alg", header: parts{"alg": "Ed448"}},
		{name: "lower-case alg", header: parts{"alg": "eddsa"}},
		{name: "foreign key under our kid", sign: with(seeded(9))},
		{name: "foreign kid", header: parts{"kid": KeyID(public(seeded(9)))}, sign: with(seeded(9))},
		{name: "no kid", header: parts{"kid": nil}},
		{name: "kid as number", header: parts{"kid": 1}},
		{name: "kid as path", header: parts{"kid": "../../dev/null"}, sign: unsigned},
		{name: "own key by jwk", header: parts{"kid": "x", "jwk": parts{"kty": "OKP", "crv": "Ed25519", "x": b64(public(seeded(9)))}}, sign: with(seeded(9))},
		{name: "own key by jku", header: parts{"kid": "x", "jku": "https://evil.example/keys"}, sign: with(seeded(9))},
		{name: "own key by x5u", header: parts{"kid": "x", "x5u": "https://evil.example/cert"}, sign: with(seeded(9))},
		{name: "critical extension", header: parts{"crit": []string{"exp"}}},
		{name: "type JWT", header: parts{"typ": "JWT"}},
		{name: "no type", header: parts{"typ": nil}},
		{name: "no exp", claims: parts{"exp": nil}},
		{name: "expired", claims: parts{"exp": -31}},
		{name: "lives too long", claims: parts{"exp": day}},
		{name: "exp as text", claims: parts{"exp": "tomorrow"}},
		{name: "no iat", claims: parts{"iat": nil}},
		{name: "issued in the future", claims: parts{"iat": 31}},
		{name: "no issuer", claims: parts{"iss": nil}},
		{name: "another issuer", claims: parts{"iss": "ins_other"}},
		{name: "no audience", claims: parts{"aud": nil}},
		{name: "another audience", claims: parts{"aud": "console"}},
		{name: "audience list", claims: parts{"aud": []string{"api", "console"}}},
		{name: "refresh token as access token", claims: parts{"token_use": "refresh"}},
		{name: "no use", claims: parts{"token_use": nil}},
		{name: "no subject", claims: parts{"sub": ""}},
		{name: "bound to no device", claims: parts{"dev": nil}},
		{name: "changed claims", change: func(s string) string { return swap(s, 1, func(c parts) { c["sub"] = "mem_other" }) }},
		{name: "changed header", change: func(s string) string { return swap(s, 0, func(h parts) { h["x"] = 1 }) }},
		{name: "changed signature", change: func(s string) string { return s[:len(s)-4] + "AAAA" }},
		{name: "cut signature", change: func(s string) string { return s[:len(s)-8] }},
		{name: "no signature", change: func(s string) string { return s[:strings.LastIndex(s, ".")+1] }},
		{name: "two parts", change: func(s string) string { return s[:strings.LastIndex(s, ".")] }},
		{name: "four parts", change: func(s string) string { return s + ".x" }},
		{name: "padding", change: func(s string) string { return s + "==" }},
		{name: "stray bits in the last character", change: strayBits},
		{name: "line break inside", change: func(s string) string { return s[:10] + "\n" + s[10:] }},
		{name: "oversized", header: parts{"x": strings.Repeat("x", maxTokenBytes)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			token := f.forge(tt.header, tt.claims, tt.sign)
			if tt.change != nil {
				token = tt.change(token)
			}
			if access, err := f.access.Verify(token); err == nil {
				t.Fatalf("accepted as %+v", access)
			} else if strings.Contains(err.Error(), token) {
				t.Errorf("the error holds the token: %v", err)
			}
			_, err := f.auth.Authenticate(t.Context(), "Bearer "+token)
			if memory.CodeOf(err) != memory.CodeUnauthenticated || f.records.asked > 0 {
				t.Errorf("got %v after %d lookups", err, f.records.asked)
			}
		})
	}
}

// What forge makes without changes is accepted, so the refusals above are
// about what each case changes.
func TestVerify_Accepts(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for name, token := range map[string]string{
		"forged like minted":     f.forge(nil, nil, nil),
		"by the older key":       f.forge(map[string]any{"kid": KeyID(public(seeded(2)))}, nil, with(seeded(2))),
		"just expired, in grace": f.forge(nil, map[string]any{"exp": -29}, nil),
		"clock behind, in grace": f.forge(nil, map[string]any{"iat": 29}, nil),
		"unknown header ignored": f.forge(map[string]any{"jku": "https://evil.example/keys"}, nil, nil),
	} {
		got, err := f.access.Verify(token)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got.ExpiresAt = time.Time{}
		want := Access{Member: f.records.member.ID, Device: f.records.device.ID, Login: 2, Scopes: []memory.Scope{memory.ScopeRead}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// forge signs a token of our own making: the good one, with changes.
func (f *fixture) forge(header, claims map[string]any, sign func(string) []byte) string {
	h := map[string]any{"alg": "EdDSA", "typ": "at+jwt", "kid": KeyID(public(seeded(1)))}
	c := map[string]any{
		"iss": instance, "sub": string(f.records.member.ID), "aud": "api", "iat": 0, "exp": 60,
		"token_use": "access", "scp": "r", "dev": string(f.records.device.ID), "lgn": 2,
	}
	maps.Copy(h, header)
	maps.Copy(c, claims)
	for _, name := range []string{"iat", "exp"} {
		if seconds, relative := c[name].(int); relative {
			c[name] = f.now.Unix() + int64(seconds)
		}
	}
	if sign == nil {
		sign = with(seeded(1))
	}
	text := encode(h) + "." + encode(c)
	return text + "." + b64(sign(text))
}

func encode(m map[string]any) string {
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b64(b)
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func unsigned(string) []byte { return nil }

func with(k ed25519.PrivateKey) func(string) []byte {
	return func(text string) []byte { return ed25519.Sign(k, []byte(text)) }
}

// hs256 signs with the public key as the secret, the classic confusion.
func hs256(text string) []byte {
	mac := hmac.New(sha256.New, public(seeded(1)))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// swap changes one part of a signed token.
func swap(token string, part int, change func(map[string]any)) string {
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[part])
	if err != nil {
		panic(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		panic(err)
	}
	change(m)
	parts[part] = encode(m)
	return strings.Join(parts, ".")
}

// strayBits sets bits of the last character that encode nothing, so that
// lenient decoders read the same signature from another text.
func strayBits(token string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, token[len(token)-1])
	return token[:len(token)-1] + string(alphabet[last^1])
}

func TestMint(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, tt := range []struct {
		scopes []memory.Scope
		life   time.Duration
	}{
		{[]memory.Scope{memory.ScopeRead}, SyncLife},
		{[]memory.Scope{memory.ScopeRead, memory.ScopeWrite}, SyncLife},
		{[]memory.Scope{memory.ScopeRead, memory.ScopeReview}, AdminLife},
		{[]memory.Scope{memory.ScopeAdmin}, AdminLife},
	} {
		token, expires, err := f.access.Mint(f.records.member, f.records.device, tt.scopes...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.access.Verify(token)
		if err != nil {
			t.Fatal(err)
		}
		want := Access{
			Member: f.records.member.ID, Device: f.records.device.ID, Login: 2, Scopes: tt.scopes, ExpiresAt: f.now.Add(tt.life),
		}
		got.ExpiresAt = got.ExpiresAt.UTC()
		if d := cmp.Diff(want, got); d != "" || !expires.Equal(want.ExpiresAt) {
			t.Errorf("expires %v (-want +got):\n%s", expires, d)
		}
		// Each request carries it, so it has a budget.
		if len(token) >= 400 {
			t.Errorf("a token of %d bytes for %v", len(token), tt.scopes)
		}
	}
	for name, err := range map[string]error{
		"no device":      second(f.access.Mint(f.records.member, memory.Device{}, memory.ScopeRead)),
		"no member":      second(f.access.Mint(memory.Member{}, f.records.device, memory.ScopeRead)),
		"no scope":       second(f.access.Mint(f.records.member, f.records.device)),
		"unknown scope":  second(f.access.Mint(f.records.member, f.records.device, "root")),
		"repeated scope": second(f.access.Mint(f.records.member, f.records.device, memory.ScopeRead, memory.ScopeRead)),
	} {
		if err == nil {
			t.Errorf("%s: minted", name)
		}
	}
}

func second(_ string, _ time.Time, err error) error { return err }

func TestKeyring_Refuses(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"no signing key":      ring(nil),
		"short signing key":   ring(seeded(1)[:32]),
		"short other key":     ring(seeded(1), public(seeded(2))[:31]),
		"the same key again":  ring(seeded(1), public(seeded(1))),
		"another one, doubly": ring(seeded(1), public(seeded(2)), public(seeded(2))),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func ring(signing ed25519.PrivateKey, others ...ed25519.PublicKey) error {
	_, err := NewKeyring(signing, others...)
	return err
}

// The kid is the start of the thumbprint in the example of RFC 8037, A.3.
func TestKeyID(t *testing.T) {
	t.Parallel()
	key, err := base64.RawURLEncoding.DecodeString("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := KeyID(key), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"[:8]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAPIToken(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 200 {
		token := MintAPIToken()
		if !IsAPIToken(token) || len(token) != 40 || seen[token] || !strings.HasSuffix(token, Last4(token)) || len(Last4(token)) != 4 {
			t.Fatalf("minted a token of %d characters with form %v", len(token), IsAPIToken(token))
		}
		seen[token] = true
	}
	token := MintAPIToken()
	for i := range token {
		for _, c := range []byte{'0', 'Z', '-'} {
			if changed := token[:i] + string(c) + token[i+1:]; changed != token && IsAPIToken(changed) {
				t.Errorf("a token with character %d changed is accepted", i)
			}
		}
	}
	for _, bad := range []string{
		"", "tmp_", token[:39], token + "0", strings.ToUpper(token), " " + token[:39], "tmr_" + token[4:], MintLinkToken(), MintSession(),
	} {
		if IsAPIToken(bad) {
			t.Errorf("a bad token of %d characters is accepted", len(bad))
		}
	}
}

// No token but a minted one is ever accepted, nothing panics, and an API token
// is accepted only in the one spelling.
func FuzzVerify(f *testing.F) {
	x := setup(f)
	good := x.mint(f, memory.ScopeRead)
	for _, seed := range []string{
		good, x.api, "", ".", "..", "a.b.c", x.forge(map[string]any{"alg": "none"}, nil, unsigned),
		x.forge(nil, map[string]any{"exp": 1e300}, with(seeded(9))), b64([]byte(`{"alg":"EdDSA"}`)) + ".e30.", strings.Repeat("A.", 40),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := x.access.Verify(token); err == nil && token != good {
			t.Fatalf("accepted %q", token)
		}
		if IsAPIToken(token) && checksum(token[:tokenLen-checkLen]) != token[tokenLen-checkLen:] {
			t.Fatalf("accepted %q", token)
		}
	})
}

// BenchmarkVerify is what each request with an access token costs at least.
func BenchmarkVerify(b *testing.B) {
	f := setup(b)
	token := f.mint(b, memory.ScopeRead, memory.ScopeWrite)
	for b.Loop() {
		if _, err := f.access.Verify(token); err != nil {
			b.Fatal(err)
		}
	}
}
