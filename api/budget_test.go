package api

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// The budget of a sync that finds nothing new, in bytes of IP packets both
// ways over a fresh connection. An access token may add what it is longer
// than an API token.
const (
	noopBudget = 1250
	apiToken   = 40

	// IPv4 and TCP with timestamps, as Linux talks: SYN and SYN-ACK of 60 bytes,
	// and 52 each for the last ACK of the handshake, the two packets with data,
	// an ACK for each, and FIN, FIN-ACK and ACK.
	packetBytes = 2*60 + 8*52
)

func TestNoop_Budget(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	b.put(t, c, "a.md", "x")
	b.sql(t, "update projects set seq = 123456") // as long as numbers get
	b.sql(t, "insert into changes (project_id, seq, entry_id, rev, op, previous_path, digest_after) "+
		"select project_id, 123456, entry_id, rev, op, '', digest_after from changes where seq = 1")
	head, err := b.store.Head(t.Context(), b.project.ID)
	must(t, err)
	device, err := b.api.service.AddDevice(t.Context(), memory.Principal{Member: b.memberID()}, "laptop", "linux")
	must(t, err)
	b.sql(t, "update devices set scopes = $2 where device_id = $1", device.ID, []string{"sync:read", "sync:write"})
	access, _, err := b.access.Mint(b.members[memory.RoleContributor], device, memory.ScopeRead, memory.ScopeWrite)
	must(t, err)
	url := serve(t.Context(), t, b.api, b.hub.Hub)

	for name, token := range map[string]string{"api token": c.token, "access token": access} {
		request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: 127.0.0.1:65535\r\nAccept-Encoding: zstd\r\nAuthorization: Bearer %s\r\n"+
			"If-None-Match: \"%s\"\r\nTeammem-Client: teammem/10.20.30 (windows)\r\nTeammem-Device: %s\r\n\r\n",
			b.in("/changes?since="+head.Cursor().String()+"&content=inline"), token, head.Tag(), device.ID)
		answer := exchange(t, url, request)
		total := packetBytes + len(request) + answer
		budget := noopBudget + len(token) - apiToken
		t.Logf("%s: %d bytes of request, %d of answer, %d with packets, budget %d", name, len(request), answer, total, budget)
		if total > budget {
			t.Errorf("%s: the exchange takes %d bytes, budget %d", name, total, budget)
		}
	}
}

// exchange sends a request and returns the size of its answer, which must be
// a 304.
func exchange(t *testing.T, url, request string) int {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", url[len("http://"):])
	must(t, err)
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, request)
	must(t, err)
	counted := &countingReader{r: conn}
	resp, err := http.ReadResponse(bufio.NewReader(counted), nil)
	must(t, err)
	must(t, resp.Body.Close())
	if resp.StatusCode != http.StatusNotModified {
		t.Fatalf("status %s", resp.Status)
	}
	return counted.n
}

type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// BenchmarkNoop is what the server does for a sync that finds nothing new.
func BenchmarkNoop(b *testing.B) {
	s := setup(b)
	c := s.as(b, memory.RoleContributor)
	s.put(b, c, "a.md", "x")
	feed := read[wire.Feed](b, c.get(s.in("/changes")))
	s.api.log = slog.New(slog.DiscardHandler)
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.url+s.in(fmt.Sprintf("/changes?since=%s:%d", feed.Epoch, feed.To)), nil)
	must(b, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("If-None-Match", fmt.Sprintf("\"%s:%d:%s\"", feed.Epoch, feed.To, feed.Digest))
	for b.Loop() {
		resp, err := http.DefaultTransport.RoundTrip(req)
		must(b, err)
		must(b, resp.Body.Close())
		if resp.StatusCode != http.StatusNotModified {
			b.Fatal(resp.Status)
		}
	}
}
