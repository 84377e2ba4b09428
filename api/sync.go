package api

import (
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// maxWait is the longest that a long poll waits, in seconds.
const maxWait = 25

// changes answers with the feed after a cursor, and with 304 if the client has
// it all.
func (a *API) changes(c *call) error {
	q, err := changesQuery(c)
	if err != nil {
		return err
	}
	if q.Wait > 0 {
		defer a.options.Metrics.poll()()
	}
	var ready []byte
	if q.Inline && c.takesZstd() {
		q.Kept = func(k memory.PageKey) bool { ready = a.kept.get(k); return ready != nil }
	}
	feed, err := a.service.Changes(c.ctx(), c.who, c.project, q)
	if err != nil {
		return err
	}
	if feed.Unchanged {
		c.sent(feed.Head.Cursor())
		return c.notModified(feed.Head.Tag())
	}
	if q.Wait > 0 {
		if err := c.stillAllowed(); err != nil {
			return err
		}
	}
	at := memory.Head{Epoch: feed.Page.Epoch, Seq: feed.Page.To, Digest: feed.Page.Digest}
	c.sent(at.Cursor())
	c.Response().Header().Set("Etag", quoted(at.Tag()))
	if q.Kept == nil || !feed.Kept && len(feed.Page.Changes) < keptChanges {
		return c.texts(wire.NewFeed(feed.Page))
	}
	return c.feedPage(feed, ready)
}

// feedPage answers with a page whose changes are ready, or are from now on.
func (c *call) feedPage(feed memory.Feed, ready []byte) error {
	head, changes, err := wire.EncodeFeed(feed.Page)
	if err != nil {
		return err
	}
	if !feed.Kept {
		ready = c.api.kept.add(feed.Key, feed.Common, changes)
	}
	if err := c.takeRoom(len(ready)); err != nil {
		return err
	}
	c.Response().Header().Set("Content-Encoding", "zstd")
	return c.bytes("application/json", c.api.kept.pack(head), ready)
}

// stillAllowed checks credentials and role once more. A long poll can outlive
// both, and must not deliver what came after their end.
func (c *call) stillAllowed() error {
	who, err := c.authenticate()
	if err != nil {
		return err
	}
	_, err = c.api.service.Project(c.ctx(), who, c.project)
	return err
}

func changesQuery(c *call) (q memory.ChangesQuery, err error) {
	if since, given := c.query["since"]; given {
		if q.Since, err = memory.ParseCursor(since); err != nil {
			return q, memory.Invalid("since", "a cursor reads <epoch>:<number>")
		}
		if err := wire.Label("since", since, 64); err != nil {
			return q, err
		}
	}
	limit, err := c.query.number("limit", 1000)
	if err != nil {
		return q, err
	}
	if s := c.query["content"]; s != "" && s != "inline" {
		return q, memory.Invalid("content", "this is inline or absent")
	}
	if s := c.query["wait"]; s != "" && s != "0" {
		if _, err := c.query.number("wait", maxWait); err != nil {
			return q, err
		}
	}
	if q.Have, err = c.tag("If-None-Match"); err != nil {
		return q, err
	}
	q.Limit, q.Inline, q.Wait = int(limit), c.query["content"] == "inline", wait(c.query)
	return q, nil
}

// wait is how long a request asks to be held.
func wait(q query) time.Duration {
	n, err := q.number("wait", maxWait)
	if err != nil {
		return 0 // the handler refuses it
	}
	return time.Duration(n) * time.Second
}

// manifest streams every live entry.
func (a *API) manifest(c *call) error {
	have, err := c.tag("If-None-Match")
	if err != nil {
		return err
	}
	head, entries, err := a.service.Manifest(c.ctx(), c.who, c.project)
	if err != nil {
		return err
	}
	c.sent(head.Cursor())
	if have == head.Tag() {
		return c.notModified(have)
	}
	purged, err := a.service.Purged(c.ctx(), c.who, c.project)
	if err != nil {
		return err
	}
	const entryBytes = 512 // about what one takes while the manifest is written
	if err := c.takeRoom(len(entries) * entryBytes); err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Etag", quoted(head.Tag()))
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	return wire.WriteManifest(c.paced(), head, entries, purged)
}

// contents answers with stored texts.
func (a *API) contents(c *call) error {
	var req wire.ContentsRequest
	if _, err := c.decode(&req, maxSmall); err != nil {
		return err
	}
	refs, err := req.Domain()
	if err != nil {
		return err
	}
	contents, err := a.service.Contents(c.ctx(), c.who, c.project, refs)
	if err != nil {
		return err
	}
	return c.texts(wire.NewContents(contents))
}

// push takes a batch of changes.
func (a *API) push(c *call) error {
	if err := c.spend(a.pushes, 1); err != nil {
		return err
	}
	var req wire.Push
	body, err := c.decode(&req, maxPush)
	if err != nil {
		return err
	}
	if err := c.spend(a.pushBytes, float64(len(body))); err != nil {
		return err
	}
	p, err := req.Domain(memory.Sum(body))
	if err != nil {
		return err
	}
	if p.Device == "" {
		p.Device = c.who.Device
	}
	if p.Only, err = c.tag("If-Match"); err != nil {
		return err
	}
	receipt, err := a.service.Push(c.ctx(), c.who, c.project, p)
	if err != nil {
		return err
	}
	if p.Only != "" { // so it had all before, and nobody else's lies between
		c.sent(receipt.Head.Cursor())
	}
	a.unrecorded(c, receipt)
	a.options.Metrics.push(receipt.Verdicts)
	a.bursts.pushed(c.project, len(receipt.Verdicts))
	return c.json(wire.NewReceipt(receipt))
}
