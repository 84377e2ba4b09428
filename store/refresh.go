package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Refresh uses a refresh token up, once, or decides about one that cannot be.
// Of several who offer one token at the same time the first uses it; the others
// wait for it here, and find its successor.
func (s *Store) Refresh(ctx context.Context, r memory.Refresh, row memory.AuditRow) (memory.Refreshed, memory.RefreshRuling, error) {
	got, ruling := memory.Refreshed{}, memory.RefreshRefused
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		used, err := useRefresh(ctx, tx, r)
		if memory.CodeOf(err) == memory.CodeNotFound {
			got, ruling, err = spentRefresh(ctx, tx, r, row)
			return err
		}
		if err != nil {
			return err
		}
		if r.Next.ExpiresAt.Before(used.ends) {
			r.Next.ExpiresAt = used.ends // the clock may be back by months: once it is right again, the login would have ended
		}
		owner, batch := used.ownedDevice, &pgx.Batch{}
		queueSeen(batch, owner.device.ID, r.At)
		got.Login = memory.Login{Device: owner.device, Member: owner.member, RefreshEnds: queueRefresh(batch, owner.device, r.Next)}
		got.Successor, ruling = r.Next.Hash, memory.RefreshGoesOn
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		row.Actor, row.Device, row.Object = owner.member.ID, owner.device.ID, string(owner.device.ID)
		return appendInstance(ctx, tx, row)
	})
	if err != nil {
		return memory.Refreshed{}, memory.RefreshRefused, s.fault(ctx, "refresh", err)
	}
	return got, ruling, nil
}

// useRefresh uses the token up if it, its device and its member are good.
func useRefresh(ctx context.Context, tx pgx.Tx, r memory.Refresh) (usedRefresh, error) {
	return one(ctx, tx, "refresh token", usedRow.refresh, `
		update refresh_tokens r
		set used_at = @at, attempt = @attempt, next = @next, sealed = @sealed
		from devices d
		join members m on m.member_id = d.member_id
		where r.hash = @hash
			and r.used_at is null
			and r.expires_at > @at
			and d.device_id = r.device_id
			and d.login = r.login
			and d.revoked_at is null
			and m.session_epoch = d.session_epoch
			and not m.disabled
		returning `+ownedDeviceColumns+`, r.expires_at`,
		pgx.StrictNamedArgs{
			"hash": r.Presented[:], "attempt": nullable(r.Attempt), "next": r.Next.Hash[:], "sealed": r.Sealed, "at": r.At,
		})
}

// queueSeen notes that a device was here. One that only renews its login would
// else be taken for one that is gone.
func queueSeen(batch *pgx.Batch, d memory.DeviceID, at time.Time) {
	batch.Queue(`
		update devices
		set last_seen_at = @at
		where device_id = @device and (last_seen_at is null or last_seen_at < @at)`,
		pgx.StrictNamedArgs{"device": d, "at": at})
}

// usedRow is a refresh token that was used up, with its device and member.
type usedRow struct {
	ownedDeviceRow

	ExpiresAt time.Time
}

func (r usedRow) refresh() usedRefresh { return usedRefresh{r.owned(), r.ExpiresAt.UTC()} }

type usedRefresh struct {
	ownedDevice

	ends time.Time
}

// spentRefresh decides about a token that was not used up. Whoever offers one
// that somebody else used ends the login for everybody, since nobody can tell
// which of the two is the thief.
func spentRefresh(
	ctx context.Context, tx pgx.Tx, r memory.Refresh, row memory.AuditRow,
) (memory.Refreshed, memory.RefreshRuling, error) {
	spent, err := one(ctx, tx, "refresh token", spentRow.refresh, `
		select `+ownedDeviceColumns+`,
			r.used_at, r.attempt, r.next, r.sealed, n.used_at as next_used_at, n.expires_at as next_ends_at,
			d.login <> r.login or d.revoked_at is not null or m.session_epoch <> d.session_epoch or m.disabled as over
		from refresh_tokens r
		join devices d on d.device_id = r.device_id
		join members m on m.member_id = d.member_id
		left join refresh_tokens n on n.hash = r.next
		where r.hash = @hash`,
		pgx.StrictNamedArgs{"hash": r.Presented[:]})
	if memory.CodeOf(err) == memory.CodeNotFound {
		return memory.Refreshed{}, memory.RefreshRefused, nil
	}
	if err != nil {
		return memory.Refreshed{}, memory.RefreshRefused, err
	}
	spent.state.Presented = r
	ruling := spent.state.Rule()
	if ruling == memory.RefreshReused {
		return memory.Refreshed{}, ruling, endLogin(ctx, tx, spent.got.Device, memory.EndRefreshReused, r.At, row)
	}
	return spent.got, ruling, nil
}

// spentRow is a refresh token with its device, member and successor.
type spentRow struct {
	ownedDeviceRow
	UsedAt     *time.Time
	Attempt    []byte
	Next       []byte
	Sealed     []byte
	NextUsedAt *time.Time
	NextEndsAt *time.Time
	Over       bool
}

type spent struct {
	state memory.SpentRefresh
	got   memory.Refreshed // if it gets its successor again
}

func (r spentRow) refresh() spent {
	owner := r.owned()
	return spent{
		state: memory.SpentRefresh{
			Over: r.Over, UsedAt: value(r.UsedAt), Attempt: hash(r.Attempt), NextUsed: r.NextUsedAt != nil, NextEnds: value(r.NextEndsAt),
		},
		got: memory.Refreshed{
			Login:     memory.Login{Device: owner.device, Member: owner.member, RefreshEnds: value(r.NextEndsAt).UTC()},
			Successor: hash(r.Next), Sealed: r.Sealed,
		},
	}
}
