package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Options are what a [Watcher] needs from the outside. Its functions may be
// called by several goroutines at once, but for one link by one at a time.
type Options struct {
	Dirs    client.Dirs
	Links   func() ([]client.Link, error)              // to watch
	Single  bool                                       // others may watch other trees
	Connect func(client.Login) (*client.Server, error) //
	Syncer  func(client.Link, *client.Server, client.Login) (*client.Syncer, error)
	Clock   memory.Clock
	Tell    func(l client.Link, text string)                 // what happens to a tree, or to all for a zero link; may be nil
	Cycled  func(l client.Link, r *client.Report, err error) // after each cycle; may be nil
	Runtime string                                           // folder for the socket; "" for none
}

// Watcher keeps linked trees in sync. Make it with [New].
type Watcher struct {
	options   Options
	dirs      client.Dirs
	clock     memory.Clock
	pace      pace
	spread    func() float64
	eventless func(folder string) string
	ears      *ears
	slots     chan struct{} // cycles that run at the same time
	stir      chan struct{} // something beside the trees may have changed
	began     time.Time
	socket    string
	skipped   map[string]string // trees that are linked and could not be watched, with why

	running  sync.WaitGroup
	mu       sync.Mutex
	projects []*project
	remotes  map[string]*remote
}

// cyclesAtOnce bounds what the first minutes cost with many trees.
const cyclesAtOnce = 2

// New prepares to watch.
func New(o Options) *Watcher {
	if o.Tell == nil {
		o.Tell = func(client.Link, string) {}
	}
	if o.Cycled == nil {
		o.Cycled = func(client.Link, *client.Report, error) {}
	}
	w := &Watcher{
		options: o, dirs: o.Dirs, clock: o.Clock, pace: usualPace(), spread: rand.Float64, eventless: eventless,
		slots: make(chan struct{}, cyclesAtOnce), stir: make(chan struct{}, 1), remotes: map[string]*remote{},
	}
	w.ears = &ears{
		pace: w.pace, clock: o.Clock, make: fsnotify.NewWatcher, known: map[string]*project{}, beyond: map[string]bool{},
		beside: w.beside, lost: w.lost,
	}
	return w
}

func (w *Watcher) tell(l client.Link, format string, args ...any) {
	w.options.Tell(l, fmt.Sprintf(format, args...))
}

// Run watches until ctx is done, whose error it returns, or until it turns out
// that another process does: [client.ErrLocked].
func (w *Watcher) Run(ctx context.Context) (err error) {
	w.mu.Lock()
	w.began = w.clock()
	w.mu.Unlock()
	if !w.options.Single {
		l, err := w.dirs.LockWatch()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, l.Release()) }()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer w.leave()
	defer cancel()
	w.ears.open()
	credentials, _ := w.dirs.Watched()
	w.ears.besides(filepath.Dir(credentials))
	s, err := w.serve(ctx)
	if err != nil {
		w.tell(client.Link{}, "status will not show what is done here: %v", err)
	}
	defer s.close()
	if err := w.reload(ctx, true); err != nil {
		return err
	}
	w.running.Go(func() { w.ears.listen(ctx) })
	w.keepHouse(ctx)
	return ctx.Err()
}

// leave waits until nothing is at work any more.
func (w *Watcher) leave() {
	w.ears.close()
	w.running.Wait()
	for _, p := range w.all() {
		_ = p.lock.Release() // the process is about to end, and with it the lock
	}
}

func (w *Watcher) all() []*project {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*project(nil), w.projects...)
}

func (w *Watcher) allRemotes() (all []*remote) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.remotes {
		all = append(all, r)
	}
	return all
}

// beside hears of files that are in no tree.
func (w *Watcher) beside(name string) {
	credentials, links := w.dirs.Watched()
	if name == credentials || name == links {
		w.look()
	}
}

// look has somebody look at what is beside the trees.
func (w *Watcher) look() {
	select {
	case w.stir <- struct{}{}:
	default:
	}
}

// lost has everything looked at, since events were lost.
func (w *Watcher) lost(why string) {
	w.tell(client.Link{}, "%s", why)
	for _, p := range w.all() {
		p.all()
	}
}

