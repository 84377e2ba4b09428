package sync

import "github.com/teammem/teammem/memory"

// Base is what client and server last agreed on about one entry.
type Base struct {
	EntryID memory.EntryID
	Path    memory.Path
	Rev     int64
	Sum     memory.Hash
	Text    memory.Hash // TextSum of that content; zero: unknown
}

// Local is what the scan saw at one path. A path the scan did not see has no
// Local; one it could not judge has a Local with a Blocked kind, or lies in a
// folder of [Input.BlockedDirs]. Unknown is not absent.
type Local struct {
	Path    memory.Path
	Sum     memory.Hash
	Text    memory.Hash // TextSum of the content
	Blocked string      // "" for a readable file, else the kind, such as "unreadable"
	Blank   bool        // the content is nothing but white space
}

// Remote is what the server has of one entry.
type Remote struct {
	EntryID memory.EntryID
	Path    memory.Path
	Rev     int64
	Sum     memory.Hash
	Deleted bool
	Imposed bool // a maintainer took back what was there: it is obeyed, and neither weighed nor merged
	Purged  bool // for good, so that no copy is to be kept
}

// Known is what earlier runs learned about one path, beside its base.
type Known struct {
	Waiting    Ask           // the server keeps this as a proposal
	Declined   bool          // a rename to here will not be published: the entry's name stays
	Refused    Ask           // the server refused this
	RuleSet    string        // under which it refused
	Superseded memory.Hash   // the server called this text an earlier revision of its entry
	AbsentAt   memory.Cursor // where this index last saw the path absent
}

// Ask is one change that a client asked for. The zero value is none.
type Ask struct {
	Action memory.Action
	Sum    memory.Hash // of the file; zero for a delete
}

// Policy says how far Plan may go. Its zero value syncs both ways, merges only
// index files, and turns every other double change into a conflict.
type Policy struct {
	MergeText bool // row 5: merge ordinary files too
	KeepBoth  bool // row 13: two new files of one name both live, the local one as <stem>-2.md
	PullOnly  bool // ops that write to the server become reports
	PushOnly  bool // ops that write to the tree become reports
}

// Input is everything a plan is made from. Plan does not change it.
type Input struct {
	Base   []Base                // the rows of the index
	Local  map[memory.Path]Local // the scan, complete but for BlockedDirs
	Remote []Remote              // entries that are new or differ from their base; others may be listed
	Known  map[memory.Path]Known

	// Moved are the new names under which an earlier run knew the files of
	// entries, whatever is in them now.
	Moved map[memory.EntryID]memory.Path

	// BlockedDirs are folders that the scan could not look into, or that are
	// none (a symlink, say), with the kind. Keys are as memory.Path.Dir gives
	// them, "" is the whole tree.
	BlockedDirs map[string]string

	// AbsentAt is the cursor of the last scan, for paths without a Known row;
	// zero when the index is new or the tree was restored.
	AbsentAt memory.Cursor

	// MayUse says of a name that is not in Local whether a file may get it; nil:
	// every name will do.
	MayUse func(memory.Path) bool

	RuleSet string // of the server and of the local scanner; a new one retries refusals
	Policy  Policy
}

// Kind says what an op does.
type Kind string

// The kinds, in the order in which a plan lists them.
const (
	Forget       Kind = "forget"        // drop the base row; touches no file
	Adopt        Kind = "adopt"         // both sides hold the same text: record it as base
	MoveLocal    Kind = "move-local"    // rename the file From to Path
	MoveRemote   Kind = "move-remote"   // rename the entry From to Path, against Remote
	Rename       Kind = "rename"        // rename the new file From to Path, which is free everywhere
	Download     Kind = "download"      // write Remote's text to Path, replacing Local
	Upload       Kind = "upload"        // push Local's text, against Remote
	Create       Kind = "create"        // push Local's text as a new entry; with an Entry, under that identity
	Merge        Kind = "merge"         // merge, push against Remote, then write
	Conflict     Kind = "conflict"      // keep Local's text in the conflict store, then write Remote's, if there is one
	DeleteLocal  Kind = "delete-local"  // move the file to the trash
	DeleteRemote Kind = "delete-remote" // delete the entry, against Remote
	Report       Kind = "report"        // do nothing, say Reason
)

// Reason is why an op is only a report.
type Reason string

// The reasons.
const (
	Blocked  Reason = "blocked"   // Local.Blocked says why
	Clash    Reason = "clash"     // the new name of an entry is taken by another local file
	Waiting  Reason = "waiting"   // for a reviewer
	Refused  Reason = "refused"   // before, and neither text nor rules changed since
	LineEnds Reason = "line-ends" // differs from the base in line ends or BOM only
	Skipped  Reason = "skipped"   // this direction is switched off
	Later    Reason = "later"     // another op has to free the name first; plan again
	Held     Reason = "held"      // a [Guard] waits for a person
)

// Op is one step of a plan.
type Op struct {
	Kind   Kind
	Row    int            // of the table in the package comment
	Entry  memory.EntryID // "" for a file that the server does not know
	Path   memory.Path    // where the file or entry is afterwards
	From   memory.Path    // of MoveLocal, MoveRemote, Rename: where it is now
	Base   Base           // zero: none
	Local  Local          // what has to be on disk (at From, of MoveLocal and Rename); zero: nothing is
	Remote Remote         // what has to be on the server: the pair (Rev, Sum) to compare with; zero: nothing is

	AbsentAt memory.Cursor // of Create
	Reason   Reason        // of Report
	Notice   string        // what the member should be told, "" mostly
}
