package memory

import (
	"slices"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

// A text can hold a secret and hidden characters: people are told of both, and
// the audit of each rule once.
func TestFlaws(t *testing.T) {
	t.Parallel()
	secret := func(rule string) Finding { return Finding{Finding: sanitize.Finding{Rule: rule}} }
	for _, tt := range []struct {
		name   string
		flaws  flaws
		reason string
		codes  []string
		rules  []string
	}{
		{"nothing", flaws{rejected: rejected([]byte("plain\n"))}, "", nil, nil},
		{
			"secrets",
			flaws{secrets: []Finding{secret("d"), secret("b"), secret("a"), secret("c"), secret("a")}},
			"secret found by newer rules: a, b, c",
			[]string{"secret_found"},
			[]string{"a", "b", "c", "d"},
		},
		{
			"both",
			flaws{secrets: []Finding{secret("github-pat")}, rejected: rejected([]byte("x\u202ey\u202e"))},
			"secret found by newer rules: github-pat; text refused by newer rules: " +
				"U+202E RIGHT-TO-LEFT OVERRIDE, bidi control at byte 1 (line 1, column 2), " +
				"U+202E RIGHT-TO-LEFT OVERRIDE, bidi control at byte 5 (line 1, column 4)",
			[]string{"secret_found", "text_rejected"},
			[]string{"bidi_control", "github-pat"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := tt.flaws
			if f.none() != (tt.reason == "") || f.reason() != tt.reason || !slices.Equal(f.codes(), tt.codes) || !slices.Equal(f.rules(), tt.rules) {
				t.Errorf("got %q, %v, %v", f.reason(), f.codes(), f.rules())
			}
		})
	}
}
