package api

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever sends a header byte by byte, or nothing at all, is cut off.
func TestServer_SlowHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sent string
	}{
		{"byte by byte", "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: aaaaaaaaaaaaaaaaaaaaaaaaa"},
		{"nothing", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, _ := offline(t, Options{})
				l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
				server := NewServer(a, nil, ServerOptions{}).http
				done := make(chan struct{})
				go func() { defer close(done); _ = server.Serve(l) }()
				start := time.Now()
				near, far := net.Pipe()
				l.conns <- far
				sender := make(chan struct{})
				go func() {
					defer close(sender)
					for i := range len(tt.sent) {
						if _, err := io.WriteString(near, tt.sent[i:i+1]); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}()
				if resp, err := http.ReadResponse(bufio.NewReader(near), nil); err == nil {
					must(t, resp.Body.Close())
					if resp.StatusCode < http.StatusBadRequest {
						t.Errorf("status %d", resp.StatusCode)
					}
				}
				if took := time.Since(start); took > 11*time.Second {
					t.Errorf("cut off after %v", took)
				}
				must(t, near.Close())
				must(t, server.Close())
				<-done
				<-sender
				time.Sleep(time.Minute) // the server lingers on a connection that it gave up
			})
		})
	}
}

// A sender without end is cut off at the end of the server's patience, which is
// told, and is no failure of the server's.
func TestServer_CutsOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, _ := offline(t, Options{})
		l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
		log := &logBuffer{}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- NewServer(a, NewHub(), ServerOptions{Log: jsonLog(log)}).Serve(ctx, l) }()
		near, far := net.Pipe()
		l.conns <- far
		_, err := io.WriteString(near, "POST "+tokenCall+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		must(t, err)
		synctest.Wait()
		start := time.Now()
		cancel()
		must(t, <-served)
		if took := time.Since(start); took != 12*time.Second {
			t.Errorf("it ended after %v", took)
		}
		if !strings.Contains(log.String(), "requests took too long and were cut off") {
			t.Errorf("the log says %s", log)
		}
		must(t, near.Close())
		time.Sleep(time.Minute) // the server lingers on a connection that it gave up
	})
}
