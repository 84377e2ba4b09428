package sync

import (
	"slices"
	"strings"
)

// chunk is one stretch of three versions of a text. Where nothing changed the
// three are equal.
type chunk struct{ base, server, local []string }

// merge3 is the classic three-way merge of lines. It is clean or nothing: it
// cannot produce markers. Two insertions at one point both stay, the server's
// first; what of the local one is in the server's already stays once.
func merge3(base, server, local []string) (merged []string, clean bool) {
	for _, c := range diff3(base, server, local) {
		text, ok := c.settle()
		if !ok {
			return nil, false
		}
		merged = append(merged, text...)
	}
	return merged, true
}

func (c chunk) settle() (text []string, clean bool) {
	switch {
	case slices.Equal(c.server, c.local), slices.Equal(c.base, c.local):
		return c.server, true
	case slices.Equal(c.base, c.server):
		return c.local, true
	case len(c.base) > 0:
		return nil, false
	case holds(c.server, c.local):
		return c.server, true
	case holds(c.local, c.server):
		return c.local, true
	}
	return slices.Concat(c.server, c.local[shared(c.server, c.local):]), true
}

// holds reports whether part is a contiguous part of whole.
func holds(whole, part []string) bool {
	for i := 0; i+len(part) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// shared is how many lines of the local insertion, from its first one on, are
// in the server's too, in that order: they were sent, or came from there, and a
// client that was killed took no note of it. Blank lines alone say nothing, and
// one before the rest belongs to the rest.
func shared(server, local []string) (n int) {
	for {
		length, at := longestStart(server, local[n:])
		if length == 0 {
			return n
		}
		n, server = n+length, server[at+length:]
	}
}

// longestStart finds the longest start of part that ends in a line with text and
// is a contiguous part of whole.
func longestStart(whole, part []string) (length, at int) {
	for i := range whole {
		for n := 0; i+n < len(whole) && n < len(part) && whole[i+n] == part[n]; n++ {
			if n >= length && strings.TrimSpace(part[n]) != "" {
				length, at = n+1, i
			}
		}
	}
	return length, at
}

// diff3 cuts three versions into chunks. Edits of the two sides that overlap
// or touch are in one chunk.
func diff3(base, server, local []string) []chunk {
	ours, theirs := lineEdits(base, local), lineEdits(base, server)
	var chunks []chunk
	pos := 0
	for len(ours) > 0 || len(theirs) > 0 {
		start, end, nOurs, nTheirs := span(ours, theirs)
		if pos < start {
			chunks = append(chunks, chunk{base[pos:start], base[pos:start], base[pos:start]})
		}
		chunks = append(chunks, chunk{
			base:   base[start:end],
			server: apply(base, start, end, theirs[:nTheirs]),
			local:  apply(base, start, end, ours[:nOurs]),
		})
		ours, theirs, pos = ours[nOurs:], theirs[nTheirs:], end
	}
	if pos < len(base) {
		chunks = append(chunks, chunk{base[pos:], base[pos:], base[pos:]})
	}
	return chunks
}

// span finds the lines of the base that the next edit and all that hang
// together with it cover, and how many edits of either side these are.
func span(ours, theirs []edit) (start, end, nOurs, nTheirs int) {
	switch {
	case len(theirs) == 0 || len(ours) > 0 && ours[0].start <= theirs[0].start:
		start, end = ours[0].start, ours[0].end
	default:
		start, end = theirs[0].start, theirs[0].end
	}
	for grown := true; grown; {
		grown = false
		if nOurs < len(ours) && ours[nOurs].start <= end {
			end, nOurs, grown = max(end, ours[nOurs].end), nOurs+1, true
		}
		if nTheirs < len(theirs) && theirs[nTheirs].start <= end {
			end, nTheirs, grown = max(end, theirs[nTheirs].end), nTheirs+1, true
		}
	}
	return start, end, nOurs, nTheirs
}

// apply returns base[start:end] with the edits in it made.
func apply(base []string, start, end int, edits []edit) []string {
	var lines []string
	for _, e := range edits {
		lines = append(append(lines, base[start:e.start]...), e.lines...)
		start = e.end
	}
	return append(lines, base[start:end]...)
}
