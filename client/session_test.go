package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// rotating is the strictest server there may be: a refresh token that is used
// twice ends the login at once, unless the nonce shows that it is the same
// attempt and nothing came of the answer to it.
type rotating struct {
	testing.TB

	url   string
	clock func() time.Time // the server's

	mu        sync.Mutex
	n         int // of the tokens in force
	attempt   string
	ended     bool
	refreshes int
	repeats   int
	refused   int // requests with an access token that is not in force
	requests  int
	lose      func() bool // the next answer to a refresh
	fail      int         // status of refreshes; 0: as they deserve
}

const lifeOfAccess = 12 * time.Hour

func newRotating(t testing.TB) *rotating {
	t.Helper()
	r := &rotating{TB: t, clock: time.Now, lose: func() bool { return false }}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

func access(n int) string  { return fmt.Sprintf("access-%d", n) }
func refresh(n int) string { return fmt.Sprintf("refresh-%d", n) }

func (s *rotating) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Teammem-Instance", instance)
	w.Header().Set("Date", s.clock().UTC().Format(http.TimeFormat))
	s.requests++
	if r.URL.Path != "/api/v1/auth/token" {
		if s.ended || r.Header.Get("Authorization") != "Bearer "+access(s.n) {
			s.refused++
			s.problem(w, memory.CodeUnauthenticated)
			return
		}
		s.answer(w, wire.Me{ID: "mem_a", Name: "ann", Scopes: []string{"sync:read", "sync:write"}})
		return
	}
	if s.fail != 0 {
		w.WriteHeader(s.fail)
		return
	}
	body, err := io.ReadAll(r.Body)
	var in wire.TokenRequest
	if err != nil || wire.Decode(body, &in) != nil || r.Header.Get("Authorization") != "" || in.Attempt == "" {
		s.problem(w, memory.CodeInvalid)
		return
	}
	s.rotate(w, in)
}

func (s *rotating) rotate(w http.ResponseWriter, in wire.TokenRequest) {
	switch {
	case !s.ended && in.RefreshToken == refresh(s.n):
		s.n, s.attempt = s.n+1, in.Attempt
		s.refreshes++
	case !s.ended && in.RefreshToken == refresh(s.n-1) && in.Attempt == s.attempt:
		s.repeats++
	default:
		s.ended = true
		s.problem(w, memory.CodeUnauthenticated)
		return
	}
	if s.lose() {
		panic(http.ErrAbortHandler)
	}
	s.answer(w, wire.Tokens{
		AccessToken: access(s.n), ExpiresAt: s.clock().Add(lifeOfAccess), RefreshToken: refresh(s.n), RefreshExpiresAt: s.clock().Add(30 * 24 * time.Hour),
		Device: "dev_a", Member: wire.Member{ID: "mem_a", Name: "ann"},
	})
}

func (s *rotating) answer(w http.ResponseWriter, v any) {
	b, err := wire.Encode(v)
	if err != nil {
		s.Error(err)
	}
	_, _ = w.Write(b)
}

func (s *rotating) problem(w http.ResponseWriter, code memory.Code) {
	w.Header().Set("Content-Type", wire.ProblemType)
	w.WriteHeader(wire.Status(code))
	s.answer(w, wire.NewProblem(&memory.Error{Code: code, Message: "this device was ended"}))
}

// loggedIn are folders with a login to the server, whose access token has ended.
func (s *rotating) loggedIn() client.Dirs {
	s.Helper()
	d := client.Dirs{Config: filepath.Join(s.TempDir(), "config")}
	must(s, d.SaveLogin(client.Login{
		Server: s.url, Instance: instance, Member: "mem_a", Name: "ann", Device: "dev_a", Access: access(0), Refresh: refresh(0),
	}))
	return d
}

// connect is what a process does that begins.
func (s *rotating) connect(d client.Dirs, clock memory.Clock) *client.Server {
	s.Helper()
	l, err := d.Login(s.url)
	must(s, err)
	c, err := d.Connect(l, client.ServerOptions{Clock: clock})
	must(s, err)
	return c
}

func me(ctx context.Context, s *client.Server) error {
	_, _, err := s.Me(ctx)
	return err
}

// count compares what the server has seen.
func (s *rotating) count(refreshes, refused, requests int) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refreshes != refreshes || s.refused != refused || s.requests != requests {
		s.Errorf("%d refreshes, %d refused, %d requests; want %d, %d, %d", s.refreshes, s.refused, s.requests, refreshes, refused, requests)
	}
}

