package memory

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is what an entry holds: user, feedback, project or reference.
type Kind string

// The kinds of Claude Code's memory. An unknown type counts as KindProject.
const (
	KindUser      Kind = "user"
	KindFeedback  Kind = "feedback"
	KindProject   Kind = "project"
	KindReference Kind = "reference"
)

// Action is what a revision or a change did to its entry.
type Action string

// The actions. A put stores a text, a move a path; a put may do both.
const (
	ActionPut    Action = "put"
	ActionMove   Action = "move"
	ActionDelete Action = "delete"
)

// The actions of changes by which a maintainer takes something back. What they
// leave is a put, or a delete.
const (
	ActionWithdraw Action = "withdraw" // until it is released
	ActionPurge    Action = "purge"    // for good
)

func (a Action) known() bool { return a == ActionPut || a == ActionMove || a == ActionDelete }

// Cursor is a position in a project's feed: the epoch and the number of the
// last change that was seen. It is written "<epoch>:<seq>".
type Cursor struct {
	Epoch string
	Seq   int64
}

// ParseCursor reads "<epoch>:<seq>". There is one way to write a cursor: what
// parses prints the same again.
func ParseCursor(s string) (Cursor, error) {
	const longestEpoch = 32
	epoch, num, _ := strings.Cut(s, ":")
	seq, err := strconv.ParseInt(num, 10, 64)
	c := Cursor{epoch, seq}
	if err != nil || seq < 0 || c.String() != s || len(epoch) > longestEpoch || !isWord(epoch) {
		return Cursor{}, &Error{Code: CodeInvalid, Message: "a cursor reads <epoch>:<number>", Err: err}
	}
	return c, nil
}

// String returns "<epoch>:<seq>".
func (c Cursor) String() string { return fmt.Sprintf("%s:%d", c.Epoch, c.Seq) }

// IsZero reports whether c is no position at all.
func (c Cursor) IsZero() bool { return c == Cursor{} }

// Head is where a project's feed stands.
type Head struct {
	Epoch    string
	Seq      int64
	Floor    int64 // changes up to here were purged
	Rewrites int64 // how often revisions were taken back, released or purged
	Digest   Digest
}

// Cursor returns the position of the newest change.
func (h Head) Cursor() Cursor { return Cursor{h.Epoch, h.Seq} }

// Tag returns the value of an ETag for this state: <epoch>:<seq>:<digest>,
// without quotes.
func (h Head) Tag() string { return fmt.Sprintf("%s:%d:%s", h.Epoch, h.Seq, h.Digest) }

// Entry is one file under team/ as it stands now, without its content.
type Entry struct {
	ID          EntryID
	Path        Path
	Kind        Kind
	Name        string
	Description string
	Rev         int64 // of the newest revision, also its feed position
	Sum         Hash
	Size        int
	Deleted     bool
	Author      Author
	UpdatedAt   time.Time
}

// Author is who made a revision.
type Author struct {
	Member MemberID
	Name   string
}

// Agent is the program that wrote for the member, as it named itself.
type Agent struct {
	Name    string
	Version string
	Session string
	Model   string
}

// Revision is one immutable version of an entry.
type Revision struct {
	EntryID EntryID
	Rev     int64
	Action  Action
	Path    Path
	Content []byte // nil for a delete
	Sum     Hash
	Size    int
	BaseRev int64
	Author  Author
	Device  DeviceID
	Agent   Agent
	Note    string
	RuleSet string
	Risks   []Risk // of its text; none of one from before they were looked for
	At      time.Time

	WithdrawnRev int64 // the change that took it back; 0: it stands
	Purged       bool  // and its text is gone for good
}

// Change is one line of the feed.
type Change struct {
	Seq      int64
	EntryID  EntryID
	Action   Action
	Path     Path
	Previous Path // of a move: where the entry was before
	Rev      int64
	Sum      Hash // zero if a withdrawal or purge left nothing
	Size     int
	Kind     Kind
	Content  []byte // nil unless Inline
	Inline   bool   // false: fetch the content by revision
	At       time.Time
	Author   Author
	Device   DeviceID
	Agent    Agent
}

// Imposed reports whether a maintainer took back what the entry said: it is
// obeyed, and not weighed against what the reader has. A purge of an earlier text
// leaves the entry as its last writer left it.
func (c Change) Imposed() bool {
	return c.Action == ActionWithdraw || c.Action == ActionPurge && c.Sum.IsZero()
}

// Gone reports whether there is nothing left of the entry.
func (c Change) Gone() bool { return c.Action == ActionDelete || c.Imposed() && c.Sum.IsZero() }

// FeedPage is the part of the feed after From up to To: the latest change of
// each entry in it, in order. Digest is the project's at To.
type FeedPage struct {
	Epoch    string
	From     int64
	To       int64
	Head     int64
	Floor    int64
	Rewrites int64 // of the head
	Digest   Digest
	Changes  []Change
	Purged   []Hash // texts that were purged in it
}

// More reports whether the feed goes on behind this page.
func (p FeedPage) More() bool { return p.To < p.Head }
