package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// chaosSeed repeats the choices of an earlier run.
const chaosSeed = "TEAMMEM_CHAOS_SEED"

// Five members write to the same files while their watchers are killed and
// paused, the server is killed, and the network comes and goes. Afterwards all
// have the same tree, and every line that was ever written is in it once, unless
// somebody removed it or it waits in a conflict; what was removed is in the
// history.
func TestChaos_FiveMembers(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	if s := os.Getenv(chaosSeed); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("make the same choices again with %s=%d", chaosSeed, seed)
	size := chaosSize{files: 40, length: 2500 * time.Millisecond, edits: 60 * time.Millisecond, troubles: time.Second, restarts: time.Second}
	if os.Getenv(soak) != "" {
		size = chaosSize{files: 300, length: 2 * time.Minute, edits: 250 * time.Millisecond, troubles: 5 * time.Second, restarts: 15 * time.Second, long: true}
	}
	c := newChaos(t, seed, size)
	c.rage(t)
	c.calmDown(t)
	c.judge(t)
}

// chaosSize is how much happens, with the longest pauses between.
type chaosSize struct {
	files                     int
	length                    time.Duration
	edits, troubles, restarts time.Duration
	long                      bool // files are renamed, too, and made under names that others may use, and conflicts are counted
}

type chaos struct {
	*team

	size   chaosSize
	random *rand.Rand
	people []*person
	began  time.Time

	deletes atomic.Int64
}

// newChaos makes a team of five who have the same tree.
func newChaos(t *testing.T, seed uint64, size chaosSize) *chaos {
	t.Helper()
	c := &chaos{team: newTeam(t), size: size, random: rand.New(rand.NewPCG(seed, 0)), began: time.Now()}
	real := c.url
	for i, name := range []string{"ann", "ben", "cleo", "dan", "eve"} {
		net := newNetwork(t, c.address())
		c.url = net.url
		p := &person{
			chaos: c, member: c.join(t, name), name: name, network: net, random: rand.New(rand.NewPCG(seed, uint64(i)+1)),
			written: map[string]writing{}, adding: map[string]writing{}, removed: map[string]string{}, moving: map[string]string{},
		}
		c.people = append(c.people, p)
		mkdir(t, p.bin())
	}
	c.url = real
	first := c.people[0]
	c.plant(t, first)
	r := first.run(t, "sync", first.work(), "--json")
	for file := range refusedIn(t, r.stdout) {
		first.remove(t, file)
	}
	for _, p := range c.people {
		p.sync(t, exitOK)
	}
	t.Cleanup(func() {
		for _, p := range c.people {
			p.halt()
			if t.Failed() {
				t.Logf("%s:\n%s", p.name, p.story())
			}
		}
	})
	return c
}

// hot are the files that everybody writes to.
func hot() []string { return []string{"MEMORY.md", "plan.md", "log.md", "decisions.md"} }

// plant fills a tree: with the files that all write to, then those of the
// corpus as far as it is here, then others.
func (c *chaos) plant(t *testing.T, p *person) {
	t.Helper()
	const lines = 12
	for _, path := range hot() {
		text := "# " + path + "\n"
		for i := range lines {
			text += fmt.Sprintf("\nParagraph %d of %s, as it was.\n", i, path)
		}
		p.write(t, path, text)
	}
	planted := len(hot())
	for _, file := range corpusFiles(t) {
		if planted == c.size.files {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 0 {
			p.write(t, fmt.Sprintf("area%d/%03d-%s", planted%(c.size.files/8), planted, strings.ToLower(filepath.Base(file))), strings.TrimRight(string(text), "\n")+"\n")
			planted++
		}
	}
	for ; planted < c.size.files; planted++ {
		p.write(t, fmt.Sprintf("area%d/%03d.md", planted%(c.size.files/8), planted), fmt.Sprintf("# Note %d\n\nWhat there is to know of it.\n", planted))
	}
}

// corpusFiles are real notes, if they lie beside the repository.
func corpusFiles(t *testing.T) (files []string) {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "corpus")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return ignoreGone(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// rage lets everybody write, and trouble come.
func (c *chaos) rage(t *testing.T) {
	t.Helper()
	c.began = time.Now()
	end := make(chan struct{})
	var all sync.WaitGroup
	for _, p := range c.people {
		p.start(t)
		trouble := rand.New(rand.NewPCG(p.random.Uint64(), 0))
		all.Go(func() { p.live(t, end) })
		all.Go(func() { p.suffer(t, trouble, end) })
	}
	over := time.After(c.size.length)
	for done := false; !done; {
		select {
		case <-over:
			done = true
		case <-t.Context().Done():
			done = true
		case <-time.After(upTo(c.random, c.size.restarts)):
			c.stop(syscall.SIGKILL)
			c.team.start(t, c.address())
		}
	}
	close(end)
	all.Wait()
}

// upTo returns a time between a fifth of the given one and all of it.
func upTo(r *rand.Rand, most time.Duration) time.Duration {
	return most/5 + time.Duration(r.Int64N(int64(most*4/5)))
}

// calmDown ends all trouble and waits until everybody has the same, and their
// syncs find nothing to do.
func (c *chaos) calmDown(t *testing.T) {
	t.Helper()
	const patience = 3 * time.Minute
	c.awaitReady(t)
	for _, p := range c.people {
		p.network.set(fair)
		p.must(t, "resume", p.work())
		p.start(t)
	}
	var diff string
	for end := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		if diff = c.differ(t); diff == "" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the trees are not equal in the end:\n%s", diff)
		}
	}
	for _, p := range c.people {
		p.halt()
	}
	c.settle(t)
}

