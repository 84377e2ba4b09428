package client

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/teammem/teammem/memory"
)

// Known is what the last runs of teammem found out about a linked tree. Its
// words come from team-mates, their disks and the server: show them quoted.
type Known struct {
	Link      Link
	Cursor    memory.Cursor // zero: the tree was never synced
	LastSync  time.Time     // when the last run began that ended in sync: it saw all that was there before; zero: never
	Entries   []KnownEntry  // that the server has, by path
	Refused   []Refused
	Waiting   []Waiting
	Conflicts []Conflict
	Leaks     []Leak
	Notices   []string // what is held, and why there is less to tell than there could be
}

// KnownEntry is one entry as the server has it. What is on disk may differ, if
// it was edited since.
type KnownEntry struct {
	Path    memory.Path
	EntryID memory.EntryID
	Rev     int64
	Author  string    // of that revision; "" if not known
	At      time.Time // when it was written, by the server's clock; zero if not known
	Sum     memory.Hash
	Disk    string // the file's spelling below team/; "" if there is none
}

// Known reads what is known of a linked tree from its state: without the
// server, without the lock, and without a look at the tree. An index that is
// missing or damaged is no error; it says nothing until the next sync.
func (d Dirs) Known(l Link) (Known, error) {
	k := Known{Link: l}
	open, err := vault{dir: d.conflictsDir(l)}.conflicts()
	if err != nil {
		return k, err
	}
	k.Conflicts = open
	x, err := loadIndex(filepath.Join(d.stateDir(l), "index"))
	switch {
	case errors.Is(err, errIndexDamaged):
		k.Notices = append(k.Notices, "the index is damaged; the next sync makes it anew")
		return k, nil
	case err != nil:
		return k, err
	case x.RootID != l.RootID:
		k.Notices = append(k.Notices, "this folder was not synced yet")
		return k, nil
	}
	k.Cursor, k.LastSync = x.Cursor, x.LastSync
	k.Entries = make([]KnownEntry, 0, len(x.Rows))
	for i := range x.Rows {
		if e, live := x.Rows[i].known(); live {
			k.Entries = append(k.Entries, e)
		}
	}
	slices.SortFunc(k.Entries, func(a, b KnownEntry) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
	for _, r := range x.Refusals {
		k.Refused = append(k.Refused, r.listed(false))
	}
	for i := range x.Proposals {
		k.Waiting = append(k.Waiting, x.Proposals[i].listed(false))
	}
	k.Leaks = d.keptLeaks(l).Leaks
	if n := len(x.Held); n > 0 {
		k.Notices = append(k.Notices, fmt.Sprintf("%d deletes or changes look like an accident and wait for the member: teammem status lists them", n))
	}
	return k, nil
}

// known returns the row's entry, unless the server has none there.
func (r *row) known() (KnownEntry, bool) {
	k := KnownEntry{
		Path: r.Path, EntryID: r.Base.EntryID, Rev: r.Base.Rev, Sum: r.Base.Sum, Author: r.Author, At: origin{at: r.At}.time(), Disk: r.File.Disk,
	}
	if r.Remote.EntryID != "" {
		k.Path, k.EntryID, k.Rev, k.Sum = r.Remote.Path, r.Remote.EntryID, r.Remote.Rev, r.Remote.Sum
	}
	return k, k.EntryID != "" && !r.Remote.Deleted
}
