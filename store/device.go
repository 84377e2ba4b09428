package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type deviceRow struct {
	DeviceID  string
	MemberID  string
	Name      string
	OS        string
	CreatedAt time.Time
}

func (r deviceRow) device() memory.Device {
	return memory.Device{
		ID: memory.DeviceID(r.DeviceID), Member: memory.MemberID(r.MemberID), Name: r.Name, OS: r.OS, CreatedAt: r.CreatedAt.UTC(),
	}
}

// Device returns the member's device; another member's is not found.
func (s *Store) Device(ctx context.Context, member memory.MemberID, id memory.DeviceID) (memory.Device, error) {
	device, err := one(ctx, s.pool, "device", deviceRow.device, `
		select device_id, member_id, name, os, created_at
		from devices
		where device_id = @device and member_id = @member`,
		pgx.StrictNamedArgs{"device": id, "member": member})
	return device, s.fault(ctx, "read device", err)
}

// AddDevice adds a computer of a member.
func (s *Store) AddDevice(ctx context.Context, d memory.Device, row memory.AuditRow) error {
	return s.fault(ctx, "add device", s.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into devices (device_id, member_id, name, os, created_at)
			values (@device, @member, @name, @os, @at)`,
			pgx.StrictNamedArgs{"device": d.ID, "member": d.Member, "name": d.Name, "os": d.OS, "at": d.CreatedAt})
		if err != nil {
			return err
		}
		return appendInstance(ctx, tx, row)
	}))
}

// DeviceNames returns what the devices are called; unknown ones are left out.
func (s *Store) DeviceNames(ctx context.Context, devices []memory.DeviceID) (map[memory.DeviceID]string, error) {
	found, err := list(ctx, s.pool, deviceRow.device, `
		select device_id, member_id, name, os, created_at
		from devices
		where device_id = any (@devices)`,
		pgx.StrictNamedArgs{"devices": ids(devices)})
	names := map[memory.DeviceID]string{}
	for _, d := range found {
		names[d.ID] = d.Name
	}
	return names, s.fault(ctx, "read devices", err)
}
