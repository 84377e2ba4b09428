package secrets

import "strings"

// chainMost is how far a chain is followed from the context of a chunk.
const chainMost = 2 * farReach

// sight is what has to be read of text to know a chunk without its disguises:
// its context, the chains of words that reach into that, which may be the parts
// of one token, and the row of a table from its beginning.
func sight(text string, core span) span {
	s := around(core, chunkContext, chunkContext, text)
	s.start = chainStart(text, s.start)
	s.end = chainEnd(text, s.end)
	line := strings.LastIndexByte(text[:s.start], '\n') + 1
	if isRow(text[line:min(len(text), line+farReach)]) {
		s.start = line
	}
	return s
}

// chainStart returns where the chain begins that offset at lies in, or ends at.
func chainStart(text string, at int) int {
	limit := max(0, at-chainMost)
	for at > limit {
		for at > limit && text[at-1] > ' ' {
			at--
		}
		gap := at
		for gap > limit && text[gap-1] <= ' ' {
			gap--
		}
		if gap == limit || !chained(text, span{gap, at}) {
			break
		}
		at = gap
	}
	return at
}

// chainEnd is chainStart in the other direction.
func chainEnd(text string, at int) int {
	limit := min(len(text), at+chainMost)
	for at < limit {
		for at < limit && text[at] > ' ' {
			at++
		}
		gap := at
		for gap < limit && text[gap] <= ' ' {
			gap++
		}
		if gap == limit || !chained(text, span{at, gap}) {
			break
		}
		at = gap
	}
	return at
}

// chained tells whether what stands at both sides of white space may be read as
// one: at the end of a line, beside the signs that put a text together, and
// between groups of one length. It may say so of more than is.
func chained(text string, gap span) bool {
	const (
		groups = 16
		signs  = "|\"'`+,.&<>*#/;-%)\\"
	)
	last, next := text[gap.start-1], text[gap.end]
	if breaks := strings.Count(text[gap.start:gap.end], "\n"); breaks > 0 {
		return breaks == 1 && (last != '|' || next != '|') // or else rows of a table
	}
	if strings.IndexByte(signs, last) >= 0 || strings.IndexByte(signs, next) >= 0 {
		return true
	}
	left, right := gap.start, gap.end
	for left > 0 && gap.start-left < groups && text[left-1] > ' ' {
		left--
	}
	for right < len(text) && right-gap.end < groups && text[right] > ' ' {
		right++
	}
	return gap.start-left == right-gap.end && gap.start-left < groups
}
