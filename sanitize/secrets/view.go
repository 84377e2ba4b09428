package secrets

import "sort"

// view is a text to read: the original, or what it looks like without a
// disguise.
type view struct {
	text string
	// news tells whether a match at s counts: in a text made from another one,
	// only what touches a difference does, the rest was found there already.
	// Nil means that all counts.
	news func(s span) bool
	// origin moves a span to the original text; nil means that this is it.
	origin func(s span) span
	// joined views are read by the rules with a fixed prefix alone.
	joined bool
	// backwards is the view in which nothing is decoded.
	backwards bool
}

func (v view) live(s span) bool { return v.news == nil || v.news(s) }

func (v view) toOriginal(found []match) []match {
	if v.origin == nil {
		return found
	}
	for i := range found {
		found[i].span = v.origin(found[i].span)
	}
	return found
}

// edit says that the range in of the text below was replaced by the range out
// of the view. What lies between two edits is the same in both.
type edit struct{ in, out span }

// edits are in order and do not overlap.
type edits []edit

func (e edits) touch(s span) bool {
	i := sort.Search(len(e), func(i int) bool { return e[i].out.end >= s.start })
	return i < len(e) && e[i].out.start <= s.end
}

// below moves a span to the text below. A replaced range moves as a whole.
func (e edits) below(s span) span {
	start, _ := e.offset(s.start)
	_, end := e.offset(max(s.start, s.end-1))
	return span{start, max(start, end)}
}

// offset returns the range of the text below that became the byte at offset at.
func (e edits) offset(at int) (start, end int) {
	i := sort.Search(len(e), func(i int) bool { return e[i].out.start > at }) - 1
	if i < 0 {
		return at, at + 1
	}
	if at < e[i].out.end {
		return e[i].in.start, e[i].in.end
	}
	at += e[i].in.end - e[i].out.end
	return at, at + 1
}
