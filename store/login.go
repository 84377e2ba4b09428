package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// MemberDevice returns the member's device, in force or not, together with the
// member; another member's is not found.
func (s *Store) MemberDevice(ctx context.Context, member memory.MemberID, id memory.DeviceID) (memory.Device, memory.Member, error) {
	found, err := one(ctx, s.pool, "device", ownedDeviceRow.owned, `
		select `+ownedDeviceColumns+`
		from devices d
		join members m on m.member_id = d.member_id
		where d.device_id = @device and d.member_id = @member`,
		pgx.StrictNamedArgs{"device": id, "member": member})
	return found.device, found.member, s.fault(ctx, "read device", err)
}

// ownedDeviceColumns are those of [ownedDeviceRow].
const ownedDeviceColumns = deviceColumns + `, m.name as member_name, m.admin, m.disabled, m.session_epoch, m.created_at as member_since`

// ownedDeviceRow is a device with its member.
type ownedDeviceRow struct {
	deviceRow
	MemberName   string
	Admin        bool
	Disabled     bool
	SessionEpoch int64
	MemberSince  time.Time
}

func (r ownedDeviceRow) owned() ownedDevice {
	m := memberRow{r.MemberID, r.MemberName, r.Admin, r.Disabled, r.SessionEpoch, r.MemberSince}
	return ownedDevice{r.device(), m.member()}
}

type ownedDevice struct {
	device memory.Device
	member memory.Member
}

// LogIn adds a device that is logged in. It refuses, as [Store.LogInAgain] does,
// if [memory.MaxLogins] others of the member are.
func (s *Store) LogIn(ctx context.Context, d memory.Device, r memory.RefreshToken, row memory.AuditRow) (memory.Login, error) {
	return s.logIn(ctx, d, r, row, `
		insert into devices as d (
			device_id, member_id, name, os, created_at, project_id, scopes, token_id, session_epoch, login, login_ends_at, last_seen_at
		)
		values (
			@device, @member, @name, @os, @at, nullif(@project, ''), @scopes, @token, @session_epoch, 1, @login_ends_at, @at
		)
		returning `+deviceColumns,
		pgx.StrictNamedArgs{"name": d.Name, "os": d.OS})
}

// LogInAgain ends what the member's device held, and logs it in. One that was
// logged out, or is another member's, is not found.
func (s *Store) LogInAgain(ctx context.Context, d memory.Device, r memory.RefreshToken, row memory.AuditRow) (memory.Login, error) {
	return s.logIn(ctx, d, r, row, `
		update devices d
		set project_id = nullif(@project, ''), scopes = @scopes, token_id = @token, session_epoch = @session_epoch,
			login = login + 1, login_ends_at = @login_ends_at, last_seen_at = @at
		where device_id = @device and member_id = @member and revoked_at is null
		returning `+deviceColumns,
		pgx.StrictNamedArgs{})
}

// logIn runs the statement that logs the device in.
func (s *Store) logIn(
	ctx context.Context, d memory.Device, r memory.RefreshToken, row memory.AuditRow, sql string, args pgx.StrictNamedArgs,
) (login memory.Login, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		if login.Member, err = strengthOf(ctx, tx, d.Token, d.Member); err != nil {
			return err
		}
		if err := limitLogins(ctx, tx, login.Member, d.ID, r.CreatedAt); err != nil {
			return err
		}
		args["device"], args["member"], args["project"], args["scopes"] = d.ID, d.Member, d.Project, ids(d.Scopes)
		args["token"], args["session_epoch"], args["login_ends_at"], args["at"] = d.Token, login.Member.SessionEpoch, d.LoginEnds, r.CreatedAt
		if login.Device, err = one(ctx, tx, "device", deviceRow.device, sql, args); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		queueForgetting(batch, r.CreatedAt)
		login.RefreshEnds = queueRefresh(batch, login.Device, r)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		return appendInstance(ctx, tx, row)
	})
	return login, s.fault(ctx, "log in", err)
}

