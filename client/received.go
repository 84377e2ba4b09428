package client

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// received is a text of the server's that was about to come into the tree, which
// the file then goes back to. Until the index is written, a file beside it keeps
// that: should this program end in between, the next run knows the text again,
// whatever the member has made of it meanwhile. Without, a text that came with a
// new name would be taken for the member's own, and be there twice once either
// side changed it.
type received msync.Base

func (r received) ref() memory.RevisionRef { return memory.RevisionRef{EntryID: r.EntryID, Rev: r.Rev} }

// receive keeps which texts are about to come into the tree.
func (c *cycle) receive(bases []msync.Base) {
	var lines strings.Builder
	for _, base := range bases {
		lines.WriteString(received(base).line())
	}
	c.receipts.add(lines.String())
}

func (r received) line() string {
	return strings.Join([]string{strconv.FormatInt(r.Rev, 10), r.Sum.String(), r.Text.String(), string(r.EntryID), r.Path.String()}, " ") + "\n"
}

func parseReceived(line string) (r received, ok bool) {
	const parts = 5
	fields := strings.SplitN(line, " ", parts)
	if len(fields) < parts {
		return r, false
	}
	var errs [parts - 1]error
	r.Rev, errs[0] = strconv.ParseInt(fields[0], 10, 64)
	r.Sum, errs[1] = memory.ParseHash(fields[1])
	r.Text, errs[2] = memory.ParseHash(fields[2])
	r.EntryID = memory.EntryID(fields[3])
	r.Path, errs[3] = memory.ParseServedPath(fields[4])
	return r, errors.Join(errs[:]...) == nil
}

// readReceived returns what earlier runs noted.
func readReceived(n *notes) (all []received) {
	for _, line := range n.lines() {
		if r, ok := parseReceived(line); ok {
			all = append(all, r)
		}
	}
	return all
}

// acknowledge makes what came into the tree what was agreed on, now that it is
// known what the server has since. A note says only that it was about to come.
func (c *cycle) acknowledge(ctx context.Context) error {
	if len(c.received) == 0 {
		return nil
	}
	var edited []received
	for _, r := range c.received {
		f, there := c.state.files[r.Path]
		switch {
		case !c.isNews(r):
		case f.Sum == r.Sum, !there && c.strays(r.Sum): // renamed since
			c.state.confirm(msync.Base(r))
		case there:
			edited = append(edited, r)
		}
	}
	if err := c.acknowledgeEdited(ctx, edited); err != nil {
		return err
	}
	c.received = nil
	return nil
}

// isNews reports whether a text is newer than what the index says was agreed on.
func (c *cycle) isNews(r received) bool {
	e := c.state.entries[r.EntryID]
	return e != nil && e.base.Rev < r.Rev
}

// acknowledgeEdited goes by what is in the files: they may be what came, edited
// since, or what was there before.
func (c *cycle) acknowledgeEdited(ctx context.Context, all []received) error {
	before := func(r received) received { return received(c.state.entries[r.EntryID].base) }
	var refs []memory.RevisionRef
	for _, r := range all {
		refs = append(refs, r.ref())
		if old := before(r); old.Rev > 0 {
			refs = append(refs, old.ref())
		}
	}
	found, err := c.fetch(ctx, refs)
	if err != nil {
		return err
	}
	for _, r := range all {
		if !c.isNews(r) {
			continue
		}
		text, err := c.localText(ctx, msync.Local{Path: r.Path, Sum: c.state.files[r.Path].Sum})
		if err != nil {
			return err
		}
		if msync.BuildsOn(text, found[r.ref()], found[before(r).ref()]) {
			c.state.confirm(msync.Base(r))
		}
	}
	return nil
}

// strays reports whether a text is in a file that belongs to no entry, as far as
// is known, and that no other text was about to come to.
func (c *cycle) strays(sum memory.Hash) bool {
	owned := make(map[memory.Path]bool, len(c.state.entries))
	for _, e := range c.state.entries {
		if e.base.EntryID != "" {
			owned[e.base.Path] = true
		}
	}
	for _, r := range c.received {
		owned[r.Path] = true
	}
	for p, f := range c.state.files {
		if f.Sum == sum && !owned[p] {
			return true
		}
	}
	return false
}
