package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/teammem/teammem/client/tree"
)

// ears are the one watcher of folders of a process. Watched are folders alone:
// the watch of a file ends with the first save that replaces it.
type ears struct {
	pace   pace
	clock  func() time.Time
	make   func() (*fsnotify.Watcher, error)
	beside func(name string) // hears of files in folders that are no tree's
	lost   func(why string)  // events were lost

	adding sync.Mutex // held while folders are added, which may wait for events to be read
	mu     sync.Mutex
	w      *fsnotify.Watcher // nil: none can be had
	why    string            // then
	known  map[string]*project
	beyond map[string]bool // folders that are no tree's
	made   time.Time
	stale  []string // folders whose watches are to be ended, before others are added
	moved  bool     // the last event took a name away, so the next may be where it went
}

// open makes a new watcher in place of one that may be there, and watches what
// that one did. What happened in between, a look at everything finds.
func (e *ears) open() {
	e.adding.Lock()
	defer e.adding.Unlock()
	w, err := e.make()
	e.mu.Lock()
	old, known := e.w, e.known
	e.w, e.why, e.known, e.stale, e.made = w, "", map[string]*project{}, nil, e.clock()
	if err != nil {
		e.w, e.why = nil, shortage(err)
	}
	e.mu.Unlock()
	if old != nil {
		shut(old)
	}
	if err != nil {
		return
	}
	for folder := range e.beyond {
		_ = w.Add(folder) // looked at now and then anyway
	}
	deaf := map[*project]bool{}
	for folder, p := range known {
		if w.Add(folder) == nil { // the next listing says what else there is
			e.note(folder, p)
		}
		deaf[p] = true
	}
	for p := range deaf {
		p.editAnywhere()
	}
}

// renew makes a new watcher if there is none, or if the one that there is does
// not hear anything; not more often than every few minutes.
func (e *ears) renew() {
	e.mu.Lock()
	due := e.clock().Sub(e.made) >= e.pace.verify[0]/2
	e.mu.Unlock()
	if due {
		e.open()
	}
}

// none reports whether there is no watcher.
func (e *ears) none() bool { return e.watcher() == nil }

// close ends the watcher.
func (e *ears) close() {
	e.mu.Lock()
	w := e.w
	e.w = nil
	e.mu.Unlock()
	if w != nil {
		shut(w)
	}
}

// besides watches a folder that is no tree's.
func (e *ears) besides(folder string) {
	e.adding.Lock()
	defer e.adding.Unlock()
	e.beyond[folder] = true
	if w := e.watcher(); w != nil {
		_ = w.Add(folder)
	}
}

func (e *ears) watcher() *fsnotify.Watcher {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.w
}

func (e *ears) note(folder string, p *project) (fresh bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fresh = e.known[folder] != p
	e.known[folder] = p
	return fresh
}

func (e *ears) knows(folder string, p *project) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[folder] == p
}

// follow watches the folders of a tree, all of them anew if again is set: a
// name may be another folder's meanwhile. It reports whether one was not watched
// before, and why not all can be.
func (e *ears) follow(p *project, folders []string, again bool) (fresh bool, why string) {
	e.adding.Lock()
	defer e.adding.Unlock()
	e.mu.Lock()
	w, why, stale := e.w, e.why, e.stale
	e.stale = nil
	e.mu.Unlock()
	if w == nil {
		return false, why
	}
	for _, f := range stale {
		_ = w.Remove(f) // most are gone
	}
	for _, f := range folders {
		folder := filepath.Join(p.team, filepath.FromSlash(f))
		if !again && e.knows(folder, p) {
			continue
		}
		err := w.Add(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist): // its own folder's watch tells
		case err != nil:
			return fresh, shortage(err)
		case e.note(folder, p):
			fresh = true
		}
	}
	return fresh, ""
}

// leave ends the watches of a tree.
func (e *ears) leave(p *project) {
	e.adding.Lock()
	defer e.adding.Unlock()
	for _, folder := range e.forget(p.team) {
		if w := e.watcher(); w != nil {
			_ = w.Remove(folder) // it may be gone
		}
	}
}

