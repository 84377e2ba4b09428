package store_test

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// login is a device of a bundle's member, and the hash of its refresh token.
type login struct {
	memory.Login

	refresh memory.Hash
}

// apiToken adds an API token of the member.
func (b *bundle) apiToken(tb testing.TB, project memory.ProjectID, scopes ...memory.Scope) memory.APIToken {
	tb.Helper()
	id := memory.NewTokenID()
	t := memory.APIToken{
		ID: id, Hash: memory.Sum([]byte(id)), Last4: "wxyz", Member: b.member.ID, Project: project, Scopes: scopes,
		CreatedAt: start(), ExpiresAt: start().Add(time.Hour),
	}
	must(tb, b.AddAPIToken(tb.Context(), t, b.principal().Row(start(), "token.add", string(id))))
	return t
}

// device makes what logs in on the strength of a token.
func deviceOf(t memory.APIToken) memory.Device {
	return memory.Device{
		ID: memory.NewDeviceID(), Member: t.Member, Name: "laptop", OS: "linux", CreatedAt: start(), Project: t.Project, Scopes: t.Scopes,
		Token: t.ID, LastSeen: start(), Login: 1, LoginEnds: start().Add(memory.RefreshLife),
	}
}

func refreshOf(text string, at time.Time) memory.RefreshToken {
	return memory.RefreshToken{Hash: memory.Sum([]byte(text)), CreatedAt: at, ExpiresAt: at.Add(memory.RefreshIdle)}
}

func (b *bundle) logIn(tb testing.TB, t memory.APIToken) login {
	tb.Helper()
	d := deviceOf(t)
	r := refreshOf(string(d.ID), start())
	l, err := b.LogIn(tb.Context(), d, r, b.principal().Row(start(), "device.login", string(d.ID)))
	must(tb, err)
	return login{l, r.Hash}
}

// audited returns how many rows of the instance's chain say this.
func (b *bundle) audited(tb testing.TB, action, decision string) int {
	tb.Helper()
	return b.count(tb, `select count(*) from audit where project_id = '' and action = $1 and decision = $2`, action, decision)
}

func TestLogIn_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `update members set session_epoch = 4 where member_id = $1`, b.member.ID)
	b.member.SessionEpoch = 4
	token := b.apiToken(t, b.project.ID, memory.ScopeRead)
	got := b.logIn(t, token)
	want := deviceOf(token)
	want.ID, want.SessionEpoch = got.Device.ID, 4
	if diff := cmp.Diff(memory.Login{Device: want, Member: b.member, RefreshEnds: start().Add(memory.RefreshIdle)}, got.Login); diff != "" {
		t.Errorf("login (-want +got):\n%s", diff)
	}
	device, member, err := b.MemberDevice(t.Context(), b.member.ID, want.ID)
	must(t, err)
	if diff := cmp.Diff(want, device) + cmp.Diff(b.member, member); diff != "" {
		t.Errorf("device and member (-want +got):\n%s", diff)
	}
	_, _, err = b.MemberDevice(t.Context(), b.addMember(t, "Ole").ID, want.ID)
	wantCode(t, err, memory.CodeNotFound)
	b.check(t)
}

