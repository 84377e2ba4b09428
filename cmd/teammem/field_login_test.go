package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/teammem/teammem/client"
)

// wayside stands between members and their server, and counts.
type wayside struct {
	target string // host and port

	mu   sync.Mutex
	seen map[string]int // requests, by the last part of the path
	lose int            // answers to refreshes that come next
	then func()         // done before an answer is lost
}

func (ws *wayside) start(t *testing.T, tm *team) {
	t.Helper()
	ws.target, ws.seen = tm.address(), map[string]int{}
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: ws.target}) },
		ErrorLog: log.New(io.Discard, "", 0),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lost, then := ws.takes(r)
		if !lost {
			proxy.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), r) // the server has done it
		then()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	tm.url = s.URL
}

// takes counts a request, and tells whether its answer gets lost, and what is
// done before that.
func (ws *wayside) takes(r *http.Request) (lost bool, then func()) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	ws.seen[last]++
	if last != "token" || ws.lose == 0 {
		return false, nil
	}
	ws.lose--
	return true, ws.then
}

// loses makes the next answers to refreshes get lost.
func (ws *wayside) loses(n int, then func()) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.lose, ws.then = n, then
}

// count returns what was seen since the last count, and in all.
func (ws *wayside) count() (seen map[string]int, all int) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	seen, ws.seen = ws.seen, map[string]int{}
	for _, n := range seen {
		all += n
	}
	return seen, all
}

func (m *member) credentials() string {
	return filepath.Join(m.home, ".config", "teammem", "credentials.json")
}

// tokenEnds makes the access token one that the server does not take, as if its
// time had passed; the member's clock knows it, or does not.
func (m *member) tokenEnds(t *testing.T, known bool) {
	t.Helper()
	b, err := os.ReadFile(m.credentials())
	if err != nil {
		t.Fatal(err)
	}
	spoilt := regexp.MustCompile(`("access": "[^"]*)"`).ReplaceAll(b, []byte(`${1}x"`))
	if known {
		spoilt = regexp.MustCompile(`"renew_at": "[^"]*"`).ReplaceAll(spoilt, []byte(`"renew_at": "2020-01-01T00:00:00Z"`))
	}
	if bytes.Equal(b, spoilt) {
		t.Fatalf("no token of a device is kept: %s", regexp.MustCompile(`tm._\w+|ey\S+`).ReplaceAll(b, []byte("…")))
	}
	if err := os.WriteFile(m.credentials(), spoilt, 0o600); err != nil {
		t.Fatal(err)
	}
}

// atOnce runs commands of the member side by side.
func (m *member) atOnce(t *testing.T, commands ...[]string) {
	t.Helper()
	var all sync.WaitGroup
	for _, args := range commands {
		all.Go(func() {
			if out, err := program(t.Context(), m.home, args...).CombinedOutput(); err != nil {
				t.Errorf("teammem %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		})
	}
	all.Wait()
}

// F47: an access token ended, and five processes of one member notice at the
// same time. There is one refresh, all five go on, and the login stays. Nothing
// to do costs one request while the token is good.
func TestField_F47_OneRefresh(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ws := &wayside{}
	ws.start(t, tm)
	m := tm.join(t, "mara")
	folders := []string{m.work()}
	for i := range 3 {
		folder, dir := filepath.Join(m.home, fmt.Sprintf("app%d", i)), filepath.Join(m.home, fmt.Sprintf("memory%d", i))
		mkdir(t, folder)
		mkdir(t, dir)
		m.must(t, "link", folder, "--project", "acme/app", "--memory-dir", dir)
		folders = append(folders, folder)
	}
	commands := [][]string{{"whoami"}}
	for _, folder := range folders {
		commands = append(commands, []string{"sync", folder})
	}
	m.write(t, "a.md", "a\n")
	m.sync(t, 0)
	ws.count()
	m.sync(t, 0)
	if _, all := ws.count(); all != 1 {
		t.Errorf("a sync with nothing to do made %d requests", all)
	}
	for round := range 4 {
		m.tokenEnds(t, round%2 == 0)
		ws.count()
		m.atOnce(t, commands...)
		if seen, _ := ws.count(); seen["token"] != 1 {
			t.Errorf("round %d: %d refreshes", round, seen["token"])
		}
	}
	m.tokenEnds(t, true)
	m.starts(t, "one", "startup") // which may be too late, and then leaves the attempt to the next
	m.sync(t, 0)
	silentOn(t, m.must(t, "devices", "--json"), "revoked_at")
}

// A refresh whose answer is lost ends no login: not if it is lost again, and
// not if the server is killed and started again in between.
func TestLogin_LostAnswer(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	listen := tm.address()
	ws := &wayside{}
	ws.start(t, tm)
	m := tm.join(t, "mara")
	m.write(t, "a.md", "a\n")
	for _, known := range []bool{true, false} {
		m.tokenEnds(t, known)
		const losses = 2
		ws.loses(losses, func() {})
		for range losses {
			r := m.sync(t, exitOffline)
			says(t, r.stderr, "the server cannot be reached")
		}
		m.sync(t, 0)
	}
	m.tokenEnds(t, true)
	ws.loses(1, func() { tm.stop(syscall.SIGKILL) })
	m.sync(t, exitOffline)
	m.sync(t, exitRetry) // what stands in between says that it is gone
	m.write(t, "b.md", "b\n")
	through := tm.url
	tm.start(t, listen)
	tm.url = through
	m.sync(t, 0)
	m.tokenEnds(t, true)
	m.sync(t, 0)
	silentOn(t, m.must(t, "devices", "--json"), "revoked_at")
}

// A login from before devices had tokens goes on with its API token, and the
// next login makes it a device.
func TestLogin_Earlier(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	m := tm.settle(t, "mara")
	m.must(t, "login", tm.url, "--token", m.token, "--keep-token")
	b, err := os.ReadFile(m.credentials())
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"access", "refresh", "renew_at", "attempt", "ca_file"} {
		silentOn(t, string(b), `"`+field)
	}
	says(t, m.must(t, "whoami"), "by an API token that is kept here")
	dirs, err := client.UserDirs(func(name string) string { return map[string]string{"HOME": m.home}[name] })
	if err != nil {
		t.Fatal(err)
	}
	before, err := dirs.Login(tm.url)
	if err != nil {
		t.Fatal(err)
	}
	m.must(t, "login", tm.url, "--token", m.token)
	after, err := dirs.Login(tm.url)
	if err != nil || after.Device != before.Device || after.Token != "" || after.Refresh == "" {
		t.Errorf("the login became %+v of %s, was of %s (%v)", after, after.Device, before.Device, err)
	}
}
