package client

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// sent is a text of the tree that was about to go to the server, or the new name
// of a file that was about to go there, or to be given to it. Until the index is
// written with what came of it, a file beside it keeps that: should the answer
// get lost, or this program, the next run knows the text again in the feed, and
// the file in the tree, whatever became of either meanwhile. Without, the
// member's next edit would be in conflict with their last one, and a file that
// was renamed and edited would be a new one.
//
// The notes have to outlive this program, not the computer, after whose end such
// an edit is kept as a conflict.
type sent struct {
	Entry memory.EntryID // "" for a new one
	Path  memory.Path
	Sum   memory.Hash // zero: it is the name that counts
	Text  memory.Hash // as in [msync.Base]
	Local memory.Hash // of the text in the tree that was merged into it; zero: it was in the tree itself
	Since int64       // newest revision that was known before
}

// fork is what a text of the tree goes back to that the server never had: the
// member's part in a merge that was published and did not come into the tree,
// since somebody wrote there meanwhile, or the program ended. All of it is in the
// server's text, which the revision that the index has as the base does not say.
type fork struct {
	rev  int64 // of that base
	text []byte
}

// maxSent is how many are kept for another run, while none ends well.
const maxSent = 10_000

// note keeps what is about to be sent.
func (c *cycle) note(offers []*offer) {
	var b strings.Builder
	for _, o := range offers {
		if s, ok := c.noteOf(o); ok {
			b.WriteString(s.line())
		}
	}
	c.notes.add(b.String())
}

// noteOf is the note of one offer. Of a text that was merged first the member's
// part goes to the trash, which is where it goes afterwards, too.
func (c *cycle) noteOf(o *offer) (s sent, ok bool) {
	w := o.write
	switch {
	case w.Action == memory.ActionMove:
		return c.moving(o.op), true
	case w.Action != memory.ActionPut || o.asks:
		return s, false
	}
	sum := w.Content.Sum()
	s = sent{
		Entry: w.EntryID, Path: w.Path, Sum: sum, Text: msync.TextSumOf(o.text, sum), Since: max(c.index.Cursor.Seq, o.op.Remote.Rev),
	}
	if sum != o.op.Local.Sum {
		s.Local = o.op.Local.Sum
		return s, o.local != nil && c.trashBin.keepYoung(o.op.Path, o.local) == nil
	}
	return s, true
}

// noteMoves keeps which files are about to be renamed, as their entries were.
func (c *cycle) noteMoves(ops []msync.Op) {
	var b strings.Builder
	for _, op := range ops {
		if op.Kind == msync.MoveLocal {
			b.WriteString(c.moving(op).line())
		}
	}
	c.notes.add(b.String())
}

func (c *cycle) moving(op msync.Op) sent {
	return sent{Entry: op.Entry, Path: op.Path, Since: c.index.Cursor.Seq}
}

func (s sent) line() string {
	fields := []string{strconv.FormatInt(s.Since, 10)}
	for _, h := range []memory.Hash{s.Sum, s.Text, s.Local} {
		field := "-"
		if !h.IsZero() {
			field = h.String()
		}
		fields = append(fields, field)
	}
	return strings.Join(append(fields, cmp.Or(string(s.Entry), "-"), s.Path.String()), " ") + "\n"
}

// readSent returns what earlier runs noted.
func readSent(n *notes) (all []sent) {
	for _, line := range n.lines() {
		if s, ok := parseSent(line); ok {
			all = append(all, s)
		}
	}
	return all
}

// movedBy returns the newest name that each file got.
func movedBy(all []sent) map[memory.EntryID]memory.Path {
	moved := map[memory.EntryID]memory.Path{}
	for _, s := range all {
		if s.Sum.IsZero() {
			moved[s.Entry] = s.Path
		}
	}
	return moved
}