// Whoever logs a device in again ends what it held, and gives it other rights.
func TestLogInAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.logIn(t, b.apiToken(t, "", memory.ScopeRead, memory.ScopeWrite))
	narrow := b.apiToken(t, b.project.ID, memory.ScopeRead)
	d, next := deviceOf(narrow), refreshOf("next", start().Add(time.Hour))
	d.ID, d.Name = before.Device.ID, "another name"
	row := b.principal().Row(start(), "device.login", string(d.ID))
	got, err := b.LogInAgain(t.Context(), d, next, row)
	must(t, err)
	if got.Device.Login != 2 || got.Device.Project != b.project.ID || len(got.Device.Scopes) != 1 || got.Device.Token != narrow.ID || got.Device.Name != "laptop" {
		t.Errorf("got %+v", got.Device)
	}
	if _, ruling := b.refresh(t, before.refresh, "x", "", start()); ruling != memory.RefreshRefused {
		t.Errorf("a token of the login before: ruling %d", ruling)
	}
	if _, ruling := b.refresh(t, next.Hash, "y", "", start().Add(time.Hour)); ruling != memory.RefreshGoesOn {
		t.Errorf("the token of this login: ruling %d", ruling)
	}

	// Nobody else's device, none that is not there, and none that was ended.
	other := b.addMember(t, "Ole")
	b.exec(t, `update api_tokens set member_id = $1 where token_id = $2`, other.ID, narrow.ID)
	foreign, unknown, ended := d, d, d
	foreign.Member, unknown.ID, ended.Token = other.ID, memory.NewDeviceID(), before.Device.Token
	must(t, b.EndDevice(t.Context(), d.ID, memory.EndRemoved, start(), row))
	unknown.Token = before.Device.Token
	for name, d := range map[string]memory.Device{"another member's": foreign, "unknown": unknown, "logged out": ended} {
		_, err := b.LogInAgain(t.Context(), d, refreshOf(name, start()), row)
		if memory.CodeOf(err) != memory.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	b.check(t)
}

func TestLogIn_NeedsAToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.apiToken(t, "", memory.ScopeRead)
	other := b.addMember(t, "Ole")
	foreign := deviceOf(token)
	foreign.Member = other.ID
	_, err := b.LogIn(t.Context(), foreign, refreshOf("1", start()), memory.AuditRow{At: start(), Action: "device.login"})
	wantCode(t, err, memory.CodeUnauthenticated)
	for _, spoil := range []string{`update members set disabled = true`, `update members set disabled = false; update api_tokens set revoked_at = now()`} {
		b.exec(t, spoil)
		_, err := b.LogIn(t.Context(), deviceOf(token), refreshOf("2", start()), memory.AuditRow{At: start(), Action: "device.login"})
		wantCode(t, err, memory.CodeUnauthenticated)
	}
	if n := b.count(t, `select count(*) from refresh_tokens`); n != 0 {
		t.Errorf("%d refresh tokens", n)
	}
	b.check(t)
}

// fillLogins logs that many computers of the member in.
func (b *bundle) fillLogins(t *testing.T, n int) {
	t.Helper()
	b.exec(t, `
		insert into devices (device_id, member_id, name, os, created_at, scopes, login, login_ends_at, last_seen_at)
		select 'dev_fill_' || n, $1, 'laptop', 'linux', $3, '{sync:read}', 1, $3::timestamptz + interval '90 days', $3
		from generate_series(1, $2) as n`,
		b.member.ID, n, start())
}

