package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A body that stalls is given up; one that is slow but comes is not.
func TestBody_Pace(t *testing.T) {
	t.Parallel()
	const body = `{"path":"a.md"}`
	for _, tt := range []struct {
		name   string
		size   int // of the body, padded
		chunk  int
		pause  time.Duration
		stop   int // bytes after which nothing comes any more
		within time.Duration
		status int
	}{
		{name: "slow line", size: 600 << 10, chunk: 20 << 10, pause: time.Second, within: 31 * time.Second, status: http.StatusOK},
		{name: "stalled at the start", size: 100, within: 11 * time.Second, status: http.StatusBadRequest},
		{name: "stalled in the middle", size: 600 << 10, chunk: 20 << 10, stop: 300 << 10, within: 11 * time.Second, status: http.StatusBadRequest},
		{name: "a byte now and then", size: 1000, chunk: 1, pause: 5 * time.Second, within: 11 * time.Second, status: http.StatusBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, r := offline(t, Options{})
				l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
				server := NewServer(a, NewHub(), ServerOptions{}).http
				done := make(chan struct{})
				go func() { defer close(done); _ = server.Serve(l) }()
				start := time.Now()
				near, far := net.Pipe()
				l.conns <- far
				go func() {
					fmt.Fprintf(near, "POST %s/check HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", base, r.token, tt.size)
					text := fmt.Sprintf("%-*s", tt.size, body)
					for sent := 0; tt.chunk > 0 && sent < len(text) && (tt.stop == 0 || sent < tt.stop); sent += tt.chunk {
						time.Sleep(tt.pause)
						if _, err := io.WriteString(near, text[sent:min(sent+tt.chunk, len(text))]); err != nil {
							return
						}
					}
				}()
				resp, err := http.ReadResponse(bufio.NewReader(near), nil)
				must(t, err)
				must(t, resp.Body.Close())
				if took := time.Since(start); took > tt.within {
					t.Errorf("given up after %v", took)
				}
				if resp.StatusCode != tt.status {
					t.Errorf("status %d, want %d", resp.StatusCode, tt.status)
				}
				must(t, near.Close())
				must(t, server.Close())
				<-done
				time.Sleep(time.Minute) // the server lingers on a connection that it gave up
			})
		})
	}
}

// Over HTTP/2 a body has the same time, and a call that is given up an answer.
func TestBody_PaceOverHTTP2(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		chunks int // of 20 KB, one a second; then nothing comes any more if it is short
		size   int
		status int
	}{
		"slow line": {chunks: 30, size: 600 << 10, status: http.StatusOK},
		"stalled":   {chunks: 1, size: 600 << 10, status: http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, r := offline(t, Options{})
				l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
				server := NewServer(a, NewHub(), ServerOptions{}).http
				done := make(chan struct{})
				go func() { defer close(done); _ = server.Serve(l) }()
				near, far := net.Pipe()
				l.conns <- far
				h2 := &http.Transport{
					Protocols:   new(http.Protocols),
					DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil },
				}
				h2.Protocols.SetUnencryptedHTTP2(true)
				body, sender := io.Pipe()
				go func() {
					text := fmt.Sprintf("%-*s", tt.size, `{"path":"a.md"}`)
					for i := range tt.chunks {
						time.Sleep(time.Second)
						if _, err := io.WriteString(sender, text[i*20<<10:(i+1)*20<<10]); err != nil {
							return
						}
					}
					if tt.chunks*20<<10 == tt.size {
						must(t, sender.Close())
					}
				}()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x"+base+"/check", body)
				must(t, err)
				req.Header.Set("Authorization", "Bearer "+r.token)
				req.Header.Set("Content-Type", "application/json")
				resp, err := h2.RoundTrip(req)
				must(t, err)
				answer, err := io.ReadAll(resp.Body)
				must(t, err)
				must(t, resp.Body.Close())
				if resp.StatusCode != tt.status || resp.ProtoMajor != 2 || len(answer) == 0 {
					t.Errorf("over %s status %d, want %d: %s", resp.Proto, resp.StatusCode, tt.status, answer)
				}
				must(t, sender.Close())
				h2.CloseIdleConnections()
				must(t, server.Close())
				<-done
				time.Sleep(time.Minute)
			})
		})
	}
}

// An answer of many small writes is broken off like one of a large write when
// its reader hardly reads.
func TestAnswer_Pace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, _ := offline(t, Options{})
		broke := make(chan time.Duration, 1)
		a.declared["GET/long"] = true
		a.echo.GET("/long", a.guard(route{path: "/long", scope: anyone, handle: func(_ *API, c *call) error {
			start, w, part := time.Now(), c.paced(), make([]byte, 4<<10)
			for {
				if _, err := w.Write(part); err != nil {
					broke <- time.Since(start)
					return err
				}
			}
		}}))
		l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
		server := NewServer(a, NewHub(), ServerOptions{}).http
		done := make(chan struct{})
		go func() { defer close(done); _ = server.Serve(l) }()
		near, far := net.Pipe()
		l.conns <- far
		go func() {
			fmt.Fprint(near, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
			buf := make([]byte, 4<<10)
			for {
				time.Sleep(5 * time.Second)
				if _, err := near.Read(buf); err != nil {
					return
				}
			}
		}()
		if took := <-broke; took > 30*time.Second {
			t.Errorf("broken off after %v", took)
		}
		must(t, near.Close())
		must(t, server.Close())
		<-done
		time.Sleep(time.Minute)
	})
}

// pipeListener hands out connections that exist already.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
