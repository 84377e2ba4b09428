package api

import (
	"encoding/base64"
	"math"
	"net/http"
	"strconv"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
)

// tokens exchanges an API token or a refresh token for a device's tokens.
func (a *API) tokens(c *call) error {
	var req wire.TokenRequest
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	grant, err := req.Domain()
	if err != nil {
		return err
	}
	network, credential := serving.Network(c.Request()), "credential "+auth.HashToken(grant.Secret).String()
	if err := c.mayGuess(network, "too many failed logins come from this address"); err != nil {
		return err
	}
	if err := c.mayGuess(credential, "too many logins with this token were refused"); err != nil {
		a.guesses.Give(network, 1, a.clock())
		return err
	}
	tokens, err := a.exchange.Tokens(c.ctx(), c.who, grant)
	if memory.CodeOf(err) != memory.CodeUnauthenticated {
		a.guesses.Give(network, 1, a.clock())
	}
	if memory.CodeOf(err) != memory.CodeQuota { // whose rows would fill the audit
		a.guesses.Give(credential, 1, a.clock())
	}
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Cache-Control", "no-store")
	// Clients take from it how long the token lives, so it has to be of the clock
	// that its end is of: this machine's may be hours off.
	h.Set("Date", a.auth.Now().UTC().Format(http.TimeFormat))
	return c.json(wire.NewTokens(tokens))
}

// mayGuess stops whoever offered too many credentials that were good for
// nothing, or the same one too often for nothing. One that turns out to be good
// is given back: a whole office may share an address. Until then it counts, or
// any number could be offered at once.
func (c *call) mayGuess(who, message string) error {
	wait := c.api.guesses.Take(who, 1, c.api.clock())
	if wait <= 0 {
		return nil
	}
	c.Response().Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return &memory.Error{Code: memory.CodeRateLimited, Message: message, Hint: "wait, then try again"}
}

// revoke logs the device out whose refresh token this is. It tells nobody
// whether there was one.
func (a *API) revoke(c *call) error {
	var req wire.TokenRevoke
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	token, err := req.Domain()
	if err != nil {
		return err
	}
	if auth.IsRefreshToken(token) {
		if err := a.service.LogOut(c.ctx(), c.who, auth.HashToken(token)); err != nil {
			return err
		}
	}
	return c.json(wire.Done{})
}

// keys answers with the public halves of the keys that sign access tokens.
func (a *API) keys(c *call) error {
	set := wire.Keys{Keys: []wire.Key{}}
	for _, k := range a.auth.Keys() {
		set.Keys = append(set.Keys, wire.Key{
			Type: "OKP", Curve: "Ed25519", X: base64.RawURLEncoding.EncodeToString(k.Key), ID: k.ID, Alg: "EdDSA", Use: "sig",
		})
	}
	return c.json(set)
}

// devices lists the caller's computers, newest first.
func (a *API) devices(c *call) error {
	limit, err := pageSize(c.query)
	if err != nil {
		return err
	}
	after, err := wire.ParseDeviceID("cursor", c.query["cursor"])
	if err != nil {
		return err
	}
	found, err := a.service.Devices(c.ctx(), c.who, after, limit)
	if err != nil {
		return err
	}
	describe := func(d memory.Device) wire.Device { return wire.NewDevice(d, c.who.Device) }
	cursor := func(row memory.Device) string { return string(row.ID) }
	return c.json(wire.NewPage(found, describe, next(found, limit, cursor)))
}

// removeDevice logs one of the caller's computers out.
func (a *API) removeDevice(c *call) error {
	id, err := wire.ParseDeviceID("device", c.Param("id"))
	if err != nil || id == "" {
		return memory.NotFound("device")
	}
	if err := a.service.RemoveDevice(c.ctx(), c.who, id); err != nil {
		return err
	}
	return c.json(wire.Done{})
}