// drop has watches ended by whoever next adds some. Whoever reads events must
// not wait for the watcher: it may be waiting for them, to be rid of an error.
func (e *ears) drop(folders []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stale = append(e.stale, folders...)
}

// forget takes a folder and all below it for not watched.
func (e *ears) forget(folder string) (gone []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for f := range e.known {
		if f == folder || strings.HasPrefix(f, folder+string(filepath.Separator)) {
			gone = append(gone, f)
			delete(e.known, f)
		}
	}
	return gone
}

// shortage says in words what there is not enough of.
func shortage(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "this user's limit of watched folders is reached; raise it with sysctl fs.inotify.max_user_watches"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "this user's limit of watchers or open files is reached; raise it with sysctl fs.inotify.max_user_instances, or ulimit -n"
	}
	return fmt.Sprintf("folders cannot be watched: %v", err)
}

// listen passes on what happens until ctx is done.
func (e *ears) listen(ctx context.Context) {
	var ended *fsnotify.Watcher
	for ctx.Err() == nil {
		w := e.watcher()
		switch w {
		case nil:
			pause(ctx, e.pace.watch)
		case ended: // there is another in a moment
			pause(ctx, time.Millisecond)
		default:
			e.drain(ctx, w)
			ended = w
		}
	}
}

// drain reads one watcher until it ends or fails.
func (e *ears) drain(ctx context.Context, w *fsnotify.Watcher) {
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-w.Events:
			if !ok {
				return
			}
			e.hear(event)
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			if err == nil {
				continue
			}
			go discard(w.Events) // whoever is to let go of it may be waiting for it
			go discard(w.Errors)
			go e.reopen(ctx, err) // which waits for somebody to read the new one
			return
		}
	}
}

// reopen puts a new watcher in the place of one that failed.
func (e *ears) reopen(ctx context.Context, failed error) {
	e.open()
	if ctx.Err() != nil {
		e.close()
		return
	}
	e.lost(fmt.Sprintf("changes of files were missed (%v): everything is looked at", failed))
}

// shut ends a watcher, which may be in the middle of telling more.
func shut(w *fsnotify.Watcher) {
	go discard(w.Events) // until they are closed
	go discard(w.Errors)
	_ = w.Close()
}

// discard reads what nobody wants to know any more, so that a watcher can end.
func discard[T any](from <-chan T) {
	for range from { // until it is closed
	}
}

// hear takes in one event.
func (e *ears) hear(event fsnotify.Event) {
	if event.Name == "" {
		return
	}
	folder, name := filepath.Split(event.Name)
	e.mu.Lock()
	p, self := e.known[filepath.Clean(folder)], e.known[event.Name]
	moved := e.moved
	e.moved = event.Has(fsnotify.Rename)
	e.mu.Unlock()
	switch {
	case event.Op == fsnotify.Chmod && self != nil && event.Name == self.team:
		self.proved()
		return
	case event.Op == fsnotify.Chmod:
		return
	case self != nil && event.Has(fsnotify.Create|fsnotify.Remove|fsnotify.Rename):
		// Watches go along with a folder that is moved, and would go on under its
		// old name. What has that name now is watched by nobody.
		e.drop(e.forget(event.Name))
		self.editAnywhere()
		return
	case p == nil:
		e.beside(event.Name)
		return
	case !concerns(event, name):
		return
	case event.Has(fsnotify.Write), event.Has(fsnotify.Create) && !moved:
		p.editIn(filepath.Clean(folder), e.pace.inPlace)
	default: // a file that gets its name has its text
		p.editIn(filepath.Clean(folder), 0)
	}
}

// concerns reports whether an event may be about an entry, or a folder.
func concerns(event fsnotify.Event, name string) bool {
	switch {
	case tree.Ignored(name):
		return strings.HasPrefix(name, ".teammemignore")
	case strings.HasSuffix(name, ".md"):
		return true
	case event.Has(fsnotify.Create):
		i, err := os.Lstat(event.Name)
		return err != nil || i.IsDir()
	}
	return false
}

// pause waits for a while, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
