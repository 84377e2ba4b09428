package api

import (
	"encoding/base64"
	"math"
	"mime"
	"strconv"
	"strings"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// maxPage is the longest page of a list, and its default.
const maxPage = 200

// entries lists live entries, by path.
func (a *API) entries(c *call) error {
	q, err := entryQuery(c.query)
	if err != nil {
		return err
	}
	found, err := a.service.Entries(c.ctx(), c.who, c.project, q)
	if err != nil {
		return err
	}
	cursor := func(row memory.Entry) string { return base64.RawURLEncoding.EncodeToString([]byte(row.Path.String())) }
	return c.json(wire.NewPage(found, wire.NewEntry, next(found, q.Limit, cursor)))
}

func entryQuery(q query) (e memory.EntryQuery, err error) {
	for name, most := range map[string]int{"prefix": 512, "kind": 32} {
		if err := wire.Label(name, q[name], most); err != nil {
			return e, err
		}
	}
	if e.Author, err = wire.ParseMemberID("author", q["author"]); err != nil {
		return e, err
	}
	if e.Limit, err = pageSize(q); err != nil {
		return e, err
	}
	if cursor := q["cursor"]; cursor != "" {
		path, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return e, badCursor()
		}
		if e.After, err = memory.ParseServedPath(string(path)); err != nil {
			return e, badCursor()
		}
	}
	e.Prefix, e.Kind = q["prefix"], memory.Kind(q["kind"])
	return e, nil
}

// entry answers with one entry: as JSON, or its exact bytes for those who
// accept Markdown.
func (a *API) entry(c *call) error {
	have, err := c.tag("If-None-Match")
	if err != nil {
		return err
	}
	entry, rev, err := a.service.Entry(c.ctx(), c.who, c.project, c.query["path"])
	if err != nil {
		return err
	}
	tag := revTag(entry.Rev)
	if have == tag {
		return c.notModified(tag)
	}
	c.Response().Header().Set("Etag", quoted(tag))
	c.Response().Header().Add("Vary", "Accept")
	if acceptsMarkdown(c.Request().Header.Get("Accept")) {
		if err := c.takeRoom(len(rev.Content)); err != nil {
			return err
		}
		return c.bytes("text/markdown; charset=utf-8", rev.Content)
	}
	return c.texts(wire.NewEntryContent(entry, rev))
}

func revTag(rev int64) string { return strconv.FormatInt(rev, 10) }

func acceptsMarkdown(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		if media, _, err := mime.ParseMediaType(part); err == nil && media == "text/markdown" {
			return true
		}
	}
	return false
}

// putEntry stores one text.
func (a *API) putEntry(c *call) error {
	var req wire.EntryPut
	if _, err := c.decode(&req, maxEntry); err != nil {
		return err
	}
	op, err := req.Domain()
	if err != nil {
		return err
	}
	return a.pushOne(c, op)
}

// deleteEntry deletes one entry.
func (a *API) deleteEntry(c *call) error {
	return a.pushOne(c, memory.Op{Action: memory.ActionDelete})
}

// pushOne sends one op through the same gate as a push. The base is stated by
// a condition, since a write without one could overwrite what nobody has seen.
func (a *API) pushOne(c *call, op memory.Op) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	rev, err := c.baseRev()
	if err != nil {
		return err
	}
	device, err := wire.ParseDeviceID("Teammem-Device", c.Request().Header.Get("Teammem-Device"))
	if err != nil {
		return err
	}
	if device == "" {
		device = c.who.Device
	}
	view, err := a.service.Project(c.ctx(), c.who, c.project)
	if err != nil {
		return err
	}
	op.Path, op.BaseRev, op.AbsentAt = c.query["path"], rev, view.Head.Cursor()
	receipt, err := a.service.Push(c.ctx(), c.who, c.project, memory.Push{Epoch: view.Head.Epoch, Device: device, Ops: []memory.Op{op}})
	if err != nil {
		return err
	}
	return c.single(receipt)
}

// baseRev reads the condition of a write: If-Match names the revision that is
// to be replaced, If-None-Match: * says that there is none.
func (c *call) baseRev() (int64, error) {
	h := c.Request().Header
	match, none := h.Get("If-Match"), h.Get("If-None-Match")
	switch {
	case match == "" && none == "*":
		return 0, nil
	case match == "" || none != "":
		return 0, memory.Invalid("If-Match", `say either If-Match: "<rev>" or If-None-Match: *`)
	}
	tag, err := c.tag("If-Match")
	if err != nil {
		return 0, err
	}
	return query{"If-Match": tag}.number("If-Match", math.MaxInt64)
}

// single answers with the verdict on the only op of a push. A conflict and a
// refusal are errors here, where nothing else was asked for.
func (c *call) single(r memory.Receipt) error {
	v := r.Verdicts[0]
	switch {
	case v.Problem != nil:
		return v.Problem
	case v.Ruling == memory.RulingConflict:
		return &memory.Error{
			Code: memory.CodeConflict, Message: "the entry is not at this revision", Head: &r.Head,
			Hint: "read it again and apply your change to what is there now",
		}
	}
	if v.Rev > 0 {
		c.Response().Header().Set("Etag", quoted(revTag(v.Rev)))
	}
	return c.json(wire.NewResult(v))
}

// check tells what a push would get.
func (a *API) check(c *call) error {
	var req wire.Check
	if _, err := c.decode(&req, maxEntry); err != nil {
		return err
	}
	path, content, err := req.Domain()
	if err != nil {
		return err
	}
	verdict, err := a.service.Check(c.ctx(), c.who, c.project, path, content)
	if err != nil {
		return err
	}
	return c.json(wire.NewResult(verdict))
}