// differ tells how the trees differ, if they do.
func (c *chaos) differ(t *testing.T) string {
	t.Helper()
	first := c.people[0]
	want := first.texts(t)
	for _, p := range c.people[1:] {
		if diff := cmp.Diff(want, p.texts(t)); diff != "" {
			return fmt.Sprintf("%s and %s (-first +second)\n%s", first.name, p.name, diff)
		}
	}
	return ""
}

// settle syncs until nobody finds anything to do, and compares all there is.
func (c *chaos) settle(t *testing.T) {
	t.Helper()
	const most = 4
	var states []string
	for range most {
		states = nil
		done := 0
		for _, p := range c.people {
			r := p.run(t, "sync", p.work(), "--json")
			if !slices.Contains([]int{exitOK, exitConflicts}, r.code) {
				t.Fatalf("sync of %s in the end: exit %d\n%s%s", p.name, r.code, r.stdout, r.stderr)
			}
			done += strings.Count(r.stdout, `"type":"op"`)
			s := summaryOf(t, r.stdout)
			states = append(states, s.Cursor+" "+s.Digest)
		}
		if slices.Sort(states); done == 0 && len(slices.Compact(states)) == 1 {
			for _, p := range c.people[1:] {
				equalTrees(t, c.people[0].member, p.member)
			}
			return
		}
	}
	t.Fatalf("the members' states differ after %d more syncs of each: %v", most, states)
}

// start runs the person's watcher, if it does not run.
func (p *person) start(t *testing.T) {
	t.Helper()
	if p.watcher != nil {
		return
	}
	c := program(t.Context(), p.home, "watch")
	c.Stdout, c.Stderr = p, p
	if err := c.Start(); err != nil {
		t.Error(err)
		return
	}
	p.watcher = c
}

// halt kills the person's watcher, if it runs.
func (p *person) halt() {
	if p.watcher != nil {
		halt(p.watcher, syscall.SIGKILL)
		p.watcher = nil
	}
}

// suffer kills, pauses and disconnects what works for a person.
func (p *person) suffer(t *testing.T, r *rand.Rand, end <-chan struct{}) {
	t.Helper()
	wait := func(most time.Duration) bool {
		select {
		case <-time.After(upTo(r, most)):
			return true
		case <-end:
			return false
		}
	}
	for wait(p.size.troubles) {
		switch n := r.IntN(10); {
		case n < 4:
			p.tell("killed")
			p.halt()
			wait(p.size.troubles / 3)
			p.start(t)
		case n < 5:
			p.tell("paused")
			p.run(t, "pause", p.work())
			wait(p.size.troubles)
			p.run(t, "resume", p.work())
		default:
			w := []weather{slow, calm, cut}[r.IntN(3)]
			p.tell("network %d", w)
			p.network.set(w)
			wait(p.size.troubles / 2)
			p.network.set(fair)
		}
	}
}

// Write takes down what a watcher says.
func (p *person) Write(b []byte) (int, error) {
	p.tell("      %s", bytes.TrimRight(b, "\n"))
	return len(b), nil
}

// tell takes down what happens to a person.
func (p *person) tell(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(&p.log, "%8.3f %s\n", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}

func (p *person) story() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}
