package api

import (
	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// keepConflict stores a text that a client could not merge.
func (a *API) keepConflict(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	var req wire.ConflictKeep
	if _, err := c.decode(&req, maxEntry); err != nil {
		return err
	}
	draft, err := req.Domain()
	if err != nil {
		return err
	}
	kept, err := a.service.KeepConflict(c.ctx(), c.who, c.project, draft)
	if err != nil {
		return err
	}
	return c.json(wire.NewConflict(kept))
}

// conflicts lists texts that could not be merged, newest first.
func (a *API) conflicts(c *call) error {
	q, err := conflictQuery(c)
	if err != nil {
		return err
	}
	found, err := a.service.Conflicts(c.ctx(), c.who, c.project, q)
	if err != nil {
		return err
	}
	cursor := func(row memory.Conflict) string { return timeCursor(row.At, row.ID) }
	return c.json(wire.NewPage(found, wire.NewConflict, next(found, q.Limit, cursor)))
}

func conflictQuery(c *call) (q memory.ConflictQuery, err error) {
	switch state, given := c.query["state"]; {
	case state == "open":
		q.Open = true
	case given:
		return q, memory.Invalid("state", "conflicts are listed that are open, or without this all")
	}
	if q.Author, err = c.author(); err != nil {
		return q, err
	}
	if q.Limit, err = pageSize(c.query); err != nil {
		return q, err
	}
	q.After.At, q.After.ID, err = after(c.query, wire.ParseConflictID)
	return q, err
}

// conflict answers with one conflict and the texts that it is between.
func (a *API) conflict(c *call) error {
	id, err := wire.ParseConflictID(c.Param("id"))
	if err != nil {
		return err
	}
	view, err := a.service.Conflict(c.ctx(), c.who, c.project, id)
	if err != nil {
		return err
	}
	return c.texts(wire.NewConflictView(view))
}

// resolve closes a conflict, and writes what was decided.
func (a *API) resolve(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	id, err := wire.ParseConflictID(c.Param("id"))
	if err != nil {
		return err
	}
	var req wire.Resolve
	if _, err := c.decode(&req, maxEntry); err != nil {
		return err
	}
	r, err := req.Domain()
	if err != nil {
		return err
	}
	done, err := a.service.ResolveConflict(c.ctx(), c.who, c.project, id, r)
	if err != nil {
		return err
	}
	return c.json(wire.NewConflict(done))
}
