package api

import (
	"bufio"
	"io"
	"net"
	"net/http"
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
