package client

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// entry is what the client knows of one entry: what both sides last agreed on,
// and what the server has since.
type entry struct {
	base   msync.Base    // no EntryID: nothing was agreed on
	remote *msync.Remote // nil: the server has the base
	origin               // of the newest revision that is known
	next   *entry        // that has the same home; see [track]
}

// origin is who wrote a revision, and when.
type origin struct {
	author string // "": not known
	at     int64  // ns since 1970, server time; 0: not known
}

// time is when it was written; zero if that is not known.
func (o origin) time() time.Time {
	if o.at == 0 {
		return time.Time{}
	}
	return time.Unix(0, o.at)
}

// served returns the entry as the server has it, and whether it is live there.
func (e *entry) served() (memory.Path, memory.Hash, bool) {
	if e.remote != nil {
		return e.remote.Path, e.remote.Sum, !e.remote.Deleted
	}
	return e.base.Path, e.base.Sum, e.base.EntryID != ""
}

// rev is the newest revision that is known.
func (e *entry) rev() int64 {
	if e.remote != nil {
		return e.remote.Rev
	}
	return e.base.Rev
}

// state is the index in the form that a cycle works on: entries by identity,
// files by path. It keeps the digest of the server's side up to date.
type state struct {
	entries map[memory.EntryID]*entry
	files   map[memory.Path]file
	digest  memory.Digest
	live    int
	foreign map[memory.EntryID]refusal     // the server's entries that may not exist here
	atPath  map[memory.Path]memory.EntryID // live entries by the server's name; nil: not made yet
	summed  *serverSums                    // nil: not made since an entry changed
	tracked *track                         // nil: the state ends with the run
	dirty   bool
}

func newState(x *index) *state {
	s := &state{
		entries: make(map[memory.EntryID]*entry, len(x.Rows)), files: make(map[memory.Path]file, len(x.Rows)),
		foreign: map[memory.EntryID]refusal{},
	}
	for _, r := range x.Refusals {
		if r.Entry != "" {
			s.foreign[r.Entry] = r
		}
	}
	slab := make([]entry, len(x.Rows)) // one allocation for ten thousand entries
	for i := range x.Rows {
		r := &x.Rows[i]
		if r.File.Disk != "" {
			s.files[r.Path] = r.File
		}
		if r.Base.EntryID == "" && r.Remote.EntryID == "" {
			continue
		}
		e := &slab[i]
		if r.Base.EntryID != "" {
			e.base = msync.Base{EntryID: r.Base.EntryID, Path: r.Path, Rev: r.Base.Rev, Sum: r.Base.Sum, Text: r.Base.Text}
		}
		if r.Remote.EntryID != "" {
			e.remote = &msync.Remote{
				EntryID: r.Remote.EntryID, Path: r.Remote.Path, Rev: r.Remote.Rev, Sum: r.Remote.Sum, Deleted: r.Remote.Deleted,
				Imposed: r.Remote.Imposed, Purged: r.Remote.Purged,
			}
		}
		e.origin = origin{r.Author, r.At}
		s.entries[r.id()] = e
		s.count(e, 1)
	}
	s.digest = x.Own
	return s
}

// count keeps the number of live entries.
func (s *state) count(e *entry, n int) {
	if _, _, live := e.served(); live {
		s.live += n
	}
}

// sum computes the digest of the server's side from scratch.
func (s *state) sum() memory.Digest {
	var d memory.Digest
	for _, e := range s.entries {
		if path, sum, live := e.served(); live {
			d.Add(path, sum)
		}
	}
	return d
}

// change runs an update of one entry and keeps digest and count in step.
func (s *state) change(id memory.EntryID, update func(e *entry)) {
	e, known := s.entries[id]
	if !known {
		e = &entry{}
		s.entries[id] = e
	}
	if known && s.tracked != nil {
		s.tracked.left(e)
	}
	if path, sum, live := e.served(); live {
		s.digest.Remove(path, sum)
	}
	s.count(e, -1)
	update(e)
	if path, sum, live := e.served(); live {
		s.digest.Add(path, sum)
	}
	s.count(e, 1)
	s.atPath, s.summed = nil, nil
	if e.base.EntryID == "" && (e.remote == nil || e.remote.Deleted) {
		delete(s.entries, id) // never here, and gone there
	} else if s.tracked != nil {
		s.tracked.came(e)
	}
	s.dirty = true
}

// learn takes in what the server has of an entry.
func (s *state) learn(r msync.Remote, o origin) {
	s.change(r.EntryID, func(e *entry) {
		e.origin = o
		if !r.Deleted && e.base.EntryID != "" && e.base.Path == r.Path && e.base.Sum == r.Sum {
			e.base.Rev, e.remote = r.Rev, nil
			return
		}
		e.remote = &r
	})
}

// written records whose the newest revision of an entry is.
func (s *state) written(id memory.EntryID, o origin) {
	if e := s.entries[id]; e != nil && e.origin != o {
		e.origin, s.dirty = o, true
		s.stirred(e.home())
	}
}

// agree records that both sides have the text. The text hash is the content's.
func (s *state) agree(b msync.Base) {
	s.change(b.EntryID, func(e *entry) { e.base, e.remote = b, nil })
}

// confirm records that the server published a text of ours, which is what was
// agreed on then. It may have something newer since.
func (s *state) confirm(b msync.Base) {
	e := s.entries[b.EntryID]
	if e == nil || e.remote == nil || e.remote.Rev < b.Rev {
		return // the entry is not what it was said to be
	}
	s.change(b.EntryID, func(e *entry) {
		e.base = b
		if r := e.remote; !r.Deleted && r.Path == b.Path && r.Sum == b.Sum {
			e.base.Rev, e.remote = r.Rev, nil
		}
	})
}

