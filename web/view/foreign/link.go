package foreign

import (
	"html"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// link writes a link with all that belongs to it: its text, its target unless
// that is the text, the name of its definition and its title.
func (r *renderer) link(n *ast.Link) {
	target := unescape(string(n.Destination))
	r.anchor(target, func() { r.children(n) })
	if r.label(n) != target {
		r.note("md-target", target)
	}
	r.reference(n.Reference)
	r.title(n.Title)
}

// label returns the text of a link that consists of nothing else, or "".
func (r *renderer) label(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			return ""
		}
		b.Write(t.Segment.Value(r.source))
	}
	return unescape(b.String())
}

// anchor writes a link if its target may be followed, and else only its text.
func (r *renderer) anchor(target string, body func()) {
	outer := r.inLink
	defer func() { r.inLink = outer }()
	address, ok := r.address(target)
	if !ok || r.inLink || r.depth > deepest {
		r.hidden++
		r.element("span", `class="md-dead"`, body)
		return
	}
	r.inLink = true
	r.element("a", `href="`+html.EscapeString(address)+`" rel="`+rel+`"`, body)
}

// rel keeps a target from learning where its visitor came from.
const rel = "nofollow noopener noreferrer"

// image writes what an image is. It is never loaded: fetching it would tell a
// stranger that somebody reads this.
func (r *renderer) image(n *ast.Image) {
	r.hidden++
	r.element("span", `class="md-aside"`, func() {
		r.element("span", `class="md-label"`, func() { r.out.WriteString("image") })
		r.out.WriteString(" ")
		outer := r.inLink
		r.inLink = true
		r.children(n)
		r.inLink = outer
		r.note("md-target", unescape(string(n.Destination)))
		r.reference(n.Reference)
		r.title(n.Title)
	})
}

func (r *renderer) autoLink(n *ast.AutoLink) {
	label := string(n.Label(r.source))
	target := label
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(label), "mailto:") {
		target = "mailto:" + label
	}
	r.anchor(target, func() { r.text(label) })
}

func (r *renderer) reference(ref *ast.ReferenceLink) {
	if ref != nil && ref.Type == ast.ReferenceLinkFull {
		r.note("md-target", "["+string(ref.Value)+"]")
	}
}

func (r *renderer) title(title []byte) {
	if len(title) > 0 {
		r.hidden++
		r.note("md-title", unescape(string(title)))
	}
}

// note writes something beside a link that Markdown does not show.
func (r *renderer) note(class, s string) {
	if s == "" {
		return
	}
	r.out.WriteString(" ")
	r.element("span", `class="`+class+`"`, func() { r.text(s) })
}

// address returns where a target may lead: to a web site, into a mail program,
// or to an entry. Whatever a browser could read otherwise than we do leads
// nowhere.
func (r *renderer) address(target string) (string, bool) {
	target = html.UnescapeString(target) // a browser sees what an entity stands for
	for _, c := range target {
		if c <= ' ' || c == '\\' || c == utf8.RuneError || invisible(c) != "" {
			return "", false
		}
	}
	u, err := url.Parse(target)
	if err != nil || u.User != nil {
		return "", false
	}
	switch u.Scheme {
	case "https", "http":
		return u.String(), u.Host != "" && isASCII(u.Host)
	case "mailto":
		return u.String(), u.Opaque != ""
	case "":
		if u.Host != "" || u.Path == "" || strings.HasPrefix(target, "/") {
			return "", false
		}
		return r.resolve(u.Path)
	}
	return "", false
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// findURL finds the first bare address in running text, or returns -1. The
// punctuation of the sentence is not part of it.
func findURL(s string) (start, end int) {
	for from := 0; ; {
		i := strings.Index(s[from:], "http")
		if i < 0 {
			return -1, 0
		}
		start, from = from+i, from+i+len("http")
		rest, ok := strings.CutPrefix(strings.TrimPrefix(s[from:], "s"), "://")
		if before, _ := utf8.DecodeLastRuneInString(s[:start]); !ok || isWord(before) {
			continue
		}
		address := rest
		if n := strings.IndexFunc(rest, func(r rune) bool { return r <= ' ' || r == '<' || r == '"' || invisible(r) != "" }); n >= 0 {
			address = rest[:n]
		}
		if address = strings.TrimRight(address, ".,;:!?)]}'*_~`"); address != "" {
			return start, len(s) - len(rest) + len(address)
		}
	}
}
