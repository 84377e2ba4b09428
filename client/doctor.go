package client

import (
	"cmp"
	"context"
	"crypto/tls"
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
// new enough for it, by which certificate it proves who it is, what time it is
// there, and whether it knows the login. With a slug it also asks for that
// project.
func (s *Server) CheckServer(ctx context.Context, slug string, clock memory.Clock) []Check {
	watch := &stopwatch{next: s.http.Transport, clock: clock}
	checks := []Check{s.checkVersion(ctx, watch)}
	if checks[0].Grade == Wrong {
		return checks
	}
	if watch.tls != nil {
		checks = append(checks, s.checkCertificate(*watch.tls, clock()))
	}
	checks = append(checks, checkClock(watch.skew), s.checkLogin(ctx))
	if slug != "" && checks[len(checks)-1].Grade != Wrong {
		checks = append(checks, s.checkProject(ctx, slug))
	}
	return checks
}

func (s *Server) checkVersion(ctx context.Context, watch *stopwatch) Check {
	c := Check{Name: "server", Grade: Well, Source: s.base}
	asked := *s
	asked.http = &http.Client{Transport: watch, CheckRedirect: s.http.CheckRedirect}
	v, err := asked.Version(ctx)
	unusable, ok := errors.AsType[*ConnectError](err)
	switch {
	case ok:
		c.Grade, c.Detail, c.Fix = Wrong, unusable.Message, unusable.Hint
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
	return c
}

// reason says in short why there was no answer.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it took too long"
	}
	return strings.TrimPrefix(err.Error(), ErrOffline.Error()+": ")
}

// stopwatch compares the clocks of both ends of a call, and keeps how the
// other end proved who it is.
type stopwatch struct {
	next  http.RoundTripper
	clock memory.Clock
	skew  time.Duration        // how far ours is ahead, in whole seconds
	tls   *tls.ConnectionState // nil without TLS
}

// RoundTrip does the call.
func (w *stopwatch) RoundTrip(r *http.Request) (*http.Response, error) {
	start := w.clock()
	res, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.tls = res.TLS
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
	if s.token == "" && s.session == nil {
		c.Grade, c.Detail, c.Fix = Wrong, "not logged in", "teammem login "+s.base+" --token TOKEN"
		return c
	}
	member, who, err := s.Me(ctx)
	code := memory.CodeOf(err)
	e, ended := errors.AsType[*memory.Error](err)
	ended = ended && errors.Is(err, errEnded)
	switch {
	case err == nil && !slices.Contains(who.Scopes, memory.ScopeWrite):
		c.Grade, c.Detail, c.Fix = Look, "accepted for "+member.Name+", to read only", "log in with a token of the scope sync:write to share what you write"
	case err == nil:
		c.Detail = "accepted for " + member.Name + ", " + s.heldBy()
	case ended:
		c.Grade, c.Detail, c.Fix = Wrong, e.Message, e.Hint
	case code == memory.CodeUnauthenticated || code == memory.CodeForbidden:
		c.Grade, c.Detail, c.Fix = Wrong, "the token is not accepted: "+err.Error(), "ask for a new one, then teammem login "+s.base+" --token TOKEN"
	default:
		c.Grade, c.Detail, c.Fix = Wrong, "could not be checked: "+reason(err), "run teammem doctor again"
	}
	return c
}

// heldBy says what the login is, and until when.
func (s *Server) heldBy() string {
	if s.session == nil {
		return "by an API token that is kept here"
	}
	return "as device " + string(s.device) + ", until " + minute(s.session.state().RefreshEnds) + " if it is not used"
}

// soonEnds is how long before its end a certificate deserves a look: those that
// are renewed by a program are, weeks before.
const soonEnds = 10 * 24 * time.Hour

func (s *Server) checkCertificate(state tls.ConnectionState, now time.Time) Check {
	c := Check{Name: "certificate", Grade: Well, Source: cmp.Or(s.caFile, "the system's authorities")}
	leaf := state.PeerCertificates[0]
	ends := leaf.NotAfter
	for _, chain := range state.VerifiedChains[:min(1, len(state.VerifiedChains))] {
		for _, link := range chain {
			ends = earlier(ends, link.NotAfter)
		}
	}
	c.Detail = fmt.Sprintf("for %s, by %s, until %s", coveredBy(leaf), visible(leaf.Issuer.String()), minute(ends))
	if ends.Sub(now) < soonEnds {
		c.Grade, c.Fix = Look, "ask who runs the server for a new one before it ends"
	}
	return c
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

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
