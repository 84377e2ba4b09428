package client

import (
	"cmp"
	"context"
	"fmt"

	"github.com/teammem/teammem/memory"
)

// pulled is what the server said.
type pulled struct {
	review   review
	requests int // for it
	news     news
	err      error
}

// observe scans, sends what little there may be to send, and pulls if that did
// not tell that there is nothing new; or it scans and pulls at the same time.
func (c *cycle) observe(ctx context.Context) error {
	ask := c.question()
	if c.mayBeAhead() && !c.options.News {
		if err := c.scanFirst(ctx); err != nil {
			return err
		}
		if done, err := c.sendAhead(ctx); done || err != nil {
			return err
		}
		return c.takeIn(ctx, ask(ctx, func(memory.FeedPage) {}))
	}
	answer, pages := make(chan pulled, 1), make(chan memory.FeedPage, 1)
	go func() {
		defer close(pages)
		answer <- ask(ctx, func(p memory.FeedPage) { pages <- p })
	}()
	scanned := c.scanFirst(ctx)
	c.stageAll(ctx, pages)
	p := <-answer
	p.err = cmp.Or(scanned, p.err)
	return c.takeIn(ctx, p)
}

// question returns what asks the server for its news. It may run beside a scan,
// so all that it needs of the cycle is looked up before.
func (c *cycle) question() func(context.Context, func(memory.FeedPage)) pulled {
	since, have, whole, proposals := c.index.Cursor, c.index.Digest, c.curable(), c.proposals
	return func(ctx context.Context, show func(memory.FeedPage)) (p pulled) {
		if c.options.Offline {
			return p
		}
		p.review, p.requests, p.err = c.askReview(ctx, proposals)
		switch {
		case p.err != nil:
		case whole:
			p.news, p.err = c.pullManifest(ctx, news{})
		default:
			p.news, p.err = c.pull(ctx, since, have, !c.options.DryRun, show)
		}
		return p
	}
}

func (c *cycle) takeIn(ctx context.Context, p pulled) error {
	c.report.Requests += p.requests
	if p.err != nil {
		c.report.Requests += p.news.requests
		return explain(p.err)
	}
	if err := c.takeOrResync(ctx, p.news); err != nil {
		return err
	}
	if c.options.Offline {
		return nil // there is no news, and what follows would ask for texts
	}
	for _, know := range []func(context.Context) error{c.recall, c.acknowledge, c.renamedAlike} {
		if err := know(ctx); err != nil {
			return explain(err)
		}
	}
	c.takeReview(p.review)
	return c.attribute(ctx, p.news)
}

// attribute asks the manifest who wrote what, once after an older version's
// index was read. The changes came first: they show if the history is another.
func (c *cycle) attribute(ctx context.Context, n news) error {
	if !c.index.Unattributed || !n.asked || n.manifest != nil || c.options.DryRun {
		return nil
	}
	n, err := c.pullManifest(ctx, news{})
	if err != nil {
		c.report.Requests += n.requests
		return explain(err)
	}
	return c.takeOrResync(ctx, n)
}

// scanFirst also clears away what an interrupted run left in the tree.
func (c *cycle) scanFirst(ctx context.Context) error {
	if err := c.scan(ctx, c.options.Verify); err != nil {
		return err
	}
	if len(c.listing.Leftovers) > 0 && !c.options.DryRun && !c.options.Offline {
		var known []memory.Path
		for p := range c.state.files {
			known = append(known, p)
		}
		for _, e := range c.state.entries { // their files may be what was left behind
			if e.base.EntryID != "" {
				known = append(known, e.base.Path)
			}
		}
		if err := c.tree.Sweep(ctx, c.listing, known); err != nil {
			return fmt.Errorf("clear away what an interrupted run left: %w", err)
		}
		if err := c.scan(ctx, c.options.Verify); err != nil {
			return err
		}
	}
	c.recognise()
	return nil
}

