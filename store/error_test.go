package store

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// Who cannot connect is told where to, and never with which password.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"lookup db.example: no such host": &net.DNSError{Err: "no such host", Name: "db.example"},
		"dial tcp: refused":               &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("refused")},
	} {
		got := unreachable(fmt.Errorf("connect to postgres://user:%s@db: %w", "sesame", err)).Error()
		if !strings.Contains(got, want) || strings.Contains(got, "sesame") {
			t.Errorf("got %q, want it to say %q", got, want)
		}
	}
}
