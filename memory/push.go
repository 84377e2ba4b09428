package memory

import (
	"slices"
	"time"
)

// Push is a batch of changes as a client asked for it: nothing in it has been
// checked.
type Push struct {
	Epoch   string
	Device  DeviceID
	Key     string // idempotency key: the same one gives the same answer for 24 h
	Body    Hash   // of the request, so that a reused key is noticed
	Only    string // the head's tag at which the push holds, else it is not judged; "" for any
	Agent   Agent
	Release Release // of deletes that were held
	Ops     []Op
}

// Op is one unchecked change.
type Op struct {
	Action     Action
	Path       string
	Previous   string  // of a move
	EntryID    EntryID // "" creates an entry, or goes by path
	BaseRev    int64   // 0: the client knows no revision
	BaseSum    Hash    // zero: not stated
	AbsentAt   Cursor  // of a create: when the client last saw the path free
	Sum        Hash    // of the content as the client computed it; zero: not stated
	Content    []byte
	AllowEmpty bool
	Review     bool // ask for a reviewer even where policy would publish
	Note       string
}

// Write is an [Op] that passed every check which needs no head.
type Write struct {
	Action     Action
	Path       Path
	Previous   Path
	EntryID    EntryID
	NewID      EntryID // the identity, should the write create an entry
	BaseRev    int64
	BaseSum    Hash
	AbsentAt   Cursor
	Content    Clean // zero unless Action is put
	AllowEmpty bool
	Review     bool // ask for a reviewer even where policy would publish
	Note       string
	Meta       Frontmatter // of a put
	Risks      []Risk      // of a put: why a person should look at its text
	Screened   []Hash      // of a move: the texts that may have the new path; nil: any
}

// Ruling says how one op of a batch was judged.
type Ruling string

// The rulings.
const (
	RulingPublished  Ruling = "published"  // stored as Rev, in the feed
	RulingSame       Ruling = "same"       // the head already is this
	RulingWaiting    Ruling = "waiting"    // stored as a proposal
	RulingSuperseded Ruling = "superseded" // an earlier revision of the entry
	RulingDeleted    Ruling = "deleted"    // deleted after the client last knew
	RulingConflict   Ruling = "conflict"   // the base is not the head
	RulingRefused    Ruling = "refused"    // Problem says why
)

// Verdict is the answer to one op.
type Verdict struct {
	Ruling  Ruling
	EntryID EntryID // of the entry that was meant, if there is one
	Rev     int64   // published, same, superseded, deleted
	Sum     Hash    // of the head after the op
	Current *Current
	Problem *Error

	Proposal ProposalID // waiting; "" if it was only asked what a push would get
}

// Current describes the head that an op conflicted with.
type Current struct {
	EntryID EntryID
	Rev     int64
	Sum     Hash
	Path    Path
	Action  Action
}

// Item is one op on its way into the store: a write, or the reason why it was
// refused before the database was asked.
type Item struct {
	Write    Write
	Refused  *Error
	Found    Path       // of a text that was refused for a secret: where; zero if that is not known to hold none
	Proposal ProposalID // what it becomes if it is not published at once; "" publishes it
}

// passed reports whether nothing was wrong with the op by itself.
func (i Item) passed() bool { return i.Refused == nil }

// waits reports whether a reviewer has to see the op first.
func (i Item) waits() bool { return i.Proposal != "" }

// Batch is a push that [Service] has checked. The store judges and writes it
// in one transaction.
type Batch struct {
	Project ProjectID
	Epoch   string
	Key     string
	Body    Hash
	Only    string
	By      Principal
	Device  DeviceID // that the author pushed from; "" for none
	Agent   Agent
	At      time.Time
	Items   []Item
	Quota   int // most live entries of the project
	Pending int // most pending proposals of the project
	Own     int // most of those of one author

	Guarded time.Time // since when deletes count, see [Batch.Guard]; zero: nothing is guarded
	Release Release

	Review   Preset   // by which the ops wait or not; "" for an approval
	Approves Approval // zero for a push
}

// Approval says of a batch that its one op is a proposal that By approved. By
// acts, but the revision is the author's.
type Approval struct {
	Proposal ProposalID
	Author   MemberID
}

// Author is whose the batch's revisions and proposals are.
func (b Batch) Author() MemberID {
	if b.Approves != (Approval{}) {
		return b.Approves.Author
	}
	return b.By.Member
}

// proposes reports whether a reviewer has to see any of the ops first.
func (b Batch) proposes() bool { return slices.ContainsFunc(b.Items, Item.waits) }

// Receipt is the answer to a push: one verdict per op, in order, and where the
// project stands now.
type Receipt struct {
	Head       Head
	At         time.Time // when what is published was written; zero: not known
	Verdicts   []Verdict
	Unrecorded error // why the refusals beside a published op are not in the audit; for the log
}
