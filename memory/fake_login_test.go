package memory

import (
	"cmp"
	"context"
	"time"
)

// fakeLogins is what the fake store keeps of logins: the last of each call.
type fakeLogins struct {
	loginErr  error // of every login
	device    Device
	refresh   RefreshToken
	again     bool
	offered   Refresh
	ruling    RefreshRuling
	loggedOut Hash
	ended     DeviceID
	endedFor  EndReason
	query     DeviceQuery
	revoked   TokenID
	key       SigningKey
	alone     bool
}

func (f *fakeStore) LogIn(_ context.Context, d Device, r RefreshToken, row AuditRow) (Login, error) {
	f.logins.device, f.logins.refresh, f.audit = d, r, append(f.audit, row)
	return Login{Device: d, Member: Member{ID: d.Member}, RefreshEnds: r.ExpiresAt}, cmp.Or(f.logins.loginErr, f.err)
}

func (f *fakeStore) LogInAgain(ctx context.Context, d Device, r RefreshToken, row AuditRow) (Login, error) {
	f.logins.again = true
	return f.LogIn(ctx, d, r, row)
}

func (f *fakeStore) Refresh(_ context.Context, r Refresh, row AuditRow) (Refreshed, RefreshRuling, error) {
	f.logins.offered = r
	if f.logins.ruling == RefreshGoesOn {
		f.audit = append(f.audit, row)
	}
	return Refreshed{Login: Login{RefreshEnds: r.Next.ExpiresAt}, Successor: r.Next.Hash}, f.logins.ruling, f.err
}

func (f *fakeStore) LogOut(_ context.Context, refresh Hash, _ time.Time, row AuditRow) error {
	f.logins.loggedOut, f.audit = refresh, append(f.audit, row)
	return f.err
}

func (f *fakeStore) Devices(_ context.Context, q DeviceQuery) ([]Device, error) {
	f.logins.query = q
	return []Device{{ID: "dev_mine", Member: "mem_mara"}}, f.err
}

func (f *fakeStore) EndDevice(_ context.Context, id DeviceID, why EndReason, _ time.Time, row AuditRow) error {
	f.logins.ended, f.logins.endedFor, f.audit = id, why, append(f.audit, row)
	return f.err
}

func (f *fakeStore) APITokens(context.Context, MemberID) ([]APIToken, error) { return f.tokens, f.err }

func (f *fakeStore) RevokeAPIToken(_ context.Context, id TokenID, _ time.Time, row AuditRow) error {
	f.logins.revoked, f.audit = id, append(f.audit, row)
	return f.err
}

func (f *fakeStore) SigningKeys(context.Context) ([]SigningKey, error) {
	return []SigningKey{f.logins.key}, f.err
}

func (f *fakeStore) FirstSigningKey(_ context.Context, k SigningKey, row AuditRow) error {
	f.logins.key, f.audit = k, append(f.audit, row)
	return f.err
}

func (f *fakeStore) AddSigningKey(_ context.Context, k SigningKey, alone bool, row AuditRow) error {
	f.logins.key, f.logins.alone, f.audit = k, alone, append(f.audit, row)
	return f.err
}