// A token that is good costs no request, one that is about to end is renewed
// before it is used, and one that the server refuses is renewed once.
func TestSession_Renews(t *testing.T) {
	t.Parallel()
	s := newRotating(t)
	d := s.loggedIn()
	var ahead atomic.Int64 // of both clocks
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	s.clock = clock
	c := s.connect(d, clock)
	must(t, me(t.Context(), c))
	s.count(1, 0, 2)
	must(t, me(t.Context(), c))
	must(t, me(t.Context(), s.connect(d, clock))) // another process
	s.count(1, 0, 4)
	ahead.Store(int64(lifeOfAccess - 6*time.Minute))
	must(t, me(t.Context(), c))
	s.count(1, 0, 5)
	ahead.Store(int64(lifeOfAccess - 4*time.Minute))
	must(t, me(t.Context(), c))
	s.count(2, 0, 7)
	s.mu.Lock()
	s.n++ // the server signs with another key
	s.attempt = ""
	s.mu.Unlock()
	l, err := d.Login(s.url)
	must(t, err)
	l.Refresh = refresh(3)
	must(t, d.SaveLogin(l))
	must(t, me(t.Context(), c))
	s.count(3, 1, 10)
}

// F48: whatever our clock shows, before or after it is set right, there is no
// more than one renewal, and no loop.
func TestField_F48_Renewal(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{0, 6 * time.Second, -6 * time.Second, 10 * time.Minute, -10 * time.Minute, 20 * time.Hour, -20 * time.Hour, -20 * 365 * 24 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			s := newRotating(t)
			d := s.loggedIn()
			wrong := func() time.Time { return time.Now().Add(off) }
			if off < -lifeOfAccess { // what was kept says that the token is good, so the server has to say no
				l, err := d.Login(s.url)
				must(t, err)
				l.Access, l.RenewAt = "access-before", time.Now()
				must(t, d.SaveLogin(l))
			}
			for range 3 {
				must(t, me(t.Context(), s.connect(d, wrong)))
			}
			s.mu.Lock()
			refreshes := s.refreshes
			s.mu.Unlock()
			if refreshes != 1 {
				t.Errorf("%d renewals with a clock that is off by %s", refreshes, off)
			}
			for range 3 { // and then it is right
				must(t, me(t.Context(), s.connect(d, time.Now)))
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.refreshes > 2 || s.refused > 1 {
				t.Errorf("%d renewals, %d refused requests after the clock was set right", s.refreshes, s.refused)
			}
		})
	}
}

// The server's word on a refresh ends the login; anything else is a
// disturbance. Nothing is forgotten either way, and nothing is repeated.
func TestSession_Ended(t *testing.T) {
	t.Parallel()
	s := newRotating(t)
	d := s.loggedIn()
	for _, status := range []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusUnauthorized, http.StatusForbidden} {
		s.fail = status // of a proxy
		for _, token := range []string{access(0), "access-before"} {
			l, err := d.Login(s.url)
			must(t, err)
			l.Access = token
			must(t, d.SaveLogin(l))
			err = me(t.Context(), s.connect(d, time.Now))
			if good := token == access(0); good != (err == nil) || err != nil && strings.Contains(err.Error(), "has ended") {
				t.Errorf("a proxy answers %d, and the token is good, %t: %v", status, good, err)
			}
		}
	}
	s.fail = 0
	must(t, me(t.Context(), s.connect(d, time.Now)))
	s.mu.Lock()
	s.ended = true
	before := s.requests
	s.mu.Unlock()
	err := me(t.Context(), s.connect(d, time.Now))
	e, ok := errors.AsType[*memory.Error](err)
	if !ok || e.Code != memory.CodeUnauthenticated || !strings.Contains(e.Message, "has ended: this device was ended") || !strings.Contains(e.Hint, "teammem login "+s.url) {
		t.Errorf("got %v, want the end of the login with what to do", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.requests - before; n != 2 {
		t.Errorf("%d requests, want the one and the refresh", n)
	}
}

// What another instance says, or a gateway that refuses in the form that our
// problems have, ends no login, and nobody of them is offered the refresh token.
func TestSession_RefusedByOthers(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"", "ins_another"} {
		var offered atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				offered.Add(1)
			}
			if other != "" {
				w.Header().Set("Teammem-Instance", other)
			}
			w.Header().Set("Content-Type", wire.ProblemType)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status":401,"code":"unauthenticated","detail":"no"}`)
		}))
		t.Cleanup(s.Close)
		d := (&rotating{TB: t, url: s.URL}).loggedIn()
		l, err := d.Login(s.URL)
		must(t, err)
		l.RenewAt = time.Now().Add(time.Hour)
		c, err := d.Connect(l, client.ServerOptions{Clock: time.Now})
		must(t, err)
		err = me(t.Context(), c)
		if err == nil || strings.Contains(err.Error(), "has ended") || errors.Is(err, client.ErrOtherServer) != (other != "") {
			t.Errorf("instance %q: got %v", other, err)
		}
		if n := offered.Load(); n != 0 {
			t.Errorf("instance %q was offered the refresh token %d times", other, n)
		}
		l.RenewAt = time.Time{}
		c, err = d.Connect(l, client.ServerOptions{Clock: time.Now})
		must(t, err)
		if err := me(t.Context(), c); err == nil || strings.Contains(err.Error(), "has ended") {
			t.Errorf("instance %q, and the login is due: got %v", other, err)
		}
	}
}

