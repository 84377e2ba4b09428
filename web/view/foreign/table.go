package foreign

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// table is a table of GitHub's Markdown. Its children are rows, and theirs are
// cells: the first row is the head.
type table struct {
	ast.BaseBlock
	align []string // of each column: left, right, center or ""
}

type tableRow struct{ ast.BaseBlock }

// Kind implements ast.Node. No renderer looks for kinds here, so the nodes need
// none of their own.
func (*table) Kind() ast.NodeKind { return ast.KindDocument }

// Dump implements ast.Node.
func (t *table) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// Kind implements ast.Node.
func (*tableRow) Kind() ast.NodeKind { return ast.KindDocument }

// Dump implements ast.Node.
func (t *tableRow) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// tableParser makes tables of the paragraphs that are some.
type tableParser struct{}

// Transform implements parser.ParagraphTransformer: lines before the head stay
// a paragraph, all behind the delimiter row are rows.
func (tableParser) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), p.Lines()
	for i := 1; i < lines.Len(); i++ {
		align := delimiterRow(lines.At(i), source)
		if align == nil {
			continue
		}
		if len(align) != len(cells(lines.At(i-1), source)) {
			return
		}
		t := &table{align: align}
		t.AppendChild(t, newRow(lines.At(i-1), source))
		for j := i + 1; j < lines.Len(); j++ {
			t.AppendChild(t, newRow(lines.At(j), source))
		}
		p.Parent().InsertAfter(p.Parent(), p, t)
		p.Lines().SetSliced(0, i-1)
		if p.Lines().Len() == 0 {
			p.Parent().RemoveChild(p.Parent(), p)
		}
		return
	}
}

func newRow(line text.Segment, source []byte) *tableRow {
	row := &tableRow{}
	for _, segment := range cells(line, source) {
		cell := ast.NewTextBlock()
		cell.Lines().Append(segment)
		row.AppendChild(row, cell)
	}
	return row
}

// cells cuts a line at its bars. A bar behind a backslash is text.
func cells(line text.Segment, source []byte) []text.Segment {
	line = trimmed(line.Start, line.Stop, source)
	start, stop := line.Start, line.Stop
	if start < stop && source[start] == '|' {
		start++
	}
	var list []text.Segment
	for i := start; i < stop; i++ {
		if source[i] == '|' && source[i-1] != '\\' {
			list = append(list, trimmed(start, i, source))
			start = i + 1
		}
	}
	if start < stop {
		list = append(list, trimmed(start, stop, source))
	}
	return list
}

func trimmed(start, stop int, source []byte) text.Segment {
	segment := text.NewSegment(start, stop)
	segment = segment.TrimLeftSpace(source)
	return segment.TrimRightSpace(source)
}

// delimiterRow reads a line such as "|:--|--:|", or returns nil.
func delimiterRow(line text.Segment, source []byte) []string {
	if !strings.Contains(string(line.Value(source)), "|") {
		return nil // a line of dashes alone underlines a heading
	}
	var align []string
	for _, cell := range cells(line, source) {
		s := string(cell.Value(source))
		left, right := strings.HasPrefix(s, ":"), strings.HasSuffix(s, ":")
		dashes := strings.TrimSuffix(strings.TrimPrefix(s, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		switch {
		case left && right:
			align = append(align, "center")
		case left:
			align = append(align, "left")
		case right:
			align = append(align, "right")
		default:
			align = append(align, "")
		}
	}
	return align
}

func (r *renderer) table(t *table) {
	r.element("table", "", func() {
		r.element("thead", "", func() { r.row(t.FirstChild(), t.align, "th") })
		r.element("tbody", "", func() {
			for row := t.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
				r.row(row, t.align, "td")
			}
		})
	})
}

// row writes all cells of a row, also those that have no column. Cells that a
// row lacks are left out: a wide head above many short rows would otherwise make
// gigabytes of a small text.
func (r *renderer) row(row ast.Node, align []string, tag string) {
	r.element("tr", "", func() {
		column := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			r.inCell = true
			r.element(tag, r.cellAttributes(column, align, tag), func() { r.children(cell) })
			r.inCell = false
			column++
		}
	})
}

func (r *renderer) cellAttributes(column int, align []string, tag string) string {
	var attributes []string
	switch {
	case column >= len(align):
		r.hidden++
		attributes = append(attributes, `class="md-surplus"`)
	case align[column] != "":
		attributes = append(attributes, `align="`+align[column]+`"`)
	}
	if tag == "th" {
		attributes = append(attributes, `scope="col"`)
	}
	return strings.Join(attributes, " ")
}
