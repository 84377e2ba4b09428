package memory

import (
	"context"
	"slices"
)

// AddDevice registers a computer of the principal's member.
func (s *Service) AddDevice(ctx context.Context, who Principal, name, os string) (Device, error) {
	if err := s.checkDevice(ctx, name, os); err != nil {
		return Device{}, err
	}
	now := s.clock()
	d := Device{ID: NewDeviceID(), Member: who.Member, Name: name, OS: os, CreatedAt: now, Project: who.Project}
	return d, s.store.AddDevice(ctx, d, who.Row(now, "device.add", string(d.ID)))
}

// checkDevice also keeps secrets out of the names, which teammates see.
func (s *Service) checkDevice(ctx context.Context, name, os string) error {
	if !printable(name, 200) {
		return Invalid("name", "a device has a name of 1 to 200 characters that can be seen")
	}
	if os != "" && !printable(os, 50) {
		return Invalid("os", "an operating system has at most 50 characters")
	}
	return s.screenWords(ctx, "name", name+"\n"+os)
}

// Devices returns a page of the principal's own computers, newest first, after
// the given one. A token for one project sees those that reach no other.
func (s *Service) Devices(ctx context.Context, who Principal, after DeviceID, limit int) ([]Device, error) {
	limit = s.limits.page(limit)
	return s.store.Devices(ctx, DeviceQuery{Member: who.Member, Project: who.Project, After: after, Limit: limit})
}

// RemoveDevice logs one of the principal's own computers out. One that is out
// already stays as it is.
func (s *Service) RemoveDevice(ctx context.Context, who Principal, id DeviceID) error {
	if err := allow(who, RoleMaintainer, ScopeWrite); err != nil {
		return err
	}
	d, err := s.store.Device(ctx, who.Member, id)
	if err != nil {
		return err
	}
	if who.Project != "" && who.Project != d.Project {
		return NotFound("device")
	}
	return s.endDevice(ctx, who, id)
}

func (s *Service) endDevice(ctx context.Context, by Principal, id DeviceID) error {
	now := s.clock()
	row := by.Row(now, "device.revoke", string(id))
	row.Decision = string(EndRemoved)
	return s.store.EndDevice(ctx, id, EndRemoved, now, row)
}

// DeviceNames tells what the devices are called from which others wrote. Their
// ids cannot be guessed: who has one has read it beside a text.
func (s *Service) DeviceNames(ctx context.Context, who Principal, devices ...DeviceID) (map[DeviceID]string, error) {
	if err := allow(who, RoleMaintainer, ScopeRead); err != nil {
		return nil, err
	}
	devices = slices.DeleteFunc(unique(devices), func(id DeviceID) bool { return id == "" })
	if len(devices) == 0 {
		return nil, nil
	}
	return s.store.DeviceNames(ctx, devices)
}

// ownDevice checks that the principal may speak for the device.
func (s *Service) ownDevice(ctx context.Context, who Principal, id DeviceID) error {
	if id == "" || id == who.Device {
		return nil
	}
	d, err := s.store.Device(ctx, who.Member, id)
	switch {
	case CodeOf(err) == CodeNotFound:
		return &Error{Code: CodeForbidden, Field: "device", Message: "this device is not yours", Hint: "log in again"}
	case err == nil && !d.RevokedAt.IsZero():
		return &Error{Code: CodeForbidden, Field: "device", Message: "this device was logged out", Hint: "log in again"}
	}
	return err
}
