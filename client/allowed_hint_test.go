package client

import (
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// What is told of a finding is what its author can do next, in words that nobody
// else's name or note can shape.
func TestNextStep(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	decided := &memory.AllowDecision{By: memory.Author{Name: "mia\x1b[2J"}, At: at, Note: "no\n<b>"}
	finding := func(id memory.FindingID, state memory.FindingState, r *memory.AllowRequest) memory.Finding {
		f := memory.Finding{ID: id, State: state, Request: r}
		f.Severity = sanitize.SeveritySoft
		return f
	}
	open := finding("fnd_a", memory.FindingOpen, nil)
	hard := memory.Finding{ID: "fnd_h"}
	requested := finding("fnd_b", memory.FindingRequested, &memory.AllowRequest{ExpiresAt: at})
	for name, tt := range map[string]struct {
		told []memory.Finding
		want string
	}{
		"none":      {nil, ""},
		"hard":      {[]memory.Finding{open, hard}, "finding fnd_h: take the secret out, and rotate it if it was shared anywhere; then sync again"},
		"open":      {[]memory.Finding{open}, "finding fnd_a: take the secret out and sync again; or if it is none, teammem allow request fnd_a --reason false-positive"},
		"requested": {[]memory.Finding{requested}, "finding fnd_b: you asked for it to be allowed; another maintainer decides, before 2026-03-04, at https://h/p/prj_1/findings/fnd_b"},
		"one of two is": {
			[]memory.Finding{requested, open},
			"finding fnd_a: take the secret out and sync again; or if it is none, teammem allow request fnd_a --reason false-positive (and for 1 more: teammem findings)",
		},
		"denied": {
			[]memory.Finding{finding("fnd_c", memory.FindingDenied, &memory.AllowRequest{Decision: decided})},
			"finding fnd_c: mia [2J did not allow it: no ‹b›; take it out and sync again, or say more and ask again: teammem allow request fnd_c --reason false-positive --note …",
		},
		"nobody decided": {
			[]memory.Finding{finding("fnd_d", memory.FindingExpired, &memory.AllowRequest{})},
			"finding fnd_d: nobody decided in time; take it out and sync again, or ask again: teammem allow request fnd_d --reason false-positive",
		},
		"ended": {
			[]memory.Finding{finding("fnd_e", memory.FindingExpired, &memory.AllowRequest{Decision: decided, Rule: &memory.AllowRule{}})},
			"finding fnd_e: what allowed it has ended; take it out and sync again, or ask again: teammem allow request fnd_e --reason false-positive",
		},
		"allowed": {
			[]memory.Finding{finding("fnd_f", memory.FindingAllowed, &memory.AllowRequest{Decision: decided, Rule: &memory.AllowRule{}})},
			"finding fnd_f: it is allowed now, and the next sync shares the file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := nextStep(Link{Server: "https://h/", Project: "prj_1"}, tt.told)
			if got != tt.want || strings.ContainsAny(got, "\x1b\n<") {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}
