package api

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

const (
	tokenCall  = base + "/auth/token"
	revokeCall = base + "/auth/revoke"
	deviceCall = base + "/me/devices"
)

// device is a computer that was logged in, and what it holds.
type device struct {
	wire.Tokens

	client *client
}

// logIn exchanges an API token.
func (b *bundle) logIn(t testing.TB, token string) device {
	t.Helper()
	anybody := &client{t: t, url: b.url}
	return b.device(t, anybody.post(tokenCall, `{"grant_type":"api_token","token":"`+token+`","device":{"name":"laptop","os":"linux"}}`))
}

func (b *bundle) device(t testing.TB, r reply) device {
	t.Helper()
	w := read[wire.Tokens](t, r)
	return device{w, &client{t: t, url: b.url, token: w.AccessToken}}
}

// refresh offers the device's refresh token.
func (d device) refresh(attempt string) reply {
	d.client.t.Helper()
	body := `{"grant_type":"refresh_token","refresh_token":"` + d.RefreshToken + `"`
	if attempt != "" {
		body += `,"attempt":"` + attempt + `"`
	}
	return d.client.post(tokenCall, body+"}")
}

func TestToken_LogIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.members[memory.RoleContributor]
	before := time.Now()
	r := (&client{t: t, url: b.url}).post(tokenCall,
		`{"grant_type":"api_token","token":"`+b.token(t, member.ID, b.project.ID, memory.ScopeRead, memory.ScopeWrite)+`","device":{"name":"laptop","os":"linux"}}`)
	if r.header.Get("Cache-Control") != "no-store" {
		t.Error("tokens may be kept by a cache")
	}
	d := b.device(t, r)
	if d.Member != (wire.Member{ID: string(member.ID), Name: member.Name}) || d.Project != string(b.project.ID) || strings.Join(d.Scopes, " ") != "sync:read sync:write" {
		t.Errorf("got %+v", d.Tokens)
	}
	if left := d.ExpiresAt.Sub(before); left < auth.SyncLife-time.Minute || left > auth.SyncLife+time.Minute {
		t.Errorf("the access token lives for %v", left)
	}
	if left := d.RefreshExpiresAt.Sub(before); left < memory.RefreshIdle-time.Minute || left > memory.RefreshIdle+time.Minute {
		t.Errorf("the refresh token lives for %v", left)
	}
	if !strings.HasPrefix(d.RefreshToken, "tmr_") || len(d.AccessToken) >= 400 {
		t.Errorf("a refresh token %.4s…, an access token of %d bytes", d.RefreshToken, len(d.AccessToken))
	}
	me := read[wire.Me](t, d.client.get(base+"/me"))
	if me.Device != d.Device || me.Project != d.Project || !slices.Equal(me.Scopes, d.Scopes) {
		t.Errorf("got %+v", me)
	}
	b.put(t, d.client, "a.md", "x")
	next := b.device(t, d.refresh(""))
	if next.Device != d.Device || next.Project != d.Project || !slices.Equal(next.Scopes, d.Scopes) || next.RefreshToken == d.RefreshToken {
		t.Errorf("got %+v", next.Tokens)
	}
	next.client.get(base+"/me").want(t, http.StatusOK, "")
	d.client.get(base+"/me").want(t, http.StatusOK, "") // to its own end
}

// A device logs in again: what it held ends, and the new token's bounds count.
func TestToken_LogInAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.members[memory.RoleContributor]
	old := b.logIn(t, b.token(t, member.ID, "", memory.ScopeRead, memory.ScopeWrite))
	narrow := b.token(t, member.ID, b.project.ID, memory.ScopeRead)
	again := func(token, id string) reply {
		return old.client.post(tokenCall, `{"grant_type":"api_token","token":"`+token+`","device_id":"`+id+`"}`)
	}
	next := b.device(t, again(narrow, old.Device))
	if next.Device != old.Device || next.Project != string(b.project.ID) || strings.Join(next.Scopes, " ") != "sync:read" {
		t.Errorf("got %+v", next.Tokens)
	}
	old.client.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	old.refresh("").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	next.client.get(b.in("/manifest")).want(t, http.StatusOK, "") // the replay ended the login before, which is over anyway

	foreign := b.token(t, b.members[memory.RoleViewer].ID, "", memory.ScopeRead)
	again(foreign, old.Device).want(t, http.StatusNotFound, memory.CodeNotFound)
	again(narrow, string(memory.NewDeviceID())).want(t, http.StatusNotFound, memory.CodeNotFound)
	next.client.get(base+"/me").want(t, http.StatusOK, "")
}

