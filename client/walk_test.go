package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/store/backup"
)

const (
	soak     = "TEAMMEM_SOAK"      // asks for the long run of tests that have one
	walkSeed = "TEAMMEM_WALK_SEED" // repeats the choices of an earlier run
)

// Three members change whatever they like and sync, at the same time in the long
// run, through a proxy that drops, repeats, cuts and refuses, while their files are
// written and the server is put back to a backup. In the end all trees are the
// server's, and every text that a sync found is in it, in its history, in the
// trash or among the conflicts.
func TestWalk_NothingIsLost(t *testing.T) {
	t.Parallel()
	for seed := range walksOf(t) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			newRough(t, seed).run()
		})
	}
}

// walksOf returns the seeds of the walks to take. Which texts and names they
// choose depends on nothing else.
func walksOf(t *testing.T) iter.Seq[uint64] {
	t.Helper()
	first, walks := uint64(1), uint64(1) // what runs everywhere must not depend on luck
	if os.Getenv(soak) != "" {
		first, walks = rand.Uint64(), 50
	}
	if s := os.Getenv(walkSeed); s != "" {
		var err error
		first, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
	}
	return func(yield func(uint64) bool) {
		for n := range walks {
			if !yield(first + n) {
				return
			}
		}
	}
}

// rough is a walk over a bad network.
type rough struct {
	*team
	t       *testing.T
	members []*member
	backup  []byte // of some rounds ago; nil: none yet

	mu      sync.Mutex
	random  *rand.Rand
	count   int             // of texts, each of which is written once
	found   map[string]bool // by a sync, so that they must be kept
	excused map[string]bool // overwritten by their member before a sync had read them
}

func newRough(t *testing.T, seed uint64) *rough {
	t.Helper()
	tm := newTeam(t, memory.Limits{FeedPage: 7})
	return &rough{
		team: tm, t: t, members: []*member{tm.join(t, "ann"), tm.join(t, "ben"), tm.join(t, "cy")},
		random: rand.New(rand.NewPCG(seed, 0)), found: map[string]bool{}, excused: map[string]bool{},
	}
}

func (w *rough) run() {
	const rounds = 8
	for round := range rounds {
		for _, m := range w.members {
			for range w.n(4) {
				w.change(m)
			}
		}
		switch w.n(5) {
		case 0:
			w.keepBackup()
		case 1:
			w.goBack()
		}
		w.between(w.proxy)
		var syncing sync.WaitGroup
		for _, m := range w.members {
			syncing.Go(func() { w.sync(m) })
			if os.Getenv(soak) == "" {
				syncing.Wait() // one after the other, as the seed says
			}
		}
		syncing.Wait()
		w.between(nil)
		w.settle(round)
	}
}

func (w *rough) n(below int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(below)
}

