package view

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/teammem/teammem/web/view/diff"
	"github.com/teammem/teammem/web/view/foreign"
)

// This file is the only one that writes HTML past the templates' escaping, as
// a test checks. What it writes comes from package foreign, which escapes.

// line shows foreign text of one line. It has a direction of its own, so an
// Arabic title does not turn what stands beside it.
func line(s string) templ.Component { return templ.Raw("<bdi>" + foreign.Line(s) + "</bdi>") }

// prose shows foreign text of several lines, where white space shows.
func prose(s string) templ.Component { return templ.Raw(foreign.Text(s)) }

// rendered shows Markdown.
func rendered(r foreign.Rendered) templ.Component { return templ.Raw(r.HTML) }

// words shows a line of a diff with its changed words marked.
func words(r diff.Row) templ.Component {
	tag := "ins"
	if r.Op == diff.Delete {
		tag = "del"
	}
	var b strings.Builder
	for _, s := range r.Spans {
		if s.Changed && s.Text != "" {
			b.WriteString("<" + tag + ">" + foreign.Text(s.Text) + "</" + tag + ">")
			continue
		}
		b.WriteString(foreign.Text(s.Text))
	}
	return templ.Raw(b.String())
}

// numbered shows a source line by line; the stylesheet counts them. A line with
// a remark can be linked to, and the true bytes are copied.
func numbered(s source) templ.Component {
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(`<span class="ln"`)
		if l.marked {
			b.WriteString(` id="L` + strconv.Itoa(l.number) + `"`)
		}
		b.WriteString(">" + foreign.Source(s.body(l)))
		if s.crlf && strings.HasSuffix(l.text, "\r\n") {
			b.WriteString(`<span class="true" aria-hidden="true">&#13;</span>`)
		}
		b.WriteString("\n</span>")
	}
	return templ.Raw(b.String())
}
