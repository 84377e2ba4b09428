package store

import (
	"encoding/json"

	"github.com/teammem/teammem/memory"
)

// storedRisk is a risk as its column holds it.
type storedRisk struct {
	Cause  string `json:"cause"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Length int    `json:"length"`
}

// storedRisks returns what Postgres takes as jsonb, null for none.
func storedRisks(risks []memory.Risk) *string {
	if len(risks) == 0 {
		return nil
	}
	kept := make([]storedRisk, len(risks))
	for i, r := range risks {
		kept[i] = storedRisk{string(r.Cause), r.Line, r.Column, r.Length}
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return nil
	}
	s := string(text)
	return &s
}

func risksOf(column []storedRisk) []memory.Risk {
	var risks []memory.Risk
	for _, r := range column {
		risks = append(risks, memory.Risk{Cause: memory.Cause(r.Cause), Line: r.Line, Column: r.Column, Length: r.Length})
	}
	return risks
}
