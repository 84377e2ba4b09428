package view

import (
	"strconv"
	"strings"

	"github.com/teammem/teammem/web/view/foreign"
)

// source is a text as its lines.
type source struct {
	lines []sourceLn
	crlf  bool // all lines end in CR LF, which is not shown
	long  bool // more lines than get numbers
	chips bool // more chips than a page holds
	text  string
}

type sourceLn struct {
	text   string // with its line end
	number int
	marked bool // something is said about it, which leads here
}

// What bounds the elements of a page.
const (
	mostNumbered = 5000
	mostChips    = 5000
)

func newSource(content string, lints []Lint, risks []Risk) source {
	s := source{text: content, crlf: crlfOnly(content), long: strings.Count(content, "\n") > mostNumbered, chips: crowded(content)}
	if s.long || s.chips {
		return s
	}
	marked := map[int]bool{}
	for _, l := range lints {
		marked[l.Line] = true
	}
	for _, r := range risks {
		marked[r.Line] = true
	}
	for text := range strings.Lines(content) {
		n := len(s.lines) + 1
		s.lines = append(s.lines, sourceLn{text, n, marked[n]})
	}
	return s
}

// crlfOnly reports whether every line of a text ends in CR LF.
func crlfOnly(s string) bool {
	n := strings.Count(s, "\r\n")
	return n > 0 && n == strings.Count(s, "\n") && n == strings.Count(s, "\r")
}

// crowded reports whether a text has unseen characters at more places than a
// page can mark.
func crowded(content string) bool { return foreign.Chips(withLF(content), mostChips) > mostChips }

// withLF returns a text without the CRs that all its lines have.
func withLF(content string) string {
	if crlfOnly(content) {
		return strings.ReplaceAll(content, "\r\n", "\n")
	}
	return content
}

// body is the text of a line that is shown, without a line end that all have.
func (s source) body(l sourceLn) string {
	if s.crlf {
		return strings.TrimSuffix(l.text, "\r\n")
	}
	return strings.TrimSuffix(l.text, "\n")
}

// number of lines of a text.
func lineCount(content string) int {
	n := strings.Count(content, "\n")
	if content != "" && !strings.HasSuffix(content, "\n") {
		n++
	}
	return n
}

// invisible says how many code points of a text nobody sees, and on which
// lines the first of them are.
func invisible(content string) (total int, where string) {
	const most = 5
	var numbers []string
	line, more := 0, false
	for text := range strings.Lines(withLF(content)) {
		line++
		n := foreign.Invisible(text)
		if n == 0 {
			continue
		}
		total += n
		if more = len(numbers) == most; !more {
			numbers = append(numbers, strconv.Itoa(line))
		}
	}
	where = strings.Join(numbers, ", ")
	if more {
		where += " …"
	}
	return total, where
}

// field is one line of frontmatter.
type field struct{ key, value string }

// frontmatter splits a text into the block between two "---" lines, with
// those, and what follows. A block that never closes is body.
func frontmatter(content string) (block, body string) {
	const most = 200 // lines, as package memory looks for the end
	first, rest, _ := strings.Cut(content, "\n")
	if strings.TrimRight(strings.TrimPrefix(first, "\ufeff"), " \t\r") != "---" {
		return "", content
	}
	for range most {
		line, after, more := strings.Cut(rest, "\n")
		if strings.TrimRight(line, " \t\r") == "---" {
			return content[:len(content)-len(after)], after
		}
		if !more {
			break
		}
		rest = after
	}
	return "", content
}

// fields reads a block of frontmatter for a table: a line that is no key with
// a value belongs to the value above it.
func fields(block string) []field {
	var list []field
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")) == "---" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if ok && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "#") {
			list = append(list, field{key, strings.TrimSpace(value)})
			continue
		}
		if len(list) == 0 {
			list = append(list, field{})
		}
		last := &list[len(list)-1]
		last.value = strings.TrimPrefix(last.value+"\n"+line, "\n")
	}
	return list
}
