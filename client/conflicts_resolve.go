package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Sides are the three texts of a conflict.
type Sides struct {
	Path   memory.Path // of the entry, which may have got another name since
	Base   []byte      // what both started from; nil: not known
	Ours   []byte      // what is kept
	Theirs []byte      // what the tree has now; nil: there is no file
}

// Take is what becomes of a conflict.
type Take int

// The ways to resolve a conflict. None of them deletes the entry.
const (
	TakeTheirs Take = iota // the entry stays as it is
	TakeOurs               // the kept text becomes the entry's
	TakeBoth               // the kept text becomes an entry of its own
	TakeText               // a text that a person made of both becomes the entry's
)

// Resolution says what becomes of a conflict.
type Resolution struct {
	Take Take
	Text []byte // of [TakeText]
	Seen Sides  // of [TakeText]: what the person made it from
}

// Sides returns the texts of a conflict.
func (s *Syncer) Sides(ctx context.Context, k Conflict) (sides Sides, err error) {
	err = s.lend(ctx, func(c *cycle) error {
		at, err := c.look(ctx, k)
		sides = at.Sides
		return errors.Join(err, at.unread)
	})
	return sides, err
}

// Resolve closes a conflict, and returns where in the tree its text went, if it
// did. What it writes is an ordinary edit over the revision that the tree has,
// so all checks, reviews and merges of the next sync apply to it, and the server
// need not be there. The kept text goes to the trash, even so.
//
// A text in the tree that the server does not have yet is not replaced.
func (s *Syncer) Resolve(ctx context.Context, k Conflict, r Resolution) (to memory.Path, err error) {
	err = s.lend(ctx, func(c *cycle) (err error) {
		at, err := c.look(ctx, k)
		if err != nil {
			return err
		}
		if to, err = c.carryInto(ctx, at, r); err != nil {
			return err
		}
		return c.discard(k, at.Sides)
	})
	return to, err
}

// standoff is a conflict beside what the tree has.
type standoff struct {
	Sides

	listing tree.Listing
	unread  error // why Theirs is not known
}

// look reads all that a conflict is about.
func (c *cycle) look(ctx context.Context, k Conflict) (standoff, error) {
	var at standoff
	ours, base, meta, err := sides(k)
	if err != nil {
		return at, err
	}
	if at.listing, err = c.tree.List(ctx); err != nil {
		return at, err
	}
	at.Path, at.Ours, at.Base = c.nameNow(k.Path, meta.EntryID), ours, base
	at.Theirs, at.unread = c.inPlace(ctx, &at.listing, at.Path)
	return at, ctx.Err()
}

// nameNow returns where in the tree an entry is by now.
func (c *cycle) nameNow(p memory.Path, id memory.EntryID) memory.Path {
	if e := c.state.entries[id]; e != nil && e.base.EntryID != "" {
		return e.base.Path
	}
	return p
}

