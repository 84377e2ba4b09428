package memory

import (
	"slices"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// court holds the state of the project while [Judge] goes through a batch.
type court struct {
	batch    Batch
	began    int64 // the feed before the batch
	head     Head
	live     int
	entries  map[EntryID]*EntryHead
	named    map[string]EntryID   // live entries by path key, without those that left their name
	buried   map[string][]EntryID // entries that were deleted under the path key; some may be back
	texts    map[text]int64       // the newest revs at which entries said what, as far as a batch asks
	names    *sanitize.Names      // spellings of the names in use
	leavers  map[Path]EntryID     // entries that the batch moves elsewhere, by where they were
	vacated  map[EntryID]bool     // entries that left their name and have no new one yet
	waiting  waiting              // the author's pending proposals, as far as a batch asks
	queued   ProposalNumbers
	purged   []Certificate
	verdicts []Verdict
	stored   []Stored
	proposed []*Proposed
	replaced []Proposal
}

// text is one content that an entry has or had.
type text struct {
	entry EntryID
	sum   Hash
}

func newCourt(b Batch, h Heads) *court {
	c := &court{
		batch: b, began: h.Head.Seq, head: h.Head, live: h.Live,
		entries: map[EntryID]*EntryHead{}, named: map[string]EntryID{}, buried: map[string][]EntryID{}, texts: map[text]int64{},
		names: &sanitize.Names{}, leavers: map[Path]EntryID{}, vacated: map[EntryID]bool{}, queued: h.Queued, purged: h.Purged,
		waiting: waiting{map[EntryID]*Proposal{}, map[string]*Proposal{}},
	}
	for _, e := range h.Entries {
		head := e
		c.entries[e.ID] = &head
		if e.DeletedRev > 0 {
			c.bury(&head)
			continue
		}
		c.settle(&head)
	}
	for _, f := range h.Folders {
		if f.Live > c.below(f.Key) {
			c.names.AddFolder(f.Folder()) // also holds entries that the batch does not touch
		}
	}
	for _, e := range h.Earlier {
		said := text{e.EntryID, e.Sum}
		c.texts[said] = max(c.texts[said], e.Rev)
	}
	for _, p := range h.Pending {
		if p.ID != b.Approves.Proposal {
			c.waiting.add(&p)
		}
	}
	return c
}

// below counts the known live entries in a folder, at any depth.
func (c *court) below(folder string) (n int) {
	for key := range c.named {
		if strings.HasPrefix(key, folder+"/") {
			n++
		}
	}
	return n
}

// find returns the entry that the write means: by id, else by the path that it
// names. With a base that is the entry which the writer saw there, even if the
// batch moves it elsewhere; without one, whatever lives there now.
func (c *court) find(w Write) *EntryHead {
	if w.EntryID != "" {
		return c.entries[w.EntryID]
	}
	path := w.Path
	if w.Action == ActionMove {
		path = w.Previous
	}
	if head := c.entries[c.leavers[path]]; head != nil && head.Path == path && w.BaseRev > 0 {
		return head
	}
	if head := c.entries[c.named[path.Skeleton()]]; head != nil && head.Path == path {
		return head
	}
	return nil
}

// said reports whether the entry has had this text since a revision. A tree
// whose client was cut off has later texts than the client took note of. An
// older one was put back by somebody who saw what came after it.
func (c *court) said(id EntryID, sum Hash, since int64) bool {
	rev, ever := c.texts[text{id, sum}]
	return ever && rev >= since
}

// remembered returns the deleted entry which had this very text, if the writer
// cannot have known of the delete: such a text comes from a stale tree, and
// bringing it back would undo the delete. It is the entry that the write names,
// or one that was deleted at this path.
func (c *court) remembered(w Write, named *EntryHead) *EntryHead {
	graves := c.buried[w.Path.Skeleton()]
	if named != nil {
		graves = append(slices.Clip(graves), named.ID)
	}
	for _, id := range graves {
		grave := c.entries[id]
		if grave.DeletedRev > 0 && !c.knew(w, grave) && (grave.Sum == w.Content.Sum() || c.said(id, w.Content.Sum(), 0)) {
			return grave
		}
	}
	return nil
}

// knew reports whether the writer saw the delete, or did it in this batch.
func (c *court) knew(w Write, grave *EntryHead) bool {
	return grave.DeletedRev > c.began || (w.AbsentAt.Epoch == c.head.Epoch && w.AbsentAt.Seq >= grave.DeletedRev)
}

// grave returns the entry that was last deleted at the path, or nil.
func (c *court) grave(p Path) *EntryHead {
	for _, id := range slices.Backward(c.buried[p.Skeleton()]) {
		if e := c.entries[id]; e.DeletedRev > 0 {
			return e
		}
	}
	return nil
}

// condemned returns why a text must not come back that was purged, nil if it was
// not. It is final, whatever the writer knew: who means it says it differently.
func (c *court) condemned(w Write, head *EntryHead) *Verdict {
	live := head != nil && head.DeletedRev == 0
	var sum Hash
	switch {
	case w.Action == ActionPut:
		sum = w.Content.Sum()
	case w.Action == ActionMove && live:
		sum = head.Sum
	default:
		return nil
	}
	if live && head.Sum == sum && head.Path == w.Path {
		return nil
	}
	entry := w.NewID
	if head != nil {
		entry = head.ID
	}
	for _, p := range c.purged {
		if !p.forbids(entry, w.Path, sum) {
			continue
		}
		v := Verdict{Ruling: RulingDeleted, EntryID: p.EntryID, Rev: p.Rev}
		if live {
			v = refused(head.ID, purgedText())
		}
		return &v
	}
	return nil
}

func purgedText() *Error {
	return &Error{
		Code: CodeTextRejected, Field: "content", Message: "this very text was purged from the project",
		Hint: "take out what it was purged for, and share the rest",
	}
}

// missing answers an op on an entry that is not there: with the delete, if
// there was one.
func (c *court) missing(p Path) Verdict {
	if grave := c.grave(p); grave != nil {
		return conflict(grave)
	}
	return refused("", &Error{
		Code: CodeNotFound, Field: "path", Message: "there is no such entry",
		Hint: "sync first: the entry was never in this project",
	})
}

// settles says why the entry may not come to live at the path. Its own name is
// not in its way. It keeps that name if it will not move, or not yet.
func (c *court) settles(item int, head *EntryHead, p Path) *Error {
	if head.Path == p {
		return nil
	}
	left := c.vacated[head.ID]
	c.vacate(head)
	problem := c.taken(p)
	if (problem != nil || c.batch.Items[item].waits()) && !left {
		c.settle(head)
	}
	return problem
}

// taken says why no entry may come to live at the path.
func (c *court) taken(p Path) *Error {
	if err := CheckTwin(c.names, p); err != nil {
		return err
	}
	if _, live := c.named[p.Skeleton()]; live {
		return &Error{
			Code: CodeConflict, Field: "path", Message: "another entry has this path",
			Hint: "choose another name, or change that entry instead",
		}
	}
	return nil
}

func newEntry(w Write) *EntryHead {
	id := w.EntryID
	if id == "" {
		id = w.NewID
	}
	return &EntryHead{ID: id}
}

// grant publishes an op against which nothing speaks, or keeps it for a
// reviewer.
func (c *court) grant(item int, w Write, head *EntryHead, path Path, sum Hash) Verdict {
	if c.batch.Items[item].waits() {
		return c.propose(item, w, head, path, sum)
	}
	return c.publish(item, w, head, path, sum)
}

// publish gives the op its number and brings the state up to date.
func (c *court) publish(item int, w Write, head *EntryHead, path Path, sum Hash) Verdict {
	was, live := *head, head.Rev > 0 && head.DeletedRev == 0
	c.replace(c.waiting.rivals(head.ID, path), "")
	c.entries[head.ID] = head
	c.head.Seq++
	s := Stored{
		Item: item, Action: w.Action, EntryID: head.ID, Created: was.Rev == 0, Rev: c.head.Seq,
		Path: path, BaseRev: was.Rev, Before: was.Sum, Sum: sum, Write: w,
	}
	if live {
		c.live--
		c.head.Digest.Remove(was.Path, was.Sum)
	}
	if live && was.Path != path {
		s.Previous = was.Path
	}
	if live && (was.Path != path || w.Action == ActionDelete) {
		c.vacate(head)
	}
	*head = EntryHead{ID: head.ID, Path: path, Rev: s.Rev, Sum: sum, Size: was.Size}
	if w.Action == ActionPut {
		head.Size = w.Content.Size()
		c.texts[text{head.ID, sum}] = s.Rev
	}
	if w.Action == ActionDelete {
		head.DeletedRev = s.Rev
		c.bury(head)
	} else {
		c.live++
		c.head.Digest.Add(path, sum)
		c.settle(head)
	}
	s.Digest = c.head.Digest
	c.stored = append(c.stored, s)
	return Verdict{Ruling: RulingPublished, EntryID: head.ID, Rev: s.Rev, Sum: sum}
}

// vacate frees the name of a live entry, once.
func (c *court) vacate(head *EntryHead) {
	if c.vacated[head.ID] {
		return
	}
	c.vacated[head.ID] = true
	delete(c.named, head.Path.Skeleton())
	c.names.Remove(head.Path.key)
}

// settle takes the name for the entry.
func (c *court) settle(head *EntryHead) {
	delete(c.vacated, head.ID)
	c.named[head.Path.Skeleton()] = head.ID
	c.names.Add(head.Path.key)
}

func (c *court) bury(head *EntryHead) {
	delete(c.vacated, head.ID)
	key := head.Path.Skeleton()
	c.buried[key] = append(c.buried[key], head.ID)
}
