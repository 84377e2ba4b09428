package sync_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// The model is a server with compare-and-swap and members with a tree and an
// index, as small as it can be. It carries plans out by the rules of the
// package comment and by nothing else.

type revision struct {
	path    memory.Path
	rev     int64
	text    string
	deleted bool
}

type server struct {
	seq     int64
	heads   map[memory.EntryID]revision
	history map[memory.Hash]string
}

func newServer() *server {
	return &server{heads: map[memory.EntryID]revision{}, history: map[memory.Hash]string{}}
}

func (s *server) store(id memory.EntryID, r revision) int64 {
	s.seq++
	r.rev = s.seq
	s.heads[id] = r
	s.history[memory.Sum([]byte(r.text))] = r.text
	return r.rev
}

func (s *server) at(p memory.Path) memory.EntryID {
	for id, r := range s.heads {
		if r.path == p && !r.deleted {
			return id
		}
	}
	return ""
}

// matches is the compare half of compare-and-swap.
func (s *server) matches(r msync.Remote) bool {
	head, known := s.heads[r.EntryID]
	return known && head.rev == r.Rev && head.deleted == r.Deleted && (head.deleted || memory.Sum([]byte(head.text)) == r.Sum)
}

// move judges a batch of moves: names that are given up in it are free.
func (s *server) move(ops []msync.Op) (stored []msync.Op) {
	ok := func(op msync.Op) bool { return s.matches(op.Remote) && s.heads[op.Entry].path == op.From }
	for valid := slices.DeleteFunc(slices.Clone(ops), func(op msync.Op) bool { return !ok(op) }); ; {
		stuck := slices.IndexFunc(valid, func(op msync.Op) bool {
			holder := s.at(op.Path)
			leaves := slices.ContainsFunc(valid, func(other msync.Op) bool { return other.Entry == holder })
			return holder != "" && !leaves
		})
		if stuck < 0 {
			for _, op := range valid {
				s.store(op.Entry, revision{path: op.Path, text: s.heads[op.Entry].text})
			}
			return valid
		}
		valid = slices.Delete(valid, stuck, stuck+1)
	}
}

func (s *server) tree() map[memory.Path]string {
	files := map[memory.Path]string{}
	for _, r := range s.heads {
		if !r.deleted {
			files[r.path] = r.text
		}
	}
	return files
}

type member struct {
	name      string
	server    *server
	files     map[memory.Path]string
	blocked   map[memory.Path]bool
	base      map[memory.EntryID]msync.Base
	remote    map[memory.EntryID]msync.Remote
	cursor    int64
	conflicts map[string]bool
	minted    int
	policy    msync.Policy
}

func newMember(name string, s *server, policy msync.Policy) *member {
	return &member{
		name: name, server: s, policy: policy,
		files: map[memory.Path]string{}, blocked: map[memory.Path]bool{}, conflicts: map[string]bool{},
		base: map[memory.EntryID]msync.Base{}, remote: map[memory.EntryID]msync.Remote{},
	}
}

// observe pulls the feed and scans the tree.
func (m *member) observe() msync.Input {
	for id, r := range m.server.heads {
		if r.rev > m.cursor {
			m.remote[id] = msync.Remote{EntryID: id, Path: r.path, Rev: r.rev, Sum: memory.Sum([]byte(r.text)), Deleted: r.deleted}
		}
	}
	m.cursor = m.server.seq

	in := msync.Input{
		Base: slices.Collect(maps.Values(m.base)), Remote: slices.Collect(maps.Values(m.remote)),
		Local: map[memory.Path]msync.Local{}, Policy: m.policy, AbsentAt: memory.Cursor{Epoch: "e1", Seq: 1},
	}
	for p, text := range m.files {
		in.Local[p] = msync.Local{Path: p, Sum: memory.Sum([]byte(text)), Text: msync.TextSum([]byte(text))}
	}
	for p := range m.blocked {
		in.Local[p] = msync.Local{Path: p, Blocked: "unreadable"}
	}
	return in
}

// onDisk is the check before every write to the tree.
func (m *member) onDisk(p memory.Path, want msync.Local) bool {
	text, present := m.files[p]
	if want.Path.IsZero() {
		return !present
	}
	return present && memory.Sum([]byte(text)) == want.Sum
}

