package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// deviceColumns are those of [deviceRow].
const deviceColumns = `d.device_id, d.member_id, d.name, d.os, d.created_at, d.project_id, d.scopes, d.token_id, d.login, d.login_ends_at,
	d.session_epoch as device_epoch, d.last_seen_at, d.revoked_at, d.revoked_for`

type deviceRow struct {
	DeviceID    string
	MemberID    string
	Name        string
	OS          string
	CreatedAt   time.Time
	ProjectID   *string
	Scopes      []string
	TokenID     *string
	Login       int64
	LoginEndsAt *time.Time
	DeviceEpoch int64
	LastSeenAt  *time.Time
	RevokedAt   *time.Time
	RevokedFor  string
}

func (r deviceRow) device() memory.Device {
	return memory.Device{
		ID: memory.DeviceID(r.DeviceID), Member: memory.MemberID(r.MemberID), Name: r.Name, OS: r.OS, CreatedAt: r.CreatedAt.UTC(),
		Project: memory.ProjectID(value(r.ProjectID)), Scopes: scopes(r.Scopes), Token: memory.TokenID(value(r.TokenID)),
		Login: r.Login, LoginEnds: value(r.LoginEndsAt).UTC(), SessionEpoch: r.DeviceEpoch, LastSeen: value(r.LastSeenAt).UTC(),
		RevokedAt: value(r.RevokedAt).UTC(), RevokedFor: memory.EndReason(r.RevokedFor),
	}
}

// Device returns the member's device, in force or not; another member's is not
// found.
func (s *Store) Device(ctx context.Context, member memory.MemberID, id memory.DeviceID) (memory.Device, error) {
	device, err := one(ctx, s.pool, "device", deviceRow.device, `
		select `+deviceColumns+`
		from devices d
		where d.device_id = @device and d.member_id = @member`,
		pgx.StrictNamedArgs{"device": id, "member": member})
	return device, s.fault(ctx, "read device", err)
}

// AddDevice adds a computer of a member.
func (s *Store) AddDevice(ctx context.Context, d memory.Device, row memory.AuditRow) error {
	return s.fault(ctx, "add device", s.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into devices (device_id, member_id, name, os, created_at, project_id)
			values (@device, @member, @name, @os, @at, nullif(@project, ''))`,
			pgx.StrictNamedArgs{"device": d.ID, "member": d.Member, "name": d.Name, "os": d.OS, "at": d.CreatedAt, "project": d.Project})
		if err != nil {
			return err
		}
		return appendInstance(ctx, tx, row)
	}))
}

// Devices returns a page of devices, newest first.
func (s *Store) Devices(ctx context.Context, q memory.DeviceQuery) ([]memory.Device, error) {
	found, err := list(ctx, s.pool, deviceRow.device, `
		select `+deviceColumns+`
		from devices d
		where (@member = '' or d.member_id = @member)
			and (@project = '' or d.project_id = @project)
			and (@after = '' or (d.created_at, d.device_id) < (select a.created_at, a.device_id from devices a where a.device_id = @after))
		order by d.created_at desc, d.device_id desc
		limit @limit`,
		pgx.StrictNamedArgs{"member": q.Member, "project": q.Project, "after": q.After, "limit": q.Limit})
	return found, s.fault(ctx, "list devices", err)
}

// EndDevice logs a device out, whose id becomes the row's. One that is out
// already stays as it is.
func (s *Store) EndDevice(ctx context.Context, id memory.DeviceID, why memory.EndReason, at time.Time, row memory.AuditRow) error {
	return s.fault(ctx, "end device", s.inTx(ctx, func(tx pgx.Tx) error {
		d, err := one(ctx, tx, "device", deviceRow.device, `
			select `+deviceColumns+`
			from devices d
			where d.device_id = @device`,
			pgx.StrictNamedArgs{"device": id})
		if err != nil {
			return err
		}
		ended, err := endDevices(ctx, tx, ending{device: d.ID, why: why, at: at})
		if err != nil || len(ended) == 0 {
			return err
		}
		return appendInstance(ctx, tx, row)
	}))
}

// ending says which devices are logged out, and why: those of a token, or one,
// unless it was logged in again since the given login.
type ending struct {
	device memory.DeviceID
	token  memory.TokenID
	login  int64 // 0: whichever it is
	why    memory.EndReason
	at     time.Time
}

// endDevices returns the devices that this ended. Without device and token
// there is none.
func endDevices(ctx context.Context, tx pgx.Tx, e ending) ([]memory.DeviceID, error) {
	return list(ctx, tx, func(r struct{ DeviceID string }) memory.DeviceID { return memory.DeviceID(r.DeviceID) }, `
		update devices
		set revoked_at = @at, revoked_for = @why
		where (device_id = @device or token_id = @token)
			and (@login::bigint = 0 or login = @login)
			and revoked_at is null
		returning device_id`,
		pgx.StrictNamedArgs{"device": e.device, "token": e.token, "login": e.login, "why": e.why, "at": e.at})
}

// Seen keeps when devices were last seen. Servers tell it a little out of order;
// a time that is far ahead is of a clock that was wrong.
func (s *Store) Seen(ctx context.Context, devices map[memory.DeviceID]time.Time) error {
	if len(devices) == 0 {
		return nil
	}
	var seen []string
	var ats []time.Time
	for _, id := range slices.Sorted(maps.Keys(devices)) {
		seen, ats = append(seen, string(id)), append(ats, devices[id])
	}
	_, err := s.pool.Exec(ctx, `
		update devices d
		set last_seen_at = u.at
		from unnest(@devices::text[], @ats::timestamptz[]) as u (id, at)
		where d.device_id = u.id
			and (d.last_seen_at is null or d.last_seen_at < u.at or d.last_seen_at > u.at + interval '1 hour')`,
		pgx.StrictNamedArgs{"devices": seen, "ats": ats})
	return s.fault(ctx, "keep when devices were seen", err)
}

// DeviceNames returns what the devices are called; unknown ones are left out.
func (s *Store) DeviceNames(ctx context.Context, devices []memory.DeviceID) (map[memory.DeviceID]string, error) {
	found, err := list(ctx, s.pool, deviceRow.device, `
		select `+deviceColumns+`
		from devices d
		where d.device_id = any (@devices)`,
		pgx.StrictNamedArgs{"devices": ids(devices)})
	names := map[memory.DeviceID]string{}
	for _, d := range found {
		names[d.ID] = d.Name
	}
	return names, s.fault(ctx, "read devices", err)
}
