package memory

import (
	"github.com/teammem/teammem/sanitize"
	"slices"
	"strings"
)

// Stored is one op that [Judge] decided to write.
type Stored struct {
	Item     int // index in the batch
	Action   Action
	EntryID  EntryID
	Created  bool // the entry is new
	Rev      int64
	Path     Path
	Previous Path // where the entry was, if it moved; else zero
	BaseRev  int64
	Before   Hash   // of the content that was replaced; zero for a new entry
	Sum      Hash   // of the content afterwards; of a delete, the last one
	Digest   Digest // of the project at Rev
	Write    Write
}

// Judgement is what becomes of a batch.
type Judgement struct {
	Verdicts []Verdict // one per item, in order
	Stored   []Stored  // in the order of their revs, which follow the head without a gap
	Head     Head      // afterwards
	Live     int       // afterwards
}

// Judge compares every op of a batch with the heads that the store read under
// the project's lock. It is the compare-and-swap of the protocol: an op is
// stored only if its base is the head, so nobody's text is overwritten unseen.
// Later ops of a batch see what earlier ones did, except that all names which
// the batch's moves give up are free from the start: two entries can swap
// names in one push.
func Judge(b Batch, h Heads) Judgement {
	barred := map[int]bool{} // moves that found their new name taken
	for {
		c := newCourt(b, h)
		stuck, ok := c.sit(barred)
		if ok {
			return Judgement{Verdicts: c.verdicts, Stored: c.stored, Head: c.head, Live: c.live}
		}
		// The name that this move gave up must be taken again, which can spoil
		// another op: judge anew without it. Each round bars one more move.
		barred[stuck] = true
	}
}

// court holds the state of the project while a batch is judged.
type court struct {
	batch    Batch
	head     Head
	live     int
	entries  map[EntryID]*EntryHead
	named    map[string]EntryID // live entries by path key
	buried   map[string][]EntryID
	earlier  map[EntryID]map[Hash]int64
	names    *sanitize.Names
	vacated  map[EntryID]bool // names given up before the first op is judged
	verdicts []Verdict
	stored   []Stored
}

