package memory

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// Heads is what the store read for one batch while it held the project's lock:
// all that [Judge] needs to know.
type Heads struct {
	Head    Head
	Live    int             // live entries of the project
	Entries []EntryHead     // with a looked-up id or path key, live and deleted
	Folders []FolderHead    // of every looked-up folder key that holds live entries
	Earlier []Earlier       // revisions of Entries with a looked-up sum
	Pending []Proposal      // the author's pending proposals for one of Entries or at a looked-up path key, without contents
	Queued  ProposalNumbers // if the batch proposes something
	Purged  []Certificate   // of looked-up sums, and of what moves
	Deleted Deletes         // if the batch deletes something, and is guarded
}

// ProposalNumbers counts the pending proposals of a project.
type ProposalNumbers struct {
	All int
	Own int // of the batch's author
}

// EntryHead is the newest state of one entry.
type EntryHead struct {
	ID         EntryID
	Path       Path
	Rev        int64
	Sum        Hash // of the last content, also when deleted
	Size       int
	DeletedRev int64 // 0: live
}

// FolderHead tells how a folder is spelled, by one of the live entries below
// it at any depth, and how many those are. All of them agree on the spelling.
// A store may stop counting at one more than a batch could move away.
type FolderHead struct {
	Key  string // the looked-up folder key
	Path Path   // of one live entry below the folder
	Live int
}

// Folder returns the folder as it is spelled, without a final slash.
func (f FolderHead) Folder() string {
	segments := strings.Count(f.Key, "/") + 1
	return strings.Join(strings.SplitN(f.Path.key, "/", segments+1)[:segments], "/")
}

// Earlier is a text that an entry once had.
type Earlier struct {
	EntryID EntryID
	Rev     int64
	Sum     Hash
}

// Certificate says that a text was purged, which an entry had under a name.
type Certificate struct {
	EntryID EntryID
	PathKey string
	Sum     Hash
	Rev     int64 // of the purge
}

// forbids reports whether the text must not come back as this entry's, or under
// this name.
func (c Certificate) forbids(entry EntryID, p Path, text Hash) bool {
	return c.Sum == text && (c.EntryID == entry || c.PathKey == p.Skeleton())
}

// Lookups are the keys by which a batch finds its [Heads].
type Lookups struct {
	EntryIDs   []EntryID
	PathKeys   []string  // skeletons of the paths, see Path.Skeleton
	FolderKeys []string  // skeletons of their folders, without a final slash
	Sums       []Hash    // offered contents
	Moves      bool      // what the found entries say is offered under other names
	Leaving    int       // ops that may take a name from an entry
	Author     MemberID  // whose pending proposals count
	Proposals  bool      // count pending proposals, too
	Since      time.Time // count deletes since then, too; zero: do not
	Device     DeviceID  // whose deletes count
}

// Lookups returns what the store must read under the lock before judging.
func (b Batch) Lookups() Lookups {
	l := Lookups{Author: b.Author(), Proposals: b.proposes()}
	if b.deletes() {
		l.Since, l.Device = b.Guarded, b.Device
	}
	for _, it := range b.Items {
		if !it.passed() {
			continue
		}
		w := it.Write
		if w.EntryID != "" {
			l.EntryIDs = append(l.EntryIDs, w.EntryID)
		}
		if w.EntryID != "" || w.Action != ActionPut { // a put that goes by path leaves the entry there
			l.Leaving++
		}
		for _, p := range []Path{w.Path, w.Previous} {
			if p.IsZero() {
				continue
			}
			key := p.Skeleton()
			l.PathKeys = append(l.PathKeys, key)
			for i, c := range key {
				if c == '/' {
					l.FolderKeys = append(l.FolderKeys, key[:i])
				}
			}
		}
		l.Moves = l.Moves || w.Action == ActionMove
		if !w.Content.IsZero() {
			l.Sums = append(l.Sums, w.Content.Sum())
		}
	}
	l.EntryIDs = unique(l.EntryIDs)
	l.PathKeys = unique(l.PathKeys)
	l.FolderKeys = unique(l.FolderKeys)
	slices.SortFunc(l.Sums, func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
	l.Sums = slices.Compact(l.Sums)
	return l
}

func unique[S ~[]E, E ~string](s S) S {
	slices.Sort(s)
	return slices.Compact(s)
}
