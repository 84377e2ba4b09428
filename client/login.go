package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/teammem/teammem/memory"
)

// LoginOptions are how to log in.
type LoginOptions struct {
	Token     string       // an API token
	KeepToken bool         // go on with it, in place of tokens of this computer's own
	CAFile    string       // absolute; authorities to trust beside the system's; "" for none
	Version   string       // of the client
	Clock     memory.Clock //
}

// LogIn registers this computer with a server in exchange for an API token,
// which is not kept, and keeps the tokens that it gets. A second login of the
// same member to the same server keeps the device.
func (d Dirs) LogIn(ctx context.Context, address string, o LoginOptions) (Login, error) {
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }) { // which no header holds
		return Login{}, memory.Invalid("token", "a token is one word, without blanks, line breaks and accents")
	}
	s, err := NewServer(address, ServerOptions{Token: o.Token, Version: o.Version, CAFile: o.CAFile, Clock: o.Clock})
	if err != nil {
		return Login{}, err
	}
	l, err := s.whose(ctx)
	if err != nil {
		return Login{}, refusedToken(err)
	}
	l.CAFile = o.CAFile
	// The server ends the login before, so there must be a place for the new one.
	before, err := d.Login(s.Address())
	if err != nil && !errors.Is(err, ErrNotLoggedIn) {
		return Login{}, err
	}
	if before.Instance == l.Instance && before.Member == l.Member {
		l.Device = before.Device
	}
	const most = 64 << 10 // bytes of logins
	if err := roomIn(d.Config, most); err != nil {
		return Login{}, err
	}
	if o.KeepToken {
		l, err = s.keepToken(ctx, l, o.Token)
	} else {
		l, err = s.enrolAnew(ctx, l, o.Token)
	}
	if err != nil {
		return Login{}, fmt.Errorf("register this computer: %w", err)
	}
	return l, d.SaveLogin(l)
}

// whose asks whose token it is, before anything is made for it.
func (s *Server) whose(ctx context.Context) (Login, error) {
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
	return Login{Server: s.Address(), Instance: version.Instance, Member: member.ID, Name: member.Name}, nil
}

// refusedToken says what helps with a token that does not log in: another one.
func refusedToken(err error) error {
	e, ok := errors.AsType[*memory.Error](err)
	if !ok || e.Code != memory.CodeUnauthenticated || errors.Is(err, errForeign) {
		return err
	}
	asked := *e
	asked.Hint = "copy it whole, or ask an administrator for a new one: teammem admin token create"
	return &asked
}

// keepToken registers this computer by its name only.
func (s *Server) keepToken(ctx context.Context, l Login, token string) (Login, error) {
	l.Token = token
	if l.Device != "" {
		return l, nil
	}
	device, err := s.AddDevice(ctx, computerName())
	l.Device = device.ID
	return l, err
}

// enrolAnew gets this computer its tokens. A device that was ended does not
// come back: the computer is then a new one.
func (s *Server) enrolAnew(ctx context.Context, l Login, token string) (Login, error) {
	got, err := s.enrol(ctx, l, token, computerName())
	switch code := memory.CodeOf(err); {
	case err == nil || l.Device == "" || errors.Is(err, errForeign):
		return got, err
	case code == memory.CodeUnauthenticated, code == memory.CodeNotFound, code == memory.CodeConflict, code == memory.CodeForbidden:
		l.Device = ""
		return s.enrol(ctx, l, token, computerName())
	}
	return got, err
}

func computerName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "unnamed computer"
	}
	return name
}
