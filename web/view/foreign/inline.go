package foreign

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

func (r *renderer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.String:
		r.text(string(n.Value))
	case *ast.CodeSpan:
		r.code(n)
	case *ast.Emphasis:
		r.element([...]string{"em", "em", "strong", "del"}[min(max(n.Level, 0), struck)], "", func() { r.children(n) })
	case *ast.Link:
		r.link(n)
	case *ast.Image:
		r.image(n)
	case *ast.AutoLink:
		r.autoLink(n)
	case *ast.RawHTML:
		source := string(n.Segments.Value(r.source))
		r.aside("span", htmlLabel(source), source)
	default:
		r.children(n)
	}
}

// run writes a text and those that follow it without a gap, which the parser
// cut where a mark might have been, and returns the node behind them.
func (r *renderer) run(t *ast.Text) ast.Node {
	segment := t.Segment
	for !breaks(t) {
		next, ok := t.NextSibling().(*ast.Text)
		if !ok || next.Segment.Start != segment.Stop || next.IsRaw() != t.IsRaw() {
			break
		}
		segment = segment.WithStop(next.Segment.Stop)
		t = next
	}
	value := string(segment.Value(r.source))
	if t.IsRaw() {
		r.text(value)
	} else {
		r.prose(unescape(value))
	}
	switch {
	case t.HardLineBreak():
		r.out.WriteString("<br>")
	case t.SoftLineBreak():
		r.out.WriteString("\n")
	}
	return t.NextSibling()
}

func breaks(t *ast.Text) bool { return t.SoftLineBreak() || t.HardLineBreak() }

// prose writes running text. Addresses in it are links, and entities stay as
// they are written: what the agent reads is "&#8203;" too.
func (r *renderer) prose(s string) {
	if hasNumericEntity(s) {
		r.hidden++
	}
	for s != "" {
		start, end := findURL(s)
		if start < 0 || r.inLink {
			r.text(s)
			return
		}
		r.text(s[:start])
		r.anchor(s[start:end], func() { r.text(s[start:end]) })
		s = s[end:]
	}
}

func hasNumericEntity(s string) bool {
	_, rest, found := strings.Cut(s, "&#")
	return found && strings.Contains(rest, ";")
}

// unescape removes the backslashes that keep punctuation from being a mark.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isPunctuation(s[i+1]) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// code writes a code span. Its line breaks are spaces; in a table a backslash
// keeps a bar from ending the cell.
func (r *renderer) code(n *ast.CodeSpan) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.WriteString(strings.TrimSuffix(string(t.Segment.Value(r.source)), "\n"))
			if strings.HasSuffix(string(t.Segment.Value(r.source)), "\n") {
				b.WriteByte(' ')
			}
		}
	}
	value := b.String()
	if r.inCell {
		value = strings.ReplaceAll(value, `\|`, `|`)
	}
	r.element("code", "", func() { r.text(value) })
}
