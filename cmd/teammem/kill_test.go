package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
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
	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/internal/testdb/scratch"
	"github.com/teammem/teammem/memory"
)

const (
	// soak asks for the long run of the tests that have one.
	soak = "TEAMMEM_SOAK"
	// killSeed repeats the choices of an earlier run.
	killSeed = "TEAMMEM_KILL_SEED"
)

// Whoever dies at any moment of some pushes, nothing that was acknowledged is
// lost; the next run converges and leaves nothing behind. The seed decides who
// dies, at which push and how long after it came, and what is written.
func TestKill_AtRandomMoments(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	if s := os.Getenv(killSeed); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("run it again with %s=%d", killSeed, seed)
	k := newKilling(t, seed)
	least, pushes := 10, 100
	if os.Getenv(soak) != "" {
		least, pushes = 40, 400
	}
	rounds := 0
	for rounds < least || k.trap.total < pushes {
		k.round(t, rounds)
		rounds++
	}
	t.Logf("%d pushes in %d rounds", k.trap.total, rounds)
	first, second := k.writers[0].member, k.writers[1].member
	first.syncWilling(t)
	second.syncWilling(t)
	equalTrees(t, first, second)
	digests(t, first, second)
}

// killing is a team whose server, database and programs are killed.
type killing struct {
	*team

	random  *rand.Rand
	trap    *trap
	writers [2]*writer
}

func newKilling(t *testing.T, seed uint64) *killing {
	t.Helper()
	k := &killing{team: &team{dir: privateFolder(t)}, random: rand.New(rand.NewPCG(seed, 0))}
	k.admin = []string{"admin", "--data", filepath.Join(k.dir, "instance")}
	k.start(t, anyPort())
	k.must(t, append(k.admin, "project", "add", "acme/app")...)
	k.trap = &trap{target: k.address()}
	real := k.url
	k.url = k.trap.start(t)
	for i, name := range []string{"mara", "jo"} {
		k.writers[i] = &writer{
			member: k.join(t, name), random: rand.New(rand.NewPCG(seed, uint64(i)+1)), offered: map[string][]string{}, acknowledged: map[string]int{},
		}
	}
	k.url = real
	return k
}

// round lets the members write until somebody is killed, and mends that. In
// some rounds, one for each victim, there is more to send than a push takes.
func (k *killing) round(t *testing.T, round int) {
	t.Helper()
	victim := []string{"postgres", "server", "client", "client"}[k.random.IntN(4)]
	push, target := 6+k.random.IntN(4), k.writers[k.random.IntN(len(k.writers))]
	if large := []int{2, 5, 8}; slices.Contains(large, round) {
		victim = []string{"postgres", "server", "client"}[slices.Index(large, round)]
		push = 2 + k.random.IntN(2)
		target.offerMany(t, round)
	}
	const most = 60 * time.Millisecond // a push takes about as long
	delay := time.Duration(k.random.Int64N(int64(most)))
	defer func() {
		if t.Failed() {
			t.Logf("in round %d, %s killed %v after push %d", round, victim, delay, push)
			for _, w := range k.writers {
				t.Logf("%s: %s", filepath.Base(w.home), strings.Join(w.story, "\n"))
			}
		}
	}()
	for _, w := range k.writers {
		w.story = nil
	}
	killed := make(chan struct{})
	k.trap.set(push, func() {
		time.AfterFunc(delay, func() {
			defer close(killed)
			k.kill(t, victim, target.process())
		})
	})
	var writing sync.WaitGroup
	for _, w := range k.writers {
		writing.Go(func() { w.writeUntil(t, killed) })
	}
	writing.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if victim == "server" {
		k.start(t, k.address())
	}
	k.awaitReady(t) // a killed Postgres is started again by the server
	k.compare(t, (*writer).mayExpect)
	last := k.random.IntN(len(k.writers))
	for _, w := range []*writer{k.writers[1-last], k.writers[last]} {
		r := w.syncWilling(t)
		w.tell("sync: %s%s", r.stdout, r.stderr)
	}
	k.writers[last].equals(t, k.compare(t, (*writer).mustExpect))
	k.nothingLeft(t)
	if t.Failed() {
		t.FailNow()
	}
}