func TestToken_Malformed(t *testing.T) {
	t.Parallel()
	a, _ := offline(t, Options{})
	c := &client{t: t, url: listen(t, a)}
	token := "tmp_" + strings.Repeat("0", 36)
	for _, tt := range []struct{ name, body, field string }{
		{"empty", `{}`, "grant_type"},
		{"unknown grant", `{"grant_type":"password","token":"x"}`, "grant_type"},
		{"grant in another case", `{"grant_type":"API_TOKEN","token":"x","device":{"name":"a"}}`, "grant_type"},
		{"unknown member", `{"grant_type":"api_token","token":"x","device":{"name":"a"},"scope":"admin"}`, ""},
		{"grant twice", `{"grant_type":"api_token","grant_type":"refresh_token"}`, ""},
		{"no token", `{"grant_type":"api_token","device":{"name":"a"}}`, "token"},
		{"no device", `{"grant_type":"api_token","token":"` + token + `"}`, "device"},
		{"two devices", `{"grant_type":"api_token","token":"` + token + `","device":{"name":"a"},"device_id":"dev_a"}`, "device"},
		{"device without a name", `{"grant_type":"api_token","token":"` + token + `","device":{}}`, "name"},
		{"no id of a device", `{"grant_type":"api_token","token":"` + token + `","device_id":"mem_a"}`, "device_id"},
		{"api token with a refresh token", `{"grant_type":"api_token","token":"x","refresh_token":"y","device":{"name":"a"}}`, "refresh_token"},
		{"api token with an attempt", `{"grant_type":"api_token","token":"x","attempt":"0123456789abcdef","device":{"name":"a"}}`, "attempt"},
		{"no refresh token", `{"grant_type":"refresh_token"}`, "refresh_token"},
		{"refresh token with a token", `{"grant_type":"refresh_token","refresh_token":"x","token":"y"}`, "token"},
		{"refresh token with a device", `{"grant_type":"refresh_token","refresh_token":"x","device_id":"dev_a"}`, "device"},
		{"short attempt", `{"grant_type":"refresh_token","refresh_token":"x","attempt":"0123456789abcde"}`, "attempt"},
		{"long attempt", `{"grant_type":"refresh_token","refresh_token":"x","attempt":"` + strings.Repeat("a", 65) + `"}`, "attempt"},
		{"odd attempt", `{"grant_type":"refresh_token","refresh_token":"x","attempt":"0123456789abcde+"}`, "attempt"},
		{"null", `{"grant_type":"refresh_token","refresh_token":null}`, "refresh_token"},
	} {
		got := c.post(tokenCall, tt.body).want(t, http.StatusBadRequest, memory.CodeInvalid)
		if got.problem.Field != tt.field {
			t.Errorf("%s: field %q, want %q: %s", tt.name, got.problem.Field, tt.field, got.problem.Detail)
		}
	}
	c.post(revokeCall, `{}`).want(t, http.StatusBadRequest, memory.CodeInvalid)
}

