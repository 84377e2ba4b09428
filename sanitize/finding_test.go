package sanitize_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

func TestFinding_TellsRuleAndPosition(t *testing.T) {
	t.Parallel()
	f := sanitize.Finding{Rule: "private-key", Severity: sanitize.SeverityHard, Line: 3, Column: 7}
	if got, want := f.String(), "private-key (line 3, column 7)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var buf bytes.Buffer
	log := slog.New(slog.NewTextHandler(&buf, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	log.LogAttrs(t.Context(), slog.LevelInfo, "refused", slog.Any("finding", f))
	if got, want := buf.String(), "level=INFO msg=refused finding.rule=private-key finding.line=3 finding.column=7\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
