package client_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
)

// A server that goes on and on, a byte at a time, holds nobody for longer than one
// answer may take: not in its headers, not in an answer, not in an event, and not
// in a question that it does not take.
func TestServer_Drip(t *testing.T) {
	t.Parallel()
	const named = "HTTP/1.1 200 OK\r\nTeammem-Instance: ins_drip\r\nContent-Type: application/json\r\n"
	for name, start := range map[string]string{
		"a status":  "",
		"a header":  "HTTP/1.1 200 OK\r\nTeammem-Instance: ins_",
		"an answer": named + "Content-Length: 60000000\r\n\r\n",
		"in chunks": named + "Transfer-Encoding: chunked\r\n\r\n8000000\r\n",
		"for ever":  named + "\r\n{\"epoch\":\"",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := client.NewServer("http://"+drip(t, start), client.ServerOptions{Token: "x", Instance: "ins_drip"})
			must(t, err)
			s.Patience(300 * time.Millisecond)
			if _, err := s.Projects(t.Context(), "acme/app", ""); !errors.Is(err, client.ErrOffline) {
				t.Errorf("got %v, want %v", err, client.ErrOffline)
			}
		})
	}
}

// drip listens, and answers whoever calls with a start and then with spaces, one
// by one, until they go away.
func drip(t *testing.T, start string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, err := io.WriteString(c, start)
				for tick := time.NewTicker(20 * time.Millisecond); err == nil; <-tick.C {
					_, err = c.Write([]byte(" "))
				}
			}()
		}
	}()
	return l.Addr().String()
}