// text returns one that nobody wrote yet. Some are too long to come with the
// feed, and those of the index can be merged.
func (w *rough) text(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	text := fmt.Sprintf("text %d\n", w.count)
	switch w.random.IntN(8) {
	case 0:
		return text + incompressible(uint64(w.count), 20_000)
	case 1:
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func (w *rough) name() string {
	return []string{"a.md", "b.md", "sub/a.md", "sub/b.md", "c.md", "MEMORY.md", "sub/deep/a.md"}[w.n(7)]
}

// change does one thing that a member or their agent would do.
func (w *rough) change(m *member) {
	files := m.files(w.t)
	name, other := w.name(), w.name()
	_, has := files[name]
	_, taken := files[other]
	switch {
	case name == "MEMORY.md" || other == "MEMORY.md":
		line := fmt.Sprintf("- [%d](%d.md)\n", w.n(1000), w.n(1000))
		m.write(w.t, "MEMORY.md", files["MEMORY.md"]+line+w.text("MEMORY.md"))
	case !has || w.n(2) == 0:
		m.write(w.t, name, w.text(name))
	case w.n(3) == 0:
		m.remove(w.t, name)
	case !taken:
		m.rename(w.t, name, other)
	case name != other:
		m.rename(w.t, name, "swap.md")
		m.rename(w.t, other, name)
		m.rename(w.t, "swap.md", other)
	}
}

// sync runs one sync, which may fail. What it finds must be kept.
func (w *rough) sync(m *member) {
	w.find(m)
	_, _ = m.try(w.t.Context())
}

func (w *rough) find(m *member) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range m.files(w.t) {
		w.found[text] = true
	}
}

// settle lets everybody sync in peace until nothing is left to do, and looks
// at what there is. Whatever went before, each sync finds out all there is to
// know, so that it ends in sync, unless the member has to decide: on a server
// whose history was replaced, or on a new file in the place of a team-mate's
// entry. A decision is made once a file, so they cannot go on for long.
func (w *rough) settle(round int) {
	w.t.Helper()
	const most = 10 // names at which a file can be
	for done, turns := false, 0; !done; turns++ {
		done = true
		for _, m := range w.members {
			w.find(m)
			r, err := m.willingly(w.t.Context())
			if errors.Is(err, client.ErrReset) {
				m.relink(w.t, true)
				done = false
				continue
			}
			for _, f := range r.Refused { // in the place of a team-mate's entry
				w.setAside(m, f.File)
				done = false
			}
			if len(r.Refused) == 0 && (err != nil || !r.Proven) || turns == most {
				w.t.Fatalf("round %d: sync of %s: proven %t, %v\nnotices: %q, did %+v", round, m.id.Name, r.Proven, err, r.Notices, r.Done)
			}
			done = done && len(r.Done) == 0
		}
	}
	w.compare(round)
}

// setAside takes a file out of the tree, as the report advises.
func (w *rough) setAside(m *member, name string) {
	text, there := m.files(w.t)[name]
	if !there {
		return
	}
	m.remove(w.t, name)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.excused[text] = true
}

// compare also lets a no-op be one request.
func (w *rough) compare(round int) {
	w.t.Helper()
	served := w.served(w.t)
	for _, m := range w.members {
		if got := m.files(w.t); !maps.EqualFunc(served, got, sameText) {
			w.t.Fatalf("round %d: %s has %.2000q, the server %.2000q", round, m.id.Name, got, served)
		}
		// What became of conflicts is asked for as long as there are any.
		if r := m.sync(w.t); r.Requests != 1+min(1, len(r.Conflicts)) {
			w.t.Errorf("round %d: %s: %d requests for nothing", round, m.id.Name, r.Requests)
		}
	}
	kept := w.all()
	for text := range w.found {
		if !kept[text] && !w.excused[text] && !kept[strings.ReplaceAll(text, "\r\n", "\n")] {
			w.t.Errorf("round %d: %.40q is nowhere", round, text)
		}
	}
}

// sameText compares as the planner does: line ends are a matter of each disk.
func sameText(a, b string) bool {
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// all returns every text that is anywhere.
func (w *rough) all() map[string]bool {
	kept := map[string]bool{}
	_, err := w.store.Export(w.t.Context(), w.project.ID, true, func(r memory.Revision, _ bool) error {
		kept[string(r.Content)] = true
		return nil
	})
	must(w.t, err)
	for _, m := range w.members {
		for _, texts := range []map[string]string{m.files(w.t), filesBelow(w.t, m.dirs.Data)} {
			for _, text := range texts {
				kept[text] = true
			}
		}
	}
	return kept
}

func (w *rough) keepBackup() {
	var b bytes.Buffer
	_, err := store.Backup(w.t.Context(), w.database, &b, store.BackupOptions{})
	must(w.t, err)
	w.backup = b.Bytes()
}

// goBack puts the server back to the backup. What only its history had is gone
// with that; what anybody has must stay.
func (w *rough) goBack() {
	if w.backup == nil {
		return
	}
	f, err := backup.Open(bytes.NewReader(w.backup))
	must(w.t, err)
	database := testdb.New(w.t)
	_, err = store.Restore(w.t.Context(), database, f, store.RestoreOptions{
		KeepEpoch: w.n(2) == 0, Row: memory.Principal{}.Row(time.Now(), "instance.restore", ""),
	})
	must(w.t, err)
	w.serve(w.t, database, memory.Limits{FeedPage: 7})
	all := w.all()
	maps.DeleteFunc(w.found, func(text string, _ bool) bool { return !all[text] })
}

// proxy does to a request what happens on the way.
func (w *rough) proxy(rw http.ResponseWriter, r *http.Request, next http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	again := func() *http.Request {
		c := r.Clone(context.WithoutCancel(r.Context())) // who goes away does not end what has arrived
		c.Body = io.NopCloser(bytes.NewReader(body))
		return c
	}
	answer := httptest.NewRecorder()
	switch w.n(12) {
	case 0: // lost on its way there
		panic(http.ErrAbortHandler)
	case 1: // lost on its way back
		next.ServeHTTP(answer, again())
		panic(http.ErrAbortHandler)
	case 2: // delivered twice
		next.ServeHTTP(httptest.NewRecorder(), again())
	case 3:
		if len(body) > 400+w.n(3000) {
			rw.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
	case 4: // cut
		next.ServeHTTP(answer, again())
		maps.Copy(rw.Header(), answer.Header())
		rw.WriteHeader(answer.Code)
		_, _ = rw.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		return
	case 5: // a member writes meanwhile
		next.ServeHTTP(answer, again())
		w.writeMeanwhile()
		maps.Copy(rw.Header(), answer.Header())
		rw.WriteHeader(answer.Code)
		_, _ = rw.Write(answer.Body.Bytes())
		return
	case 6:
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	next.ServeHTTP(rw, again())
}

// writeMeanwhile replaces a file, or makes one, while syncs are under way.
func (w *rough) writeMeanwhile() {
	m := w.members[w.n(len(w.members))]
	names := slices.Sorted(maps.Keys(m.files(w.t)))
	name := w.name()
	if len(names) > 0 {
		name = names[w.n(len(names))]
	}
	old, text := m.files(w.t)[name], w.text(name)
	w.mu.Lock() // nobody takes half of it for a text
	defer w.mu.Unlock()
	w.excused[old], w.found[text] = true, true
	m.write(w.t, name, text)
}
