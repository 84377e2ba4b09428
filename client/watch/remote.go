package watch

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// link is a server with the login that it is asked with.
type link struct {
	server *client.Server
	login  client.Login
}

// remote is one server, for all trees that are linked to it.
type remote struct {
	*Watcher

	address  string
	instance string
	stop     context.CancelFunc

	mu      sync.Mutex
	now     *link  // nil: none yet
	out     string // why nothing is asked; "" if the login is good
	ended   client.Login
	again   context.CancelFunc // ends the wait, or the stream, of the moment
	hearing Hearing
	spoke   time.Time // when something came through a stream
	users   map[*project]bool
}

// link returns what the server is asked with.
func (r *remote) link() (*link, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil {
		return r.now, nil
	}
	login, err := r.dirs.Login(r.address)
	if err != nil {
		return nil, err
	}
	login.Instance = r.instance
	s, err := r.options.Connect(login)
	if err != nil {
		return nil, err
	}
	r.now = &link{s, login}
	return r.now, nil
}

func (r *remote) signedOut() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out
}

// signOut notes that a login has ended. Nothing is synced until there is another,
// or until it turns out that it has not.
func (r *remote) signOut(with *link, err error) {
	r.mu.Lock()
	if r.out != "" || with != r.now { // another is in use already
		r.mu.Unlock()
		return
	}
	login, none := r.dirs.Login(r.address)
	if with != nil && none == nil && (login.Device != with.login.Device || login.Token != with.login.Token) {
		r.now = nil // somebody logged in anew
	} else {
		r.out, r.ended = err.Error(), login
	}
	r.mu.Unlock()
	r.rouse()
}

// tryAgain waits until ctx is done for another login, and asks now and then
// whether the one that was refused is good after all: it may have been refused
// by something between here and the server.
func (r *remote) tryAgain(ctx context.Context) {
	pause(ctx, r.pace.refused)
	if ctx.Err() != nil {
		return
	}
	l, err := r.link()
	if err != nil {
		return
	}
	if _, _, err := l.server.Me(ctx); err != nil {
		return
	}
	r.mu.Lock()
	r.out = ""
	r.mu.Unlock()
	r.rouse()
}

// renewed looks whether there is a login to go on with.
func (r *remote) renewed() {
	login, err := r.dirs.Login(r.address)
	r.mu.Lock()
	changed := err == nil && (r.out != "" && login != r.ended || r.out == "" && r.now != nil && r.now.login.Device != login.Device)
	if changed {
		r.now, r.out = nil, ""
	}
	r.mu.Unlock()
	if changed {
		r.rouse()
	}
}

// rouse begins anew with the stream, and has all projects look at their agenda.
func (r *remote) rouse() {
	r.mu.Lock()
	if r.again != nil {
		r.again()
	}
	var users []*project
	for p := range r.users {
		users = append(users, p)
	}
	r.mu.Unlock()
	for _, p := range users {
		p.rouse()
	}
}

// attempt returns a context that ends when there is reason to begin anew.
func (r *remote) attempt(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	r.again = cancel
	r.mu.Unlock()
	return ctx, cancel
}

// work hears of what is new at the server until ctx is done.
func (r *remote) work(ctx context.Context) {
	for fails := 0; ctx.Err() == nil; {
		try, end := r.attempt(ctx)
		if r.signedOut() != "" {
			r.tryAgain(try)
			end()
			continue
		}
		began := r.clock()
		heard, err := r.listen(try)
		roused := try.Err() != nil
		if heard && r.clock().Sub(began) >= r.pace.watch { // not one that always ends at once
			fails = 0
		}
		switch {
		case roused:
		case errors.Is(err, client.ErrSilent), memory.CodeOf(err) == memory.CodeNotFound:
			r.hear(LongPoll)
			r.poll(try)
		default:
			r.hear(None)
			pause(try, backoff(r.pace.retry, fails, r.spread()))
			fails++
		}
		end()
	}
}

// listen follows the stream of events to its end.
func (r *remote) listen(ctx context.Context) (heard bool, err error) {
	l, err := r.link()
	if err != nil {
		if client.SignedOut(err) {
			r.signOut(nil, err)
		}
		return false, err
	}
	err = l.server.Events(ctx, func(id memory.ProjectID, at memory.Cursor) {
		heard = true
		r.hear(Stream)
		for _, p := range r.of(id) {
			p.hear(at)
		}
	}, r.alive)
	for _, p := range r.of("") {
		p.unheard()
	}
	if ctx.Err() == nil && client.SignedOut(err) {
		r.signOut(l, err)
	}
	l.server.Forget() // the network may be another
	return heard, err
}

// alive notes that something came through the stream.
func (r *remote) alive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spoke = r.clock()
}

// of returns the trees of a project; all for "".
func (r *remote) of(id memory.ProjectID) (all []*project) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.users {
		if id == "" || p.link.Project == id {
			all = append(all, p)
		}
	}
	return all
}

func (r *remote) hear(h Hearing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hearing = h
}

// poll lets questions wait at the server, for a while: then the stream may pass.
func (r *remote) poll(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, r.pace.stream)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range r.of("") {
		all.Go(func() { r.pollFor(limited, p) })
	}
	all.Wait()
}

// pollFor asks for one project. A question that is answered at once, and with
// nothing, was not kept: then the regular pull has to do. What the server says
// is said once: until a cycle has come by it there is nothing to ask.
func (r *remote) pollFor(ctx context.Context, p *project) {
	l, err := r.link()
	var behind memory.Head // from which the server had moved on
	for fails, waits := 0, 0; err == nil && ctx.Err() == nil; {
		known, ok := p.head()
		if !ok || known == behind || p.rests() {
			pause(ctx, backoff([2]time.Duration{r.pace.retry[0], r.pace.watch}, waits, r.spread()))
			waits++
			continue
		}
		waits = 0
		asked := r.clock()
		moved, err := l.server.Await(ctx, p.link.Project, known, true)
		switch {
		case client.SignedOut(err):
			r.signOut(l, err)
			return
		case moved:
			r.hear(LongPoll)
			behind = known
			p.change(func(a *agenda) { a.heard = true })
		case err != nil || r.clock().Sub(asked) < r.pace.retry[0]:
			r.hear(None)
			pause(ctx, backoff(r.pace.retry, fails, r.spread()))
			fails++
			continue
		}
		fails = 0
	}
}

// rests reports whether somebody wished that nothing is done.
func (p *project) rests() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode == Paused
}

// head is what is known of the server.
func (p *project) head() (memory.Head, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.report == nil || p.report.Cursor.IsZero() {
		return memory.Head{}, false
	}
	return memory.Head{Epoch: p.report.Cursor.Epoch, Seq: p.report.Cursor.Seq, Digest: p.report.Digest}, true
}