// compare fails unless the server has, of each entry, one of the texts that its
// writer expects there.
func (k *killing) compare(t *testing.T, expected func(w *writer, path string) []string) (served map[string]wire.ManifestEntry) {
	t.Helper()
	served = k.served(t)
	for _, w := range k.writers {
		for path := range w.offered {
			texts := expected(w, path)
			if !slices.ContainsFunc(texts, func(text string) bool { return served[path].SHA256 == hashOf(text) }) {
				t.Errorf("the server has not %s as one of %q, but as revision %d, by %s", path, texts, served[path].Rev, served[path].Author.Name)
			}
		}
	}
	return served
}

// served returns what the server has, by path.
func (k *killing) served(t *testing.T) map[string]wire.ManifestEntry {
	t.Helper()
	var m wire.Manifest
	reader := k.writers[0]
	path := "/api/v1/projects/" + string(reader.link(t).Project) + "/manifest"
	if status := reader.get(t, path, nil, &m); status != http.StatusOK {
		t.Fatalf("the manifest has status %d", status)
	}
	served := map[string]wire.ManifestEntry{}
	for _, e := range m.Entries {
		served[e.Path] = e
	}
	return served
}

// nothingLeft looks for what an interrupted program left half done.
func (k *killing) nothingLeft(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(k.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // Postgres works in there
		}
		if err == nil && (strings.HasPrefix(d.Name(), ".teammem-") || strings.HasSuffix(d.Name(), ".tmp") && !strings.Contains(path, "pg_")) {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// writer is a member who edits, adds and removes entries of their own, and
// remembers what they were told about them.
type writer struct {
	*member

	random       *rand.Rand
	count        int
	offered      map[string][]string // by path: all texts it ever had here, "" for none
	acknowledged map[string]int      // the newest of them that the server was said to have
	story        []string            // of this round: what was offered, and what each sync said

	mu      sync.Mutex
	running *exec.Cmd
}

// writeUntil syncs small changes until somebody has been killed.
func (w *writer) writeUntil(t *testing.T, killed <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-killed:
			return
		case <-t.Context().Done():
			return
		default:
		}
		w.change(t)
		w.syncOnce(t)
	}
}

// change makes a few changes: two pushes, as deletes travel alone.
func (w *writer) change(t *testing.T) {
	t.Helper()
	paths := slices.Sorted(maps.Keys(w.offered))
	for range 1 + w.random.IntN(4) {
		path := fmt.Sprintf("%s/%d.md", filepath.Base(w.home), len(paths))
		if edit := w.random.IntN(2) == 0 && len(paths) > 0; edit {
			path = paths[w.random.IntN(len(paths))]
		} else {
			paths = append(paths, path)
		}
		w.count++
		w.offer(t, path, fmt.Sprintf("text %d of %s\n", w.count, path))
	}
	live := slices.DeleteFunc(paths, func(path string) bool { return w.now(path) == "" })
	w.offer(t, live[w.random.IntN(len(live))], "")
}

// offerMany makes more changes than go into a push.
func (w *writer) offerMany(t *testing.T, round int) {
	t.Helper()
	for i := range 220 {
		w.offer(t, fmt.Sprintf("%s/round%d/%03d.md", filepath.Base(w.home), round, i), fmt.Sprintf("text %d of round %d\n", i, round))
	}
}

// now is the text that a file has.
func (w *writer) now(path string) string {
	if all := w.offered[path]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

func (w *writer) offer(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		w.remove(t, path)
	} else {
		w.write(t, path, text)
	}
	w.offered[path] = append(w.offered[path], text)
	w.tell("%s is now %q", path, text)
}

func (w *writer) tell(format string, args ...any) {
	w.story = append(w.story, time.Now().Format("05.000 ")+fmt.Sprintf(format, args...))
}

// syncOnce runs a sync, however it ends, and says yes to the deletes that it
// holds: in such a small tree soon all are.
func (w *writer) syncOnce(t *testing.T) {
	t.Helper()
	if held := w.syncAllowing(t, 1); held > 0 {
		w.syncAllowing(t, held)
	}
}

