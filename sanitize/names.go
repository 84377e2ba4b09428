package sanitize

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Names holds how a set of keys spells its files and folders, to tell whether
// another key is a twin: the same name to some file system, but not to us. The
// zero value is an empty set. It is not safe for concurrent use.
type Names struct {
	bySkeleton map[string][]spelling // of whole keys and of each of their folders
}

// A spelling is one way in which a name is written, and how many keys write
// it so. Well-kept sets have one spelling for each skeleton; others must not
// break the count.
type spelling struct {
	name string
	keys int
}

// Add records a canonical key and all its folders. Adding a key twice is the
// same as adding it once.
func (n *Names) Add(canonical string) {
	if k := (key{canonical, Skeleton(canonical)}); !n.has(k) {
		n.record(k)
	}
}

// AddFolder records a folder that holds keys which are not in the set, so that
// it keeps its spelling whatever is removed.
func (n *Names) AddFolder(canonical string) {
	n.record(key{canonical, Skeleton(canonical)})
}

// Remove forgets a key, and the folders that no other key is in. A key that
// was not added is no error.
func (n *Names) Remove(canonical string) {
	k := key{canonical, Skeleton(canonical)}
	if !n.has(k) {
		return
	}
	for name, skeleton := range k.prefixes() {
		spellings := n.bySkeleton[skeleton]
		i := indexSpelling(spellings, name)
		if spellings[i].keys--; spellings[i].keys > 0 {
			continue
		}
		if spellings = slices.Delete(spellings, i, i+1); len(spellings) > 0 {
			n.bySkeleton[skeleton] = spellings
			continue
		}
		delete(n.bySkeleton, skeleton)
	}
}

// Check returns a [*PathError] of [LayerCase] when the canonical key, or one
// of its folders, is already there in another spelling. Its offset is where
// that file or folder starts in the canonical key.
//
// A key that is there as it is passes, so an update needs no exception. A
// rename to another spelling of itself does: remove the old key first.
func (n *Names) Check(canonical string) error {
	for name, skeleton := range (key{canonical, Skeleton(canonical)}).prefixes() {
		for _, other := range n.bySkeleton[skeleton] {
			if other.name == name {
				continue
			}
			return &PathError{
				LayerCase,
				strings.LastIndexByte(name, '/') + 1,
				fmt.Sprintf("%+q is there already and is the same name on some systems; use that or another name", other.name),
			}
		}
	}
	return nil
}

// Has reports whether the canonical key, or a folder, is there in this spelling.
func (n *Names) Has(canonical string) bool { return n.has(key{canonical, Skeleton(canonical)}) }

func (n *Names) record(k key) {
	if n.bySkeleton == nil {
		n.bySkeleton = make(map[string][]spelling)
	}
	for name, skeleton := range k.prefixes() {
		spellings := n.bySkeleton[skeleton]
		if i := indexSpelling(spellings, name); i >= 0 {
			spellings[i].keys++
			continue
		}
		n.bySkeleton[skeleton] = append(spellings, spelling{name, 1})
	}
}

func (n *Names) has(k key) bool {
	return indexSpelling(n.bySkeleton[k.skeleton], k.canonical) >= 0
}

func indexSpelling(spellings []spelling, name string) int {
	return slices.IndexFunc(spellings, func(s spelling) bool { return s.name == name })
}

// prefixes yields each folder of k, from the top, and then k itself, all with
// their skeletons.
func (k key) prefixes() iter.Seq2[string, string] {
	return func(yield func(name, skeleton string) bool) {
		end := 0 // of the prefix of the skeleton
		for s := range k.segments() {
			if end += len(s.skeleton); s.isFile {
				end = len(k.skeleton) // also for what no layer has seen, where a letter folds to a slash
			}
			if !yield(k.canonical[:s.start+len(s.name)], k.skeleton[:end]) {
				return
			}
			end++ // the slash
		}
	}
}
