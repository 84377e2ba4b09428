package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// Connect prepares calls in the name of a login: with its tokens, which are
// renewed and kept as they end, and with the authorities that it trusts. The
// options add the clock, which is required, and what calls.
func (d Dirs) Connect(l Login, o ServerOptions) (*Server, error) {
	o.Token, o.Device, o.CAFile = l.Token, l.Device, l.CAFile
	o.Instance = cmp.Or(o.Instance, l.Instance)
	s, err := NewServer(l.Server, o)
	if err == nil && l.Refresh != "" {
		s.session = &session{dirs: d, clock: o.Clock, login: l}
	}
	return s, err
}

// enrol exchanges an API token for the tokens of a device: a new one, or the
// one that the login names already.
func (s *Server) enrol(ctx context.Context, l Login, token, name string) (Login, error) {
	return s.exchange(ctx, memory.Grant{Kind: memory.GrantAPIToken, Secret: token, Device: l.Device, Name: name, OS: runtime.GOOS}, l)
}

// refresh exchanges the refresh token of a login.
func (s *Server) refresh(ctx context.Context, l Login) (Login, error) {
	return s.exchange(ctx, memory.Grant{Kind: memory.GrantRefresh, Secret: l.Refresh, Attempt: l.Attempt}, l)
}

// exchange returns the login with its new tokens. An answer that is not whole
// leaves what there is in force.
func (s *Server) exchange(ctx context.Context, g memory.Grant, l Login) (Login, error) {
	limited, cancel := context.WithTimeout(ctx, exchangeTimeout)
	defer cancel()
	var w wire.Tokens
	var answered time.Time
	asked := s.clock()
	_, err := s.call(limited, request{path: "/api/v1/auth/token", body: wire.NewTokenRequest(g), anyone: true, date: &answered}, &w)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return l, fmt.Errorf("%w: it did not answer in %s", ErrOffline, exchangeTimeout)
	}
	if err != nil {
		return l, err
	}
	t, err := w.Domain()
	if err != nil {
		return l, fmt.Errorf("log in to %s: %w", s.base, err)
	}
	l.Access, l.AccessEnds, l.RenewAt = t.Access, t.AccessEnds, renewAt(asked, answered, t.AccessEnds)
	l.Refresh, l.RefreshEnds, l.Attempt = t.Refresh, t.RefreshEnds, ""
	l.Device, l.Member, l.Name = t.Device, t.Member.ID, t.Member.Name
	return l, nil
}

// Revoke ends the device of a login. It asks with the refresh token alone, so
// it works however long the access token has ended.
func (s *Server) Revoke(ctx context.Context, l Login) error {
	_, err := s.call(ctx, request{path: "/api/v1/auth/revoke", body: wire.TokenRevoke{RefreshToken: l.Refresh}, anyone: true}, &wire.Done{})
	return err
}

// Devices returns a page of the caller's computers, and the cursor of the next
// page, "" at the end.
func (s *Server) Devices(ctx context.Context, cursor string) (page []memory.Device, next string, err error) {
	query := url.Values{}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var w wire.Page[wire.Device]
	if err := s.get(ctx, "/api/v1/me/devices", query, &w); err != nil {
		return nil, "", err
	}
	for _, item := range w.Items {
		d, err := item.Domain()
		if err != nil {
			return nil, "", err
		}
		page = append(page, d)
	}
	return page, w.Next, nil
}

// EndDevice ends one of the caller's computers.
func (s *Server) EndDevice(ctx context.Context, id memory.DeviceID) error {
	_, err := s.call(ctx, request{method: http.MethodDelete, path: "/api/v1/me/devices/" + url.PathEscape(string(id))}, &wire.Done{})
	return err
}
