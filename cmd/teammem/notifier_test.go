package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/internal/testdb"
)

// A server tells others on its database what it writes, its clients what others
// tell, and ends their streams when it ends.
func TestServe_Hints(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir(), database: testdb.New(t)}
	tm.admin = []string{"admin", "--database-url", tm.database}
	s := startWatched(t, tm.dir, nil, "--database-url", tm.database, "--data", tm.dir, "--metrics-listen", "127.0.0.1:0")
	added := tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	project := strings.Trim(added[strings.Index(added, "("):], "()")
	tm.must(t, append(tm.admin, "member", "add", "mara")...)
	token := tm.must(t, append(tm.admin, "token", "create", "--member", "mara", "--scope", "sync:read,sync:write")...)
	epoch := epochOf(t, s, project, token)
	other, err := pgx.Connect(t.Context(), tm.database)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.WithoutCancel(t.Context()))
	if _, err := other.Exec(t.Context(), "listen teammem"); err != nil {
		t.Fatal(err)
	}

	stream := openEvents(t, s.url, token)
	awaitProbe(t, s.probes+"/metrics", http.StatusOK, "teammem_event_streams 1\n")
	if answer := beginPush(t, s, project, token, epoch).finish(t); !strings.Contains(answer, `"published"`) {
		t.Fatalf("the push was answered with %s", answer)
	}
	n, err := other.WaitForNotification(t.Context())
	if want := project + ":" + epoch + ":1"; err != nil || n.Payload != want {
		t.Fatalf("others are told %+v, %v, want %s", n, err, want)
	}
	awaitSeq(t, stream, `"seq":1}`)
	if _, err := other.Exec(t.Context(), "select pg_notify('teammem', $1)", project+":"+epoch+":77"); err != nil {
		t.Fatal(err)
	}
	awaitSeq(t, stream, `"seq":77}`)

	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(stream); err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("the server ended with %v: %s", err, s.log)
	}
}

// openEvents opens a stream of events, which ends with the test.
func openEvents(t *testing.T, url, token string) *bufio.Reader {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %v, %v", resp, err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return bufio.NewReader(resp.Body)
}

func awaitSeq(t *testing.T, stream *bufio.Reader, want string) {
	t.Helper()
	for line := ""; !strings.Contains(line, want); {
		var err error
		if line, err = stream.ReadString('\n'); err != nil {
			t.Fatalf("no %s: %v", want, err)
		}
	}
}
