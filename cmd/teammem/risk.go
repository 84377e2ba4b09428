package main

import (
	"fmt"

	"github.com/teammem/teammem/memory"
)

// riskLine is one place of a text for which a person should look at it, in
// --json.
type riskLine struct {
	Cause  string `json:"cause"`
	Level  string `json:"level"`
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
	Length int    `json:"length,omitzero"`
}

func riskLines(risks []memory.Risk) (lines []riskLine) {
	for _, r := range risks {
		lines = append(lines, riskLine{string(r.Cause), string(r.Cause.Level()), r.Line, r.Column, r.Length})
	}
	return lines
}

// under names the place in a file, cause and level.
func (r riskLine) under(name string) string {
	return fmt.Sprintf("look     %s: %s (%s)\n", at(name, r.Line), r.Cause, r.Level)
}
