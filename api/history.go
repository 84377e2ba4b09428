package api

import (
	"math"
	"strconv"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// revisions lists the versions of an entry, newest first.
func (a *API) revisions(c *call) error {
	entry, err := entryID(c.query)
	if err != nil {
		return err
	}
	limit, err := pageSize(c.query)
	if err != nil {
		return err
	}
	below, err := c.query.number("cursor", math.MaxInt64)
	if err != nil {
		return badCursor()
	}
	found, err := a.service.History(c.ctx(), c.who, c.project, entry, below, limit)
	if err != nil {
		return err
	}
	cursor := func(row memory.Revision) string { return strconv.FormatInt(row.Rev, 10) }
	return c.json(wire.NewPage(found, wire.NewRevision, next(found, limit, cursor)))
}

func entryID(q query) (memory.EntryID, error) {
	id, err := wire.ParseEntryID("entry_id", q["entry_id"])
	if err == nil && id == "" {
		err = memory.Invalid("entry_id", "this is required")
	}
	return id, err
}

// revision answers with one version.
func (a *API) revision(c *call) error {
	entry, err := entryID(c.query)
	if err != nil {
		return err
	}
	rev, err := c.query.number("rev", math.MaxInt64)
	if err != nil {
		return err
	}
	if rev == 0 {
		return memory.Invalid("rev", "this is required")
	}
	found, err := a.service.Revision(c.ctx(), c.who, c.project, entry, rev)
	if err != nil {
		return err
	}
	return c.texts(wire.NewRevisionContent(found))
}

// restore makes an earlier version the newest.
func (a *API) restore(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	var req wire.Restore
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	ref, err := req.Domain()
	if err != nil {
		return err
	}
	receipt, err := a.service.Restore(c.ctx(), c.who, c.project, ref.EntryID, ref.Rev)
	if err != nil {
		return err
	}
	return c.single(receipt)
}
