package api

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// call is one request on its way through the API.
type call struct {
	echo.Context
	api     *API
	id      string // of the request
	who     memory.Principal
	project memory.ProjectID // of {p}
	query   query
	problem memory.Code // that was answered, "" if none
	taken   int         // bytes of request and answer, see room
	aborted bool        // an answer broke off: the connection must too
	began   time.Time   // of a stream, when it stood

	request   *http.Request // as it came, without the time limit
	allowed   time.Duration // for the call, once its body is there
	stopTimer context.CancelFunc
}

func (c *call) ctx() context.Context { return c.Request().Context() }

// json answers with v.
func (c *call) json(v any) error {
	body, err := wire.Encode(v)
	if err != nil {
		return err
	}
	return c.bytes("application/json", body)
}

// texts answers with v, which holds what members wrote, and is as large.
func (c *call) texts(v any) error {
	body, err := wire.Encode(v)
	if err != nil {
		return err
	}
	if err := c.takeRoom(len(body)); err != nil {
		return err
	}
	return c.bytes("application/json", body)
}

// bytes answers with a body of some parts.
func (c *call) bytes(mediaType string, parts ...[]byte) error {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	h := c.Response().Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(length))
	h.Set("X-Content-Type-Options", "nosniff")
	w := c.paced()
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// takesZstd reports whether the client unpacks zstd, by its own name.
func (c *call) takesZstd() bool {
	for _, header := range c.Request().Header.Values("Accept-Encoding") {
		for encoding := range strings.SplitSeq(header, ",") {
			if strings.EqualFold(strings.TrimSpace(encoding), "zstd") {
				return true
			}
		}
	}
	return false
}

// notModified answers that nothing is new. Most requests end here, so it has
// no header that can be spared: the answer is private, which makes Vary
// pointless, and no cache computes an age from Date.
func (c *call) notModified(tag string) error {
	h := c.Response().Header()
	h.Del("Vary")
	h["Date"] = nil
	h.Set("Etag", quoted(tag))
	c.writeUntil(c.api.clock().Add(callDeadline))
	c.Response().WriteHeader(http.StatusNotModified)
	return nil
}

// only returns the value of a header that makes sense once. Of two, a proxy may
// have read the other one.
func (c *call) only(header string) (string, error) {
	all := c.Request().Header.Values(header)
	if len(all) > 1 {
		return "", memory.Invalid(header, "this is given twice")
	}
	return strings.Join(all, ""), nil
}

func quoted(tag string) string { return `"` + tag + `"` }

// tag reads a header with one entity tag; "" if it is absent. A weak tag counts
// as well: proxies weaken tags when they compress.
func (c *call) tag(header string) (string, error) {
	s, err := c.only(header)
	if err != nil || s == "" {
		return "", err
	}
	if len(s) > 2 && s[:2] == "W/" {
		s = s[2:]
	}
	const most = 200
	if len(s) < 3 || len(s) > most || s[0] != '"' || bytes.IndexByte([]byte(s[1:]), '"') != len(s)-2 {
		return "", memory.Invalid(header, "this is one entity tag in quotes")
	}
	return s[1 : len(s)-1], nil
}

// paced returns the answer's writer, which gives every write its time.
func (c *call) paced() *pacedWriter { return &pacedWriter{c, callDeadline} }

// pacedWriter gives an answer its time like pacedReader a body: many small
// writes have no more than one large one.
type pacedWriter struct {
	c    *call
	left time.Duration
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	start := p.c.api.clock()
	p.c.writeUntil(start.Add(p.left + paceOf(len(b))))
	n, err := p.c.Response().Write(b)
	p.left = min(callDeadline, p.left-p.c.api.clock().Sub(start)+paceOf(n))
	return n, err
}

// readUntil and writeUntil set the connection's deadlines. Writers that are no
// connection, as in tests, have none.
func (c *call) readUntil(t time.Time) { _ = c.controller().SetReadDeadline(t) }

func (c *call) writeUntil(t time.Time) { _ = c.controller().SetWriteDeadline(t) }

// multiplexed reports whether the call shares its connection with others. A
// write deadline then ends the call itself when it passes, also while a body is
// still arriving, and not only a write.
func (c *call) multiplexed() bool { return c.Request().ProtoMajor > 1 }

func (c *call) controller() *http.ResponseController { return http.NewResponseController(c.Response()) }