// syncAllowing runs a sync and notes what it said was published. It returns how
// many deletes were held.
func (w *writer) syncAllowing(t *testing.T, deletes int) (held int) {
	t.Helper()
	c := program(t.Context(), w.home, "sync", w.work(), "--json", allowing(deletes))
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	if err := c.Start(); err != nil {
		t.Error(err)
		return 0
	}
	w.mu.Lock()
	w.running = c
	w.mu.Unlock()
	_ = c.Wait() // its code says what became of it
	if code := c.ProcessState.ExitCode(); !slices.Contains([]int{exitOK, exitRetry, exitOffline, exitHold, killedCode}, code) {
		t.Errorf("sync of %s: exit %d\n%s", filepath.Base(w.home), code, &stderr)
	}
	w.tell("sync: exit %d\n%s%s", c.ProcessState.ExitCode(), &out, &stderr)
	for line := range strings.Lines(out.String()) {
		var l opLine
		if err := json.Unmarshal([]byte(line), &l); err == nil && l.Type == "op" && l.Verdict == string(memory.RulingPublished) {
			w.acknowledged[l.Path] = len(w.offered[l.Path]) - 1
		}
	}
	return heldDeletes(out.String())
}

func (w *writer) process() *exec.Cmd {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running
}

// killedCode is what a process that was killed has instead of an exit code.
const killedCode = -1

// mayExpect returns what the server may have while not all is in sync: what this
// member was told is published, or what they wrote later.
func (w *writer) mayExpect(path string) []string {
	newest, ever := w.acknowledged[path]
	texts := w.offered[path][newest:]
	if !ever {
		texts = append([]string{""}, texts...)
	}
	return texts
}

// mustExpect returns what the server has when all is in sync.
func (w *writer) mustExpect(path string) []string { return []string{w.now(path)} }

// equals fails unless the member's tree is what the server has.
func (w *writer) equals(t *testing.T, served map[string]wire.ManifestEntry) {
	t.Helper()
	want, got := map[string]string{}, map[string]string{}
	for path, e := range served {
		want[path] = e.SHA256
	}
	for path, text := range w.files(t) {
		got[path] = hashOf(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("server and %s differ (-server +tree):\n%s", filepath.Base(w.home), diff)
	}
}

// hashOf is "" for a text that is gone.
func hashOf(text string) string {
	if text == "" {
		return ""
	}
	return memory.Sum([]byte(text)).String()
}

// trap forwards to the server, and calls somebody at a certain push.
type trap struct {
	target string
	mu     sync.Mutex
	total  int
	left   int
	at     func() // nil: not set
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

func (tr *trap) set(push int, at func()) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.left, tr.at = push, at
}

// killAtSecond starts a program, and kills it some time after its second push
// has come.
func (tr *trap) killAtSecond(t *testing.T, c *exec.Cmd) (killed <-chan struct{}) {
	t.Helper()
	const most = 40 * time.Millisecond // of a push of 200 entries
	started, done := make(chan struct{}), make(chan struct{})
	tr.set(2, func() {
		time.AfterFunc(rand.N(most), func() {
			defer close(done)
			<-started
			_ = c.Process.Kill() // it may have ended
		})
	})
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	return done
}

func (tr *trap) spring() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.total++
	if tr.left--; tr.left <= 0 && tr.at != nil {
		tr.at()
		tr.at = nil
	}
}

// privateFolder is where a cluster of its own is, in memory if there is room:
// what is tested ends processes, not the machine, and Postgres waits for a disk
// at each commit. The account that runs Postgres, should it be another, can pass.
func privateFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratch.Dir(), "teammem-private-") //nolint:usetesting // t.TempDir is on the disk
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The server was killed, and its Postgres ends by itself: until then it writes.
		const patience = time.Minute
		for end := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(end) {
				t.Error(err)
				return
			}
		}
	})
	return dir
}

// syncUntilKilled runs a sync that is killed in its second push.
func (m *member) syncUntilKilled(t *testing.T, trap *trap) {
	t.Helper()
	c := program(t.Context(), m.home, "sync", m.work())
	killed := trap.killAtSecond(t, c)
	_ = c.Wait() // whatever became of it
	select {
	case <-killed:
	case <-t.Context().Done():
	}
}

// awaitReady waits until the server and its database answer.
func (tm *team) awaitReady(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-nextLook() {
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
		if c != nil { // else it has not begun
			_ = c.Process.Kill() // it may have ended
		}
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