// Every credential that is good for nothing is answered alike, and the audit
// knows of those that could have been good.
func TestToken_Refuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.members[memory.RoleContributor]
	good := b.token(t, member.ID, "", memory.ScopeRead)
	d := b.logIn(t, good)
	ended := b.token(t, member.ID, "", memory.ScopeRead)
	b.sql(t, "update api_tokens set revoked_at = now() where hash = $1", bytesOf(auth.HashToken(ended)))
	over := b.token(t, member.ID, "", memory.ScopeRead)
	b.sql(t, "update api_tokens set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour' where hash = $1", bytesOf(auth.HashToken(over)))
	exchange := func(token string) string {
		return `{"grant_type":"api_token","token":"` + token + `","device":{"name":"a"}}`
	}
	refresh := func(token string) string { return `{"grant_type":"refresh_token","refresh_token":"` + token + `"}` }
	detail := ""
	for _, tt := range []struct{ name, body string }{
		{"revoked api token", exchange(ended)},
		{"expired api token", exchange(over)},
		{"unknown api token", exchange(auth.MintAPIToken())},
		{"refresh token in its place", exchange(d.RefreshToken)},
		{"access token in its place", exchange(d.AccessToken)},
		{"access token as refresh token", refresh(d.AccessToken)},
		{"api token as refresh token", refresh(good)},
	} {
		got := d.client.post(tokenCall, tt.body).want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
		if detail == "" {
			detail = got.problem.Detail
		}
		if got.problem.Detail != detail {
			t.Errorf("%s: %q tells more than %q", tt.name, got.problem.Detail, detail)
		}
	}
	(&client{t: t, url: b.url, token: d.RefreshToken}).get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	d.client.post(tokenCall, refresh(auth.MintRefreshToken())).want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	var refused int
	b.row(t, &refused, `
		select count(*)
		from audit
		where project_id = '' and action = 'device.login' and decision = 'refused' and rules = '{unauthenticated}' and remote = '127.0.0.1'`)
	if refused != 4 {
		t.Errorf("%d refusals are in the audit, want 4", refused)
	}
}

func bytesOf(h memory.Hash) []byte { return h[:] }

// A device reaches what its API token reached, and nothing else.
func TestToken_OtherProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.logIn(t, b.token(t, b.admin.Member, b.other.ID, memory.ScopeRead, memory.ScopeWrite))
	d = b.device(t, d.refresh(""))
	for _, r := range routes() {
		if r.role == memory.RoleNone || r.scope == memory.ScopeReview {
			continue
		}
		method, path, body, headers := request(r, b.project.ID)
		if got := d.client.do(method, path, body, headers...); got.status != http.StatusNotFound || got.problem.Detail != "project not found" {
			t.Errorf("%s: %d %s", r.name(), got.status, got.body)
		}
	}
	d.client.get(base+"/projects/"+string(b.other.ID)).want(t, http.StatusOK, "")
	d.client.post(base+"/projects/"+string(b.other.ID)+"/proposals/prp_a/decision", `{}`).want(t, http.StatusForbidden, memory.CodeForbidden)
	if all := read[wire.Page[wire.Project]](t, d.client.get(base+"/projects")).Items; len(all) != 1 || all[0].ID != string(b.other.ID) {
		t.Errorf("it sees %+v", all)
	}
}

// A client that lost an answer asks again and gets the same one. Whoever has a
// token that somebody went on from ends the login for both, and the member sees
// why.
func TestToken_Reuse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api := b.as(t, memory.RoleContributor)
	first := b.logIn(t, api.token)
	second := b.device(t, first.refresh("0123456789abcdef"))
	again := b.device(t, first.refresh("0123456789abcdef"))
	if again.RefreshToken != second.RefreshToken || again.RefreshExpiresAt != second.RefreshExpiresAt || again.Device != second.Device {
		t.Errorf("got %+v, want %+v", again.Tokens, second.Tokens)
	}
	third := b.device(t, second.refresh("123456789abcdef0"))
	third.client.get(base+"/me").want(t, http.StatusOK, "")
	first.refresh("0123456789abcdef").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	for _, d := range []device{first, second, third} {
		d.client.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
		d.refresh("").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	}
	all := read[wire.Page[wire.Device]](t, api.get(deviceCall)).Items
	if len(all) != 1 || all[0].RevokedFor != "refresh_reused" || all[0].RevokedAt.IsZero() {
		t.Errorf("got %+v", all)
	}
}

