package sync

import (
	"slices"
	"strings"
)

// chunk is one stretch of three versions of a text. Where nothing changed the
// three are equal.
type chunk struct {
	base, server, local []string
	theirs, ours        frame // what server and local put around it
}

// frame is what one side inserted before and after lines that it left alone; only
// says whether that is all that it did there.
type frame struct {
	before, after []string
	only          bool
}

// merge3 is the classic three-way merge of lines. It is clean or nothing: it
// cannot produce markers. Two insertions at one point both stay, the server's
// first; what of the local one is in the server's already stays once. What one
// side inserted beside lines that the other reworded stays beside them. An edit that
// the other side has made, too, is made once, wherever that was.
func merge3(base, server, local []string) (merged []string, clean bool) {
	ours, theirs := lineEdits(base, local), lineEdits(base, server)
	ours = withoutThose(ours, base, server)
	theirs = withoutThose(theirs, base, apply(base, 0, len(base), ours))
	for _, c := range cut(base, theirs, ours) {
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
		return c.settleReworded()
	case holds(c.server, c.local):
		return c.server, true
	case holds(c.local, c.server):
		return c.local, true
	}
	return slices.Concat(c.server, c.local[shared(c.server, c.local):]), true
}

// settleReworded is for lines that at least one side changed. If one has the
// other's wording, it has more; and what one only put around them is kept. Where a
// line is gone, what was inserted beside it may have belonged to it.
func (c chunk) settleReworded() (text []string, clean bool) {
	server, local := len(c.server) >= len(c.base), len(c.local) >= len(c.base)
	switch {
	case local && holds(c.server, c.local) && !c.keeps(c.server, c.local):
		return c.server, true
	case server && holds(c.local, c.server) && !c.keeps(c.local, c.server):
		return c.local, true
	case local && c.theirs.only:
		return c.theirs.around(c.local)
	case server && c.ours.only:
		return c.ours.around(c.server)
	}
	return nil, false
}

// keeps reports whether a side still has lines of the base that the other removed.
func (c chunk) keeps(side, other []string) bool {
	return slices.ContainsFunc(c.base, func(line string) bool {
		return strings.TrimSpace(line) != "" && !slices.Contains(other, line) && slices.Contains(side, line)
	})
}

// around puts the frame around what the other side made of the lines, unless that
// has some of it already, and not all: it would be there twice.
func (f frame) around(lines []string) (text []string, fits bool) {
	before, after := f.before, f.after
	if len(before) <= len(lines) && slices.Equal(lines[:len(before)], before) {
		before = nil
	}
	if len(after) <= len(lines) && slices.Equal(lines[len(lines)-len(after):], after) {
		after = nil
	}
	text = slices.Concat(before, lines, after)
	return text, !slices.ContainsFunc(slices.Concat(before, after), func(line string) bool {
		return strings.TrimSpace(line) != "" && slices.Contains(lines, line)
	})
}

// frameOf finds the frame in the edits of the lines from start to end.
func frameOf(edits []edit, start, end int) (f frame) {
	for _, e := range edits {
		switch {
		case e.start != e.end:
			return frame{}
		case e.start == start:
			f.before = e.lines
		case e.start == end:
			f.after = e.lines
		default:
			return frame{}
		}
	}
	f.only = true
	return f
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

// longestStart finds the longest start of part that ends in a line with words,
// outside of fenced code, and is a contiguous part of whole.
func longestStart(whole, part []string) (length, at int) {
	for i := range whole {
		fences := 0
		for n := 0; i+n < len(whole) && n < len(part) && whole[i+n] == part[n]; n++ {
			if isFence(part[n]) {
				fences++
			}
			if n >= length && letters(part[n]) > 0 && fences%2 == 0 {
				length, at = n+1, i
			}
		}
	}
	return length, at
}

func isFence(line string) bool {
	text := strings.TrimSpace(line)
	return strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
}

// diff3 cuts three versions into chunks. Edits of the two sides that overlap
// or touch are in one chunk.
func diff3(base, server, local []string) []chunk {
	return cut(base, lineEdits(base, server), lineEdits(base, local))
}

func cut(base []string, theirs, ours []edit) []chunk {
	var chunks []chunk
	pos := 0
	for len(ours) > 0 || len(theirs) > 0 {
		start, end, nOurs, nTheirs := span(ours, theirs)
		if pos < start {
			chunks = append(chunks, untouched(base[pos:start]))
		}
		chunks = append(chunks, chunk{
			base:   base[start:end],
			server: apply(base, start, end, theirs[:nTheirs]),
			local:  apply(base, start, end, ours[:nOurs]),
			theirs: frameOf(theirs[:nTheirs], start, end),
			ours:   frameOf(ours[:nOurs], start, end),
		})
		ours, theirs, pos = ours[nOurs:], theirs[nTheirs:], end
	}
	if pos < len(base) {
		chunks = append(chunks, untouched(base[pos:]))
	}
	return chunks
}

func untouched(lines []string) chunk { return chunk{base: lines, server: lines, local: lines} }

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
