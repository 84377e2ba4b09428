package adopt

import (
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Verdict is what an import does with one file.
type Verdict string

// The verdicts.
const (
	New     Verdict = "new"     // it becomes an entry
	Merged  Verdict = "merged"  // lines of it join the index that is there
	Same    Verdict = "same"    // it is there already
	Differs Verdict = "differs" // another text has its name, and stays
	Split   Verdict = "split"   // its parts follow, each with a verdict of its own
	Skipped Verdict = "skipped" // left out, for a reason that is no fault
	Refused Verdict = "refused" // may not be shared
)

// Verdicts lists them in the order in which they are counted.
func Verdicts() []Verdict { return []Verdict{New, Merged, Same, Differs, Split, Skipped, Refused} }

// Item is one file of a source, or one part of a file that is split.
type Item struct {
	File      string // below the source, slash-separated, or as it was named; foreign text, show it quoted
	Folder    bool   // a folder that was not looked into
	Part      int    // of a file that is split, from 1; 0: the file itself
	Verdict   Verdict
	Path      memory.Path        // where it goes; zero: nowhere
	Suggested memory.Path        // a name that it could have instead of the refused one
	Renamed   bool               // Path is a suggested name
	Meta      memory.Frontmatter // of what was read
	Reason    string             // why it is skipped or what differs
	Problem   *memory.Error      // why it is refused
	Lints     []memory.Lint      // of what is taken
	Size      int
	Sum       memory.Hash
	Lines     []Line // of Merged: what the index gains
	NotTaken  []int  // of a source's index: lines that stay behind, from 1

	key     string // that it would have, before any rule
	content []byte
	before  []byte // of Merged: the index that is there
	lead    string // of Merged: what goes between that and the lines
}

// Line is a line that an index gains, with its end.
type Line struct {
	Text   string
	Target memory.Path // of the entry that it leads to
}

func (i *Item) skip(reason string) { i.Verdict, i.Reason = Skipped, reason }

func (i *Item) refuse(problem *memory.Error) { i.Verdict, i.Problem = Refused, problem }

// Plan is what an import would do.
type Plan struct {
	Source  Source
	To      string // prefix of all paths
	Items   []Item
	Before  *client.Report // of the sync, or its preview, that came first; nil if there was none
	Offline error          // why the server could not be asked what is there
}

// Count returns how many items have each verdict; parts count, and the file
// that they are of does not.
func (p *Plan) Count() map[Verdict]int {
	n := map[Verdict]int{}
	for i := range p.Items {
		n[p.Items[i].Verdict]++
	}
	return n
}

// Takes returns how many files of team/ the import would make or change.
func (p *Plan) Takes() int {
	n := p.Count()
	return n[New] + n[Merged]
}
