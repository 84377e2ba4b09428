package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// project is one linked tree that is kept in sync.
type project struct {
	*Watcher

	link   client.Link
	team   string // the folder
	remote *remote
	lock   *client.WatchLock
	wake   chan struct{}
	stop   context.CancelFunc

	mu      sync.Mutex
	agenda  agenda
	mode    Mode
	deaf    string // why names are looked at instead of watched; "" if they are
	touched time.Time
	proven  bool // a touch was heard of, and none was missed since
	report  *client.Report
	synced  time.Time       // when the last cycle ended that was in order
	dirt    map[string]bool // folders in which something happened since the last cycle asked; below the team's
	blind   bool            // it may have been anywhere
	pulled  time.Time       // when the server last answered
	told    memory.Cursor   // where it is, by a stream that lives; zero: there is none
	offline time.Time       // since when it does not
	failure string          // of the last cycle

	// Only used by the project's own goroutine.
	syncer *client.Syncer
	of     *link // what the syncer was made with
	gone   map[memory.Path]time.Time
	took   time.Duration
}

func newProject(w *Watcher, l client.Link, lock *client.WatchLock) *project {
	p := &project{
		Watcher: w, link: l, team: filepath.Join(l.MemoryReal, tree.FolderName), lock: lock, wake: make(chan struct{}, 1), mode: Starting,
		gone: map[memory.Path]time.Time{}, dirt: map[string]bool{},
	}
	now := w.clock()
	p.agenda = agenda{pace: w.pace, spread: w.spread, rescan: now, pull: now.Add(w.pace.pull), verify: now.Add(w.pace.verify[0])}
	return p
}

// edit notes that something happened in the tree.
func (p *project) edit(delay time.Duration) {
	p.change(func(a *agenda) { a.edit(p.clock(), delay) })
}

// editIn notes that something happened to a name in a folder.
func (p *project) editIn(folder string, delay time.Duration) {
	rel, err := filepath.Rel(p.team, folder)
	p.mu.Lock()
	switch {
	case err != nil || !filepath.IsLocal(rel):
		p.blind = true
	case rel == ".":
		p.dirt[""] = true
	default:
		p.dirt[filepath.ToSlash(rel)] = true
	}
	p.mu.Unlock()
	p.edit(delay)
}

// editAnywhere notes that something happened, and that it is not known where.
func (p *project) editAnywhere() {
	p.mu.Lock()
	p.blind = true
	p.mu.Unlock()
	p.edit(0)
}

// where returns the folders in which something happened since it was last
// asked, if all is known of that.
func (p *project) where() (folders []string, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	folders, all = slices.Collect(maps.Keys(p.dirt)), p.blind || !p.proven || p.deaf != ""
	p.dirt, p.blind = map[string]bool{}, false
	return folders, all
}

// all asks for a look at everything.
func (p *project) all() { p.change(func(a *agenda) { a.all(p.clock()) }) }

// hear takes in where the server's feed stands; with the zero cursor, that a run
// may share what the last one could not.
func (p *project) hear(at memory.Cursor) {
	if at.IsZero() {
		p.change(func(a *agenda) { a.heard = true })
		return
	}
	p.mu.Lock()
	p.told, p.agenda.told = at, true
	known := p.report != nil && p.report.Cursor.Epoch == at.Epoch && p.report.Cursor.Seq >= at.Seq && p.offline.IsZero()
	p.mu.Unlock()
	if !known {
		p.change(func(a *agenda) { a.heard = true })
	}
}

// unheard notes that nobody tells any more where the server's feed stands.
func (p *project) unheard() {
	p.mu.Lock()
	was := p.told
	p.told = memory.Cursor{}
	p.mu.Unlock()
	if !was.IsZero() {
		p.change(func(a *agenda) { a.untold(p.clock()) })
	}
}

// stands reports whether the server's feed is there, by the word of a stream
// that lives. A question makes sure of that now and then, and after a failure.
func (p *project) stands(at memory.Cursor) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told == at && p.failure == "" && p.agenda.pull.After(p.clock())
}

func (p *project) change(f func(*agenda)) {
	p.mu.Lock()
	f(&p.agenda)
	p.mu.Unlock()
	p.rouse()
}

// rouse lets the project's goroutine look at its agenda.
func (p *project) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// proved notes that the watched folder's own touch was heard of.
func (p *project) proved() {
	p.mu.Lock()
	mine := !p.touched.IsZero()
	if mine {
		p.proven, p.touched = true, time.Time{}
		if p.deaf == silent {
			p.deaf = ""
		}
	}
	p.mu.Unlock()
	if mine {
		p.rouse()
	}
}