func parseSent(line string) (s sent, ok bool) {
	const parts = 6
	fields := strings.SplitN(line, " ", parts)
	if len(fields) < parts {
		return s, false
	}
	var errs [5]error
	s.Since, errs[0] = strconv.ParseInt(fields[0], 10, 64)
	for i, h := range []*memory.Hash{&s.Sum, &s.Text, &s.Local} {
		if fields[1+i] != "-" {
			*h, errs[1+i] = memory.ParseHash(fields[1+i])
		}
	}
	if fields[4] != "-" {
		s.Entry = memory.EntryID(fields[4])
	}
	s.Path, errs[4] = memory.ParseServedPath(fields[5])
	return s, errors.Join(errs[:]...) == nil
}

// recall knows the texts again that were published while the answer got lost:
// they are what was agreed on, or hold all of it. What the index knows already is
// newer than the note.
func (c *cycle) recall(ctx context.Context) error {
	histories := map[memory.EntryID][]memory.Revision{}
	for _, s := range c.sent {
		id := s.Entry
		if id == "" {
			id = c.state.liveAt(s.Path)
		}
		e := c.state.entries[id]
		if s.Sum.IsZero() || e == nil || e.remote == nil || e.remote.Rev <= s.Since || e.base.Rev > s.Since {
			continue
		}
		place := c.placeOf(id, e, s)
		rev, err := c.publishedAs(ctx, id, e, s, place, histories)
		switch {
		case err != nil:
			return err
		case rev == 0:
		case s.Local.IsZero():
			c.state.confirm(msync.Base{EntryID: id, Path: place, Rev: rev, Sum: s.Sum, Text: s.Text})
		default:
			if text := c.trashBin.text(s.Path, s.Local); text != nil {
				c.forks[id] = fork{e.base.Rev, text}
			}
		}
	}
	if c.absentAt.IsZero() || len(c.sent) > maxSent {
		c.dropSent()
	}
	c.sent = nil
	return nil
}

// placeOf returns where the file is now whose text was sent: the entry may have
// got another name since, and the file with it.
func (c *cycle) placeOf(id memory.EntryID, e *entry, s sent) memory.Path {
	if e.base.EntryID == "" || c.moved[id] == s.Path {
		return s.Path
	}
	return e.base.Path
}

// publishedAs returns the revision of an entry that a text became which was sent,
// 0 if it became none. Often it is the newest. If somebody wrote since, the
// history tells.
func (c *cycle) publishedAs(
	ctx context.Context, id memory.EntryID, e *entry, s sent, place memory.Path, histories map[memory.EntryID][]memory.Revision,
) (int64, error) {
	_, there := c.state.files[place]
	sure := !c.absentAt.IsZero() && c.member != ""
	if r := e.remote; !r.Deleted && r.Path == s.Path && r.Sum == s.Sum {
		// A file that is missing is taken for deleted then. With nothing known of the
		// tree it is not, and a team-mate's entry with the same text is theirs.
		if there || sure && e.author == c.member {
			return r.Rev, nil
		}
		return 0, nil
	}
	if !there {
		there = c.strays(s.Sum) // renamed since
	}
	if !sure || !there || c.device == "" {
		return 0, nil
	}
	if _, asked := histories[id]; !asked {
		var err error
		if histories[id], err = c.newerThan(ctx, id, e.base.Rev); err != nil {
			return 0, err
		}
	}
	for _, r := range histories[id] {
		if r.Rev > s.Since && r.Sum == s.Sum && r.Path == s.Path && r.Device == c.device {
			return r.Rev, nil
		}
	}
	return 0, nil
}

// newerThan returns the revisions of an entry after one, newest first.
func (c *cycle) newerThan(ctx context.Context, id memory.EntryID, rev int64) (all []memory.Revision, err error) {
	for cursor := ""; ; {
		c.report.Requests++
		page, next, err := c.server.Revisions(ctx, c.link.Project, id, cursor)
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			if r.Rev <= rev || len(all) > 0 && r.Rev >= all[len(all)-1].Rev {
				return all, nil
			}
			all = append(all, r)
		}
		if next == "" || len(page) == 0 {
			return all, nil
		}
		cursor = next
	}
}

// dropSent drops what earlier runs noted, here and on disk.
func (c *cycle) dropSent() {
	c.sent, c.moved = nil, nil
	if !c.options.DryRun {
		c.notes.drop()
	}
}
