package main

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/memory"
)

// soak asks for the long run of the tests that have one.
const soak = "TEAMMEM_SOAK"

// Whatever dies in the middle of a push, nothing that was acknowledged is lost;
// the next run converges and leaves nothing behind.
func TestKill_InTheMiddleOfAPush(t *testing.T) {
	t.Parallel()
	tm := &team{dir: t.TempDir()}
	allowOthers(t, tm.dir)
	tm.admin = []string{"admin", "--data", filepath.Join(tm.dir, "instance")}
	tm.start(t, "127.0.0.1:0")
	tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	trap := &trap{target: tm.address()}
	real := tm.url
	tm.url = trap.start(t)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	tm.url = real

	victims := []string{"postgres", "server", "client"}
	if os.Getenv(soak) != "" {
		victims = slices.Repeat(victims, 7)
	}
	for round, victim := range victims {
		for i := range 450 { // two pushes and a half
			a.write(t, fmt.Sprintf("round%d/note-%03d.md", round, i), fmt.Sprintf("text %d of round %d\n", i, round))
			if round > 0 && i%3 == 0 {
				a.write(t, fmt.Sprintf("round%d/note-%03d.md", round-1, i), fmt.Sprintf("edited in round %d\n", round))
			}
		}
		acknowledged := a.syncUntilKilled(t, trap, victim)
		if victim == "server" {
			tm.start(t, tm.address())
		}
		tm.awaitReady(t) // a killed Postgres is started again by the server
		b.sync(t, 0)
		for path, sum := range acknowledged {
			if got := memory.Sum([]byte(b.read(t, path))).String(); got != sum {
				t.Errorf("round %d: %s was acknowledged and is not what the other member received", round, path)
			}
		}
		if victim != "client" && len(acknowledged) == 0 {
			t.Errorf("round %d: nothing was acknowledged before the kill, so it proves little", round)
		}
		a.sync(t, 0)
		b.sync(t, 0)
		equalTrees(t, a, b)
		for name := range a.files(t) {
			if strings.Contains(name, ".teammem-") {
				t.Errorf("round %d: %s was left behind", round, name)
			}
		}
		t.Logf("round %d, %s killed: %d acknowledged before that", round, victim, len(acknowledged))
	}
	digests(t, a, b)
}

// trap forwards to the server, and kills somebody while the second push after
// it was set is on its way.
type trap struct {
	target string
	mu     sync.Mutex
	pushes int
	kill   func() // nil: not set
}

func (tr *trap) start(t *testing.T) string {
	t.Helper()
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: tr.target}) },
		ErrorLog: log.New(io.Discard, "", 0), // a killed server is what we want
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			tr.spring()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func (tr *trap) set(kill func()) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.pushes, tr.kill = 0, kill
}

func (tr *trap) spring() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.pushes++; tr.pushes == 2 && tr.kill != nil {
		const most = 40 * time.Millisecond // of a push of 200 entries
		time.AfterFunc(rand.N(most), tr.kill)
		tr.kill = nil
	}
}

// allowOthers lets the account that runs Postgres pass, should it be another.
func allowOthers(t *testing.T, dir string) {
	t.Helper()
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// syncUntilKilled runs a sync during which somebody is killed, and returns what
// it said was published.
func (m *member) syncUntilKilled(t *testing.T, trap *trap, victim string) map[string]string {
	t.Helper()
	local := m.files(t)
	c := program(t.Context(), m.home, "sync", m.work(), "--json")
	out := &strings.Builder{}
	c.Stdout = out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	killed := make(chan struct{})
	trap.set(func() { // long before the first push
		defer close(killed)
		m.team.kill(t, victim, c)
	})
	_ = c.Wait() // whatever became of it
	select {
	case <-killed:
	case <-t.Context().Done():
	}
	acknowledged := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var l opLine
		if err := json.Unmarshal([]byte(line), &l); err == nil && l.Type == "op" && l.Verdict == string(memory.RulingPublished) {
			acknowledged[l.Path] = memory.Sum([]byte(local[l.Path])).String()
		}
	}
	return acknowledged
}

// awaitReady waits until the server and its database answer.
func (tm *team) awaitReady(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tm.url+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatalf("the server is not ready again after a minute\n%s", tm.log)
}

func (tm *team) kill(t *testing.T, victim string, c *exec.Cmd) {
	t.Helper()
	switch victim {
	case "client":
		_ = c.Process.Kill() // it may have ended
	case "server":
		tm.stop(syscall.SIGKILL)
	case "postgres":
		b, err := os.ReadFile(filepath.Join(tm.dir, "instance", "postgres", "postmaster.pid"))
		if err != nil {
			t.Error(err)
			return
		}
		first, _, _ := strings.Cut(string(b), "\n")
		pid, err := strconv.Atoi(first)
		if err != nil {
			t.Error(err)
			return
		}
		postmaster, err := os.FindProcess(pid)
		if err == nil {
			err = postmaster.Kill()
		}
		if err != nil {
			t.Error(err)
		}
	}
}