// recognise compares the tree's marker with the index. What is missing from the
// very tree that the index is about was absent when the index was written.
func (c *cycle) recognise() {
	same := c.sameMarker()
	known := !c.index.Cursor.IsZero()
	if known && (same || c.unmoved && c.marker.Inode == c.index.MarkerInode) {
		c.absentAt = c.index.Cursor
	} else if known {
		c.distrust()
	}
	if !same {
		c.index.MarkerInode, c.index.MarkerCTime, c.state.dirty = c.marker.Inode, c.marker.CTime, true
	}
}

func (c *cycle) sameMarker() bool {
	return c.marker.Inode == c.index.MarkerInode && c.marker.CTime == c.index.MarkerCTime
}

// distrust deals with a tree that was put back from a backup: what is missing
// in it was not deleted, and what differs is older, not newer. Only files that
// are as the index has them keep their base; for the others the server's side
// is all that is known, as if the index were new.
func (c *cycle) distrust() {
	c.dropSent()
	c.received = nil
	for _, id := range c.state.ids() {
		base := c.state.entries[id].base
		if base.EntryID == "" || c.listing.LeavesOut(base.Path) {
			continue // what is left out is frozen: nobody looked whether it is older
		}
		if f, there := c.state.files[base.Path]; !there || f.Sum != base.Sum && f.Text != base.Text {
			c.state.doubt(id)
		}
	}
	c.notice("the tree was restored or moved: nothing is deleted in this run")
}

// observeAgain looks again at whatever a round has shown to have moved.
func (c *cycle) observeAgain(ctx context.Context) error {
	if c.rescan {
		if err := c.sameScope(ctx); err != nil {
			return err
		}
		if err := c.scan(ctx, false); err != nil {
			return err
		}
	}
	if !c.again {
		return nil
	}
	// Most of what is new then is what was just sent, so its texts are here.
	n, err := c.pull(ctx, c.index.Cursor, c.index.Digest, false, func(memory.FeedPage) {})
	if err == nil && c.contested && len(n.pages) == 0 && n.manifest == nil {
		n, err = c.pullManifest(ctx, n) // the feed does not know why, so what is known here is wrong
	}
	if err != nil {
		c.report.Requests += n.requests
		return explain(err)
	}
	c.again, c.contested = false, false
	if err := c.takeOrResync(ctx, n); err != nil {
		return err
	}
	return explain(c.renamedAlike(ctx))
}

// takeOrResync takes in the news, and compares with the manifest if the state
// turns out to have drifted.
func (c *cycle) takeOrResync(ctx context.Context, n news) error {
	if err := c.continues(n); err != nil {
		c.report.Requests += n.requests
		return explain(err)
	}
	if c.take(n) {
		return nil
	}
	c.notice("what was known of the server did not add up; it was compared entry by entry")
	n, err := c.pullManifest(ctx, news{})
	if err == nil {
		err = c.continues(n)
	}
	if err != nil {
		return explain(err)
	}
	c.take(n)
	return nil
}

// continues checks that a manifest belongs to the history that the index is
// about. Of another one, whatever is not in it would look deleted; the server
// itself only compares for a feed.
func (c *cycle) continues(n news) error {
	known := c.index.Cursor
	switch {
	case n.manifest == nil || known.IsZero():
	case n.manifest.Epoch != known.Epoch:
		return &memory.Error{Code: memory.CodeEpochChanged, Message: "the project's history was replaced since you last synced"}
	case n.manifest.Seq < known.Seq:
		return &memory.Error{Code: memory.CodeCursorAhead, Message: "you have seen changes that this server does not know"}
	}
	return nil
}

// explain adds what a person needs to know about a server that went back in
// time: nothing was moved.
func explain(err error) error {
	if err == nil {
		return nil
	}
	switch memory.CodeOf(err) {
	case memory.CodeEpochChanged, memory.CodeCursorAhead, memory.CodeHistoryForked:
		return fmt.Errorf("%w: %w; nothing was changed here or there. Ask whoever runs the server, then link the folder again with --rebuild", ErrReset, err)
	default:
		return err
	}
}