// inPlace reads what the tree has at a path, nil if there is nothing.
func (c *cycle) inPlace(ctx context.Context, l *tree.Listing, p memory.Path) ([]byte, error) {
	text, _, err := c.tree.Read(ctx, l.Spell(p), tree.Stamp{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{} // a file all the same
	}
	return text, err
}

// carryInto does to the tree what a resolution says.
func (c *cycle) carryInto(ctx context.Context, at standoff, r Resolution) (memory.Path, error) {
	switch r.Take {
	case TakeTheirs:
		return memory.Path{}, nil
	case TakeOurs:
		return at.Path, c.replaceText(ctx, at, at.Ours)
	case TakeBoth:
		p := c.freePath(at.Path, &at.listing)
		if p.IsZero() {
			return p, memory.Invalid("both", fmt.Sprintf("no name with a number is free beside %s: it is too long, or they are left out", at.Path))
		}
		return p, c.place(ctx, p, at.listing.Spell(p), at.Ours, nil)
	case TakeText:
		if !bytes.Equal(at.Theirs, r.Seen.Theirs) || at.Path != r.Seen.Path {
			return at.Path, changedMeanwhile(at.Path)
		}
		if len(bytes.TrimSpace(r.Text)) == 0 {
			return at.Path, memory.Invalid("text", "the text is empty, and no entry is emptied to resolve a conflict")
		}
		return at.Path, c.replaceText(ctx, at, r.Text)
	}
	return memory.Path{}, fmt.Errorf("there is no resolution %d", r.Take)
}

// replaceText puts a text in the place of the entry's. That must be the text of
// a revision: over one that only the member has nothing is written.
func (c *cycle) replaceText(ctx context.Context, at standoff, text []byte) error {
	if at.unread != nil {
		return at.unread
	}
	if at.Theirs != nil && !bytes.Equal(at.Theirs, text) && !c.shared(at.Path, at.Theirs) {
		return &memory.Error{
			Code:    memory.CodeConflict,
			Message: fmt.Sprintf("%s has changes here that the server does not have", at.Path),
			Hint:    "run teammem sync first, or keep both texts with --both",
		}
	}
	return c.place(ctx, at.Path, at.listing.Spell(at.Path), text, at.Theirs)
}

// shared reports whether the text of a path is that of the revision which the
// tree has, as far as anybody shares it: its line ends may differ.
func (c *cycle) shared(p memory.Path, text []byte) bool {
	sum := memory.Sum(text)
	for _, e := range c.state.entries {
		if e.base.Path == p && e.base.EntryID != "" && (e.base.Sum == sum || e.base.Text == msync.TextSumOf(text, sum)) {
			c.trashable[sum] = true
			return true
		}
	}
	return false
}

// place writes a text into the tree, over the one that was seen there; nil for
// none. A text that is there already is no change.
func (c *cycle) place(ctx context.Context, p memory.Path, disk string, text, seen []byte) error {
	if seen != nil && bytes.Equal(seen, text) {
		return nil
	}
	var expect memory.Hash
	if seen != nil {
		expect = memory.Sum(seen)
	}
	b := c.tree.Begin()
	b.Put(p, disk, text, time.Time{}, expect)
	results, err := b.Commit(ctx)
	if err != nil {
		return err
	}
	if err := results[0].Err; errors.Is(err, tree.ErrChanged) {
		return changedMeanwhile(p)
	}
	return results[0].Err
}

func changedMeanwhile(p memory.Path) *memory.Error {
	return &memory.Error{Code: memory.CodeChanged, Message: fmt.Sprintf("%s was changed meanwhile", p), Hint: "look at it again"}
}

// freePath returns the first of <stem>-2.md, <stem>-3.md, … that neither the tree
// nor the server has, and the zero Path if none is allowed.
func (c *cycle) freePath(p memory.Path, l *tree.Listing) memory.Path {
	taken := map[string]bool{}
	for _, f := range l.Files {
		taken[f.Path.Skeleton()] = true
	}
	for _, e := range c.state.entries {
		served, _, _ := e.served()
		taken[served.Skeleton()], taken[e.base.Path.Skeleton()] = true, true
	}
	stem := strings.TrimSuffix(p.String(), ".md")
	for n := 2; n < 10_000; n++ {
		free, err := memory.ParsePath(stem + "-" + strconv.Itoa(n) + ".md")
		if err != nil {
			return memory.Path{}
		}
		if !taken[free.Skeleton()] && l.Covers(free) {
			return free
		}
	}
	return memory.Path{}
}

// discard moves the texts of a conflict to the trash, and closes it.
func (c *cycle) discard(k Conflict, s Sides) error {
	for _, text := range [][]byte{s.Base, s.Ours} {
		if text == nil {
			continue
		}
		c.clocked(k.At) // in the trash it is at least as young as it was here
		if err := c.trashBin.keepYoung(k.Path, text); err != nil {
			return err
		}
	}
	return closeConflict(k)
}
