package adopt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// section is a part of a file that agents load as instructions: what is before
// the first heading of the second level, or such a heading with its text. Put
// together, the sections of a file are the file.
type section struct {
	title string // of its heading, "" if it has none
	text  string
}

// sections splits a file at its "##" headings. In frontmatter, fenced code and
// comments there are none.
func sections(content string) []section {
	var all []section
	var current section
	var verbatim string // what ends the stretch that is no prose
	for number, line := range lines(content) {
		text := strings.TrimRight(strings.TrimPrefix(line, bom), " \t\r\n")
		inside := verbatim != ""
		verbatim = afterLine(verbatim, text, number)
		if title, ok := strings.CutPrefix(text, "## "); ok && !inside && current.text != "" {
			all = append(all, current)
			current = section{title: strings.TrimSpace(title)}
		} else if current.title == "" && !inside && isHeading(text) {
			current.title = strings.TrimSpace(strings.TrimLeft(text, "#"))
		}
		current.text += line
	}
	if current.text == "" {
		return all
	}
	return append(all, current)
}

const bom = "\ufeff"

// lines returns the lines of a text with their ends, by number.
func lines(content string) []string {
	return strings.SplitAfter(content, "\n")
}

// afterLine follows frontmatter, code fences and comments: it returns what ends
// the stretch that is open behind a line.
func afterLine(open, text string, number int) string {
	const comment = "-->"
	trimmed := strings.TrimLeft(text, " ")
	switch {
	case open == comment && strings.Contains(text, comment), open != comment && open != "" && strings.HasPrefix(trimmed, open):
		return ""
	case open != "":
		return open
	case number == 0 && text == "---":
		return "---"
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		return trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))] // a longer fence may hold a shorter one
	case strings.HasPrefix(trimmed, "<!--") && !strings.Contains(text, comment):
		return comment
	}
	return ""
}

func isHeading(text string) bool {
	return strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "## ")
}

// bare reports whether a section says nothing: it is blank, or a title alone.
func (s section) bare() bool {
	text := strings.TrimSpace(strings.TrimPrefix(s.text, bom))
	return text == "" || isHeading(text) && !strings.Contains(text, "\n")
}

// slug makes a file's stem of a title: letters and digits of any script, in
// lower case, with dashes between. It is "" if there are none.
func slug(title string) string {
	const most = 60 // bytes
	var b strings.Builder
	gap := false
	for _, r := range title {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
			gap = b.Len() > 0
			continue
		}
		r = unicode.ToLower(r)
		if b.Len()+utf8.RuneLen(r)+1 > most {
			break
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
