package foreign

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Resolve returns the address in the console of what a relative link of a
// text leads to, or false if it leads nowhere that can be shown.
type Resolve func(target string) (address string, ok bool)

// Rendered is a text as a page.
type Rendered struct {
	HTML   string // holds nothing but the elements and attributes of the list in wall.go
	Hidden int    // things that an ordinary renderer would not have shown
	Plain  bool   // too long or too odd to be rendered: HTML is its source
}

// longest is the size up to which a text is rendered; entries are far smaller.
const longest = 256 << 10

// widest bounds a page: a definition with a long title, used on each line, would
// make gigabytes of a small text.
const widest = 4 << 20

// Markdown renders a text in GitHub's Markdown. Nothing of the text is lost:
// what has no place in a page (comments, HTML, definitions, the targets of
// links) is shown as its source, and words that are still missing are listed
// at the end.
func Markdown(source string, resolve Resolve) Rendered {
	if len(source) > longest {
		return asSource(source)
	}
	source = strings.ReplaceAll(source, "\r\n", "\n")
	if resolve == nil {
		resolve = func(string) (string, bool) { return "", false }
	}
	tree, ok := parse([]byte(source))
	if !ok {
		return asSource(source)
	}
	r := &renderer{source: []byte(source), resolve: resolve, heading: topHeading - 1}
	r.children(tree)
	if r.out.Len() <= widest {
		r.missing()
	}
	if r.out.Len() > widest || !admissible(r.out.String()) {
		return asSource(source)
	}
	return Rendered{HTML: r.out.String(), Hidden: r.hidden}
}

func asSource(source string) Rendered {
	return Rendered{HTML: `<pre>` + Text(source) + `</pre>`, Hidden: Invisible(source), Plain: true}
}

// renderer writes a tree as HTML, and remembers which words it has shown.
type renderer struct {
	source  []byte
	resolve Resolve
	out     strings.Builder
	shown   []string // the pieces of text that were written
	hidden  int
	heading int // level of the last heading
	depth   int
	inLink  bool
	inCell  bool
}

// deepest bounds how far elements nest. What is deeper is shown without them.
const deepest = 64

func (r *renderer) children(n ast.Node) {
	r.depth++
	for c := n.FirstChild(); c != nil && r.out.Len() <= widest; {
		c = r.node(c)
	}
	r.depth--
}

// node writes a node and returns the one to go on with.
func (r *renderer) node(n ast.Node) ast.Node {
	if t, ok := n.(*ast.Text); ok {
		return r.run(t)
	}
	if n.Type() == ast.TypeInline {
		r.inline(n)
	} else {
		r.block(n)
	}
	return n.NextSibling()
}

// element writes a tag around what body writes. Tag and attributes are never
// foreign text.
func (r *renderer) element(tag, attributes string, body func()) {
	if r.depth > deepest {
		body()
		return
	}
	r.open(tag, attributes)
	body()
	r.out.WriteString("</" + tag + ">")
}

func (r *renderer) open(tag, attributes string) {
	r.out.WriteString("<" + tag)
	if attributes != "" {
		r.out.WriteString(" " + attributes)
	}
	r.out.WriteString(">")
}

// text writes foreign text.
func (r *renderer) text(s string) {
	r.shown = append(r.shown, s)
	for p := range Pieces(s) {
		r.hidden += p.Count
		writePiece(&r.out, p)
	}
}

// aside writes something that an ordinary renderer hides: what it is, and its
// source.
func (r *renderer) aside(tag, label, source string) {
	r.hidden++
	r.element(tag, `class="md-aside"`, func() {
		r.element("span", `class="md-label"`, func() { r.out.WriteString(label) })
		r.out.WriteString(" ")
		r.element("code", "", func() { r.text(strings.TrimRight(source, "\n")) })
	})
}