func TestLogIn_Limit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.apiToken(t, "", memory.ScopeRead)
	mine := b.logIn(t, token)
	b.fillLogins(t, memory.MaxLogins-1)
	try := func(d memory.Device, logIn func(context.Context, memory.Device, memory.RefreshToken, memory.AuditRow) (memory.Login, error)) error {
		_, err := logIn(t.Context(), d, refreshOf(rand.Text(), start()), b.principal().Row(start(), "device.login", string(d.ID)))
		return err
	}
	wantCode(t, try(deviceOf(token), b.LogIn), memory.CodeQuota)
	again := deviceOf(token)
	again.ID = mine.Device.ID
	must(t, try(again, b.LogInAgain)) // which is one of them
	if _, ruling := b.refresh(t, mine.refresh, "x", "", start()); ruling != memory.RefreshRefused {
		t.Errorf("ruling %d", ruling)
	}
	b.exec(t, `insert into devices select * from jsonb_populate_record(null::devices, (
		select to_jsonb(d) || '{"device_id": "dev_from_before"}' from devices d where d.device_id = 'dev_fill_1'))`) // there was no limit then
	must(t, try(again, b.LogInAgain))
	b.exec(t, `delete from devices where device_id = 'dev_from_before'`)

	// Others' computers do not count, nor those that cannot go on.
	other := b.addMember(t, "Ole")
	for name, change := range map[string]string{
		"another member's":       `update devices set member_id = $1 where device_id = 'dev_fill_1'`,
		"logged out":             `update devices set revoked_at = now(), revoked_for = 'logout' where device_id = 'dev_fill_2' and $1 <> ''`,
		"at its end":             `update devices set login_ends_at = last_seen_at where device_id = 'dev_fill_3' and $1 <> ''`,
		"not used for a month":   `update devices set last_seen_at = last_seen_at - interval '30 days' where device_id = 'dev_fill_4' and $1 <> ''`,
		"of ended sessions":      `update devices set session_epoch = 7 where device_id = 'dev_fill_5' and $1 <> ''`,
		"never logged in itself": `update devices set login = 0, login_ends_at = null where device_id = 'dev_fill_6' and $1 <> ''`,
	} {
		b.exec(t, change, other.ID)
		if err := try(deviceOf(token), b.LogIn); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantCode(t, try(deviceOf(token), b.LogIn), memory.CodeQuota)
	}
	b.check(t)
}

// A computer that does nothing but renew its login for a month counts.
func TestLogIn_Limit_OnlyRefreshes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.apiToken(t, "", memory.ScopeRead)
	mine, idle := b.logIn(t, token), b.logIn(t, token)
	const most = memory.RefreshIdle - time.Hour
	b.refresh(t, mine.refresh, "second", "", start().Add(most))
	if _, ruling := b.refresh(t, memory.Sum([]byte("second")), "third", "", start().Add(2*most)); ruling != memory.RefreshGoesOn {
		t.Fatalf("ruling %d", ruling)
	}
	b.fillLogins(t, memory.MaxLogins-1)
	now := start().Add(2 * most)
	b.exec(t, `update devices set last_seen_at = $1 where device_id like 'dev\_fill\_%'`, now)
	try := func(d memory.Device) error {
		_, err := b.LogIn(t.Context(), d, refreshOf(rand.Text(), now), b.principal().Row(now, "device.login", string(d.ID)))
		return err
	}
	wantCode(t, try(deviceOf(token)), memory.CodeQuota)
	b.exec(t, `update devices set revoked_at = now(), revoked_for = 'logout' where device_id = $1`, idle.Device.ID) // which did not count
	wantCode(t, try(deviceOf(token)), memory.CodeQuota)
	b.exec(t, `update devices set revoked_at = now(), revoked_for = 'logout' where device_id = $1`, mine.Device.ID)
	must(t, try(deviceOf(token)))
}

// Computers that log in at the same time are counted one after the other.
func TestLogIn_Limit_AtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const room, many = 3, 10
	b.fillLogins(t, memory.MaxLogins-room)
	tokens := []memory.APIToken{b.apiToken(t, "", memory.ScopeRead), b.apiToken(t, "", memory.ScopeRead)}
	var in atomic.Int64
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			d := deviceOf(tokens[i%len(tokens)])
			_, err := b.LogIn(t.Context(), d, refreshOf(string(d.ID), start()), b.principal().Row(start(), "device.login", string(d.ID)))
			switch {
			case err == nil:
				in.Add(1)
			case memory.CodeOf(err) != memory.CodeQuota:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if in.Load() != room {
		t.Errorf("%d logged in, want %d", in.Load(), room)
	}
	b.check(t)
}

func TestRevokeAPIToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, kept := b.apiToken(t, "", memory.ScopeRead), b.apiToken(t, "", memory.ScopeRead)
	first, second, other := b.logIn(t, token), b.logIn(t, token), b.logIn(t, kept)
	row := b.principal().Row(start(), "token.revoke", string(token.ID))
	at := start().Add(time.Minute)
	for range 2 {
		must(t, b.RevokeAPIToken(t.Context(), token.ID, at, row))
	}
	got, _, err := b.APIToken(t.Context(), token.Hash)
	must(t, err)
	if !got.RevokedAt.Equal(at) {
		t.Errorf("revoked at %v", got.RevokedAt)
	}
	for _, l := range []login{first, second} {
		d, err := b.Device(t.Context(), b.member.ID, l.Device.ID)
		must(t, err)
		if !d.RevokedAt.Equal(at) || d.RevokedFor != memory.EndTokenRevoked {
			t.Errorf("got %+v", d)
		}
		if _, ruling := b.refresh(t, l.refresh, "x"+string(d.ID), "", at); ruling != memory.RefreshRefused {
			t.Errorf("ruling %d", ruling)
		}
	}
	if _, ruling := b.refresh(t, other.refresh, "x", "", at); ruling != memory.RefreshGoesOn {
		t.Errorf("the device of another token: ruling %d", ruling)
	}
	if n := b.audited(t, "device.revoke", "token_revoked"); n != 2 {
		t.Errorf("%d rows about devices", n)
	}
	wantCode(t, b.RevokeAPIToken(t.Context(), memory.NewTokenID(), at, row), memory.CodeNotFound)
	all, err := b.APITokens(t.Context(), b.member.ID)
	must(t, err)
	if len(all) != 2 {
		t.Errorf("%d tokens", len(all))
	}
	b.check(t)
}

// No device slips through while its token is revoked.
func TestRevokeAPIToken_RacesLogIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 10 {
		token := b.apiToken(t, "", memory.ScopeRead)
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				d := deviceOf(token)
				_, err := b.LogIn(t.Context(), d, refreshOf(string(d.ID), start()), b.principal().Row(start(), "device.login", string(d.ID)))
				if err != nil && memory.CodeOf(err) != memory.CodeUnauthenticated {
					t.Error(err)
				}
			})
		}
		group.Go(func() {
			if err := b.RevokeAPIToken(t.Context(), token.ID, start(), b.principal().Row(start(), "token.revoke", string(token.ID))); err != nil {
				t.Error(err)
			}
		})
		group.Wait()
	}
	if n := b.count(t, `select count(*) from devices where token_id is not null and revoked_at is null`); n != 0 {
		t.Errorf("%d devices outlive their token", n)
	}
	b.check(t)
}

func TestDevices_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, bound := b.apiToken(t, "", memory.ScopeRead), b.apiToken(t, b.project.ID, memory.ScopeRead)
	want := []memory.DeviceID{b.device.ID}
	for i := range 5 {
		d := deviceOf(token)
		if i == 2 {
			d = deviceOf(bound)
		}
		at := start().Add(time.Duration(i/2+1) * time.Second) // some at the same time
		_, err := b.LogIn(t.Context(), d, refreshOf(strconv.Itoa(i), at), b.principal().Row(at, "device.login", string(d.ID)))
		must(t, err)
		want = append(want, d.ID)
	}
	seen := map[memory.DeviceID]bool{}
	q := memory.DeviceQuery{Member: b.member.ID, Limit: 2}
	var last memory.Device
	for {
		page, err := b.Devices(t.Context(), q)
		must(t, err)
		if len(page) == 0 {
			break
		}
		for _, d := range page {
			if seen[d.ID] || (last.ID != "" && d.CreatedAt.After(last.CreatedAt)) {
				t.Errorf("%s comes twice or too late", d.ID)
			}
			seen[d.ID], last = true, d
		}
		q.After = last.ID
	}
	if len(seen) != len(want) {
		t.Errorf("%d devices, want %d", len(seen), len(want))
	}
	for name, q := range map[string]memory.DeviceQuery{
		"of nobody": {Member: memory.NewMemberID(), Limit: 9}, "in another project": {Project: memory.NewProjectID(), Limit: 9},
		"after none": {After: memory.NewDeviceID(), Limit: 9},
	} {
		if page, err := b.Devices(t.Context(), q); err != nil || len(page) != 0 {
			t.Errorf("%s: %v, %v", name, page, err)
		}
	}
	one, err := b.Devices(t.Context(), memory.DeviceQuery{Project: b.project.ID, Limit: 9})
	must(t, err)
	if len(one) != 1 || one[0].Token != bound.ID {
		t.Errorf("in the project: %+v", one)
	}
}

