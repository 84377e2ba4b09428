package wire

import (
	"net/http"
	"strings"
	"unicode"

	"github.com/teammem/teammem/memory"
)

// ProblemType is the media type of a [Problem].
const ProblemType = "application/problem+json"

// Problem is an error as RFC 9457 writes it. It is safe to show to anybody.
type Problem struct {
	Type     string    `json:"type"`
	Title    string    `json:"title"`
	Status   int       `json:"status"`
	Detail   string    `json:"detail"`
	Instance string    `json:"instance,omitzero"` // id of the request
	Code     string    `json:"code"`
	Field    string    `json:"field,omitzero"`
	Layer    string    `json:"layer,omitzero"`
	Position *int      `json:"position,omitzero"` // byte offset, from 0; with layer
	Hint     string    `json:"hint,omitzero"`
	Findings []Finding `json:"findings,omitzero"`

	// Of feed errors: where the project stands.
	Epoch string `json:"epoch,omitzero"`
	Head  int64  `json:"head,omitzero"`
	Floor int64  `json:"floor,omitzero"`
}

// Finding is the place of something that was refused, never the value itself.
// Lines and columns count from 1, columns in code points.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// NewProblem describes an error. A 5xx says nothing of its cause.
func NewProblem(e *memory.Error) Problem {
	status := Status(e.Code)
	p := Problem{
		Type: "urn:teammem:" + string(e.Code), Title: title(e.Code), Status: status, Detail: e.Message, Code: string(e.Code),
		Field: e.Field, Layer: e.Layer, Hint: e.Hint,
	}
	if status >= http.StatusInternalServerError {
		return Problem{Type: p.Type, Title: p.Title, Status: status, Detail: "the server cannot answer this now", Code: p.Code}
	}
	if e.Layer != "" {
		p.Position = &e.Position
	}
	for _, f := range e.Findings {
		p.Findings = append(p.Findings, Finding{Rule: f.Rule, Severity: string(f.Severity), Line: f.Line, Column: f.Column})
	}
	if e.Head != nil {
		p.Epoch, p.Head, p.Floor = e.Head.Epoch, e.Head.Seq, e.Head.Floor
	}
	return p
}

// title turns path_rejected into "Path rejected".
func title(code memory.Code) string {
	s := strings.ReplaceAll(string(code), "_", " ")
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Domain returns the error that the problem describes. A code that this
// program does not know becomes the general one of the status.
func (p Problem) Domain() *memory.Error {
	e := &memory.Error{Message: harmless(p.Detail), Field: harmless(p.Field), Layer: harmless(p.Layer), Hint: harmless(p.Hint)}
	if code, ok := known(memory.Code(p.Code)); ok {
		e.Code = code
	} else {
		e.Code = CodeOf(p.Status)
	}
	if e.Message == "" {
		e.Message = strings.ToLower(title(e.Code))
	}
	if id := harmless(p.Instance); p.Status >= http.StatusInternalServerError && id != "" && e.Hint == "" {
		e.Hint = "run it again in a while; if it stays so, ask who runs the server: the reason is in its log, at request " + id
	}
	if p.Position != nil {
		e.Position = *p.Position
	}
	if len(p.Findings) > 0 {
		e.Findings = resized(e.Findings, len(p.Findings))
	}
	for i, f := range p.Findings {
		to := &e.Findings[i]
		to.Rule, to.Line, to.Column = harmless(f.Rule), f.Line, f.Column
		assign(&to.Severity, f.Severity)
	}
	if p.Epoch != "" {
		e.Head = &memory.Head{Epoch: p.Epoch, Seq: p.Head, Floor: p.Floor}
	}
	return e
}

// harmless makes a text fit to be printed, whoever sent it: it cannot write to
// a terminal what nobody sees, and it ends.
func harmless(s string) string {
	const most = 1000
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fit(s)
}

// fit makes a word of an answer fit to be printed: it cannot write to the terminal,
// or turn the rest of a line around.
func fit(s string) string { return strings.Map(printed, s) }

func fitAll(all []string) (done []string) {
	for _, s := range all {
		done = append(done, fit(s))
	}
	return done
}

// fitLines is fit for what may have lines.
func fitLines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return printed(r)
	}, s)
}

func printed(r rune) rune {
	if unicode.IsControl(r) || r > unicode.MaxLatin1 && unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
		return unicode.ReplacementChar
	}
	return r
}

// resized and assign build findings without naming their package, which wire
// does not import.
func resized[S ~[]E, E any](_ S, n int) S { return make(S, n) }

func assign[T ~string](to *T, s string) { *to = T(s) }
