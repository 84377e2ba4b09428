package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// news is what one pull brought. It is gathered beside the scan of the tree
// and taken in afterwards.
type news struct {
	asked    bool // the server answered
	pages    []page
	manifest *memory.Head
	entries  []memory.Entry
	foreign  []wire.Refusal // of the manifest
	purged   []memory.Hash  // as the manifest says
	requests int
	changes  int // in the pages
	bytes    int // of texts in them
}

// The most that is read of a feed. If there is more, whether of a long history or
// of a server that never comes to an end, the list of all entries is shorter.
const (
	maxPages   = 500
	maxChanges = 200_000
)

// room lets go of texts for which there is none: they are fetched when they are
// written.
func (n *news) room(p *memory.FeedPage) {
	for i := range p.Changes {
		c := &p.Changes[i]
		if n.bytes+len(c.Content) > maxTexts {
			c.Content, c.Inline = nil, false
		}
		n.bytes += len(c.Content)
	}
}

// page is a page of the feed, with what of it may not exist here.
type page struct {
	memory.FeedPage

	foreign []wire.Refusal
}

// pull asks the server for everything after the cursor, with texts if they are
// likely to be written. It shows each page as it comes.
func (s *Syncer) pull(ctx context.Context, since memory.Cursor, have memory.Digest, texts bool, show func(memory.FeedPage)) (news, error) {
	n := news{asked: true}
	r := reader{Syncer: s, texts: texts}
	defer r.stop()
	first := since.Seq
	for {
		n.requests++
		got, foreign, err := r.read(ctx, since, have)
		if err != nil && memory.CodeOf(err) == memory.CodeCursorTooOld {
			return s.pullManifest(ctx, n)
		}
		if err != nil || got == nil {
			return n, err
		}
		if err := follows(*got, since); err != nil {
			return n, err
		}
		n.changes += len(got.Changes) + len(foreign)
		n.room(got)
		n.pages = append(n.pages, page{*got, foreign})
		if got.More() && (len(n.pages) == maxPages || n.changes > maxChanges) {
			if n, err = s.pullManifest(ctx, n); err != nil {
				err = fmt.Errorf("the server's feed has more than %d pages or %d changes, and the list of all entries did not come instead: %w", maxPages, maxChanges, err)
			}
			return n, err
		}
		show(*got)
		since, have = memory.Cursor{Epoch: got.Epoch, Seq: got.To}, got.Digest
		s.progress("receiving", int(got.To-first), int(got.Head-first))
		if !got.More() {
			return n, nil
		}
		r.learn(got)
	}
}

// reader reads the feed, and asks for the next page while the server makes and
// sends this one. Where that one begins can only be guessed, and a wrong guess
// is asked again. What the guess leaves out of the question, the digest so far,
// only tells early what the digest of the last page proves.
type reader struct {
	*Syncer
	texts      bool
	size, head int64 // of the feed's last page; 0: not known yet
	ahead      *question
}

// usualChanges is what servers put into a page.
const usualChanges = 1000

// learn takes from a page how long the next will be.
func (r *reader) learn(p *memory.FeedPage) {
	r.head, r.size = p.Head, p.To-p.From
	if p.From == 0 && r.size == memory.FirstPage { // else the server's pages are shorter than that
		r.size = usualChanges
	}
}

// question is a page that was asked for.
type question struct {
	since  memory.Cursor
	cancel context.CancelFunc
	answer chan pageAnswer
}

type pageAnswer struct {
	page    *memory.FeedPage
	foreign []wire.Refusal
	err     error
}

// read returns the page after the cursor.
func (r *reader) read(ctx context.Context, since memory.Cursor, have memory.Digest) (*memory.FeedPage, []wire.Refusal, error) {
	now := r.ahead
	if r.ahead = nil; now != nil && now.since != since {
		now.forget()
		now = nil
	}
	if now == nil {
		now = r.ask(ctx, since, memory.Head{Epoch: since.Epoch, Seq: since.Seq, Digest: have}.Tag())
	}
	defer now.cancel()
	if next := since.Seq + r.size; r.size > 0 && next < r.head {
		r.ahead = r.ask(ctx, memory.Cursor{Epoch: since.Epoch, Seq: next}, "")
	}
	a := <-now.answer
	return a.page, a.foreign, a.err
}

func (r *reader) ask(ctx context.Context, since memory.Cursor, tag string) *question {
	ctx, cancel := context.WithCancel(ctx)
	q := &question{since: since, cancel: cancel, answer: make(chan pageAnswer, 1)}
	go func() {
		limit := 0
		if since.IsZero() && r.texts {
			limit = memory.FirstPage
		}
		page, foreign, err := r.server.Changes(ctx, r.link.Project, since, tag, r.texts, limit)
		q.answer <- pageAnswer{page, foreign, err}
	}()
	return q
}

// forget gives up a question, and returns when nobody works on it any more.
func (q *question) forget() {
	q.cancel()
	<-q.answer
}

// stop gives up what was asked for ahead.
func (r *reader) stop() {
	if r.ahead != nil {
		r.ahead.forget()
	}
}