// Somebody logs out, or logs in anew, while another process is at work.
func TestSession_Replaced(t *testing.T) {
	t.Parallel()
	s := newRotating(t)
	d := s.loggedIn()
	c := s.connect(d, time.Now)
	l, err := d.Login(s.url)
	must(t, err)
	other := l
	other.Device = "dev_b"
	must(t, d.SaveLogin(other))
	if err := me(t.Context(), c); err == nil || !strings.Contains(err.Error(), "logged in anew") {
		t.Errorf("logged in anew: %v", err)
	}
	must(t, d.RemoveLogin(s.url))
	if err := me(t.Context(), c); !errors.Is(err, client.ErrNotLoggedIn) {
		t.Errorf("logged out: %v", err)
	}
	s.count(0, 0, 0)
}

// Two processes, a thousand rounds: each time the access token has ended for
// both, there is one refresh, and both go on. Ten members do it at a time,
// since most of it is waiting for the disk.
func TestSession_ThousandRounds(t *testing.T) {
	t.Parallel()
	const members, rounds = 10, 100
	for n := range members {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := newRotating(t)
			d := s.loggedIn()
			var round atomic.Int64
			clock := func() time.Time { return time.Unix(0, 0).Add(time.Duration(round.Load()) * lifeOfAccess) }
			s.clock = clock
			both := []*client.Server{s.connect(d, clock), s.connect(client.Dirs{Config: d.Config}, clock)}
			for range rounds {
				round.Add(1)
				var all sync.WaitGroup
				for _, c := range both {
					all.Go(func() {
						if err := me(t.Context(), c); err != nil {
							t.Errorf("round %d: %v", round.Load(), err)
						}
					})
				}
				if all.Wait(); t.Failed() {
					return
				}
			}
			s.count(rounds, 0, 3*rounds)
		})
	}
}

// An answer that is lost, any number of times, ends no login: the same attempt
// is made again, by whichever process comes next.
func TestSession_LostAnswers(t *testing.T) {
	t.Parallel()
	const rounds, lost = 20, 3
	s := newRotating(t)
	d := s.loggedIn()
	var round atomic.Int64
	clock := func() time.Time { return time.Unix(0, 0).Add(time.Duration(round.Load()) * lifeOfAccess) }
	s.clock = clock
	for range rounds {
		round.Add(1)
		losses := lost
		s.mu.Lock()
		s.lose = func() bool {
			losses--
			return losses >= 0
		}
		s.mu.Unlock()
		for range lost {
			if err := me(t.Context(), s.connect(d, clock)); !errors.Is(err, client.ErrOffline) {
				t.Fatalf("round %d: got %v, want no answer", round.Load(), err)
			}
		}
		must(t, me(t.Context(), s.connect(d, clock)))
		l, err := d.Login(s.url)
		must(t, err)
		if l.Attempt != "" {
			t.Fatalf("the nonce of an attempt that came to its end is kept")
		}
	}
	if s.repeats != rounds*lost {
		t.Errorf("%d attempts were made again, want %d", s.repeats, rounds*lost)
	}
}

// A login that cannot be kept is not renewed: the answer would be lost. As
// long as the token is good the member notices nothing, and then they are told
// what is in the way.
func TestSession_CannotKeep(t *testing.T) {
	t.Parallel()
	for _, inTheWay := range []string{"credentials.lock", "lock"} {
		s := newRotating(t)
		d := s.loggedIn()
		must(t, os.RemoveAll(filepath.Join(d.Config, inTheWay)))
		mkdir(t, filepath.Join(d.Config, inTheWay))
		must(t, me(t.Context(), s.connect(d, time.Now)))
		s.count(0, 0, 1)
		s.mu.Lock()
		s.n++
		s.mu.Unlock()
		if err := me(t.Context(), s.connect(d, time.Now)); err == nil || memory.CodeOf(err) == memory.CodeUnauthenticated {
			t.Errorf("%s in the way: got %v, want what is in the way", inTheWay, err)
		}
		s.count(0, 1, 2)
	}
}

// Whoever cannot get the lock goes on with a token that is still good.
func TestSession_Locked(t *testing.T) {
	t.Parallel()
	s := newRotating(t)
	d := s.loggedIn()
	holder := flock.New(filepath.Join(d.Config, "credentials.lock"))
	if ok, err := holder.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := me(ctx, s.connect(d, time.Now)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the caller's limit to count", err)
	}
	must(t, holder.Unlock())
	must(t, me(t.Context(), s.connect(d, time.Now)))
}

// No token is shown by accident, of whatever kind.
func TestLogin_PrintsNoToken(t *testing.T) {
	t.Parallel()
	l := client.Login{Server: "https://a", Token: "secret-1", Access: "secret-2", Refresh: "secret-3", Attempt: "secret-4"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, v := range []any{l, &l, []client.Login{l}} {
			if got := fmt.Sprintf(format, v); strings.Contains(got, "secret") {
				t.Errorf("%s of %T prints a token: %s", format, v, got)
			}
		}
	}
}
