package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/teammem/teammem/internal/testdb"
)

// newTLSTeam starts a server that speaks TLS by itself.
func newTLSTeam(t *testing.T, names ...string) (*team, pair) {
	t.Helper()
	tm := &team{dir: t.TempDir(), database: testdb.New(t)}
	p := certify(t, tm.dir, names...)
	tm.admin = []string{"admin", "--database-url", tm.database}
	tm.start(t, "127.0.0.1:0", "--tls-cert", p.cert, "--tls-key", p.key)
	return tm, p
}

func (p pair) trusted(t *testing.T) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(p.cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10}
}

func get(t *testing.T, c *http.Client, url string) (status int, header http.Header, proto, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, resp.Proto, string(text)
}

func TestServe_TLS(t *testing.T) {
	t.Parallel()
	tm, p := newTLSTeam(t, "memory.example.com", "127.0.0.1")
	if !strings.HasPrefix(tm.url, "https://127.0.0.1:") {
		t.Fatalf("listening on %s", tm.url)
	}
	address := strings.TrimPrefix(tm.url, "https://")
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: p.trusted(t), ForceAttemptHTTP2: true}}
	t.Cleanup(c.CloseIdleConnections)
	status, header, proto, _ := get(t, c, tm.url+"/login")
	if status != http.StatusOK || proto != "HTTP/2.0" || !strings.HasPrefix(header.Get("Strict-Transport-Security"), "max-age=31536000") {
		t.Errorf("status %d by %s, HSTS %q", status, proto, header.Get("Strict-Transport-Security"))
	}

	for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13} {
		config := p.trusted(t)
		config.MinVersion, config.MaxVersion = version, version
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			err = conn.Close()
		}
		if ok := err == nil; ok != (version >= tls.VersionTLS12) {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
	}

	if status, _, _, body := get(t, http.DefaultClient, "http://"+address+"/login"); status != http.StatusBadRequest || !strings.Contains(body, "HTTPS") {
		t.Errorf("plain HTTP is answered with %d %q", status, body)
	}

	tm.must(t, append(tm.admin, "member", "add", "jo")...)
	port := address[strings.LastIndex(address, ":"):]
	if link := tm.must(t, append(tm.admin, "console-link", "jo")...); !strings.HasPrefix(link, "https://memory.example.com"+port+"/login?") {
		t.Errorf("links lead to %.40s", link)
	}
	renewed := certify(t, tm.dir, "memory.example.com", "127.0.0.1").trusted(t)
	for {
		conn, err := (&tls.Dialer{Config: renewed}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		<-nextLook() // until the server looks at its files again
	}
	// A certificate that broke on the way is no reason to end a server that goes on with the one before.
	if err := os.WriteFile(p.cert, []byte("half a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, tm.dir, "health", "--listen", address, "--tls-cert", p.cert); r.code != 0 {
		t.Errorf("health: exit %d: %s", r.code, r.stderr)
	}
}

// A header without end is refused, long before it fills the memory.
func TestServe_HeaderFlood(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", tm.address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n")
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(conn, "X-%d: %s\r\n", i, strings.Repeat("a", 1000)); err != nil {
				return // refused
			}
		}
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		if errors.Is(err, syscall.ECONNRESET) {
			return // the answer was overtaken by the end of the connection
		}
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// watchedServer is a server with a second listener.
type watchedServer struct {
	*exec.Cmd

	url, probes string
	log         *bytes.Buffer // read it after the server ended
}

// startWatched runs a server with its own environment beside that of the tests.
func startWatched(t *testing.T, dir string, env []string, args ...string) *watchedServer {
	t.Helper()
	args = append([]string{"serve", "--data", filepath.Join(dir, "instance")}, args...)
	s := &watchedServer{Cmd: programUnderRace(t.Context(), dir, args...), log: &bytes.Buffer{}}
	s.Env = append(s.Env, env...)
	s.Stderr = s.log
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(s.Cmd) })
	lines := bufio.NewReader(out)
	for _, line := range []struct {
		start string
		to    *string
	}{{"listening on ", &s.url}, {"metrics on ", &s.probes}} {
		text, err := lines.ReadString('\n')
		if err != nil {
			end(s.Cmd)
			t.Fatalf("the server did not start: %v\n%s", err, s.log)
		}
		*line.to = strings.TrimSpace(strings.TrimPrefix(text, line.start))
	}
	return s
}

