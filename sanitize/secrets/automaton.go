package secrets

import "slices"

// automaton finds all keywords of all rules in one pass (Aho and Corasick,
// 1975), ignoring the case of ASCII letters. The library has one too, but tells
// only whether a keyword occurs; the speed of this package comes from knowing
// where.
type automaton struct {
	class  [256]uint16 // byte → column; bytes that no keyword uses share column 0
	width  int
	next   []uint16 // state*width + column → state; a few thousand, as small as caches like it
	ends   []bool   // state → whether a keyword ends there
	found  [][]int  // state → keywords that end there
	sizes  []int    // keyword → length
	longer int      // length of the longest keyword, less one
}

// newAutomaton takes keywords in lower-case ASCII.
func newAutomaton(keywords []string) *automaton {
	a := &automaton{width: 1}
	most := 1 // states, if no two keywords begin alike
	for _, k := range keywords {
		most += len(k)
		a.sizes = append(a.sizes, len(k))
		a.longer = max(a.longer, len(k)-1)
		for i := range len(k) {
			a.use(k[i])
		}
	}
	a.next, a.found = make([]uint16, 0, most*a.width), make([][]int, 0, most)
	a.grow()
	for id, k := range keywords {
		a.insert(id, k)
	}
	a.link()
	a.ends = make([]bool, len(a.found))
	for state, ids := range a.found {
		a.ends[state] = len(ids) > 0
	}
	return a
}

// use gives b, in both cases, a column of its own.
func (a *automaton) use(b byte) {
	if a.class[b] != 0 {
		return
	}
	column := uint16(a.width) //nolint:gosec // at most one for each byte
	a.class[b] = column
	if 'a' <= b && b <= 'z' {
		a.class[b-'a'+'A'] = column
	}
	a.width++
}

func (a *automaton) grow() uint16 {
	a.next = a.next[:len(a.next)+a.width] // fresh memory: no edges yet
	a.found = append(a.found, nil)
	return uint16(len(a.found) - 1) //nolint:gosec // one for each byte of the keywords
}

func (a *automaton) insert(id int, keyword string) {
	state := uint16(0)
	for i := range len(keyword) {
		at := int(state)*a.width + int(a.class[keyword[i]])
		if a.next[at] == 0 {
			fresh := a.grow()
			a.next[at] = fresh
		}
		state = a.next[at]
	}
	a.found[state] = append(a.found[state], id)
}

// link turns the tree of keywords into a complete table: breadth first, each
// missing edge becomes the edge of the longest proper suffix, which is nearer
// to the root and therefore complete already.
func (a *automaton) link() {
	suffix := make([]uint16, len(a.found))
	queue := []uint16{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for c := range a.width {
			at := int(state)*a.width + c
			child := a.next[at]
			inherited := uint16(0)
			if state != 0 {
				inherited = a.next[int(suffix[state])*a.width+c]
			}
			if child == 0 {
				a.next[at] = inherited
				continue
			}
			suffix[child] = inherited
			if more := a.found[inherited]; len(more) > 0 {
				a.found[child] = slices.Concat(a.found[child], more)
			}
			queue = append(queue, child)
		}
	}
}

// each calls yield for every keyword that begins within [within.start,
// within.end) of text, in the order of their ends.
func (a *automaton) each(text string, within span, yield func(keyword int, at span)) {
	state := uint16(0)
	for i := within.start; i < min(within.end+a.longer, len(text)); i++ {
		state = a.next[int(state)*a.width+int(a.class[text[i]])]
		if !a.ends[state] {
			continue
		}
		for _, id := range a.found[state] {
			if start := i + 1 - a.sizes[id]; start < within.end {
				yield(id, span{start, i + 1})
			}
		}
	}
}
