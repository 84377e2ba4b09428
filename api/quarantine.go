package api

import (
	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// maxQuarantine holds a list of all entries that a project can have.
const maxQuarantine = 2 << 20

// addQuarantine takes changes back.
func (a *API) addQuarantine(c *call) error {
	var req wire.QuarantineAdd
	if _, err := c.decode(&req, maxQuarantine); err != nil {
		return err
	}
	w, err := req.Domain()
	if err != nil {
		return err
	}
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	q, err := a.service.Quarantine(c.ctx(), c.who, c.project, w)
	if err != nil {
		return err
	}
	return c.texts(wire.NewQuarantine(q))
}

// quarantines lists what was taken back, newest first.
func (a *API) quarantines(c *call) error {
	limit, err := pageSize(c.query)
	if err != nil {
		return err
	}
	q := memory.QuarantineQuery{Limit: limit}
	if q.After.At, q.After.ID, err = after(c.query, wire.ParseQuarantineID); err != nil {
		return err
	}
	found, err := a.service.Quarantines(c.ctx(), c.who, c.project, q)
	if err != nil {
		return err
	}
	cursor := func(row memory.Quarantine) string { return timeCursor(row.At, row.ID) }
	return c.json(wire.NewPage(found, wire.NewQuarantine, next(found, limit, cursor)))
}

// quarantine answers with one quarantine and its entries.
func (a *API) quarantine(c *call) error {
	id, err := wire.ParseQuarantineID(c.Param("id"))
	if err != nil {
		return err
	}
	q, err := a.service.QuarantineByID(c.ctx(), c.who, c.project, id)
	if err != nil {
		return err
	}
	return c.texts(wire.NewQuarantine(q))
}

// releaseQuarantine makes what was taken back the newest again.
func (a *API) releaseQuarantine(c *call) error {
	id, err := wire.ParseQuarantineID(c.Param("id"))
	if err != nil {
		return err
	}
	var req wire.QuarantineRelease
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	if err := req.Check(); err != nil {
		return err
	}
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	q, err := a.service.Release(c.ctx(), c.who, c.project, id, req.Reason)
	if err != nil {
		return err
	}
	return c.texts(wire.NewQuarantine(q))
}

// purge removes texts for good.
func (a *API) purge(c *call) error {
	var req wire.Purge
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	p, err := req.Domain()
	if err != nil {
		return err
	}
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	done, err := a.service.Purge(c.ctx(), c.who, c.project, p)
	if err != nil {
		return err
	}
	return c.json(wire.NewPurged(done))
}
