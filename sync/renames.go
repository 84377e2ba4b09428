package sync

import (
	"slices"

	"github.com/teammem/teammem/memory"
)

// findFiles decides for every entry which file on disk is its text: the one
// where base left it, or, after a rename, the one that now has base's exact
// content (row 14), or the one that was known as its file before. Inode numbers
// are reused and prove nothing.
func (v *view) findFiles() {
	moved := v.findRenames()
	for e, to := range moved {
		v.own(e, to)
	}
	for path, e := range v.baseAt {
		if _, present := v.Local[path]; present && moved[e].IsZero() {
			v.own(e, path)
		}
	}
	for _, e := range v.entries {
		if to, known := v.Moved[e.id]; known && e.hasBase() && e.gone() && v.isNew(to) {
			v.own(e, to)
		}
	}
}

// isNew reports whether there is a file at the path that belongs to no entry.
func (v *view) isNew(path memory.Path) bool {
	_, present := v.Local[path]
	return present && v.blocked(path) == "" && v.owner[path] == nil && v.baseAt[path] == nil
}

// rename is one guess: the file at to is the text of e.
type rename struct {
	e  *entry
	to memory.Path
}

// findRenames pairs entries that lost their text with files that have it.
// A pair stands if the old name is free or was taken by another renamed entry,
// and the new name was free or was left by one: so chains and swaps count as
// renames, while a copy of a file that is then edited does not.
func (v *view) findRenames() map[*entry]memory.Path {
	displaced := v.displaced()
	if len(displaced) == 0 {
		return nil
	}
	files := v.filesWith(displaced)

	banned := map[rename]bool{}
	for {
		moved := map[*entry]memory.Path{}
		taken := map[memory.Path]bool{}
		for sum, entries := range displaced {
			pair(entries, files[sum], banned, moved)
		}
		for _, to := range moved {
			taken[to] = true
		}
		before := len(banned)
		for e, to := range moved {
			_, present := v.Local[e.base.Path]
			left := v.baseAt[to]
			if present && !taken[e.base.Path] || left != nil && moved[left].IsZero() {
				banned[rename{e, to}] = true
			}
		}
		if len(banned) == before {
			return moved
		}
	}
}

// displaced lists the entries whose own path no longer has their text, by that
// text.
func (v *view) displaced() map[memory.Hash][]*entry {
	bySum := map[memory.Hash][]*entry{}
	for _, e := range v.entries {
		if e.hasBase() && v.baseAt[e.base.Path] == e && v.isDisplaced(e) {
			bySum[e.base.Sum] = append(bySum[e.base.Sum], e)
		}
	}
	return bySum
}

func (v *view) isDisplaced(e *entry) bool {
	l, present := v.Local[e.base.Path]
	return v.blocked(e.base.Path) == "" && !(present && e.isBase(l))
}

// filesWith lists the files that have a displaced text and are not at home:
// new ones, and those at the path of another displaced entry. By text, sorted.
func (v *view) filesWith(displaced map[memory.Hash][]*entry) map[memory.Hash][]memory.Path {
	files := map[memory.Hash][]memory.Path{}
	for p, l := range v.Local {
		if displaced[l.Sum] == nil || v.blocked(p) != "" {
			continue
		}
		if e := v.baseAt[p]; e == nil || v.isDisplaced(e) {
			files[l.Sum] = append(files[l.Sum], p)
		}
	}
	for _, paths := range files {
		slices.SortFunc(paths, comparePaths)
	}
	return files
}

// pair gives each entry one of the files with its text: the one at the
// server's new name first, then one with the same base name, then in byte
// order. Both lists are sorted, so the result is the same every time.
func pair(entries []*entry, files []memory.Path, banned map[rename]bool, moved map[*entry]memory.Path) {
	used := map[memory.Path]bool{}
	for _, fits := range []func(*entry, memory.Path) bool{
		func(e *entry, p memory.Path) bool { return p == e.remote.Path },
		func(e *entry, p memory.Path) bool { return p.Base() == e.base.Path.Base() },
		func(*entry, memory.Path) bool { return true },
	} {
		for _, e := range entries {
			if !moved[e].IsZero() {
				continue
			}
			for _, p := range files {
				if !used[p] && p != e.base.Path && !banned[rename{e, p}] && fits(e, p) {
					moved[e], used[p] = p, true
					break
				}
			}
		}
	}
}