// moved records that the server has renamed an entry for us.
func (s *state) moved(op msync.Op, rev int64) {
	s.change(op.Entry, func(e *entry) {
		e.base.Path = op.Path
		if e.base.Sum == op.Remote.Sum {
			e.base.Rev, e.remote = rev, nil
			return
		}
		e.remote = &msync.Remote{EntryID: op.Entry, Path: op.Path, Rev: rev, Sum: op.Remote.Sum}
	})
}

// renamed records that the file of an entry has its new name. The text may
// still differ, and so may the server's name: a file whose way is barred goes by
// way of a free one.
func (s *state) renamed(op msync.Op) {
	if op.Kind != msync.MoveLocal {
		return
	}
	s.change(op.Entry, func(e *entry) {
		if e.remote == nil {
			e.remote = &msync.Remote{EntryID: op.Entry, Path: e.base.Path, Rev: e.base.Rev, Sum: e.base.Sum}
		}
		e.base.Path = op.Path
		if r := e.remote; !r.Deleted && r.Path == op.Path && r.Sum == e.base.Sum {
			e.base.Rev, e.remote = r.Rev, nil
		}
	})
}

// doubt drops what was agreed on: only the server's side is known.
func (s *state) doubt(id memory.EntryID) {
	s.change(id, func(e *entry) {
		if e.remote == nil {
			e.remote = &msync.Remote{EntryID: id, Path: e.base.Path, Rev: e.base.Rev, Sum: e.base.Sum}
		}
		e.base = msync.Base{}
	})
}

// forget drops an entry that both sides have deleted.
func (s *state) forget(id memory.EntryID) {
	s.change(id, func(e *entry) { *e = entry{} })
}

// liveAt returns the entry that has the path on the server, "" if none has.
func (s *state) liveAt(p memory.Path) memory.EntryID {
	if s.atPath == nil {
		s.atPath = make(map[memory.Path]memory.EntryID, len(s.entries))
		for id, e := range s.entries {
			if path, _, live := e.served(); live {
				s.atPath[path] = id
			}
		}
	}
	return s.atPath[p]
}

// disk returns how the file of a path is spelled on disk, and the other path
// if there is no file.
func (s *state) disk(p, other memory.Path) string {
	if f, ok := s.files[p]; ok {
		return f.Disk
	}
	return other.String()
}

// saw records a file as it is on disk now.
func (s *state) saw(p memory.Path, f file) {
	if s.files[p] != f {
		s.files[p], s.dirty = f, true
		s.stirred(p)
	}
	if s.tracked != nil {
		s.tracked.again[p] = true
	}
}

// lost records that there is no file.
func (s *state) lost(p memory.Path) {
	if _, ok := s.files[p]; ok {
		delete(s.files, p)
		s.dirty = true
		s.stirred(p)
	}
}

// rows brings the state back into the form of the index.
func (s *state) rows() []row {
	at := make(map[memory.Path]int, len(s.files))
	rows := make([]row, 0, len(s.files))
	for _, id := range s.ids() {
		r := s.entries[id].row()
		if _, met := at[r.Path]; !met { // two entries meet at one path while a move is under way
			at[r.Path] = len(rows)
		}
		rows = append(rows, r)
	}
	for p, f := range s.files {
		i, met := at[p]
		if !met {
			i = len(rows)
			rows = append(rows, row{Path: p})
		}
		rows[i].File = f
	}
	return rows
}

// row is what the index keeps of an entry.
func (e *entry) row() row {
	r := row{Path: e.home(), Author: e.author, At: e.at}
	if e.base.EntryID != "" {
		r.Base = base{EntryID: e.base.EntryID, Rev: e.base.Rev, Sum: e.base.Sum, Text: e.base.Text}
	}
	if e.remote != nil {
		r.Remote = remote{
			EntryID: e.remote.EntryID, Path: e.remote.Path, Rev: e.remote.Rev, Sum: e.remote.Sum,
			Deleted: e.remote.Deleted, Imposed: e.remote.Imposed, Purged: e.remote.Purged,
		}
	}
	return r
}

// id is that of the row's entry.
func (r *row) id() memory.EntryID { return cmp.Or(r.Base.EntryID, r.Remote.EntryID) }

// ids returns the entries' identities in a fixed order.
func (s *state) ids() []memory.EntryID {
	ids := make([]memory.EntryID, 0, len(s.entries))
	for id := range s.entries {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// fileOf is what the index keeps of a file on disk.
func fileOf(disk string, st tree.Stamp, content []byte) file {
	sum := memory.Sum(content)
	return file{
		Disk: disk, Size: st.Size, MTime: st.MTime, CTime: st.CTime, Inode: st.Inode,
		Sum: sum, Text: msync.TextSumOf(content, sum), Blank: blank(content),
	}
}

// blank reports whether a text is nothing but white space.
func blank(content []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff")))) == 0
}

func (f file) stamp() tree.Stamp {
	return tree.Stamp{Size: f.Size, MTime: f.MTime, CTime: f.CTime, Inode: f.Inode}
}

// knows reports whether a text is one that the server has, or had at the last
// agreement.
func (s *state) knows(sum memory.Hash) bool {
	if s.summed != nil {
		return s.summed.known[sum]
	}
	for _, e := range s.entries {
		if e.base.Sum == sum || (e.remote != nil && e.remote.Sum == sum) {
			return true
		}
	}
	return false
}
