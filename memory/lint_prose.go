package memory

import (
	"iter"
	"strings"
)

// part is what a line of Markdown belongs to.
type part int

const (
	partProse part = iota
	partCode
	partComment // a line with nothing but an HTML comment, or a piece of one
)

// mdLine is one line of a body, without its end.
type mdLine struct {
	number int // from 1
	text   string
	size   int // in bytes, with its end
	part   part
}

// mdLines goes through the lines of a body and tells prose from fenced code
// and from comments. A comment that never closes is prose, as agents read it.
func mdLines(body string) iter.Seq[mdLine] {
	return func(yield func(mdLine) bool) {
		s := stretch{body: body}
		number, at := 0, 0
		for raw := range strings.Lines(body) {
			number++
			text := strings.TrimRight(raw, "\r\n")
			if !yield(mdLine{number, text, len(raw), s.next(text, at)}) {
				return
			}
			at += len(raw)
		}
	}
}

// proseLines goes through the lines that say something to a reader.
func proseLines(body string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for l := range mdLines(body) {
			if l.part == partProse && !yield(l.number, l.text) {
				return
			}
		}
	}
}

// stretch follows fences and comments from line to line.
type stretch struct {
	body    string
	fence   string // what closes the code we are in
	comment bool   // we are in one
	closed  int    // up to here a comment would be closed; 0: not known yet
}

// next returns the part of a line that starts at so many bytes.
func (s *stretch) next(text string, at int) part {
	trimmed := strings.TrimSpace(text)
	switch {
	case s.fence != "":
		if strings.HasPrefix(trimmed, s.fence) && strings.Trim(trimmed, s.fence[:1]) == "" {
			s.fence = ""
		}
		return partCode
	case !s.comment && strings.HasPrefix(trimmed, "<!--") && s.closes(at):
		s.comment = true
		return s.inComment(trimmed[len("<!--"):])
	case s.comment:
		return s.inComment(trimmed)
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		mark := trimmed[:1]
		s.fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, mark))]
		if mark == "`" && strings.Contains(trimmed[len(s.fence):], mark) { // a span of code that fills the line
			s.fence = ""
			return partProse
		}
		return partCode
	}
	return partProse
}

// closes reports whether a comment that starts at so many bytes ever ends.
func (s *stretch) closes(at int) bool {
	if s.closed == 0 {
		s.closed = strings.LastIndex(s.body, "-->") + 1
		if s.closed == 0 {
			s.closed = -1
		}
	}
	return at < s.closed
}

// inComment looks for the end of the comment in the rest of a line. What
// follows it there is prose.
func (s *stretch) inComment(rest string) part {
	_, after, closes := strings.Cut(rest, "-->")
	if !closes {
		return partComment
	}
	s.comment = false
	if strings.TrimSpace(after) != "" {
		return partProse
	}
	return partComment
}
