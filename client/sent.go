package client

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// sent is a text of the tree that was about to go to the server. Until the index
// is written with the answer, a file beside it keeps that: should the answer get
// lost, or this program, the next run knows the text again in the feed, whatever
// became of the file meanwhile. Without, the member's next edit would be in
// conflict with their last one.
//
// The file is not flushed to the disk: it has to outlive this program, not the
// computer, after whose end such an edit is kept as a conflict.
type sent struct {
	Entry memory.EntryID // "" for a new one
	Path  memory.Path
	Sum   memory.Hash
	Text  memory.Hash // as in [msync.Base]
	Since int64       // newest revision that was known before
}

// maxSent is how many are kept for another run, while none ends well.
const maxSent = 10_000

// note keeps what is about to be sent. A text that was merged first was never in
// the tree, so it says nothing of it. The notes are a help and no promise: a full
// disk must not stop a sync.
func (c *cycle) note(offers []*offer) {
	var b bytes.Buffer
	for _, o := range offers {
		w := o.write
		if w.Action != memory.ActionPut || o.asks || w.Content.Sum() != o.op.Local.Sum {
			continue
		}
		sum := w.Content.Sum()
		s := sent{w.EntryID, w.Path, sum, msync.TextSumOf(o.text, sum), max(c.index.Cursor.Seq, o.op.Remote.Rev)}
		b.WriteString(s.line())
	}
	if b.Len() == 0 {
		return
	}
	c.noted = true
	f, err := os.OpenFile(c.sentFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, private)
	if err != nil {
		return
	}
	_, _ = f.Write(b.Bytes())
	_ = f.Close()
}

func (s sent) line() string {
	entry := s.Entry
	if entry == "" {
		entry = "-"
	}
	return fmt.Sprintf("%d %s %s %s %s\n", s.Since, s.Sum, s.Text, entry, s.Path)
}

// readSent returns what earlier runs noted. A line that was cut off is left out.
func readSent(file string) []sent {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var all []sent
	for line := range strings.Lines(string(b)) {
		if s, ok := parseSent(line); ok {
			all = append(all, s)
		}
	}
	return all
}

func parseSent(line string) (s sent, ok bool) {
	var sum, text, entry string
	fields := strings.SplitN(line, " ", 5)
	if len(fields) < 5 || !strings.HasSuffix(line, "\n") {
		return s, false
	}
	if _, err := fmt.Sscan(line, &s.Since, &sum, &text, &entry); err != nil {
		return s, false
	}
	var errs [3]error
	s.Sum, errs[0] = memory.ParseHash(sum)
	s.Text, errs[1] = memory.ParseHash(text)
	s.Path, errs[2] = memory.ParseServedPath(strings.TrimSuffix(fields[4], "\n"))
	if entry != "-" {
		s.Entry = memory.EntryID(entry)
	}
	return s, errs == [3]error{}
}

// recall knows the texts again that were published while the answer got lost:
// they are what was agreed on. What the index knows already is newer than the
// note, and what somebody else wrote since is not what was sent.
func (c *cycle) recall() {
	for _, s := range c.sent {
		id := s.Entry
		if id == "" {
			id = c.state.liveAt(s.Path)
		}
		e := c.state.entries[id]
		if e == nil || e.remote == nil || e.base.EntryID != "" && e.base.Path != s.Path {
			continue
		}
		r := e.remote
		if r.Deleted || r.Path != s.Path || r.Sum != s.Sum || r.Rev <= s.Since || e.base.Rev > s.Since {
			continue
		}
		// A file that is missing is taken for deleted then. With nothing known of the
		// tree it is not, and a team-mate's entry with the same text is theirs.
		if _, there := c.state.files[s.Path]; !there && (c.absentAt.IsZero() || c.member == "" || e.author != c.member) {
			continue
		}
		c.state.agree(msync.Base{EntryID: id, Path: s.Path, Rev: r.Rev, Sum: s.Sum, Text: s.Text})
	}
	if c.absentAt.IsZero() || len(c.sent) > maxSent {
		c.dropSent()
	}
	c.sent = nil
}

// dropSent drops what earlier runs noted, here and on disk.
func (c *cycle) dropSent() {
	c.sent = nil
	if !c.options.DryRun {
		c.forgetSent()
	}
}

// forgetSent is for the end of a run that heard of everything.
func (c *cycle) forgetSent() {
	if c.noted {
		_ = os.Remove(c.sentFile)
	}
}
