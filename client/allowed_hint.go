package client

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/teammem/teammem/memory"
)

// askRequests asks what became of what the member asked for: the words that were
// kept with a refusal are from before that.
func (c *cycle) askRequests(ctx context.Context) error {
	c.report.Requests++
	asked, err := c.server.Asked(ctx, c.link.Project)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return nil //nolint:nilerr // the words from before are better than none
	}
	c.allowed.requests = map[memory.Path][]memory.Finding{}
	for _, f := range asked {
		c.allowed.requests[f.Path] = append(c.allowed.requests[f.Path], f)
	}
	return nil
}

// sayRequests puts into what is told of a file that was refused before, what
// became of the member's requests for it.
func (c *cycle) sayRequests(f *Refused, p memory.Path) {
	asked := c.allowed.requests[p]
	if f.New || f.Problem.Code != memory.CodeSecretFound || len(asked) == 0 {
		return
	}
	f.Problem.Hint = nextStep(c.link, asked)
	if len(f.Problem.Findings) > len(asked) {
		f.Problem.Hint += "; teammem findings lists what else is in the file"
	}
}

// nextStep says what can be done about findings of one file, "" if there are
// none.
func nextStep(l Link, told []memory.Finding) string {
	if len(told) == 0 {
		return ""
	}
	if i := slices.IndexFunc(told, memory.Finding.Hard); i >= 0 {
		return fmt.Sprintf("finding %s: take the secret out, and rotate it if it was shared anywhere; then sync again", told[i].ID)
	}
	open := slices.IndexFunc(told, func(f memory.Finding) bool {
		return f.State != memory.FindingRequested && f.State != memory.FindingAllowed
	})
	if open < 0 {
		return requestWords(l, told[0])
	}
	hint := requestWords(l, told[open])
	if more := len(told) - 1; more > 0 {
		hint += fmt.Sprintf(" (and for %d more: teammem findings)", more)
	}
	return hint
}

// Foreign words in a hint are shown on one line, as far as it goes.
const (
	longestDecider = 100
	longestAnswer  = 500
)

// requestWords say how it stands with the exception for a finding of a soft rule,
// and what its author can do.
func requestWords(l Link, f memory.Finding) string {
	ask := fmt.Sprintf("teammem allow request %s --reason false-positive", f.ID)
	switch r := f.Request; {
	case r == nil:
	case f.State == memory.FindingRequested:
		return fmt.Sprintf("finding %s: you asked for it to be allowed; another maintainer decides, before %s, at %s", f.ID, r.ExpiresAt.UTC().Format(time.DateOnly),
			l.FindingPage(f.ID))
	case f.State == memory.FindingAllowed:
		return fmt.Sprintf("finding %s: it is allowed now, and the next sync shares the file", f.ID)
	case f.State == memory.FindingDenied && r.Decision != nil:
		answer := memory.Inert(r.Decision.By.Name, longestDecider) + " did not allow it"
		if note := r.Decision.Note; note != "" {
			answer += ": " + memory.Inert(note, longestAnswer)
		}
		return fmt.Sprintf("finding %s: %s; take it out and sync again, or say more and ask again: %s", f.ID, answer, ask+" --note …")
	case f.State == memory.FindingExpired && r.Rule != nil:
		return fmt.Sprintf("finding %s: what allowed it has ended; take it out and sync again, or ask again: %s", f.ID, ask)
	case f.State == memory.FindingExpired:
		return fmt.Sprintf("finding %s: nobody decided in time; take it out and sync again, or ask again: %s", f.ID, ask)
	}
	return fmt.Sprintf("finding %s: take the secret out and sync again; or if it is none, %s", f.ID, ask)
}
