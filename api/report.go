package api

import "github.com/teammem/teammem/api/wire"

// report keeps what one of the caller's devices says of a tree.
func (a *API) report(c *call) error {
	var req wire.Report
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	r, err := req.Domain()
	if err != nil {
		return err
	}
	if err := c.spend(a.reports, 1); err != nil {
		return err
	}
	if err := a.service.Report(c.ctx(), c.who, c.project, r); err != nil {
		return err
	}
	return c.json(wire.Done{})
}
