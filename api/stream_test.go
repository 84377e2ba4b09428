package api

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// cursorStore knows where one project stands, and nothing else.
type cursorStore struct{ memory.Store }

func (cursorStore) Cursors(context.Context, memory.MemberID) ([]memory.ProjectCursor, error) {
	return []memory.ProjectCursor{{Project: "prj_a", At: at(0), DefaultRole: memory.RoleViewer}}, nil
}

// streamed is a stream over a pipe, which holds nothing that was not read, in a
// bubble of its own.
type streamed struct {
	api   *API
	hub   *Hub
	count *Metrics
	body  *bufio.Reader
	close func()
}

func openStream(t *testing.T, h2 bool) streamed {
	t.Helper()
	s := streamed{hub: NewHub(), count: NewMetrics()}
	r := &records{token: auth.MintAPIToken(), scopes: []memory.Scope{memory.ScopeRead}}
	service := memory.NewService(cursorStore{}, markScanner{}, s.hub, time.Now, memory.Limits{})
	s.api = New(service, auth.NewAuthenticator(r, accessTokens(t), time.Now), time.Now, Options{Instance: instance, Hub: s.hub, Metrics: s.count})
	l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	server := NewServer(s.api, s.hub, ServerOptions{}).http
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	near, far := net.Pipe()
	l.conns <- far
	transport := &http.Transport{
		Protocols:      new(http.Protocols),
		DialContext:    func(context.Context, string, string) (net.Conn, error) { return near, nil },
		ReadBufferSize: 1, // nothing is read before it is asked for
	}
	transport.Protocols.SetHTTP1(!h2)
	transport.Protocols.SetUnencryptedHTTP2(h2)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x"+eventsCall, nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := transport.RoundTrip(req) //nolint:bodyclose // s.close closes it
	must(t, err)
	s.body = bufio.NewReaderSize(resp.Body, 16)
	s.close = func() {
		_ = resp.Body.Close()
		_ = near.Close()
		transport.CloseIdleConnections()
		must(t, server.Close())
		<-done
		time.Sleep(time.Minute)
	}
	return s
}

// lines reads so many lines that are not empty.
func (s streamed) lines(t *testing.T, n int) (lines []string) {
	t.Helper()
	for len(lines) < n {
		line, err := s.body.ReadString('\n')
		must(t, err)
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (s streamed) open() int64 { return s.count.streams.Load() }

// A stream on which nothing happens shows that it lives, and is cut off by no
// deadline of the server.
func TestStream_Beats(t *testing.T) {
	t.Parallel()
	for name, h2 := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, s := time.Now(), openStream(t, h2)
				head := `data: {"project":"prj_a","epoch":"e1","seq":0}`
				if got := strings.Join(s.lines(t, 3), "\n"); got != "retry: 2000\nevent: head\n"+head {
					t.Errorf("it begins with %s", got)
				}
				for i := range 5 {
					got, at := s.lines(t, 1)[0], time.Since(start)
					if want := time.Duration(i+1) * beat; got != ":" || at != want {
						t.Errorf("%q after %v, want a comment after %v", got, at, want)
					}
				}
				s.hub.Notify("prj_a", at(3))
				if got := s.lines(t, 2)[1]; got != strings.ReplaceAll(head, "0}", "3}") {
					t.Errorf("a hint after a while: %s", got)
				}
				s.close()
				if n := s.open(); n != 0 {
					t.Errorf("%d streams are counted behind their end", n)
				}
			})
		})
	}
}

// Of hints that come faster than they are read, the newest is left.
func TestStream_HintsCoalesce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := openStream(t, false)
		s.lines(t, 3)
		for i := range int64(1000) {
			if s.hub.Notify("prj_a", at(i+1)); i == 0 {
				synctest.Wait() // until the first is on its way
			}
		}
		s.hub.Notify("prj_a", at(500))
		s.hub.Notify("prj_b", at(7))
		for range 3 {
			s.hub.Notify("prj_a", memory.Cursor{}) // more is allowed
			s.hub.Notify("prj_b", memory.Cursor{}) // where this one may not read
		}
		got := s.lines(t, 6)
		if got[2] != "event: finding" || got[3] != `data: {"project":"prj_a"}` || got[4] != "event: head" {
			t.Errorf("got %q", got)
		}
		if !strings.Contains(got[1], `"seq":1}`) || !strings.Contains(got[5], `"seq":1000}`) {
			t.Errorf("got %q", got)
		}
		s.close()
	})
}

// A reader that has stopped reading is dropped, and not before its time.
func TestStream_SlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := openStream(t, false)
		s.lines(t, 3)
		for i := range int64(100) {
			s.hub.Notify("prj_a", at(i+1))
			synctest.Wait() // the first does not arrive, and nobody is held up by it
		}
		time.Sleep(eventDeadline - time.Second)
		if synctest.Wait(); s.open() != 1 {
			t.Error("dropped early")
		}
		time.Sleep(2 * time.Second)
		if synctest.Wait(); s.open() != 0 {
			t.Error("not dropped")
		}
		s.close()
	})
}

// However hints and readers interleave, every reader ends up with the newest of
// all its projects, and none hears of another.
func TestHub_ManySubscriptions(t *testing.T) {
	t.Parallel()
	const last = 50
	h := NewHub()
	var wg sync.WaitGroup
	projects := []memory.ProjectID{"prj_a", "prj_b", "prj_c"}
	for i := range 200 {
		wg.Go(func() {
			s := h.subscribe()
			defer s.end()
			mine := map[memory.ProjectID]memory.Cursor{projects[i%3]: at(0), projects[(i+1)%3]: at(0)}
			s.follow(mine)
			for done := 0; done < len(mine); {
				<-s.ready
				for _, n := range s.take() {
					if _, ok := mine[n.project]; !ok {
						t.Errorf("told of %s", n.project)
					}
					if n.at.Seq == last {
						done++
					}
				}
			}
		})
	}
	for i := range int64(last) {
		for _, p := range projects {
			wg.Go(func() { h.Notify(p, at(i+1)) })
		}
	}
	wg.Wait()
	for _, p := range projects {
		if n := len(h.projects[p].followers); n != 0 {
			t.Errorf("%d follow %s that have ended", n, p)
		}
	}
}
