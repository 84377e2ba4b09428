package foreign

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// The headings of a text are below those of the page, whose section it is.
const (
	topHeading    = 3
	lowestHeading = 6
)

func (r *renderer) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		r.head(n)
	case *ast.Paragraph:
		r.element("p", "", func() { r.children(n) })
	case *ast.TextBlock:
		r.children(n)
		r.out.WriteString("\n")
	case *ast.Blockquote:
		r.element("blockquote", "", func() { r.children(n) })
	case *ast.List:
		r.list(n)
	case *ast.ListItem:
		r.item(n)
	case *ast.CodeBlock:
		r.element("pre", "", func() { r.element("code", "", func() { r.text(r.lines(n.Lines())) }) })
	case *ast.FencedCodeBlock:
		r.fence(n)
	case *ast.HTMLBlock:
		r.html(n)
	case *ast.LinkReferenceDefinition:
		r.aside("div", "link definition", r.lines(n.Lines()))
	case *ast.ThematicBreak:
		r.open("hr", "")
	case *table:
		r.table(n)
	default:
		r.children(n)
	}
}

// lines returns the source of a block.
func (r *renderer) lines(segments *text.Segments) string {
	var b strings.Builder
	for i := range segments.Len() {
		segment := segments.At(i)
		b.Write(segment.Value(r.source))
	}
	return b.String()
}

// head writes a heading one level below the last one at most: a page whose
// headings jump is hard to find one's way in by ear.
func (r *renderer) head(n *ast.Heading) {
	r.heading = min(n.Level+topHeading-1, r.heading+1, lowestHeading)
	r.element("h"+strconv.Itoa(r.heading), "", func() { r.children(n) })
}

func (r *renderer) list(n *ast.List) {
	tag := "ul"
	if n.IsOrdered() {
		tag = "ol"
	}
	r.element(tag, "", func() { r.children(n) })
}

// item writes a list item with the number that it has in the source, where
// any number does.
func (r *renderer) item(n *ast.ListItem) {
	attributes := ""
	if number := r.number(n); number != "" {
		r.shown = append(r.shown, number)
		if value, err := strconv.ParseInt(number, 10, 32); err == nil {
			attributes = fmt.Sprintf(`value="%d"`, value)
		}
	}
	r.element("li", attributes, func() { r.children(n) })
}

// number returns the digits with which an item of an ordered list starts.
func (r *renderer) number(n *ast.ListItem) string {
	list, ok := n.Parent().(*ast.List)
	if !ok || !list.IsOrdered() || n.Pos() < 0 || n.Pos() >= len(r.source) {
		return ""
	}
	marker := r.source[n.Pos():]
	rest := bytes.TrimLeft(marker, "0123456789")
	return string(marker[:len(marker)-len(rest)])
}

// fence writes a block of code below all that stands behind its fence, of
// which ordinary renderers take the first word for a class.
func (r *renderer) fence(n *ast.FencedCodeBlock) {
	if n.Info != nil {
		info := string(n.Info.Segment.Value(r.source))
		if strings.ContainsAny(info, " \t") {
			r.hidden++
		}
		r.element("div", `class="md-info"`, func() { r.text(info) })
	}
	r.element("pre", "", func() { r.element("code", "", func() { r.text(r.lines(n.Lines())) }) })
}

func (r *renderer) html(n *ast.HTMLBlock) {
	source := r.lines(n.Lines())
	if n.HasClosure() {
		source += string(n.ClosureLine.Value(r.source))
	}
	r.aside("div", htmlLabel(source), source)
}

func htmlLabel(source string) string {
	if strings.HasPrefix(strings.TrimSpace(source), "<!--") {
		return "comment"
	}
	return "HTML"
}