// limitLogins refuses one login too many. Members who log in several computers at
// the same time wait for themselves here. A device that was not seen for as long
// as a refresh token lives, not even for a refresh, has none that is good. One
// that counts already takes nobody's place when it logs in again.
func limitLogins(ctx context.Context, tx pgx.Tx, m memory.Member, device memory.DeviceID, now time.Time) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(@lock, hashtext(@member))`, pgx.StrictNamedArgs{"lock": loginLock, "member": m.ID})
	if err != nil {
		return err
	}
	var full, counts bool
	err = tx.QueryRow(ctx, `
		select count(*) >= @most, coalesce(bool_or(device_id = @device), false)
		from devices
		where member_id = @member
			and revoked_at is null
			and login > 0
			and login_ends_at > @at
			and last_seen_at > @idle_since
			and session_epoch = @session_epoch`,
		pgx.StrictNamedArgs{
			"member": m.ID, "device": device, "at": now, "idle_since": now.Add(-memory.RefreshIdle), "session_epoch": m.SessionEpoch,
			"most": memory.MaxLogins,
		}).Scan(&full, &counts)
	if err == nil && full && !counts {
		return memory.TooManyLogins()
	}
	return err
}

// loginLock is the first of two numbers of the advisory lock under which a
// member's logins are counted; the second is the member.
const loginLock = 0x7465616d

// queueForgetting drops refresh tokens that ended long ago, but none by which a
// device could go on: the clock may be ahead by years, and will be put back. The
// last token of a login is kept until the login is over, and the one before it
// for a client that lost the answer.
func queueForgetting(batch *pgx.Batch, now time.Time) {
	batch.Queue(`
		delete from refresh_tokens r
		using devices d
		where r.expires_at <= @before
			and d.device_id = r.device_id
			and (
				d.login <> r.login -- it is of a login before the device's last
				or d.revoked_at is not null -- the device was logged out for good
				or exists ( -- its successor arrived, so nobody needs it again
					select from refresh_tokens n where n.hash = r.next and n.used_at is not null
				)
			)`,
		pgx.StrictNamedArgs{"before": now.Add(-memory.RefreshIdle)})
}

// strengthOf returns the member whose API token logs a device in. It holds the
// token, so that whoever revokes it waits, and then finds the device too.
func strengthOf(ctx context.Context, tx pgx.Tx, token memory.TokenID, member memory.MemberID) (memory.Member, error) {
	m, err := one(ctx, tx, "token", memberRow.member, `
		select m.member_id, m.name, m.admin, m.disabled, m.session_epoch, m.created_at
		from api_tokens t
		join members m on m.member_id = t.member_id
		where t.token_id = @token and t.member_id = @member and t.revoked_at is null and not m.disabled
		for share of t`,
		pgx.StrictNamedArgs{"token": token, "member": member})
	if memory.CodeOf(err) == memory.CodeNotFound {
		return m, memory.LoginEnded() // it was revoked since it was looked at
	}
	return m, err
}

// queueRefresh puts a refresh token into force, and returns when it ends: with
// the login at the latest.
func queueRefresh(batch *pgx.Batch, d memory.Device, r memory.RefreshToken) time.Time {
	if d.LoginEnds.Before(r.ExpiresAt) {
		r.ExpiresAt = d.LoginEnds
	}
	batch.Queue(`
		insert into refresh_tokens (hash, device_id, login, created_at, expires_at)
		values (@hash, @device, @login, @created_at, @expires_at)`,
		pgx.StrictNamedArgs{"hash": r.Hash[:], "device": d.ID, "login": d.Login, "created_at": r.CreatedAt, "expires_at": r.ExpiresAt})
	return r.ExpiresAt
}

// LogOut ends the device that has or had the refresh token, unless it was
// logged in again since.
func (s *Store) LogOut(ctx context.Context, refresh memory.Hash, at time.Time, row memory.AuditRow) error {
	return s.fault(ctx, "log out", s.inTx(ctx, func(tx pgx.Tx) error {
		d, err := one(ctx, tx, "login", deviceRow.device, `
			select `+deviceColumns+`
			from refresh_tokens r
			join devices d on d.device_id = r.device_id and d.login = r.login
			where r.hash = @hash`,
			pgx.StrictNamedArgs{"hash": refresh[:]})
		if err != nil {
			return err
		}
		return endLogin(ctx, tx, d, memory.EndLogout, at, row)
	}))
}

// endLogin logs a device out in its member's name, unless it is out or was
// logged in again.
func endLogin(ctx context.Context, tx pgx.Tx, d memory.Device, why memory.EndReason, at time.Time, row memory.AuditRow) error {
	ended, err := endDevices(ctx, tx, ending{device: d.ID, login: d.Login, why: why, at: at})
	if err != nil || len(ended) == 0 {
		return err
	}
	row.Actor, row.Device, row.Object = d.Member, d.ID, string(d.ID)
	row.Action, row.Decision = "device.revoke", string(why)
	return appendInstance(ctx, tx, row)
}
