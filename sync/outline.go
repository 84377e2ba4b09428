package sync

import (
	"bytes"
	"strconv"
	"strings"
)

// outline is an index file as its merge sees it: a row of tokens. A token is
// either one line of prose or a list item with all that is indented below it.
type outline struct {
	tokens []token
	items  map[token][]string // the lines of each item
}

// token stands for a line of prose by its text, for a list item by its key,
// so that an item whose wording changed is still the same token. It holds no
// newline.
type token string

const (
	proseMark = "p " // a line of prose
	linkMark  = "l " // an item, by the target of its first link
	textMark  = "t " // an item without a link, by its words
)

func (t token) isItem() bool    { return !strings.HasPrefix(string(t), proseMark) }
func (t token) isHeading() bool { return strings.HasPrefix(string(t), proseMark+"#") }
func (t token) isBlank() bool   { return strings.TrimSpace(t.line()) == "" }

// line is the text of a line of prose.
func (t token) line() string { return strings.TrimPrefix(string(t), proseMark) }

// target is what an item links to, "" if it does not.
func (t token) target() string {
	target, isLink := strings.CutPrefix(string(t), linkMark)
	if !isLink {
		return ""
	}
	return target[:strings.LastIndexByte(target, ' ')] // without the ordinal
}

func (o outline) has(t token) bool { return o.items[t] != nil }

func (o outline) count(t token) (n int) {
	for _, other := range o.tokens {
		if other == t {
			n++
		}
	}
	return n
}

// parseOutline reads an index file. Frontmatter, fenced code and comments are
// prose, whatever their lines look like.
func parseOutline(lines []string) outline {
	o := outline{items: map[token][]string{}}
	seen := map[token]int{}
	var verbatim string // what ends the verbatim stretch, "" outside
	var item token      // the open item, "" if there is none
	var indent int      // of its marker
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		width := indentOf(line)
		inside := verbatim != ""
		verbatim = nextVerbatim(verbatim, text, i)

		switch {
		case item != "" && text != "" && width > indent:
			o.items[item] = append(o.items[item], line)
		case !inside && verbatim == "" && isItem(text):
			key := itemKey(text)
			seen[key]++
			item, indent = key+token(" "+strconv.Itoa(seen[key])), width
			o.tokens = append(o.tokens, item)
			o.items[item] = []string{line}
		default:
			item = ""
			o.tokens = append(o.tokens, token(proseMark+line))
		}
	}
	return o
}

func indentOf(line string) int {
	width := 0
	for _, r := range line {
		switch r {
		case ' ':
			width++
		case '\t':
			width += 4
		default:
			return width
		}
	}
	return width
}

// nextVerbatim follows frontmatter, code fences and comments: it returns what
// ends the stretch that is open after this line.
func nextVerbatim(open, text string, number int) string {
	switch {
	case open == "-->" && strings.Contains(text, open), open != "-->" && open != "" && strings.HasPrefix(text, open):
		return ""
	case open != "":
		return open
	case number == 0 && strings.TrimRight(text, " \t") == "---":
		return "---"
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		return text[:3]
	case strings.HasPrefix(text, "<!--") && !strings.Contains(text, "-->"):
		return "-->"
	}
	return ""
}

// isItem reports whether a line, without its indent, starts a list item.
func isItem(text string) bool {
	rest := afterMarker(text)
	return rest != text && strings.Trim(text, "-*_ \t") != "" // a row of these is a thematic break
}

// afterMarker cuts "- ", "* ", "+ " or "1. " off.
func afterMarker(text string) string {
	body := strings.TrimLeft(text, "0123456789")
	numbered := body != text
	switch {
	case body == "" || len(text)-len(body) > 9:
		return text
	case numbered && body[0] != '.' && body[0] != ')':
		return text
	case !numbered && !strings.ContainsRune("-*+", rune(body[0])):
		return text
	case len(body) > 1 && body[1] != ' ' && body[1] != '\t':
		return text
	}
	return body[1:]
}

// itemKey names an item without its ordinal.
func itemKey(text string) token {
	if target := linkTarget(text); target != "" {
		return token(linkMark + target)
	}
	return token(textMark + words(text))
}

// words is what an item says: not its marker, not its spacing.
func words(text string) string { return strings.Join(strings.Fields(afterMarker(text)), " ") }

// linkTarget returns the target of the first inline link of a line, without a
// leading "./", "" if there is none.
func linkTarget(text string) string {
	_, rest, found := strings.Cut(text, "](")
	if !found {
		return ""
	}
	if inner, bracketed := strings.CutPrefix(rest, "<"); bracketed {
		rest, _, found = strings.Cut(inner, ">")
	} else {
		rest, _, found = strings.Cut(rest, ")")
		rest, _, _ = strings.Cut(strings.TrimSpace(rest), " ") // a title may follow
	}
	if !found {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(rest), "./")
}

// form is how a file ends its lines.
type form struct{ bom, crlf, finalNewline bool }

// readLines splits a file into its lines and its form.
func readLines(content []byte) ([]string, form) {
	rest, hasBOM := bytes.CutPrefix(content, []byte(bom))
	crlf := bytes.Count(rest, []byte("\r\n"))
	f := form{
		bom:          hasBOM,
		crlf:         2*crlf > bytes.Count(rest, []byte("\n")),
		finalNewline: bytes.HasSuffix(rest, []byte("\n")),
	}
	return split(strings.ReplaceAll(string(rest), "\r\n", "\n")), f
}

// write is the opposite of readLines.
func (f form) write(lines []string) []byte {
	text := join(lines)
	if !f.finalNewline && !strings.HasSuffix(text, "\n\n") { // an empty last line is told by its end alone
		text = strings.TrimSuffix(text, "\n")
	}
	if f.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if f.bom {
		text = bom + text
	}
	return []byte(text)
}