// Asked to end, a server says at once that it is not ready, sends long polls
// home, and answers the push that is still arriving.
func TestServe_Drain(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir(), database: testdb.New(t)}
	tm.admin = []string{"admin", "--database-url", tm.database}
	s := startWatched(t, tm.dir, nil, "--database-url", tm.database, "--data", tm.dir, "--metrics-listen", "127.0.0.1:0")
	added := tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	project := strings.Trim(added[strings.Index(added, "("):], "()")
	tm.must(t, append(tm.admin, "member", "add", "mara")...)
	token := tm.must(t, append(tm.admin, "token", "create", "--member", "mara", "--scope", "sync:read,sync:write")...)

	push := beginPush(t, s, project, token, epochOf(t, s, project, token))
	poll := make(chan int, 1)
	go func() {
		poll <- statusOf(t, s.url+"/api/v1/projects/"+project+"/changes?wait=25", token)
	}()
	awaitProbe(t, s.probes+"/metrics", http.StatusOK, "teammem_long_polls 1\n")
	awaitProbe(t, s.probes+"/readyz", http.StatusOK, "")
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitProbe(t, s.probes+"/readyz", http.StatusServiceUnavailable, "")
	awaitProbe(t, s.probes+"/healthz", http.StatusOK, "")
	if got := <-poll; got != http.StatusNotModified {
		t.Errorf("the long poll ended with %d", got)
	}
	if answer := push.finish(t); !strings.Contains(answer, " 200 OK") || !strings.Contains(answer, `"published"`) {
		t.Errorf("the push was answered with %s", answer)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("the server ended with %v: %s", err, s.log)
	}
}

// Asked to end while it waits for its database, a server ends as it does later.
func TestServe_EndsBeforeItBegins(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	dir := t.TempDir()
	s := programUnderRace(t.Context(), dir, "serve", "--data", dir, "--listen", "127.0.0.1:0", "--database-url", "postgres://u@"+silent.Addr().String()+"/d")
	var said bytes.Buffer
	s.Stdout, s.Stderr = &said, &said
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(s) })
	waiting, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = waiting.Close() })
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("it ended with %v: %s", err, &said)
	}
}

// A second signal does not wait for what runs.
func TestServe_SecondSignal(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir(), database: testdb.New(t)}
	tm.admin = []string{"admin", "--database-url", tm.database}
	s := startWatched(t, tm.dir, nil, "--database-url", tm.database, "--data", tm.dir, "--metrics-listen", "127.0.0.1:0")
	added := tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	project := strings.Trim(added[strings.Index(added, "("):], "()")
	tm.must(t, append(tm.admin, "member", "add", "mara")...)
	token := tm.must(t, append(tm.admin, "token", "create", "--member", "mara", "--scope", "sync:read,sync:write")...)
	beginPush(t, s, project, token, epochOf(t, s, project, token))
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	for {
		select {
		case err := <-ended:
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
				t.Errorf("the server ended with %v", err)
			}
			return
		default:
			_ = s.Process.Signal(syscall.SIGTERM) // one too many finds nobody
			<-nextLook()
		}
	}
}

func statusOf(t *testing.T, url, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func epochOf(t *testing.T, s *watchedServer, project, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/projects/"+project, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), `"epoch":"`)
	if !found {
		t.Fatalf("no epoch in %s", text)
	}
	epoch, _, _ := strings.Cut(after, `"`)
	return epoch
}

// slowPush is a push that the server reads, of which a part has arrived.
type slowPush struct {
	net.Conn
	rest string
}

func beginPush(t *testing.T, s *watchedServer, project, token, epoch string) slowPush {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	body := fmt.Sprintf(`{"epoch":%q,"ops":[{"op":"put","path":"slow.md","base_rev":0,"content":"slow\n"}]}`, epoch)
	_, err = fmt.Fprintf(conn, "POST /api/v1/projects/%s/push HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", project, token, len(body))
	if err != nil {
		t.Fatal(err)
	}
	// Go says "continue" when a handler begins to read.
	const proceed = "HTTP/1.1 100 Continue\r\n\r\n"
	got := make([]byte, len(proceed))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != proceed {
		t.Fatalf("the push is answered with %q: %v", got, err)
	}
	if _, err := io.WriteString(conn, body[:10]); err != nil {
		t.Fatal(err)
	}
	return slowPush{conn, body[10:]}
}

// finish sends the rest and returns the answer. It does not wait for the end of
// the connection, which the server keeps for more.
func (p slowPush) finish(t *testing.T) string {
	t.Helper()
	if _, err := io.WriteString(p, p.rest); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(p), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.Proto + " " + resp.Status + "\n" + string(text)
}

// awaitProbe asks until the answer has the status and holds the text.
func awaitProbe(t *testing.T, url string, status int, text string) {
	t.Helper()
	for {
		got, _, _, body := get(t, http.DefaultClient, url)
		if got == status && strings.Contains(body, text) {
			return
		}
		<-nextLook()
	}
}
