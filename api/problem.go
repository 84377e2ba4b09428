package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
)

// answer turns an error into the answer to a request. It is the only place
// that does, and logs what is the server's own fault.
func (a *API) answer(c *call, err error) {
	e, status := describe(err)
	c.problem = e.Code
	if status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		serving.Failed(a.log, c, c.id, err, e)
	}
	if c.Response().Committed {
		c.aborted = true // part of another answer is out: only a broken connection tells the client
		return
	}
	p := wire.NewProblem(e)
	p.Status, p.Instance = status, c.id
	body, err := wire.Encode(p)
	if err != nil {
		c.aborted = true // a message that is not UTF-8, which the tests of its makers exclude
		return
	}
	h := c.Response().Header()
	h.Del("Etag")
	if status == http.StatusUnauthorized {
		h.Set("Www-Authenticate", "Bearer")
	}
	c.Response().Status = status
	if err := c.bytes(wire.ProblemType, body); err != nil {
		c.aborted = true
	}
}

// unrecorded logs that refusals of a push are missing in the audit. They stand
// beside something published, so the receipt is answered all the same. A push
// of one op has no such company.
func (a *API) unrecorded(c *call, r memory.Receipt) {
	if r.Unrecorded == nil {
		return
	}
	e, _ := describe(r.Unrecorded)
	a.log.LogAttrs(c.ctx(), slog.LevelError, "refusals are not in the audit",
		slog.String("request_id", c.id), slog.String("project_id", string(c.project)), slog.String("err", serving.Cause(r.Unrecorded, e)))
}

// describe finds the domain's error and its status. What is not an error of
// the domain or of the router is internal.
func describe(err error) (*memory.Error, int) {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return e, wire.Status(e.Code)
	}
	if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		return routing(e)
	}
	code := memory.CodeInternal
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		code = memory.CodeUnavailable
	}
	return &memory.Error{Code: code, Err: err}, wire.Status(code)
}

// routing describes the router's errors.
func routing(e *echo.HTTPError) (*memory.Error, int) {
	switch e.Code {
	case http.StatusNotFound:
		return memory.NotFound("call"), e.Code
	case http.StatusMethodNotAllowed:
		return memory.Invalid("", "this path does not take this method"), e.Code
	}
	return &memory.Error{Code: wire.CodeOf(e.Code), Message: "the request cannot be served", Err: e}, e.Code
}
