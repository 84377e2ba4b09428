package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// newAPI answers the calls of the members' clients, who prove themselves with
// tokens that the instance's own keys sign.
func (a *app) newAPI(ctx context.Context, s *store.Store, service *memory.Service, o api.Options) (*api.API, error) {
	instance, err := s.Instance(ctx)
	if err != nil {
		return nil, err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a signing key: %w", err)
	}
	keys, err := auth.NewKeyring(key)
	if err != nil {
		return nil, err
	}
	authenticator := auth.NewAuthenticator(s, auth.NewAccessTokens(keys, instance, a.now), a.now)
	o.Instance = instance
	return api.New(service, authenticator, a.now, o), nil
}