// Failures are limited by address, and what is good is not counted.
func TestToken_RateLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.logIn(t, b.token(t, b.members[memory.RoleViewer].ID, "", memory.ScopeRead))
	for range 3 * guessesPerMinute {
		d = b.device(t, d.refresh(""))
	}
	bad := device{wire.Tokens{RefreshToken: auth.MintRefreshToken()}, d.client}
	for range guessesPerMinute {
		bad.refresh("").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	}
	for _, got := range []reply{bad.refresh(""), d.refresh("")} {
		if got.want(t, http.StatusTooManyRequests, memory.CodeRateLimited); got.header.Get("Retry-After") == "" || got.header.Get("Retry-After") == "0" {
			t.Errorf("wait %q seconds", got.header.Get("Retry-After"))
		}
	}
	d.client.get(base+"/me").want(t, http.StatusOK, "")
}

// A token whose logins are too many is stopped itself, and nobody else of its
// address is: the audit has a row of each refusal.
func TestToken_RateLimit_TooManyLogins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	viewer := b.members[memory.RoleViewer].ID
	b.sql(t, `
		insert into devices (device_id, member_id, name, os, created_at, scopes, login, login_ends_at, last_seen_at)
		select 'dev_fill_' || n, $1, 'laptop', 'linux', now(), '{sync:read}', 1, now() + interval '90 days', now()
		from generate_series(1, $2) as n`, viewer, memory.MaxLogins)
	full, other := b.token(t, viewer, "", memory.ScopeRead), b.token(t, b.members[memory.RoleContributor].ID, "", memory.ScopeRead)
	anybody := &client{t: t, url: b.url}
	body := `{"grant_type":"api_token","token":"` + full + `","device":{"name":"laptop","os":"linux"}}`
	var stopped bool
	for range 3 * guessesPerMinute { // a slow machine takes time in which some are allowed again
		got := anybody.post(tokenCall, body)
		if stopped = got.problem.Code == string(memory.CodeRateLimited); stopped {
			break
		}
		got.want(t, wire.Status(memory.CodeQuota), memory.CodeQuota)
	}
	if !stopped {
		t.Error("all of them were judged")
	}
	for range 2 * guessesPerMinute {
		b.logIn(t, other)
	}
}