// apply carries an op out if what it was planned from still holds. When
// crashed, the member dies before it writes the index.
func (m *member) apply(op msync.Op, crashed bool) {
	index := m.index
	if crashed {
		index = func(memory.EntryID, memory.Path, int64, string) {}
	}
	text := m.files[op.Path]
	switch op.Kind {
	case msync.Adopt:
		if m.onDisk(op.Path, op.Local) {
			index(op.Entry, op.Remote.Path, op.Remote.Rev, m.server.history[op.Remote.Sum])
		}
	case msync.Download, msync.Conflict:
		if !m.onDisk(op.Path, op.Local) {
			return
		}
		if op.Kind == msync.Conflict {
			m.conflicts[text] = true
		}
		m.files[op.Path] = m.server.history[op.Remote.Sum]
		index(op.Entry, op.Remote.Path, op.Remote.Rev, m.files[op.Path])
	case msync.Upload:
		if m.onDisk(op.Path, op.Local) && m.server.matches(op.Remote) && m.server.heads[op.Entry].path == op.Path {
			index(op.Entry, op.Path, m.server.store(op.Entry, revision{path: op.Path, text: text}), text)
		}
	case msync.Create:
		m.create(op, text, index)
	case msync.Merge:
		m.merge(op, text, index)
	case msync.MoveLocal, msync.Rename:
		m.rename(op, crashed)
	case msync.DeleteLocal:
		if m.onDisk(op.Path, op.Local) {
			delete(m.files, op.Path)
			m.forget(op, crashed)
		}
	case msync.DeleteRemote:
		if _, back := m.files[op.Path]; !back && m.server.matches(op.Remote) {
			m.server.store(op.Entry, revision{path: op.Path, text: m.server.heads[op.Entry].text, deleted: true})
			m.forget(op, crashed)
		}
	case msync.Forget:
		m.forget(op, crashed)
	case msync.MoveRemote, msync.Report: // moves go in one batch
	}
}

// index records a new base.
func (m *member) index(id memory.EntryID, p memory.Path, rev int64, text string) {
	m.base[id] = msync.Base{EntryID: id, Path: p, Rev: rev, Sum: memory.Sum([]byte(text)), Text: msync.TextSum([]byte(text))}
	delete(m.remote, id)
}

func (m *member) forget(op msync.Op, crashed bool) {
	if !crashed {
		delete(m.base, op.Entry)
		delete(m.remote, op.Entry)
	}
}

func (m *member) create(op msync.Op, text string, index func(memory.EntryID, memory.Path, int64, string)) {
	holder := m.server.at(op.Path)
	switch {
	case !m.onDisk(op.Path, op.Local):
	case holder != "" && op.Entry == "" && m.server.heads[holder].text == text:
		index(holder, op.Path, m.server.heads[holder].rev, text)
	case holder != "" || op.Entry != "" && !m.server.matches(op.Remote):
	default:
		id := op.Entry
		if id == "" {
			m.minted++
			id = memory.EntryID(fmt.Sprint(m.name, m.minted))
		}
		index(id, op.Path, m.server.store(id, revision{path: op.Path, text: text}), text)
	}
}

func (m *member) merge(op msync.Op, text string, index func(memory.EntryID, memory.Path, int64, string)) {
	if !m.onDisk(op.Path, op.Local) || !m.server.matches(op.Remote) || m.server.heads[op.Entry].path != op.Path {
		return
	}
	merged, lost := msync.MergeIndex([]byte(m.server.history[op.Base.Sum]), []byte(m.server.history[op.Remote.Sum]), []byte(text), nil)
	if len(lost) > 0 {
		m.conflicts[text] = true
	}
	rev := m.server.store(op.Entry, revision{path: op.Path, text: string(merged)})
	m.files[op.Path] = string(merged)
	index(op.Entry, op.Path, rev, string(merged))
}

func (m *member) rename(op msync.Op, crashed bool) {
	if _, taken := m.files[op.Path]; taken || !m.onDisk(op.From, op.Local) {
		return
	}
	m.files[op.Path] = m.files[op.From]
	delete(m.files, op.From)
	if b, known := m.base[op.Entry]; known && !crashed {
		b.Path = op.Path
		m.base[op.Entry] = b
	}
}

func (m *member) push(moves []msync.Op, crashed bool) {
	for _, op := range m.server.move(moves) {
		head := m.server.heads[op.Entry]
		if crashed {
			continue
		}
		b := m.base[op.Entry]
		b.Path = op.Path
		if b.Sum == op.Remote.Sum {
			b.Rev = head.rev
		}
		m.base[op.Entry] = b
		m.remote[op.Entry] = msync.Remote{EntryID: op.Entry, Path: op.Path, Rev: head.rev, Sum: op.Remote.Sum}
	}
}
