package memory

import (
	"cmp"
	"slices"

	"github.com/teammem/teammem/sanitize"
)

// Past is one revision of an entry, as far as it decides what becomes of it.
type Past struct {
	Rev     int64
	Action  Action
	Path    Path
	Sum     Hash
	Size    int
	Suspect bool // it is to be taken back
	Purged  bool // its text is gone for good

	Withdrawn int64 // the change that took it back; 0: it stands
	Returned  bool  // no member wrote it: a withdrawal or release did
	Source    int64 // of one that returned: whose text it has; 0: none
	Unfit     bool  // today's gate refuses it
}

// gone reports whether there was nothing.
func (p Past) gone() bool { return p.Rev == 0 || p.Action == ActionDelete || p.Purged || p.Unfit }

// Return is an entry on its way back to an earlier revision. If that is a
// delete, or none, it goes.
type Return struct {
	Head     EntryHead // as it is
	To       Past
	Suspects []int64 // the revisions that are taken back
}

// Bury refuses texts that were purged since: from the entry, or from another one
// that had the name.
func Bury(items []Return, purged []Certificate) {
	for i := range items {
		it := &items[i]
		if it.To.Action != ActionDelete && slices.ContainsFunc(purged, func(c Certificate) bool {
			return c.forbids(it.Head.ID, it.To.Path, it.To.Sum)
		}) {
			it.To.Purged = true
		}
	}
}

// Sift marks the texts that the gate refuses, and returns an [*Unscreened] if one
// would return of which nobody knows.
func (s Screened) Sift(items []Return) error {
	var unknown []RevisionRef
	for i := range items {
		it := &items[i]
		ref := RevisionRef{it.Head.ID, it.To.Rev}
		fit, screened := s[ref]
		switch {
		case it.To.gone():
		case !screened:
			unknown = append(unknown, ref)
		default:
			it.To.Unfit = !fit
		}
	}
	if len(unknown) > 0 {
		return &Unscreened{unknown}
	}
	return nil
}

// Suspected is an entry with a suspect among its revisions, which are all there,
// newest first.
type Suspected struct {
	Head      EntryHead
	Revisions []Past
}

// inherit makes suspect what returned from a suspect: a text does not get better
// by having been away.
func (s Suspected) inherit() {
	suspect := map[int64]bool{}
	for i, p := range slices.Backward(s.Revisions) {
		if p.Returned && suspect[p.Source] {
			s.Revisions[i].Suspect = true
		}
		suspect[p.Rev] = s.Revisions[i].Suspect
	}
}

// standing returns the suspects that nobody took back yet.
func (s Suspected) standing() (revs []int64) {
	for _, p := range s.Revisions {
		if p.Suspect && p.Withdrawn == 0 {
			revs = append(revs, p.Rev)
		}
	}
	return revs
}

// Suspicious finds what each entry has to return to: its newest revision that is
// neither suspect nor was taken back before. An entry that others have changed
// since stays, and is counted.
func Suspicious(all []Suspected) (returns []Return, kept int) {
	for _, e := range all {
		e.inherit()
		standing := e.standing()
		if len(standing) == 0 {
			continue
		}
		if !e.Revisions[0].Suspect {
			kept++
			continue
		}
		r := Return{Head: e.Head}
		if i := slices.IndexFunc(e.Revisions, func(p Past) bool { return !p.Suspect && p.Withdrawn == 0 }); i >= 0 {
			r.To = e.Revisions[i]
		}
		for _, rev := range standing {
			if rev > r.To.Rev {
				r.Suspects = append(r.Suspects, rev)
			}
		}
		if r.Head.DeletedRev == 0 || !r.To.gone() {
			returns = append(returns, r)
		}
	}
	return returns, kept
}

// Stems reports whether an entry's newest revision is another one, brought back
// by a release or withdrawal, and by nothing that a member wrote. Its revisions
// are newest first.
func Stems(revisions []Past, from int64) bool {
	if len(revisions) == 0 {
		return false
	}
	at := revisions[0].Rev
	for _, p := range revisions {
		switch {
		case at == from:
			return true
		case p.Rev == at && p.Returned:
			at = p.Source
		}
	}
	return at == from
}

// Returns are entries to be brought back, and what they meet.
type Returns struct {
	Head  Head
	Live  int
	Names []Path // of all live entries
	Items []Return

	// Whole says that an entry whose name is taken stays as it is. Without, it goes:
	// what is suspect must not stay.
	Whole bool
}

// Returned is one entry that was brought back.
type Returned struct {
	Return

	Rev      int64
	Path     Path
	Previous Path // where it was, if it has another name now; else zero
	Gone     bool
	Sum      Hash   // of the content; of one that is gone, the last
	Digest   Digest // of the project at Rev
}

// Brought is what becomes of [Returns].
type Brought struct {
	Done  []Returned // in the order of their revs, which follow the head without a gap
	Stuck []Return   // their names are taken
	Head  Head       // afterwards
	Live  int        // afterwards
}

// Bring decides which of the entries get their names back. All names that they
// give up are free from the start, and what stays keeps its own.
func (r Returns) Bring() Brought {
	r.Items = slices.SortedFunc(slices.Values(r.Items), func(a, b Return) int {
		return cmp.Or(cmp.Compare(a.Head.Path.String(), b.Head.Path.String()), cmp.Compare(a.Head.ID, b.Head.ID))
	})
	stays := map[EntryID]bool{}
	for {
		b, stuck := r.try(stays)
		if len(stuck) == 0 {
			return b
		}
		for _, s := range stuck {
			stays[s.Head.ID] = true
		}
	}
}

func (r Returns) try(stays map[EntryID]bool) (b Brought, stuck []Return) {
	names, named := &sanitize.Names{}, map[string]bool{}
	for _, p := range r.Names {
		names.Add(p.String())
		named[p.Skeleton()] = true
	}
	for _, it := range r.Items {
		if it.Head.DeletedRev == 0 && !stays[it.Head.ID] {
			names.Remove(it.Head.Path.String())
			delete(named, it.Head.Path.Skeleton())
		}
	}
	b.Head, b.Live = r.Head, r.Live
	for _, it := range r.Items {
		if stays[it.Head.ID] {
			b.Stuck = append(b.Stuck, it)
			continue
		}
		free := it.To.gone() || !named[it.To.Path.Skeleton()] && CheckTwin(names, it.To.Path) == nil
		if !free && r.Whole {
			stuck = append(stuck, it)
			continue
		}
		done := b.bring(it, free)
		if !done.Gone {
			names.Add(done.Path.String())
			named[done.Path.Skeleton()] = true
		}
	}
	return b, stuck
}

// bring gives the change its number.
func (b *Brought) bring(it Return, free bool) Returned {
	b.Head.Seq++
	d := Returned{Return: it, Rev: b.Head.Seq, Path: it.Head.Path, Gone: it.To.gone() || !free, Sum: it.Head.Sum}
	live := it.Head.DeletedRev == 0
	if live {
		b.Live--
		b.Head.Digest.Remove(it.Head.Path, it.Head.Sum)
	}
	if !d.Gone {
		d.Path, d.Sum = it.To.Path, it.To.Sum
		b.Live++
		b.Head.Digest.Add(d.Path, d.Sum)
		if live && d.Path != it.Head.Path {
			d.Previous = it.Head.Path
		}
	}
	d.Digest = b.Head.Digest
	b.Done = append(b.Done, d)
	return d
}
