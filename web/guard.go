package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
)

// visitKey is where observe keeps the visit for the handlers behind it.
const visitKey = "visit"

// observe is around everything: it names the request, protects the answer,
// turns errors and panics into pages, and logs one line.
func (c *Console) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		start := c.clock()
		v := &visit{Context: ctx, console: c, id: strings.ToLower(rand.Text()[:12])}
		ctx.Set(visitKey, v)
		if ctx.Request().ContentLength != 0 {
			// Also where nobody reads the body. Writers that are no connection, as in tests, have no deadline.
			_ = http.NewResponseController(ctx.Response()).SetReadDeadline(start.Add(readDeadline))
		}
		protect(ctx.Response().Header(), c.options.TLS)
		if err := serving.Recovered(next, ctx); err != nil {
			c.answer(v, err)
		}
		c.logRequest(v, c.clock().Sub(start))
		if v.aborted {
			panic(http.ErrAbortHandler) // how net/http breaks a connection off
		}
		return nil
	}
}

func (c *Console) logRequest(v *visit, took time.Duration) {
	serving.Log(c.log, v, v.id, took, []serving.ID{
		{Key: "code", Value: string(v.problem)},
		{Key: "project_id", Value: string(v.project.ID)},
		{Key: "member_id", Value: string(v.who.Member)},
	})
	if c.options.Observe != nil {
		c.options.Observe(serving.Method(v.Request().Method), v.Path(), v.Response().Status, took)
	}
}

// deny answers a form that another site sent.
func (c *Console) deny(w http.ResponseWriter, r *http.Request) {
	refuse := func(echo.Context) error { return crossSite() }
	_ = c.observe(refuse)(c.echo.NewContext(r, w)) //nolint:contextcheck // the request has it; observe hands no error on
}

func crossSite() error {
	return &memory.Error{
		Code: memory.CodeForbidden, Message: "this request does not come from a page of this console",
		Hint: "open the console and use its own buttons",
	}
}

// guard is before every handler: it checks session, role and input against the
// route's declaration, and bounds the time.
func (c *Console) guard(r route) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		v, ok := ctx.Get(visitKey).(*visit)
		if !ok {
			return errors.New("a route without the observing middleware")
		}
		request := ctx.Request()
		limited, cancel := context.WithTimeout(request.Context(), r.deadline())
		defer func() {
			cancel()
			ctx.SetRequest(request) // the page of an error has time left
		}()
		ctx.SetRequest(request.WithContext(limited))
		if err := c.admit(v, r); err != nil {
			return err
		}
		if err := v.admitScans(); err != nil {
			return err
		}
		return r.handle(c, v)
	}
}

// admit lets a request in, or says why not.
func (c *Console) admit(v *visit, r route) (err error) {
	v.who.Remote, v.who.Client = serving.Remote(v.Request()), "console"
	if err := c.authenticate(v, r.least); err != nil {
		return err
	}
	if r.method == http.MethodPost {
		if err := v.readForm(r.form); err != nil {
			return err
		}
	}
	if v.query, err = parseFields(v.Request().URL.RawQuery, r.query); err != nil {
		return err
	}
	if !strings.Contains(r.path, "{p}") {
		return nil
	}
	if err := v.enter(r.role); err != nil || r.method != http.MethodPost {
		return err
	}
	return v.spend(c.writes, string(v.who.Member), "you changed too much within a minute")
}

// authenticate finds out who visits, where the route asks, and what they may
// see. A token of the API
// is no way in, as cookies are none into the API.
func (c *Console) authenticate(v *visit, least access) error {
	switch least {
	case anyone:
		return nil
	case signedIn:
		who, err := c.sessions.Authenticate(v.ctx(), v.cookie(sessionCookie))
		if err != nil {
			return err
		}
		who.Remote, who.Client = v.who.Remote, v.who.Client
		v.who = who
		v.projects, err = c.service.Overviews(v.ctx(), who)
		return err
	}
	return &memory.Error{Code: memory.CodeForbidden, Message: "nobody may do this"}
}

// enter finds the project among those that the viewer may know of: another is
// not found, whether there is one or not.
func (v *visit) enter(least memory.Role) error {
	for _, o := range v.projects {
		if string(o.ID) == v.Param("p") {
			v.project = o.ProjectView
		}
	}
	if v.project.ID == "" {
		return memory.NotFound("project")
	}
	if v.project.Role < least {
		return &memory.Error{
			Code: memory.CodeForbidden, Message: "this needs the role " + least.String() + "; yours is " + v.project.Role.String(),
			Hint: "ask a maintainer of the project for the role",
		}
	}
	return nil
}

// opaque reports whether s may be an id: no other character is looked up.
func opaque(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// maxForm is more than any form needs.
const maxForm = 16 << 10

// readForm reads the fields of a form. It is the only reader of bodies.
func (v *visit) readForm(takes string) error {
	r := v.Request()
	if r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == "" {
		return crossSite() // every browser says one of them; who says neither is none
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return &memory.Error{Code: memory.CodeUnsupportedMedia, Message: "a form of the console is sent as application/x-www-form-urlencoded"}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxForm+1))
	switch {
	case err != nil:
		return &memory.Error{Code: memory.CodeInvalid, Message: "the form did not arrive", Err: err}
	case len(body) > maxForm:
		return &memory.Error{Code: memory.CodeTooLarge, Message: fmt.Sprintf("a form has at most %d bytes", maxForm)}
	}
	v.form, err = parseFields(string(body), takes)
	return err
}

// parseFields reads a query or a form. It refuses what the standard reading
// silently drops, and names no value.
func parseFields(raw, takes string) (map[string]string, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, memory.Invalid("", "the address or form is not well-formed")
	}
	fields := map[string]string{}
	for name, all := range values {
		if !slices.Contains(strings.Fields(takes), name) {
			return nil, memory.Invalid("", "the address or form has a field that is not known here")
		}
		if len(all) > 1 || !utf8.ValidString(all[0]) {
			return nil, memory.Invalid(name, "this is given twice, or is no text")
		}
		fields[name] = all[0]
	}
	return fields, nil
}