// work keeps the tree in sync until ctx is done.
func (p *project) work(ctx context.Context) {
	for ctx.Err() == nil {
		j, wait := p.choose(p.clock())
		if j == nothing {
			p.sleep(ctx, wait)
			continue
		}
		select {
		case p.slots <- struct{}{}:
			p.do(ctx, j)
			<-p.slots
		case <-ctx.Done():
		}
	}
}

func (p *project) sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.wake:
	case <-ctx.Done():
	}
}

// choose returns what is to be done now, or how long to wait.
func (p *project) choose(now time.Time) (job, time.Duration) {
	const long = time.Hour
	if pause, paused := p.dirs.Paused(p.link, now); paused {
		p.turn(Paused, "")
		wait := p.pace.pull // whoever ends it may not be able to tell
		if !pause.Until.IsZero() {
			wait = min(wait, pause.Until.Sub(now))
		}
		return nothing, wait
	}
	if why := p.remote.signedOut(); why != "" {
		p.turn(SignedOut, why)
		return nothing, long
	}
	p.judge(now)
	p.mu.Lock()
	defer p.mu.Unlock()
	j, at := p.agenda.next(now)
	if !p.touched.IsZero() && p.deaf == "" {
		if late := p.touched.Add(p.pace.proof); late.Before(at) {
			at = late
		}
	}
	return j, max(at.Sub(now), 0)
}

// silent is why a tree is polled whose touch was not heard of.
const silent = "no events come from the file system"

// judge decides between watching and polling. That events come is not believed
// but seen.
func (p *project) judge(now time.Time) {
	p.mu.Lock()
	if !p.touched.IsZero() && now.Sub(p.touched) >= p.pace.proof && p.deaf == "" {
		p.deaf = silent
	}
	if p.deaf != "" {
		p.proven = false
	}
	mode, why := Watching, p.deaf
	switch {
	case why != "":
		mode = Polling
	case !p.proven:
		mode = Starting
	}
	p.agenda.polling = mode != Watching
	p.mu.Unlock()
	p.turn(mode, why)
}

// turn changes the mode, and tells of it.
func (p *project) turn(m Mode, why string) {
	p.mu.Lock()
	before := p.mode
	p.mode = m
	p.mu.Unlock()
	if before == m || m == Starting {
		return
	}
	text := string(m)
	if why != "" {
		text += ": " + why
	}
	p.tell(p.link, "%s", text)
	if before == Paused || before == SignedOut {
		p.all()
	}
}

// do does one job.
func (p *project) do(ctx context.Context, j job) {
	if err := p.prepare(); err != nil {
		p.unable(j, err)
		return
	}
	switch j {
	case look:
		p.look(ctx)
	case ask:
		p.ask(ctx)
	case run, verify:
		p.cycle(ctx, j)
	case nothing:
	}
}

// prepare makes a syncer, a new one if the login is.
func (p *project) prepare() error {
	l, err := p.remote.link()
	if err != nil {
		return err
	}
	if p.of == l {
		return nil
	}
	s, err := p.options.Syncer(p.link, l.server, l.login)
	if err != nil {
		return err
	}
	p.syncer, p.of = s, l
	return nil
}

// look looks at the names in the tree and has a cycle run if there is anything
// to do.
func (p *project) look(ctx context.Context) {
	r, err := p.syncer.Sync(ctx, client.SyncOptions{DryRun: true, Offline: true, Listed: p.listed})
	p.change(func(a *agenda) {
		now := p.clock()
		a.looked(now, p.took)
		if err == nil && r.Pending > 0 && a.retry.IsZero() {
			a.edit(now, 0)
		}
	})
}

// ask asks the server whether there is news.
func (p *project) ask(ctx context.Context) {
	known, ok := p.head()
	if !ok {
		p.change(func(a *agenda) { a.heard = true })
		return
	}
	moved, err := p.of.server.Await(ctx, p.link.Project, known, false)
	switch {
	case ctx.Err() != nil:
	case client.SignedOut(err):
		p.remote.signOut(p.of, err)
	default:
		p.change(func(a *agenda) {
			a.asked(p.clock())
			a.heard = a.heard || moved || err != nil // a cycle finds the words for what is wrong
		})
		if err == nil {
			p.mu.Lock()
			p.pulled = p.clock()
			p.mu.Unlock()
		}
	}
}

// listed notes how long a look at all names took.
func (p *project) listed(_ []string, took time.Duration) { p.took = took }

