package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
)

// Grade is how a check ended.
type Grade string

// The grades. What deserves a look does not keep memory from travelling.
const (
	Well  Grade = "ok"
	Look  Grade = "look"
	Wrong Grade = "wrong"
)

// Check is one thing that doctor examined. No word of it is secret; names that
// others chose are quoted where not all of them can be seen.
type Check struct {
	Name   string
	Grade  Grade
	Detail string
	Source string // what decided it, or where it was found; "" if that says nothing new
	Fix    string // what to do; "" exactly if all is well
}

// maxSkew is how far a clock may be off before it is worth a word: what is
// written is dated by the server, so only people are confused.
const maxSkew = time.Minute

// CheckServer asks the server of a login how it is, whether this program is
// new enough for it, what time it is there, and whether it knows the login.
// With a slug it also asks for that project.
func (s *Server) CheckServer(ctx context.Context, slug string, clock memory.Clock) []Check {
	skew, checks := s.checkVersion(ctx, clock)
	if len(checks) == 1 && checks[0].Grade == Wrong {
		return checks
	}
	checks = append(checks, checkClock(skew), s.checkLogin(ctx))
	if slug != "" && checks[len(checks)-1].Grade != Wrong {
		checks = append(checks, s.checkProject(ctx, slug))
	}
	return checks
}

func (s *Server) checkVersion(ctx context.Context, clock memory.Clock) (time.Duration, []Check) {
	c := Check{Name: "server", Grade: Well, Source: s.base}
	watch := &stopwatch{next: s.http.Transport, clock: clock}
	asked := *s
	asked.http = &http.Client{Transport: watch, CheckRedirect: s.http.CheckRedirect}
	v, err := asked.Version(ctx)
	switch {
	case errors.Is(err, ErrOtherServer):
		c.Grade, c.Detail, c.Fix = Wrong, err.Error(), "ask who runs it; then link again"
	case memory.CodeOf(err) == memory.CodeUpgradeRequired:
		c.Grade, c.Detail, c.Fix = Wrong, err.Error(), "install a newer teammem; this is "+s.version
	case err != nil:
		c.Grade, c.Detail, c.Fix = Wrong, "no answer: "+reason(err), "check the address, the network and whether the server runs; your files stay as they are"
	case OlderThan(s.version, v.MinClient):
		c.Grade, c.Detail, c.Fix = Wrong, fmt.Sprintf("version %s wants a client of %s or newer; this is %s", v.Version, v.MinClient, s.version), "upgrade teammem"
	default:
		c.Detail = "answers, version " + v.Version
	}
	return watch.skew, []Check{c}
}

// reason says in short why there was no answer.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it took too long"
	}
	return strings.TrimPrefix(err.Error(), ErrOffline.Error()+": ")
}

// stopwatch compares the clocks of both ends of a call.
type stopwatch struct {
	next  http.RoundTripper
	clock memory.Clock
	skew  time.Duration // how far ours is ahead, in whole seconds
}

// RoundTrip does the call.
func (w *stopwatch) RoundTrip(r *http.Request) (*http.Response, error) {
	start := w.clock()
	res, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	const resolution = time.Second // of the header, which is cut off to it
	if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		middle := start.Add(w.clock().Sub(start) / 2)
		w.skew = (middle.Sub(at) - resolution/2).Round(resolution)
	}
	return res, nil
}

func checkClock(skew time.Duration) Check {
	c := Check{Name: "clock", Grade: Well, Detail: "as the server's", Source: "the time of the server's answer"}
	switch {
	case skew > time.Second:
		c.Detail = skew.String() + " ahead of the server's"
	case skew < -time.Second:
		c.Detail = (-skew).String() + " behind the server's"
	}
	if skew.Abs() > maxSkew {
		c.Grade, c.Fix = Look, "set this computer's clock; ages of entries look wrong until then, and nothing else"
	}
	return c
}

func (s *Server) checkLogin(ctx context.Context) Check {
	c := Check{Name: "login", Grade: Well, Source: s.base}
	if s.token == "" {
		c.Grade, c.Detail, c.Fix = Wrong, "not logged in", "teammem login "+s.base+" --token TOKEN"
		return c
	}
	member, who, err := s.Me(ctx)
	code := memory.CodeOf(err)
	switch {
	case err == nil && !slices.Contains(who.Scopes, memory.ScopeWrite):
		c.Grade, c.Detail, c.Fix = Look, "accepted for "+member.Name+", to read only", "log in with a token of the scope sync:write to share what you write"
	case err == nil:
		c.Detail = "accepted for " + member.Name
	case code == memory.CodeUnauthenticated || code == memory.CodeForbidden:
		c.Grade, c.Detail, c.Fix = Wrong, "the token is not accepted: "+err.Error(), "ask for a new one, then teammem login "+s.base+" --token TOKEN"
	default:
		c.Grade, c.Detail, c.Fix = Wrong, "could not be checked: "+reason(err), "run teammem doctor again"
	}
	return c
}

func (s *Server) checkProject(ctx context.Context, slug string) Check {
	c := Check{Name: "project", Grade: Well, Source: s.base}
	found, err := s.Projects(ctx, slug, "")
	switch {
	case err != nil:
		c.Grade, c.Detail, c.Fix = Wrong, slug+" could not be checked: "+reason(err), "run teammem doctor again"
	case len(found) == 0:
		c.Grade, c.Detail, c.Fix = Wrong, slug+" is not there, or not for you", "ask who runs the server"
	default:
		c.Detail = fmt.Sprintf("%s, your role is %s", slug, found[0].Role)
	}
	return c
}

// OlderThan compares versions such as 2.1.228 number by number. What is no
// version is older than nothing.
func OlderThan(version, wanted string) bool {
	have, ok := numbersOf(version)
	want, wellFormed := numbersOf(wanted)
	return ok && wellFormed && slices.Compare(have, want) < 0
}

// numbersOf reads major, minor and patch; what follows a "-" says only that it
// is not yet the release.
func numbersOf(version string) ([]int, bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	const parts = 3
	var n []int
	for part := range strings.SplitSeq(version, ".") {
		v, err := strconv.Atoi(part)
		if err != nil || v < 0 {
			return nil, false
		}
		n = append(n, v)
	}
	return n, len(n) == parts
}
