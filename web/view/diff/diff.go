package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Op is what happened to a line.
type Op int

// The ops. Skip stands for a run of lines that did not change.
const (
	Equal Op = iota
	Delete
	Insert
	Skip
)

// Row is one line of a unified diff.
type Row struct {
	Op     Op
	Old    int    // line number in the old text, 0 of an insertion
	New    int    // line number in the new text, 0 of a deletion
	Spans  []Span // the line without its line feed
	NoLF   bool   // the text ends here without a line feed
	Count  int    // of a Skip: how many lines
	Folded []Row  // of a Skip: the lines
}

// Span is a part of a line.
type Span struct {
	Text    string
	Changed bool // these words, not only the line
}

// Diff is what changed between two texts.
type Diff struct {
	Rows    []Row
	Added   int
	Removed int
	CRLF    bool // all lines of both texts end in CR LF, and the CR is left out
	Large   bool // the texts differ and are too long to be compared
}

// Side is one of the two texts, and how many lines stand before it.
type Side struct {
	Text   string
	Before int
}

// Bounds of what is compared. Entries are up to 256 KB, and nearly all below 10.
const (
	mostBytes = 512 << 10
	mostLines = 5000
	around    = 3 // unchanged lines shown on each side of a change
	foldable  = 4 // the shortest run of unchanged lines that is left out
)

// Compare returns what changed from one text to another.
func Compare(from, to Side) Diff {
	if len(from.Text)+len(to.Text) > mostBytes || strings.Count(from.Text, "\n") > mostLines || strings.Count(to.Text, "\n") > mostLines {
		return Diff{Large: from.Text != to.Text}
	}
	d := Diff{CRLF: isCRLF(from.Text) && isCRLF(to.Text)}
	if d.CRLF {
		from.Text, to.Text = strings.ReplaceAll(from.Text, "\r\n", "\n"), strings.ReplaceAll(to.Text, "\r\n", "\n")
	}
	w := &writer{diff: &d, old: from.Before, new: to.Before, affordable: mostCells}
	at := 0
	for _, e := range udiff.Lines(from.Text, to.Text) {
		w.equal(from.Text[at:e.Start])
		w.replace(from.Text[e.Start:e.End], e.New)
		at = e.End
	}
	w.equal(from.Text[at:])
	d.Rows = fold(d.Rows)
	return d
}

// isCRLF reports whether a text has lines and each ends in CR LF.
func isCRLF(s string) bool {
	n := strings.Count(s, "\r\n")
	return s == "" || n > 0 && n == strings.Count(s, "\n") && n == strings.Count(s, "\r")
}

// writer appends rows and counts lines.
type writer struct {
	diff       *Diff
	old, new   int
	affordable int // cells that words may still take, see [words]
}

func (w *writer) equal(text string) {
	for line := range strings.Lines(text) {
		w.line(Equal, []Span{{Text: line}})
	}
}

// replace writes the old lines and then the new ones, with the words marked by
// which they differ.
func (w *writer) replace(from, to string) {
	before, after := words(from, to, &w.affordable)
	for _, spans := range lines(before) {
		w.line(Delete, spans)
	}
	for _, spans := range lines(after) {
		w.line(Insert, spans)
	}
}

func (w *writer) line(op Op, spans []Span) {
	row := Row{Op: op, Spans: spans, NoLF: true}
	if last := &spans[len(spans)-1]; strings.HasSuffix(last.Text, "\n") {
		row.NoLF = false
		last.Text = strings.TrimSuffix(last.Text, "\n")
	}
	if op != Insert {
		w.old++
		row.Old = w.old
	}
	if op != Delete {
		w.new++
		row.New = w.new
	}
	switch op {
	case Insert:
		w.diff.Added++
	case Delete:
		w.diff.Removed++
	case Equal, Skip:
	}
	w.diff.Rows = append(w.diff.Rows, row)
}

// lines cuts spans at their line feeds, which stay at the ends.
func lines(spans []Span) [][]Span {
	var all [][]Span
	var line []Span
	for _, s := range spans {
		for part := range strings.Lines(s.Text) {
			line = append(line, Span{part, s.Changed})
			if strings.HasSuffix(part, "\n") {
				all, line = append(all, line), nil
			}
		}
	}
	if line != nil {
		all = append(all, line)
	}
	return all
}

// fold puts runs of unchanged lines that are far from a change into one row.
func fold(rows []Row) []Row {
	var kept []Row
	for i := 0; i < len(rows); {
		end := i
		for end < len(rows) && rows[end].Op == Equal {
			end++
		}
		first, last := i+around, end-around
		if i == 0 {
			first = 0
		}
		if end == len(rows) {
			last = end
		}
		if last-first >= foldable {
			kept = append(kept, rows[i:first]...)
			kept = append(kept, Row{Op: Skip, Old: rows[first].Old, New: rows[first].New, Count: last - first, Folded: rows[first:last]})
			i = last
		}
		kept = append(kept, rows[i:end]...)
		for ; end < len(rows) && rows[end].Op != Equal; end++ {
			kept = append(kept, rows[end])
		}
		i = end
	}
	return kept
}