// cycle runs one cycle and takes in what became of it.
func (p *project) cycle(ctx context.Context, j job) {
	began := p.clock()
	p.mu.Lock()
	full := j == verify || !p.agenda.rescan.After(began) || len(p.gone) > 0 // which takes two real looks
	news := p.agenda.heard
	p.agenda.begin(began, j)
	p.mu.Unlock()
	var folders []string
	seen := map[memory.Path]time.Time{}
	r, err := p.syncer.Sync(ctx, client.SyncOptions{
		Verify: j == verify,
		News:   news, Current: p.stands,
		Relook: full,
		Touched: func() ([]string, bool) {
			touched, all := p.where()
			full = full || all
			return touched, all
		},
		Settled: func(path memory.Path) bool { return p.settled(seen, path) },
		Listed: func(f []string, took time.Duration) {
			folders = f
			if full {
				p.listed(f, took)
			}
		},
	})
	if ctx.Err() != nil {
		return
	}
	p.gone = seen
	p.follow(folders, full)
	p.concluded(j, r, err)
	p.options.Cycled(p.link, r, err)
}

// settled reports whether a file has been gone for long enough. The first time
// that it is asked for, in a row, is the first listing without it.
func (p *project) settled(seen map[memory.Path]time.Time, path memory.Path) bool {
	now := p.clock()
	since, again := p.gone[path]
	if !again {
		since = now
	}
	if earlier, same := seen[path]; same {
		since = earlier
	}
	seen[path] = since
	return again && now.Sub(since) >= p.pace.settle
}

// follow watches the folders of a listing. What happened in new ones before
// they were watched, another listing finds.
func (p *project) follow(folders []string, full bool) {
	if folders == nil {
		return
	}
	why := ""
	if kind := p.eventless(p.team); kind != "" {
		why = "the folder is on " + kind + ", which does not tell of what others write"
	}
	if why == "" {
		if full && p.isSilent() {
			p.ears.renew()
		}
		var fresh bool
		if fresh, why = p.ears.follow(p, folders, full); fresh {
			p.editAnywhere()
		}
	}
	p.mu.Lock()
	if why != "" || p.deaf != silent {
		p.deaf = why
	}
	if why != "" {
		p.touched = time.Time{}
	}
	p.mu.Unlock()
	if full && why == "" {
		p.touch()
	}
}

func (p *project) isSilent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deaf == silent
}

// touch asks for a proof that events come.
func (p *project) touch() {
	p.mu.Lock()
	p.touched = p.clock()
	p.mu.Unlock()
	if err := p.syncer.Touch(); err != nil {
		p.mu.Lock()
		p.touched, p.deaf = time.Time{}, fmt.Sprintf("it cannot be proved that events come: %v", err)
		p.mu.Unlock()
	}
}

// concluded plans what follows a cycle.
func (p *project) concluded(j job, r *client.Report, err error) {
	now := p.clock()
	p.mu.Lock()
	p.report = r
	away := errors.Is(err, client.ErrOffline)
	p.agenda.end(now, j, p.took, err != nil || r.Temporary())
	p.agenda.patient = err != nil && !away // a hint of a server that was away says that it is back
	if err == nil && r.Asked {
		p.pulled = now
	}
	if err != nil || r.Asked {
		p.agenda.asked(now)
	}
	for _, since := range p.gone {
		p.agenda.settleAt(since.Add(p.pace.settle))
	}
	for _, f := range r.Refused {
		if f.New && f.Problem.Code == memory.CodeSuspectEmpty { // its text may be brought back then
			p.agenda.settleAt(now.Add(p.pace.settle))
		}
	}
	switch {
	case err == nil:
		p.synced = now
	case away && p.offline.IsZero():
		p.offline = now
	}
	if !away {
		p.offline = time.Time{}
	}
	p.mu.Unlock()
	if client.SignedOut(err) {
		p.remote.signOut(p.of, err)
		return
	}
	p.explain(err)
}

// unable plans what follows when there could be no cycle.
func (p *project) unable(j job, err error) {
	p.mu.Lock()
	p.agenda.begin(p.clock(), run)
	p.agenda.end(p.clock(), j, p.took, true)
	p.agenda.asked(p.clock())
	p.agenda.patient = true
	p.mu.Unlock()
	if client.SignedOut(err) {
		p.remote.signOut(nil, err)
		return
	}
	p.explain(err)
}

// explain tells why the tree is not in sync, once for each reason.
func (p *project) explain(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	p.mu.Lock()
	before := p.failure
	p.failure = text
	p.mu.Unlock()
	switch {
	case text != "" && text != before:
		p.tell(p.link, "%s", text)
	case text == "" && before != "":
		p.tell(p.link, "in order again")
	}
}
