package sanitize

import (
	"fmt"
	"log/slog"
)

// A Severity tells whether a finding can be overridden.
type Severity string

// The severities.
const (
	SeverityHard Severity = "hard" // refused, whoever asks
	SeveritySoft Severity = "soft" // refused unless a second person allows it
)

// A Finding is something in a text that must not be shared: which rule found
// it and where, and on purpose not what it is.
type Finding struct {
	Rule     string
	Severity Severity
	Line     int // from 1
	Column   int // from 1, in code points
	// Fingerprint is zero if nobody gave a key, or if the text holds more than
	// was listed. A finding without one can never be allowed.
	Fingerprint Fingerprint
}

// String names rule and position.
func (f Finding) String() string {
	return fmt.Sprintf("%s (line %d, column %d)", f.Rule, f.Line, f.Column)
}

// LogValue is what a logger may see of a finding: rule and position.
func (f Finding) LogValue() slog.Value {
	return slog.GroupValue(slog.String("rule", f.Rule), slog.Int("line", f.Line), slog.Int("column", f.Column))
}
