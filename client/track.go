package client

import (
	"cmp"
	"slices"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// track is what a state that outlives its run knows of where something may be
// to do, so that a run looks at that alone.
type track struct {
	homes map[memory.Path]*entry // by [entry.home]; several are linked by their next
	loose map[memory.Path]bool   // homes of entries, and files, that may not be at rest
	again map[memory.Path]bool   // files that the next scan looks at, wherever something happened
	bases int                    // entries that have one

	unsaved map[memory.Path]bool // where the rows may be others than in the index file
}

// home is the path under which the index has the entry.
func (e *entry) home() memory.Path {
	p, _, _ := e.served()
	return cmp.Or(e.base.Path, p)
}

// track begins to keep track; what is tracked already stays. Which files have to
// be looked at again it has to be told.
func (s *state) track(again func(memory.Path, file) bool) {
	if s.tracked != nil {
		return
	}
	t := &track{
		homes: make(map[memory.Path]*entry, len(s.entries)), loose: map[memory.Path]bool{}, again: map[memory.Path]bool{},
		unsaved: map[memory.Path]bool{},
	}
	s.tracked = t
	for _, e := range s.entries {
		t.came(e)
	}
	for p, f := range s.files {
		if again(p, f) {
			t.again[p] = true
		}
		t.loose[p] = true
	}
	clear(t.unsaved)
	s.settle()
}

// stir notes that something is another at a path.
func (t *track) stir(p memory.Path) { t.loose[p], t.unsaved[p] = true, true }

func (s *state) stirred(p memory.Path) {
	if s.tracked != nil {
		s.tracked.stir(p)
	}
}

// came and left keep an entry where its home is.
func (t *track) came(e *entry) {
	p := e.home()
	e.next, t.homes[p] = t.homes[p], e
	t.stir(p)
	if e.base.EntryID != "" {
		t.bases++
	}
}

func (t *track) left(e *entry) {
	p := e.home()
	t.stir(p)
	if e.base.EntryID != "" {
		t.bases--
	}
	if first := t.homes[p]; first != e {
		for first.next != e {
			first = first.next
		}
		first.next = e.next
	} else if e.next != nil {
		t.homes[p] = e.next
	} else {
		delete(t.homes, p)
	}
	e.next = nil
}

// settle forgets the paths at which everything is as it was agreed on.
func (s *state) settle() {
	for p := range s.tracked.loose {
		if s.rests(p) {
			delete(s.tracked.loose, p)
		}
	}
}

// rests reports whether nothing is to be done about a path: it has one entry
// with its text on both sides, or neither entry nor file.
func (s *state) rests(p memory.Path) bool {
	f, there := s.files[p]
	e := s.tracked.homes[p]
	if e == nil {
		return !there
	}
	return there && e.next == nil && e.remote == nil && e.base.EntryID != "" && f.Sum == e.base.Sum
}

// lookAgain returns the files that a listing in part has to be compared with: what
// it found anew, and what was written or read since the one before. Of those it
// may know nothing, if they are gone by now.
func (s *state) lookAgain(l *tree.Listing) (files []tree.File, gone []memory.Path) {
	files, gone = slices.Clone(l.Anew), slices.Clone(l.Lost)
	for p := range s.tracked.again {
		f, there := l.File(p)
		if !there {
			gone = append(gone, p)
		} else if _, found := slices.BinarySearchFunc(l.Anew, p, byPath); !found {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b tree.File) int { return byPath(a, b.Path) })
	return files, gone
}

func byPath(f tree.File, p memory.Path) int { return cmp.Compare(f.Path.String(), p.String()) }

// calm is for the end of a scan: only files whose stamps prove nothing yet have to
// be looked at again.
func (s *state) calm(racy func(tree.Stamp) bool) {
	if s.tracked == nil {
		return
	}
	for p := range s.tracked.again {
		if f, there := s.files[p]; !there || !racy(f.stamp()) {
			delete(s.tracked.again, p)
		}
	}
}

// unsaved returns the paths at which rows may be others than in the index file,
// and the rows.
func (s *state) unsaved() (paths []memory.Path, rows [][]row) {
	for p := range s.tracked.unsaved {
		paths = append(paths, p)
	}
	slices.SortFunc(paths, func(a, b memory.Path) int { return cmp.Compare(a.String(), b.String()) })
	for _, p := range paths {
		rows = append(rows, s.rowsAt(p))
	}
	return paths, rows
}

// rowsAt is [state.rows] for one path.
func (s *state) rowsAt(p memory.Path) (rows []row) {
	for e := s.tracked.homes[p]; e != nil; e = e.next {
		rows = append(rows, e.row())
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.id(), b.id()) })
	f, there := s.files[p]
	if there && len(rows) == 0 {
		rows = append(rows, row{Path: p})
	}
	if there {
		rows[0].File = f
	}
	return rows
}