// follows checks that a page is the one that was asked for, and that asking on
// comes to an end.
func follows(p memory.FeedPage, since memory.Cursor) error {
	switch {
	case p.From != since.Seq:
		return fmt.Errorf("the server's feed starts at %d, not at %d as asked", p.From, since.Seq)
	case !since.IsZero() && p.Epoch != since.Epoch:
		return errors.New("the server's history was replaced while it was read; run teammem sync again")
	case p.More() && p.To <= p.From:
		return fmt.Errorf("the server's feed does not go on at %d", p.To)
	}
	return nil
}

// pullManifest asks for the list of all entries instead of the changes.
func (s *Syncer) pullManifest(ctx context.Context, n news) (news, error) {
	n.requests++
	m, err := s.server.Manifest(ctx, s.link.Project)
	if err != nil {
		return n, err
	}
	return news{asked: true, manifest: &m.Head, entries: m.Entries, foreign: m.Foreign, purged: m.Purged, requests: n.requests}, nil
}

// agrees compares the server's digest with our own. Entries that may not exist
// here are in its digest and not in ours, so with them there is no proof.
func (c *cycle) agrees(d memory.Digest) bool { return len(c.state.foreign) > 0 || c.state.digest == d }

// take brings the state up to date with the news. It reports false if the
// state then does not have the digest that the server states: it drifted, and
// only the manifest can mend it. The rows may be ahead of the pages, by what
// this client pushed itself, so only the last page can be compared.
func (c *cycle) take(n news) bool {
	c.report.Requests += n.requests
	c.report.Asked = c.report.Asked || n.asked
	c.names = nil
	if n.manifest != nil {
		c.takeManifest(n)
		return true
	}
	for _, p := range n.pages {
		c.takePage(p)
	}
	return !n.asked || c.agrees(c.index.Digest)
}

func (c *cycle) takePage(p page) {
	c.wipe(p.Purged)
	c.vacate(p.Changes)
	for _, change := range p.Changes {
		c.takeChange(change)
	}
	for _, f := range p.foreign {
		c.refuseForeign(f)
	}
	c.index.vouch(memory.Cursor{Epoch: p.Epoch, Seq: p.To}, p.Digest)
	c.state.dirty = true
}

func (c *cycle) takeChange(change memory.Change) {
	r := msync.Remote{
		EntryID: change.EntryID, Path: change.Path, Rev: change.Rev, Sum: change.Sum, Deleted: change.Gone(),
		Imposed: change.Imposed(), Purged: change.Action == memory.ActionPurge && change.Gone(),
	}
	if change.Inline {
		c.texts.put(memory.RevisionRef{EntryID: change.EntryID, Rev: change.Rev}, change.Content)
	}
	c.imposed = c.imposed || r.Imposed && c.state.entries[r.EntryID] != nil
	c.learn(r, change.Author, change.At)
}

// learn takes in one entry of the server's, unless its name is the twin of
// another one's there: on some disks the two would be one file.
func (c *cycle) learn(r msync.Remote, by memory.Author, at time.Time) {
	if err := c.claim(r); err != nil {
		c.refuseForeign(wire.Refusal{EntryID: r.EntryID, Rev: r.Rev, Path: r.Path.String(), Problem: err})
		return
	}
	delete(c.state.foreign, r.EntryID)
	c.clocked(at)
	c.state.learn(r, c.origin(by, at))
}

func (c *cycle) origin(by memory.Author, at time.Time) origin {
	if now := c.clock(); at.After(now) {
		at = now // a clock that is ahead must not make files look as if they were written all the time
	}
	o := origin{author: by.Name}
	if at.After(never()) {
		o.at = at.UnixNano()
	}
	return o
}

// takeManifest replaces the server's side by a complete list.
func (c *cycle) takeManifest(n news) {
	c.wipeEver(n.purged)
	listed := make(map[memory.EntryID]bool, len(n.entries))
	c.names = &sanitize.Names{} // the list is complete: what it does not have takes no name
	clear(c.state.foreign)
	for _, e := range n.entries {
		listed[e.ID] = true
		c.learn(msync.Remote{EntryID: e.ID, Path: e.Path, Rev: e.Rev, Sum: e.Sum}, e.Author, e.UpdatedAt)
	}
	for _, f := range n.foreign {
		listed[f.EntryID] = true // it is there, if under a name that is not allowed
		c.refuseForeign(f)
	}
	for _, id := range c.state.ids() {
		e := c.state.entries[id]
		path, sum, live := e.served()
		switch {
		case !live || listed[id]:
		case e.base.Rev > n.manifest.Seq:
			c.state.forget(id) // we sent it, and the server lost it: the file is a new one again
		default:
			// The list does not say at which revision it was deleted, nor by whom.
			c.imposed = true
			c.state.learn(msync.Remote{EntryID: id, Path: path, Sum: sum, Deleted: true}, origin{})
		}
	}
	c.state.digest, c.state.dirty, c.index.Unattributed = c.state.sum(), true, false
	c.index.vouch(n.manifest.Cursor(), n.manifest.Digest)
}
