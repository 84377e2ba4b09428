package view_test

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// drawn parses a page as a browser does.
func drawn(t *testing.T, page templ.Component) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(draw(t, page)))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements yields the elements of a name, or all for "".
func elements(root *html.Node, name string) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && (name == "" || n.Data == name) && !yield(n) {
				return
			}
		}
	}
}

// with finds the first element that has the value in an attribute, which may
// be a list such as a class.
func with(root *html.Node, key, value string) *html.Node {
	for n := range elements(root, "") {
		if slices.Contains(strings.Fields(attribute(n, key)), value) {
			return n
		}
	}
	return nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// text returns what is written in an element, with single spaces.
func text(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// outline writes an element one tag or text a line, for golden files.
func outline(b *strings.Builder, n *html.Node, depth int) {
	indent := strings.Repeat("  ", max(0, depth))
	switch n.Type {
	case html.TextNode:
		if s := strings.TrimSpace(n.Data); s != "" {
			b.WriteString(indent + s + "\n")
		}
	case html.ElementNode:
		b.WriteString(indent + "<" + n.Data)
		for _, a := range n.Attr {
			b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
		}
		b.WriteString(">\n")
	case html.ErrorNode, html.DocumentNode, html.CommentNode, html.DoctypeNode, html.RawNode:
	}
	for c := range n.ChildNodes() {
		outline(b, c, depth+1)
	}
}
