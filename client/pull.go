package client

import (
	"context"
	"fmt"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// texts keeps contents that came with the feed until they are written, up to a
// bound; what does not fit is fetched again by revision.
type texts struct {
	byRef map[memory.RevisionRef][]byte
	bytes int
}

const maxTexts = 128 << 20 // bytes

func (t *texts) put(ref memory.RevisionRef, content []byte) {
	if t.byRef == nil {
		t.byRef = map[memory.RevisionRef][]byte{}
	}
	if t.bytes+len(content) <= maxTexts {
		t.byRef[ref], t.bytes = content, t.bytes+len(content)
	}
}

// news is what one pull brought. It is gathered beside the scan of the tree
// and taken in afterwards.
type news struct {
	pages    []memory.FeedPage
	foreign  []wire.Refusal
	manifest *memory.Head
	entries  []memory.Entry
	requests int
}

// pull asks the server for everything after the cursor.
func (s *Syncer) pull(ctx context.Context, since memory.Cursor, have memory.Digest) (news, error) {
	var n news
	for {
		n.requests++
		page, foreign, err := s.server.Changes(ctx, s.link.Project, since, have)
		if memory.CodeOf(err) == memory.CodeCursorTooOld && err != nil {
			return s.pullManifest(ctx, n)
		}
		if err != nil {
			return n, err
		}
		if page == nil {
			return n, nil
		}
		if page.From != since.Seq && !since.IsZero() {
			return n, fmt.Errorf("the server's feed starts at %d, not at %d as asked", page.From, since.Seq)
		}
		n.pages, n.foreign = append(n.pages, *page), append(n.foreign, foreign...)
		since, have = memory.Cursor{Epoch: page.Epoch, Seq: page.To}, page.Digest
		s.progress("receiving", int(page.To-n.pages[0].From), int(page.Head-n.pages[0].From))
		if !page.More() {
			return n, nil
		}
	}
}

// pullManifest asks for the list of all entries instead of the changes.
func (s *Syncer) pullManifest(ctx context.Context, n news) (news, error) {
	n.requests++
	head, entries, foreign, err := s.server.Manifest(ctx, s.link.Project)
	if err != nil {
		return n, err
	}
	n.pages, n.manifest, n.entries, n.foreign = nil, &head, entries, foreign
	return n, nil
}

// agrees compares the server's digest with our own. Entries that may not exist
// here are in its digest and not in ours, so with them there is no proof.
func (c *cycle) agrees(d memory.Digest) bool { return len(c.state.foreign) > 0 || c.state.digest == d }

// take brings the state up to date with the news. It reports false if the
// state does not have the digest that the server states: then it drifted, and
// only the manifest can mend it.
func (c *cycle) take(n news) bool {
	c.report.Requests += n.requests
	for _, f := range n.foreign {
		c.refuseForeign(f)
	}
	if n.manifest != nil {
		c.takeManifest(*n.manifest, n.entries)
		return true
	}
	for _, page := range n.pages {
		for _, change := range page.Changes {
			c.takeChange(change)
		}
		if !c.agrees(page.Digest) {
			return false
		}
		c.index.vouch(memory.Cursor{Epoch: page.Epoch, Seq: page.To}, page.Digest)
		c.state.dirty = true
	}
	return true
}

func (c *cycle) takeChange(change memory.Change) {
	r := msync.Remote{
		EntryID: change.EntryID, Path: change.Path, Rev: change.Rev, Sum: change.Sum, Deleted: change.Action == memory.ActionDelete,
	}
	if change.Inline {
		c.texts.put(memory.RevisionRef{EntryID: change.EntryID, Rev: change.Rev}, change.Content)
	}
	c.learn(r, change.At)
}

// learn takes in one entry of the server's, unless its name is the twin of
// another one's there: on some disks the two would be one file.
func (c *cycle) learn(r msync.Remote, at time.Time) {
	if !r.Deleted {
		if err := c.twin(r); err != nil {
			c.refuseForeign(wire.Refusal{EntryID: r.EntryID, Rev: r.Rev, Path: r.Path.String(), Problem: err})
			return
		}
	}
	delete(c.state.foreign, r.EntryID)
	c.state.learn(r, at)
	if c.names != nil && r.Deleted {
		c.names.Remove(r.Path.String())
	}
}

// twin checks a name against all others that the server has.
func (c *cycle) twin(r msync.Remote) *memory.Error {
	if e := c.state.entries[r.EntryID]; e != nil {
		path, _, live := e.served()
		if live && path == r.Path {
			return nil
		}
		if c.names != nil && live {
			c.names.Remove(path.String())
		}
	}
	if c.names == nil {
		c.names = &sanitize.Names{}
		for id, e := range c.state.entries {
			if path, _, live := e.served(); live && id != r.EntryID {
				c.names.Add(path.String())
			}
		}
	}
	if err := memory.CheckTwin(c.names, r.Path); err != nil {
		return err
	}
	c.names.Add(r.Path.String())
	return nil
}

// takeManifest replaces the server's side by a complete list.
func (c *cycle) takeManifest(head memory.Head, entries []memory.Entry) {
	listed := make(map[memory.EntryID]bool, len(entries))
	for _, e := range entries {
		listed[e.ID] = true
		c.learn(msync.Remote{EntryID: e.ID, Path: e.Path, Rev: e.Rev, Sum: e.Sum}, e.UpdatedAt)
	}
	for _, id := range c.state.ids() {
		path, sum, live := c.state.entries[id].served()
		if live && !listed[id] {
			// The list does not say at which revision it was deleted.
			c.state.learn(msync.Remote{EntryID: id, Path: path, Sum: sum, Deleted: true}, time.Time{})
		}
	}
	c.state.digest = c.state.sum()
	c.index.vouch(head.Cursor(), head.Digest)
}

// refuseForeign records that the server has an entry which may not exist here.
func (c *cycle) refuseForeign(f wire.Refusal) {
	r := refusalOf(f.Path, memory.Path{}, memory.Hash{}, "", f.Problem)
	r.Entry = f.EntryID
	if old, ok := c.state.foreign[f.EntryID]; !ok || old.Disk != r.Disk {
		c.newForeign[f.EntryID] = true
	}
	c.state.foreign[f.EntryID], c.state.dirty = r, true
}

// fetch makes sure that the texts of the revisions are at hand, as far as the
// server gives them out.
func (c *cycle) fetch(ctx context.Context, refs []memory.RevisionRef) error {
	const most = 200 // items in one request
	var missing []memory.RevisionRef
	for _, ref := range refs {
		if _, ok := c.texts.byRef[ref]; !ok {
			missing = append(missing, ref)
		}
	}
	for len(missing) > 0 {
		c.report.Requests++
		got, err := c.server.Contents(ctx, c.link.Project, missing[:min(most, len(missing))])
		if err != nil {
			return err
		}
		if len(got.Items) == 0 {
			return fmt.Errorf("the server sent none of %d contents that were asked for", len(missing))
		}
		for _, item := range got.Items {
			if item.Problem == nil {
				c.texts.put(item.Ref, item.Content)
			}
		}
		missing = missing[len(got.Items):]
	}
	return nil
}
