package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// visit is one request on its way through the console.
type visit struct {
	echo.Context

	console  *Console
	id       string // of the request
	who      memory.Principal
	projects []memory.Overview  // that the viewer may see
	project  memory.ProjectView // {p}, one of them
	query    map[string]string
	form     map[string]string
	problem  memory.Code // that was answered, "" if none
	aborted  bool        // an answer broke off: the connection must too
}

func (v *visit) ctx() context.Context { return v.Request().Context() }

// show answers with a page that has what was asked for.
func (v *visit) show(c templ.Component) error { return v.page(http.StatusOK, c) }

// page answers with a page, drawn as a whole before any of it is sent.
func (v *visit) page(status int, c templ.Component) error {
	var buf bytes.Buffer
	if err := c.Render(v.ctx(), &buf); err != nil {
		return err
	}
	return v.bytes(status, "text/html; charset=utf-8", buf.Bytes())
}

// bytes answers with a body.
func (v *visit) bytes(status int, mediaType string, body []byte) error {
	const patience = 30 * time.Second // for the slowest reader of the longest page
	// Writers that are no connection, as in tests, have no deadline.
	_ = http.NewResponseController(v.Response()).SetWriteDeadline(v.console.clock().Add(patience))
	h := v.Response().Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	v.Response().WriteHeader(status)
	_, err := v.Response().Write(body)
	return err
}

// redirect leads to another page of the console, after a form too.
func (v *visit) redirect(to string) error {
	v.Response().Header().Set("Location", to)
	v.Response().WriteHeader(http.StatusSeeOther)
	return nil
}

// frame is what surrounds every page.
func (v *visit) frame(s view.Section) view.Frame {
	waiting := 0
	for _, o := range v.projects {
		waiting += o.Pending
	}
	open, requests := v.findingsWaiting()
	return view.Frame{
		Asset: v.console.files.URL, Theme: view.ParseTheme(v.cookie(themeCookie)), Viewer: v.who.Name, Section: s,
		Waiting: waiting, Findings: open + requests, Here: v.here(), Now: v.console.options.Dates(), Flash: flash(v.query["done"]),
	}
}

// here is the page that a form of the frame returns to: this one, but not what
// it says of the last action; after a form, home.
func (v *visit) here() string {
	u := v.Request().URL
	if v.Request().Method != http.MethodGet {
		return view.HomeURL
	}
	q := u.Query()
	q.Del("done")
	return localPath((&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: q.Encode()}).String())
}

// localPath returns a path of this console, or home: what came from outside
// must lead nowhere else.
func localPath(s string) string {
	u, err := url.Parse(s)
	odd := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") ||
		strings.ContainsFunc(s, odd) {
		return view.HomeURL
	}
	return s
}
