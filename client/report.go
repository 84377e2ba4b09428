package client

import (
	"cmp"
	"slices"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Report is what one run of sync or status has to say.
type Report struct {
	DryRun    bool
	Done      []Done        // what was carried out; of a dry run, what would be
	Refused   []Refused     // files that are not shared, or names that were not taken, with the reason
	Waiting   []Waiting     // changes that wait for a reviewer, or that one said no to
	Conflicts []Conflict    // all that are open
	Held      []Held        // changes that wait for a person
	Settling  []memory.Path // files that may be another in a moment: see SyncOptions.Settled
	Notices   []string      // what the member should know
	Cursor    memory.Cursor
	Digest    memory.Digest
	Proven    bool          // disk and server are equal, but for what is listed
	LeftOut   []memory.Path // entries that the member's rules leave out: they stay as they are, here and there
	Skipped   []memory.Path // changes that were not sent, or did not come, because of the run's mode
	Pending   int           // ops left over, or planned in a dry run
	Ignored   int
	Here      []string // of what is ignored, the Markdown files and folders that the member's rules name, on disk
	Entries   int      // live entries of the project
	Requests  int
	Asked     bool // the server told where its feed stands: by an answer, or a receipt that shows as much
}

// Done is one op with its outcome.
type Done struct {
	Kind    msync.Kind
	Path    memory.Path
	From    memory.Path // of a move
	Rev     int64
	Verdict memory.Ruling // of ops that the server judged
}

// Refused is one file that stays here, or one path that stays there.
type Refused struct {
	File    string // on disk below team/, or the server's path; foreign text, show it quoted
	Remote  bool   // the server has it, and it may not be written here
	New     bool   // for the first time in this state
	Problem *memory.Error
}

// Counts returns how many ops of each kind were done.
func (r *Report) Counts() map[msync.Kind]int {
	counts := map[msync.Kind]int{}
	for _, d := range r.Done {
		counts[d.Kind]++
	}
	return counts
}

// NewRefusals reports whether something was refused for the first time, by a
// rule or by a reviewer.
func (r *Report) NewRefusals() bool {
	rejected := func(w Waiting) bool { return w.New && w.State == memory.ProposalRejected }
	return slices.ContainsFunc(r.Waiting, rejected) || slices.ContainsFunc(r.Refused, func(f Refused) bool { return f.New && !temporary(f.Problem.Code) })
}

// Temporary reports whether something may well be in order the next time.
func (r *Report) Temporary() bool {
	return slices.ContainsFunc(r.Refused, func(f Refused) bool { return temporary(f.Problem.Code) })
}

// temporary reports whether the next run may well find the file in order.
func temporary(code memory.Code) bool { return code == codeUnreadable || code == codeUnstable }

func (r *Report) sort() {
	slices.SortStableFunc(r.Refused, func(a, b Refused) int { return cmp.Compare(a.File, b.File) })
	slices.SortStableFunc(r.Waiting, func(a, b Waiting) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
	slices.SortFunc(r.LeftOut, func(a, b memory.Path) int { return cmp.Compare(a.String(), b.String()) })
	r.LeftOut = slices.Compact(r.LeftOut)
}
