package api

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

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
	next := ""
	if len(found) == q.Limit {
		last := found[len(found)-1]
		next = timeCursor(last.At, string(last.ID))
	}
	return c.json(wire.NewPage(found, wire.NewConflict, next))
}

func conflictQuery(c *call) (q memory.ConflictQuery, err error) {
	switch state, given := c.query["state"]; {
	case state == "open":
		q.Open = true
	case given:
		return q, memory.Invalid("state", "conflicts are listed that are open, or without this all")
	}
	switch author := c.query["author"]; author {
	case "me":
		q.Author = c.who.Member
	default:
		if q.Author, err = wire.ParseMemberID("author", author); err != nil {
			return q, err
		}
	}
	if q.Limit, err = pageSize(c.query); err != nil {
		return q, err
	}
	if cursor := c.query["cursor"]; cursor != "" {
		at, id, err := parseTimeCursor(cursor)
		if err != nil {
			return q, err
		}
		conflict, err := wire.ParseConflictID(id)
		if err != nil {
			return q, badCursor()
		}
		q.After = memory.ConflictCursor{At: at, ID: conflict}
	}
	return q, nil
}

// timeCursor writes the place of something in a list by time: microseconds, as
// the database keeps them, and the id.
func timeCursor(at time.Time, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMicro(), 10) + "." + id))
}

func parseTimeCursor(s string) (at time.Time, id string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return at, "", badCursor()
	}
	digits, id, _ := strings.Cut(string(raw), ".")
	micros, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || micros < 0 {
		return at, "", badCursor()
	}
	if at = time.UnixMicro(micros).UTC(); at.Year() > 9999 {
		return at, "", badCursor()
	}
	return at, id, nil
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