func TestEndDevice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := b.logIn(t, b.apiToken(t, "", memory.ScopeRead))
	row := b.principal().Row(start(), "device.revoke", string(l.Device.ID))
	row.Decision = string(memory.EndRemoved)
	at := start().Add(time.Hour)
	for range 2 {
		must(t, b.EndDevice(t.Context(), l.Device.ID, memory.EndRemoved, at, row))
	}
	must(t, b.LogOut(t.Context(), l.refresh, at, row)) // it is out already
	d, err := b.Device(t.Context(), b.member.ID, l.Device.ID)
	must(t, err)
	if !d.RevokedAt.Equal(at) || d.RevokedFor != memory.EndRemoved || b.audited(t, "device.revoke", "removed") != 1 {
		t.Errorf("got %+v", d)
	}
	wantCode(t, b.EndDevice(t.Context(), memory.NewDeviceID(), memory.EndRemoved, at, row), memory.CodeNotFound)
	wantCode(t, b.EndDevice(t.Context(), "", memory.EndRemoved, at, row), memory.CodeNotFound)
	b.check(t)
}

func TestLogOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.apiToken(t, "", memory.ScopeRead)
	stay, leave := b.logIn(t, token), b.logIn(t, token)
	_, ruling := b.refresh(t, leave.refresh, "next", "", start())
	if ruling != memory.RefreshGoesOn {
		t.Fatalf("ruling %d", ruling)
	}
	row := memory.Principal{Remote: "192.0.2.9"}.Row(start(), "device.revoke", "")
	wantCode(t, b.LogOut(t.Context(), memory.Sum([]byte("unknown")), start(), row), memory.CodeNotFound)
	must(t, b.LogOut(t.Context(), leave.refresh, start(), row)) // a used one says who it is just as well
	for id, want := range map[memory.DeviceID]memory.EndReason{stay.Device.ID: "", leave.Device.ID: memory.EndLogout} {
		d, err := b.Device(t.Context(), b.member.ID, id)
		must(t, err)
		if d.RevokedFor != want {
			t.Errorf("%s ended for %q, want %q", id, d.RevokedFor, want)
		}
	}
	if n := b.count(t, `select count(*) from audit where action = 'device.revoke' and decision = 'logout' and actor = $1 and object = $2`,
		b.member.ID, leave.Device.ID); n != 1 {
		t.Errorf("%d rows name the member and the device", n)
	}
	b.check(t)
}

func TestSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, tt := range []struct {
		name        string
		at, want    time.Duration
		alsoUnknown bool
	}{
		{"first", time.Minute, time.Minute, true},
		{"later", time.Hour, time.Hour, false},
		{"from a server that is behind", 2 * time.Minute, time.Hour, false},
		{"by a clock that is ahead", 9000 * time.Hour, 9000 * time.Hour, false},
		{"when it is right again", 2 * time.Hour, 2 * time.Hour, false},
	} {
		seen := map[memory.DeviceID]time.Time{b.device.ID: start().Add(tt.at)}
		if tt.alsoUnknown {
			seen[memory.NewDeviceID()] = start()
		}
		must(t, b.Seen(t.Context(), seen))
		d, err := b.Device(t.Context(), b.member.ID, b.device.ID)
		must(t, err)
		if !d.LastSeen.Equal(start().Add(tt.want)) {
			t.Errorf("%s: seen %v", tt.name, d.LastSeen)
		}
	}
	must(t, b.Seen(t.Context(), nil))
}
