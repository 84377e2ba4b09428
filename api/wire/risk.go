package wire

import "github.com/teammem/teammem/memory"

// Risk is one place of a text for which a person should look at it. Lines and
// columns count from 1, columns and the length in code points; line 0 is the
// text as a whole.
type Risk struct {
	Cause  string `json:"cause"`
	Level  string `json:"level"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Length int    `json:"length"`
}

func newRisks(all []memory.Risk) []Risk {
	var w []Risk
	for _, r := range all {
		w = append(w, Risk{string(r.Cause), string(r.Cause.Level()), r.Line, r.Column, r.Length})
	}
	return w
}

// risks reads them; the level follows from the cause.
func risks(w []Risk) []memory.Risk {
	var all []memory.Risk
	for _, r := range w {
		all = append(all, memory.Risk{Cause: memory.Cause(harmless(r.Cause)), Line: r.Line, Column: r.Column, Length: r.Length})
	}
	return all
}
