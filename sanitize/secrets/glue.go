package secrets

import "strings"

// glue takes out what parts a token: line breaks, markup, the operators that put
// a text together, the borders of cells, and the spaces of equal groups.
func glue(under *view) (view, bool) {
	r := rewriting{under: under}
	text := under.text
	for at := 0; at < len(text); {
		if !isToken(text[at]) {
			at++
			continue
		}
		end := tokenEnds(text, at)
		if last := equalGroups(text, at, end); last > end {
			for _, gap := range gaps(text, at, last, end-at) {
				r.replace(gap, "")
			}
			end = last
		}
		if gap, ok := seam(text, end); ok && gap.start >= r.kept {
			r.replace(gap, "")
			end = gap.end
		}
		at = end
	}
	v, ok := r.view()
	v.joined = true
	return v, ok
}

func tokenEnds(text string, at int) int {
	for at < len(text) && isToken(text[at]) {
		at++
	}
	return at
}

// equalGroups returns where the last of a row of groups ends that are as long as
// the one from start to end, with the same sign between any two; the last may
// be shorter. A few words are of one length by chance, so short groups have to
// be many. Without a row it returns end.
func equalGroups(text string, start, end int) int {
	const longest, fewest, fewestShort = 12, 3, 8
	size := end - start
	if size > longest || end == len(text) || text[end] != ' ' && text[end] != ':' {
		return end
	}
	last, n := end, 1
	for last < len(text) && text[last] == text[end] {
		next := tokenEnds(text[:min(len(text), last+size+2)], last+1)
		if got := next - last - 1; got == 0 || got > size {
			break
		}
		n++
		short := next-last-1 < size
		if last = next; short {
			break
		}
	}
	if n < fewest || size < 4 && n < fewestShort {
		return end
	}
	return last
}

// gaps returns what parts the groups of a row.
func gaps(text string, start, last, size int) []span {
	var out []span
	for at := start + size; at < last; at += size + 1 {
		out = append(out, span{at, at + 1})
	}
	return out
}

// seam returns what lies between the part of a token that ends at offset at and
// the next one.
func seam(text string, at int) (span, bool) {
	if at == len(text) {
		return span{}, false
	}
	if next := skip(text, at, " \t"); next > at && (next == len(text) || strings.IndexByte("|\\\r\n"+box[:1], text[next]) < 0) {
		return span{}, false // as between most words
	}
	for _, cross := range []func(string, int) int{crossOperator, crossMarkup, crossCell} {
		if end := cross(text, at); end > at && end < len(text) && isToken(text[end]) {
			return span{at, end}, true
		}
	}
	return crossBreak(text, at)
}

// crossOperator goes on from one quoted text to the next.
func crossOperator(text string, at int) int {
	if !quoteAt(text, at) {
		return at
	}
	end := skip(text, at+1, " \t")
	for _, operator := range []string{"+", "..", ".", ",", "&", "||", "\\", "<>"} {
		if strings.HasPrefix(text[end:], operator) {
			if operator == "," && text[at] == '`' {
				return at // a list of names in prose
			}
			end += len(operator)
			break
		}
	}
	if end = skip(text, end, " \t\r\n>+-"); !quoteAt(text, end) {
		return at
	}
	return end + 1
}

func quoteAt(text string, at int) bool {
	return at < len(text) && strings.IndexByte("\"'`", text[at]) >= 0
}

// skip passes over the given characters, but not over an empty line.
func skip(text string, at int, over string) int {
	for breaks := 0; at < len(text) && strings.IndexByte(over, text[at]) >= 0; at++ {
		if text[at] == '\n' {
			if breaks++; breaks > 1 {
				break
			}
		}
	}
	return at
}

// crossMarkup passes over emphasis, code marks, tags and comments.
func crossMarkup(text string, at int) int {
	const longestTag, longestComment = 256, 256
	for at < len(text) {
		rest := text[at:]
		switch {
		case rest[0] == '*', rest[0] == '`':
			at++
		case strings.HasPrefix(rest, "<!--"):
			n := strings.Index(rest[:min(len(rest), longestComment)], "-->")
			if n < 0 {
				return at
			}
			at += n + len("-->")
		case rest[0] == '<':
			n := strings.IndexAny(rest[:min(len(rest), longestTag)], ">\n")
			if n < 0 || rest[n] == '\n' {
				return at
			}
			at += n + 1
		default:
			return at
		}
	}
	return at
}

// box is the border of a cell as programs draw it.
const box = "│"

// crossCell passes over the border between two cells of a table, and over the end
// of a line within a box, which goes on in the next.
func crossCell(text string, at int) int {
	end := skip(text, at, " \t")
	if end < len(text) && text[end] == '|' {
		return skip(text, end+1, " \t")
	}
	if !strings.HasPrefix(text[end:], box) {
		return at
	}
	end = skip(text, end+len(box), " \t\r\n>")
	return skip(text, end+len(text[end:])-len(strings.TrimPrefix(text[end:], box)), " \t")
}

// crossBreak passes over a line break, with the signs that end one line and
// begin the next: those of quotations, comments, lists and differences.
func crossBreak(text string, at int) (span, bool) {
	n := skip(text, at, " \t\r\\")
	if n == len(text) || text[n] != '\n' {
		return span{}, false
	}
	end := n + 1
	if end < len(text) && (text[end] == '+' || text[end] == '-') && text[end] == text[strings.LastIndexByte(text[:n], '\n')+1] {
		end++ // both lines were added, or both removed
	}
	end = skipMarker(text, skip(text, end, " \t>"))
	if end >= len(text) || !isToken(text[end]) {
		return span{}, false
	}
	start := at
	if text[at-1] == '=' && strings.TrimSuffix(text[at:n], "\r") == "" && !(at > 1 && text[at-2] == '=') {
		start-- // mail ends a line that goes on like this
	}
	return span{start, end}, true
}

// skipMarker passes over the sign of a comment or a list item.
func skipMarker(text string, at int) int {
	end := at
	for end < len(text) && end-at < 4 && isDigit(text[end]) {
		end++
	}
	if end > at {
		if end == len(text) || text[end] != '.' && text[end] != ')' {
			return at
		}
		end++
	}
	for end < len(text) && end-at < 4 && strings.IndexByte("#/*;-+%", text[end]) >= 0 {
		end++
	}
	if end == at || end == len(text) || text[end] != ' ' {
		return at
	}
	return skip(text, end, " \t")
}
