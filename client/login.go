package client

import (
	"context"
	"fmt"
	"os"

	"github.com/teammem/teammem/memory"
)

// LogIn checks a token with its server, registers this computer, and keeps
// both. A second login to the same server keeps the device.
func (d Dirs) LogIn(ctx context.Context, s *Server, token string) (Login, error) {
	version, err := s.Version(ctx)
	if err != nil {
		return Login{}, err
	}
	member, who, err := s.Me(ctx)
	if err != nil {
		return Login{}, err
	}
	if !who.Can(memory.ScopeRead) {
		return Login{}, &memory.Error{
			Code: memory.CodeForbidden, Message: "this token cannot read", Hint: "make one with --scope sync:read,sync:write",
		}
	}
	l := Login{Server: s.Address(), Instance: version.Instance, Member: member.ID, Name: member.Name, Token: token}
	if before, err := d.Login(s.Address()); err == nil && before.Instance == l.Instance && before.Member == l.Member {
		l.Device = before.Device
	}
	if l.Device == "" {
		name, err := os.Hostname()
		if err != nil {
			name = "unnamed computer"
		}
		device, err := s.AddDevice(ctx, name)
		if err != nil {
			return Login{}, fmt.Errorf("register this computer: %w", err)
		}
		l.Device = device.ID
	}
	return l, d.SaveLogin(l)
}
