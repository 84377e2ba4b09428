package sanitize

import (
	"sort"
	"strings"
)

// codeRanges are the parts of a Markdown text that are shown as they are, in
// order.
type codeRanges []struct{ start, end int }

// covers reports whether the byte is in code.
func (c codeRanges) covers(at int) bool {
	i := sort.Search(len(c), func(i int) bool { return c[i].end > at })
	return i < len(c) && c[i].start <= at
}

// codeSpans finds fenced code, and code in a line of prose.
func codeSpans(text string) (code codeRanges) {
	fence, from, at := "", 0, 0
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				code, fence = append(code, struct{ start, end int }{from, at}), ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			mark := trimmed[:1]
			fence, from = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, mark))], at+len(line)
			if mark == "`" && strings.Contains(trimmed[len(fence):], mark) {
				fence = ""
				code = inlineCode(code, line, at)
			}
		default:
			code = inlineCode(code, line, at)
		}
		at += len(line)
	}
	if fence != "" {
		code = append(code, struct{ start, end int }{from, len(text)})
	}
	return code
}

// inlineCode adds what is between equal rows of backticks in a line.
func inlineCode(code codeRanges, line string, at int) codeRanges {
	for i := 0; ; {
		n := strings.IndexByte(line[i:], '`')
		if n < 0 {
			return code
		}
		i += n
		ticks := line[i : i+len(line[i:])-len(strings.TrimLeft(line[i:], "`"))]
		rest := line[i+len(ticks):]
		n = strings.Index(rest, ticks)
		if n < 0 {
			return code
		}
		end := i + len(ticks) + n
		code = append(code, struct{ start, end int }{at + i + len(ticks), at + end})
		i = end + len(ticks)
	}
}