// keepHouse looks at what is beside the trees: links, logins, pauses, and
// whether the computer slept. It returns when ctx is done.
func (w *Watcher) keepHouse(ctx context.Context) {
	tick := time.NewTicker(w.pace.watch)
	defer tick.Stop()
	last, stamps := w.clock(), w.stamps()
	for {
		stirred := false
		select {
		case <-ctx.Done():
			return
		case <-w.stir:
			stirred = true
		case <-tick.C:
		}
		now := w.clock()
		if slept(last, now) > w.pace.watch/2 {
			w.wokeUp()
		}
		last = now
		if s := w.stamps(); stirred || s != stamps || len(w.skipped) > 0 {
			stamps = s
			if err := w.reload(ctx, false); err != nil {
				w.tell(client.Link{}, "the links cannot be read: %v", err)
			}
			for _, r := range w.allRemotes() {
				r.renewed()
			}
			for _, p := range w.all() {
				p.rouse()
			}
		}
		if w.ears.none() {
			w.ears.renew()
		}
	}
}

// slept is by how much more the wall clock moved than the one that stands still
// while a computer sleeps.
func slept(last, now time.Time) time.Duration {
	return now.Round(0).Sub(last.Round(0)) - now.Sub(last)
}

// wokeUp deals with a computer that slept: events and answers were lost.
func (w *Watcher) wokeUp() {
	for _, p := range w.all() {
		p.all()
	}
	for _, r := range w.allRemotes() {
		r.rouse()
	}
}

// stamp tells whether a file was replaced.
type stamp struct {
	size int64
	at   time.Time
}

func (w *Watcher) stamps() (s [2]stamp) {
	credentials, links := w.dirs.Watched()
	for i, file := range []string{credentials, links} {
		if info, err := os.Stat(file); err == nil {
			s[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return s
}

// reload begins with new links and ends with those that are gone. What cannot
// be watched, since another process does, is tried again at each look.
func (w *Watcher) reload(ctx context.Context, first bool) error {
	links, err := w.options.Links()
	if err != nil {
		return err
	}
	for _, p := range w.all() {
		if !w.linked(links, p) {
			w.end(p)
		}
	}
	told := w.skipped
	w.skipped = map[string]string{}
	for _, l := range links {
		if w.watches(l) {
			continue
		}
		lock, err := w.dirs.LockWatchOf(l)
		if err != nil && first && w.options.Single {
			return err
		}
		if err != nil {
			id := w.dirs.TreeID(l)
			w.skipped[id] = err.Error()
			if told[id] != err.Error() {
				w.tell(l, "not watched: %v", err)
			}
			continue
		}
		if w.socket != "" {
			if err := lock.Note(w.socket); err != nil {
				w.tell(l, "status will not show what is done here: %v", err)
			}
		}
		w.begin(ctx, l, lock)
	}
	return nil
}

func (w *Watcher) linked(links []client.Link, p *project) bool {
	for _, l := range links {
		if l == p.link {
			return true
		}
	}
	return false
}

// watches reports whether the tree of a link is watched already, maybe by the
// link of a worktree.
func (w *Watcher) watches(l client.Link) bool {
	for _, p := range w.all() {
		if w.dirs.SameTree(p.link, l) {
			return true
		}
	}
	return false
}

func (w *Watcher) begin(ctx context.Context, l client.Link, lock *client.WatchLock) {
	p := newProject(w, l, lock)
	key := l.Server + " " + l.Instance
	var work context.Context
	work, p.stop = context.WithCancel(ctx)
	w.mu.Lock()
	r := w.remotes[key]
	if r == nil {
		r = &remote{Watcher: w, address: l.Server, instance: l.Instance, users: map[*project]bool{}}
		w.remotes[key] = r
		var listening context.Context
		listening, r.stop = context.WithCancel(ctx)
		w.running.Go(func() { r.work(listening) })
	}
	p.remote = r
	w.projects = append(w.projects, p)
	w.mu.Unlock()
	r.mu.Lock()
	r.users[p] = true
	r.mu.Unlock()
	w.running.Go(func() { p.work(work) })
}

// end lets go of a tree that is linked no more.
func (w *Watcher) end(p *project) {
	p.stop()
	w.ears.leave(p)
	w.mu.Lock()
	kept := w.projects[:0:0]
	for _, other := range w.projects {
		if other != p {
			kept = append(kept, other)
		}
	}
	w.projects = kept
	r := p.remote
	r.mu.Lock()
	delete(r.users, p)
	last := len(r.users) == 0
	r.mu.Unlock()
	if last {
		r.stop()
		delete(w.remotes, r.address+" "+r.instance)
	}
	w.mu.Unlock()
	_ = p.lock.Release()
	w.tell(p.link, "linked no more")
}