func newCourt(b Batch, h Heads) *court {
	c := &court{
		batch: b, head: h.Head, live: h.Live,
		entries: map[EntryID]*EntryHead{}, named: map[string]EntryID{}, buried: map[string][]EntryID{},
		earlier: map[EntryID]map[Hash]int64{}, names: &sanitize.Names{}, vacated: map[EntryID]bool{},
	}
	for _, e := range h.Entries {
		head := e
		c.entries[e.ID] = &head
		key := e.Path.Skeleton()
		if e.DeletedRev > 0 {
			c.buried[key] = append(c.buried[key], e.ID)
			continue
		}
		c.named[key] = e.ID
		c.names.Add(e.Path.key)
	}
	for _, f := range h.Folders {
		if f.Live > c.below(f.Key) {
			c.names.AddFolder(f.Folder()) // also holds entries that the batch does not touch
		}
	}
	for _, t := range h.Earlier {
		if c.earlier[t.EntryID] == nil {
			c.earlier[t.EntryID] = map[Hash]int64{}
		}
		c.earlier[t.EntryID][t.Sum] = t.Rev
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

// sit judges all items. When an item that gave up its name was not stored,
// it stops and returns that item.
func (c *court) sit(barred map[int]bool) (stuck int, ok bool) {
	leaving := map[int]bool{}
	for i, it := range c.batch.Items {
		if it.passed() && !barred[i] && c.leaves(it.Write) {
			leaving[i] = true
			c.vacate(c.find(it.Write))
		}
	}
	for i, it := range c.batch.Items {
		if !it.passed() {
			c.verdicts = append(c.verdicts, refused("", it.Refused))
			continue
		}
		v := c.judge(i, it.Write)
		c.verdicts = append(c.verdicts, v)
		if leaving[i] && v.Ruling != RulingPublished {
			return i, false
		}
	}
	return 0, true
}

// leaves reports whether the write would move a live entry whose head is its
// base.
func (c *court) leaves(w Write) bool {
	head := c.find(w)
	return w.Action != ActionDelete && head != nil && head.DeletedRev == 0 && based(w, head) && head.Path != w.Path
}

// find returns the entry that the write means: by id, else the live one at the
// path it names.
func (c *court) find(w Write) *EntryHead {
	if w.EntryID != "" {
		return c.entries[w.EntryID]
	}
	path := w.Path
	if w.Action == ActionMove {
		path = w.Previous
	}
	if head := c.entries[c.named[path.Skeleton()]]; head != nil && head.Path == path {
		return head
	}
	return nil
}

func (c *court) judge(item int, w Write) Verdict {
	head := c.find(w)
	switch {
	case w.Action == ActionDelete:
		return c.judgeDelete(item, w, head)
	case w.Action == ActionMove:
		return c.judgeMove(item, w, head)
	case head == nil || head.DeletedRev > 0:
		return c.judgeCreate(item, w, head)
	}
	return c.judgePut(item, w, head)
}

func (c *court) judgePut(item int, w Write, head *EntryHead) Verdict {
	sum := w.Content.Sum()
	switch {
	case head.Sum == sum && head.Path == w.Path:
		return same(head)
	case !based(w, head) && c.had(head.ID, sum):
		return Verdict{Ruling: RulingSuperseded, EntryID: head.ID, Rev: head.Rev, Sum: head.Sum, Current: current(head)}
	case !based(w, head):
		return conflict(head)
	case w.Content.blank() && head.Size > 0 && !w.AllowEmpty:
		return refused(head.ID, &Error{Code: CodeSuspectEmpty, Field: "content",
			Message: "an empty text would replace one that is not empty", Hint: "push with allow_empty if this is meant"})
	}
	if head.Path != w.Path {
		if problem := c.taken(w.Path); problem != nil {
			return refused(head.ID, problem)
		}
	}
	return c.publish(item, w, head, w.Path, sum)
}

func (c *court) judgeMove(item int, w Write, head *EntryHead) Verdict {
	switch {
	case head == nil:
		return c.missing(w.Previous)
	case head.DeletedRev > 0:
		return conflict(head)
	case head.Path == w.Path && (w.BaseSum.IsZero() || head.Sum == w.BaseSum):
		return same(head)
	case !based(w, head):
		return conflict(head)
	case head.Path != w.Previous:
		return conflict(head)
	}
	if problem := c.taken(w.Path); problem != nil {
		return refused(head.ID, problem)
	}
	return c.publish(item, w, head, w.Path, head.Sum)
}

func (c *court) judgeDelete(item int, w Write, head *EntryHead) Verdict {
	switch {
	case head == nil:
		return c.missing(w.Path)
	case head.DeletedRev > 0:
		return same(head)
	case !based(w, head):
		return conflict(head)
	}
	return c.publish(item, w, head, head.Path, head.Sum)
}

// judgeCreate stores a new entry, or brings a deleted one back under its id.
func (c *court) judgeCreate(item int, w Write, head *EntryHead) Verdict {
	switch {
	case head == nil && w.BaseRev > 0:
		return c.missing(w.Path)
	case head != nil && w.BaseRev > 0 && w.BaseRev != head.DeletedRev:
		if c.had(head.ID, w.Content.Sum()) {
			return gone(head)
		}
		return conflict(head)
	case w.BaseRev == 0:
		if grave := c.remembered(w); grave != nil {
			return gone(grave)
		}
	}
	if problem := c.taken(w.Path); problem != nil {
		return refused(w.EntryID, problem)
	}
	if c.batch.Quota > 0 && c.live >= c.batch.Quota {
		return refused(w.EntryID, quotaReached(c.batch.Quota))
	}
	if head == nil {
		id := w.EntryID
		if id == "" {
			id = w.NewID
		}
		head = &EntryHead{ID: id}
		c.entries[id] = head
	}
	return c.publish(item, w, head, w.Path, w.Content.Sum())
}

// remembered returns the deleted entry at this path that had this very text,
// if the writer cannot have known of the delete: such a text comes from a
// stale tree, and bringing it back would undo the delete.
func (c *court) remembered(w Write) *EntryHead {
	for _, id := range c.buried[w.Path.Skeleton()] {
		grave := c.entries[id]
		knew := w.AbsentAt.Epoch == c.head.Epoch && w.AbsentAt.Seq >= grave.DeletedRev
		if !knew && grave.DeletedRev > 0 && (grave.Sum == w.Content.Sum() || c.had(id, w.Content.Sum())) {
			return grave
		}
	}
	return nil
}

func (c *court) had(id EntryID, sum Hash) bool {
	_, ok := c.earlier[id][sum]
	return ok
}

// taken says why no entry may come to live at the path.
func (c *court) taken(p Path) *Error {
	if err := CheckTwin(c.names, p); err != nil {
		return err
	}
	if _, live := c.named[p.Skeleton()]; live {
		return &Error{Code: CodeConflict, Field: "path", Message: "another entry has this path",
			Hint: "choose another name, or change that entry instead"}
	}
	return nil
}

// missing answers an op on an entry that is not there: with the delete, if
// there was one.
func (c *court) missing(p Path) Verdict {
	for _, id := range slices.Backward(c.buried[p.Skeleton()]) {
		if grave := c.entries[id]; grave.DeletedRev > 0 {
			return conflict(grave)
		}
	}
	return refused("", &Error{Code: CodeNotFound, Field: "path", Message: "there is no such entry",
		Hint: "sync first: the entry was never in this project"})
}

// publish gives the op its number and brings the state up to date.
func (c *court) publish(item int, w Write, head *EntryHead, path Path, sum Hash) Verdict {
	was, live := *head, head.Rev > 0 && head.DeletedRev == 0
	s := Stored{
		Item: item, Action: w.Action, EntryID: head.ID, Created: head.Rev == 0, Rev: c.head.Seq + 1,
		Path: path, BaseRev: head.Rev, Before: head.Sum, Sum: sum, Write: w,
	}
	if live {
		c.head.Digest.Remove(was.Path, was.Sum)
		c.vacate(head)
		if was.Path != path {
			s.Previous = was.Path
		}
	}
	c.head.Seq = s.Rev
	*head = EntryHead{ID: head.ID, Path: path, Rev: s.Rev, Sum: sum, Size: was.Size}
	if w.Action == ActionPut {
		head.Size = w.Content.Size()
	}
	if w.Action == ActionDelete {
		head.DeletedRev = s.Rev
		c.buried[path.Skeleton()] = append(c.buried[path.Skeleton()], head.ID)
	} else {
		c.head.Digest.Add(path, sum)
		c.settle(head)
	}
	s.Digest = c.head.Digest
	c.stored = append(c.stored, s)
	c.live += count(head.DeletedRev == 0) - count(live)
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

func (c *court) settle(head *EntryHead) {
	delete(c.vacated, head.ID)
	c.named[head.Path.Skeleton()] = head.ID
	c.names.Add(head.Path.key)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func based(w Write, head *EntryHead) bool {
	return w.BaseRev == head.Rev && (w.BaseSum.IsZero() || w.BaseSum == head.Sum)
}

func same(head *EntryHead) Verdict {
	return Verdict{Ruling: RulingSame, EntryID: head.ID, Rev: head.Rev, Sum: head.Sum}
}

func gone(head *EntryHead) Verdict {
	return Verdict{Ruling: RulingDeleted, EntryID: head.ID, Rev: head.DeletedRev, Current: current(head)}
}

func conflict(head *EntryHead) Verdict {
	return Verdict{Ruling: RulingConflict, EntryID: head.ID, Current: current(head)}
}

func refused(id EntryID, problem *Error) Verdict {
	return Verdict{Ruling: RulingRefused, EntryID: id, Problem: problem}
}

func current(head *EntryHead) *Current {
	c := &Current{EntryID: head.ID, Rev: head.Rev, Sum: head.Sum, Path: head.Path, Action: ActionPut}
	if head.DeletedRev > 0 {
		c.Rev, c.Action = head.DeletedRev, ActionDelete
	}
	return c
}