// Guesses that are made at the same time are no more than those made in turn.
func TestToken_RateLimit_AtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bad := device{wire.Tokens{RefreshToken: auth.MintRefreshToken()}, &client{t: t, url: b.url}}
	var judged atomic.Int64
	var all sync.WaitGroup
	for range 5 * guessesPerMinute {
		all.Go(func() {
			if bad.refresh("").status != http.StatusTooManyRequests {
				judged.Add(1)
			}
		})
	}
	all.Wait()
	if n := judged.Load(); n < guessesPerMinute || n > 2*guessesPerMinute { // a slow machine takes time in which some are allowed again
		t.Errorf("%d guesses were judged", n)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api := b.as(t, memory.RoleContributor)
	d, other := b.logIn(t, api.token), b.logIn(t, api.token)
	anybody := &client{t: t, url: b.url}
	for _, token := range []string{auth.MintRefreshToken(), "nonsense", d.AccessToken, d.RefreshToken, d.RefreshToken} {
		r := anybody.post(revokeCall, `{"refresh_token":"`+token+`"}`)
		if r.status != http.StatusOK || string(r.body) != "{}" {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	d.client.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	d.refresh("").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	other.client.get(base+"/me").want(t, http.StatusOK, "")
}

func TestDevices(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.members[memory.RoleContributor]
	api := b.as(t, memory.RoleContributor)
	laptop, desktop := b.logIn(t, api.token), b.logIn(t, api.token)
	bound := b.logIn(t, b.token(t, member.ID, b.project.ID, memory.ScopeRead, memory.ScopeWrite))
	foreign := b.logIn(t, b.as(t, memory.RoleViewer).token)

	list := func(d device, query string) (names []string, next string) {
		page := read[wire.Page[wire.Device]](t, d.client.get(deviceCall+query))
		for _, item := range page.Items {
			name := item.ID
			if item.Current {
				name = "current " + name
			}
			if item.RevokedFor != "" {
				name += " " + item.RevokedFor
			}
			names = append(names, name)
		}
		return names, page.Next
	}
	want := func(d device, query string, want ...string) {
		t.Helper()
		if got, _ := list(d, query); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	want(laptop, "", bound.Device, desktop.Device, "current "+laptop.Device)
	want(bound, "", "current "+bound.Device)
	want(foreign, "", "current "+foreign.Device)
	first, next := list(laptop, "?limit=2")
	if !slices.Equal(first, []string{bound.Device, desktop.Device}) {
		t.Errorf("the first page is %v", first)
	}
	want(laptop, "?limit=2&cursor="+next, "current "+laptop.Device)

	for _, try := range []struct {
		name   string
		client *client
		id     string
	}{
		{"another member's", foreign.client, laptop.Device},
		{"another project's", bound.client, laptop.Device},
		{"unknown", laptop.client, string(memory.NewDeviceID())},
		{"no id", laptop.client, "prp_a"},
	} {
		got := try.client.do(http.MethodDelete, deviceCall+"/"+try.id, "")
		if got.status != http.StatusNotFound || got.problem.Detail != "device not found" {
			t.Errorf("%s: %d %s", try.name, got.status, got.body)
		}
	}
	reader := b.logIn(t, b.token(t, member.ID, "", memory.ScopeRead))
	reader.client.do(http.MethodDelete, deviceCall+"/"+desktop.Device, "").want(t, http.StatusForbidden, memory.CodeForbidden)
	for range 2 {
		laptop.client.do(http.MethodDelete, deviceCall+"/"+desktop.Device, "").want(t, http.StatusOK, "")
	}
	desktop.client.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	desktop.refresh("").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	want(laptop, "", reader.Device, bound.Device, desktop.Device+" removed", "current "+laptop.Device)
	api.post(b.in("/push"), fmt.Sprintf(`{"epoch":%q,"device":%q,"ops":[{"op":"put","path":"a.md","content":"x","base_rev":0}]}`, b.project.Head.Epoch, desktop.Device)).
		want(t, http.StatusForbidden, memory.CodeForbidden)
}

// When devices were seen is written beside the requests, not in them.
func TestDevices_LastSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.logIn(t, b.token(t, b.members[memory.RoleViewer].ID, "", memory.ScopeRead))
	seen := func() time.Time {
		d.client.get(base+"/me").want(t, http.StatusOK, "")
		must(t, b.api.auth.Seen().Flush(t.Context(), b.store))
		return read[wire.Page[wire.Device]](t, d.client.get(deviceCall)).Items[0].LastSeenAt
	}
	first := seen()
	if again := seen(); !again.Equal(first) {
		t.Errorf("written again after %v", again.Sub(first))
	}
	b.sql(t, "update devices set last_seen_at = last_seen_at - interval '2 minutes'")
	if later := seen(); !later.After(first.Add(-time.Minute)) {
		t.Errorf("seen at %v, two minutes after %v", later, first)
	}
}

// A poll that waits while its device is logged out learns nothing any more.
func TestDevices_EndWithTheirPolls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	api := b.as(t, memory.RoleContributor)
	d := b.logIn(t, api.token)
	epoch := read[wire.Feed](t, d.client.get(b.in("/changes"))).Epoch
	polled := make(chan reply)
	go func() { polled <- d.client.get(b.in("/changes?wait=25&since=" + epoch + ":0")) }()
	<-b.hub.waiting
	api.do(http.MethodDelete, deviceCall+"/"+d.Device, "").want(t, http.StatusOK, "")
	b.put(t, api, "a.md", "x")
	(<-polled).want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
}

// The published keys verify the tokens.
func TestKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.logIn(t, b.token(t, b.members[memory.RoleViewer].ID, "", memory.ScopeRead))
	keys := read[wire.Keys](t, (&client{t: t, url: b.url}).get(base+"/auth/jwks")).Keys
	if len(keys) != 1 || keys[0].Type != "OKP" || keys[0].Curve != "Ed25519" || keys[0].Alg != "EdDSA" || keys[0].Use != "sig" {
		t.Fatalf("got %+v", keys)
	}
	x, err := base64.RawURLEncoding.DecodeString(keys[0].X)
	must(t, err)
	signed, signature, _ := cutLast(d.AccessToken, ".")
	sig, err := base64.RawURLEncoding.DecodeString(signature)
	must(t, err)
	if auth.KeyID(x) != keys[0].ID || !ed25519.Verify(x, []byte(signed), sig) {
		t.Error("the key is another one")
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
