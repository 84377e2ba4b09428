package api

import (
	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// health says that the process runs.
func (a *API) health(c *call) error { return c.json(wire.Health{Status: "ok"}) }

// ready says that requests can be served.
func (a *API) ready(c *call) error {
	if a.options.Ready != nil {
		if err := a.options.Ready(c.ctx()); err != nil {
			return &memory.Error{Code: memory.CodeUnavailable, Err: err}
		}
	}
	return c.json(wire.Health{Status: "ready"})
}

// version says what runs here.
func (a *API) version(c *call) error {
	return c.json(wire.Version{Version: a.options.Version, API: 1, Instance: a.options.Instance, MinClient: a.options.MinClient})
}
