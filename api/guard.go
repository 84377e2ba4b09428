package api

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
)

// callKey is where observe keeps the call for the handlers behind it.
const callKey = "call"

// observe is around everything: it names the request, turns errors and panics
// into answers, and logs one line.
func (a *API) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		start := a.clock()
		c := &call{Context: ctx, api: a, id: strings.ToLower(rand.Text()[:12])}
		ctx.Set(callKey, c)
		if ctx.Request().ContentLength != 0 {
			c.readUntil(start.Add(callDeadline)) // also where nobody reads the body
		}
		h := ctx.Response().Header()
		h.Set("Teammem-Api", "1")
		h.Set("Teammem-Instance", a.options.Instance)
		if err := serving.Recovered(next, ctx); err != nil {
			a.answer(c, err)
		}
		a.logRequest(c, start)
		if c.aborted {
			panic(http.ErrAbortHandler) // how net/http breaks a connection off
		}
		return nil
	}
}

func (a *API) logRequest(c *call, start time.Time) {
	end := a.clock()
	serving.Log(a.log, c, c.id, end.Sub(start), []serving.ID{
		{Key: "code", Value: string(c.problem)},
		{Key: "project_id", Value: string(c.project)},
		{Key: "member_id", Value: string(c.who.Member)},
		{Key: "token_id", Value: string(c.who.Token)},
		{Key: "device_id", Value: string(c.who.Device)},
	})
	if !c.began.IsZero() {
		end = c.began // how long a stream lasts says nothing of the server
	}
	a.options.Metrics.Request(serving.Method(c.Request().Method), c.Path(), c.Response().Status, end.Sub(start))
}

// guard is before every handler: it checks client and credentials against the
// route's declaration, and bounds the time.
func (a *API) guard(r route) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		c, ok := ctx.Get(callKey).(*call)
		if !ok {
			return errors.New("a route without the observing middleware")
		}
		if err := a.admit(c, r); err != nil {
			return err
		}
		if err := a.admitScans(c, r); err != nil {
			return err
		}
		c.request, c.allowed = c.Request(), r.deadline()+wait(c.query)
		c.startTimer()
		defer func() {
			c.stopTimer()
			a.room.release(c.who.Member, c.taken)
		}()
		return r.handle(a, c)
	}
}

// admitScans lets the member of a call have texts searched for secrets, unless
// that took too much of late.
func (a *API) admitScans(c *call, r route) error {
	if a.options.Scans == nil || c.who.Member == "" || r.method == http.MethodGet {
		return nil
	}
	ctx, wait := a.options.Scans.Admit(c.Request().Context(), c.who.Member)
	c.SetRequest(c.Request().WithContext(ctx))
	return c.mustWait(wait, "searching what you send for secrets took too long")
}

// startTimer gives the call its time, from now on.
func (c *call) startTimer() {
	if c.stopTimer != nil {
		c.stopTimer()
	}
	ctx, cancel := context.WithTimeout(c.request.Context(), c.allowed)
	c.stopTimer = cancel
	c.SetRequest(c.request.WithContext(ctx))
	if !c.multiplexed() {
		c.writeUntil(c.api.clock().Add(c.allowed))
	}
}

// admit lets a request in, or says why not.
func (a *API) admit(c *call, r route) (err error) {
	client := c.Request().Header.Get("Teammem-Client")
	if tooOld(client, a.options.MinClient) {
		return &memory.Error{
			Code: memory.CodeUpgradeRequired, Message: "this server needs teammem " + a.options.MinClient + " or newer",
			Hint: "install a newer teammem",
		}
	}
	if r.scope != anyone {
		if c.who, err = c.authenticate(); err != nil {
			return err
		}
	}
	if err := permit(c.who, r); err != nil {
		return err
	}
	c.who.Remote, c.who.Client = serving.Remote(c.Request()), clientName(client)
	if strings.Contains(r.path, "{p}") {
		if c.project, err = wire.ParseProjectID(c.Param("p")); err != nil {
			return err
		}
		if c.who.Project != "" && c.who.Project != c.project {
			return memory.NotFound("project")
		}
	}
	c.query, err = parseQuery(c.Request().URL.RawQuery, r.query)
	return err
}

// authenticate says who is calling. Two credentials are none: whoever stands
// between client and server may have looked at the other one.
func (c *call) authenticate() (memory.Principal, error) {
	credential, err := c.only("Authorization")
	if err != nil {
		credential = ""
	}
	return c.api.auth.Authenticate(c.ctx(), credential)
}

// permit compares the token's scopes with the route's declaration.
func permit(who memory.Principal, r route) error {
	if r.scope == anyone || r.scope == signedIn {
		return nil
	}
	if r.scope == "" {
		return &memory.Error{Code: memory.CodeForbidden, Message: "nobody may do this"}
	}
	if !who.Can(r.scope) {
		return &memory.Error{
			Code: memory.CodeForbidden, Message: "this token does not have the scope " + string(r.scope),
			Hint: "log in again with a token that has it",
		}
	}
	return nil
}

// clientName is what a client calls itself, for the audit; "" if that is odd, or
// has a word that is long enough to be a secret.
func clientName(s string) string {
	const longest = 16 // a version's has at most 14
	odd := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
	for word := range strings.FieldsFuncSeq(s, odd) {
		if len(word) > longest {
			return ""
		}
	}
	if wire.Label("Teammem-Client", s, 100) != nil {
		return ""
	}
	return s
}

// tooOld reports whether the client is a teammem before the given version.
// Other clients, and builds without a version, are let in.
func tooOld(client, least string) bool {
	version, ours := strings.CutPrefix(client, "teammem/")
	version, _, _ = strings.Cut(version, " ")
	have, ok1 := numbers(version)
	want, ok2 := numbers(least)
	if !ours || !ok1 || !ok2 {
		return false
	}
	for i := range have {
		if have[i] != want[i] {
			return have[i] < want[i]
		}
	}
	return false
}

// numbers reads major, minor and patch of a version.
func numbers(version string) (n [3]int, ok bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	parts := strings.Split(version, ".")
	if len(parts) != len(n) {
		return n, false
	}
	for i, part := range parts {
		v, err := strconv.Atoi(part)
		if err != nil || v < 0 {
			return n, false
		}
		n[i] = v
	}
	return n, true
}

// spend takes from a limit of the caller's token.
func (c *call) spend(l *auth.Limiter, n float64) error {
	wait := l.Take(string(c.who.Token)+string(c.who.Device)+string(c.who.Member), n, c.api.clock())
	return c.mustWait(wait, "this token sends too much")
}

// mustWait refuses a call that comes too early.
func (c *call) mustWait(wait time.Duration, why string) error {
	if wait <= 0 {
		return nil
	}
	c.Response().Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return &memory.Error{Code: memory.CodeRateLimited, Message: why, Hint: "wait, then go on"}
}
