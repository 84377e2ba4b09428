package hook

import (
	"fmt"
	"slices"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// open returns the changes that still wait for a reviewer, and those that one
// said no to. What ended otherwise is over.
func open(all []client.Waiting) []client.Waiting {
	return slices.DeleteFunc(slices.Clone(all), func(w client.Waiting) bool {
		return w.State != memory.ProposalPending && w.State != memory.ProposalRejected
	})
}

// waits tells how a change of a path waits.
func waits(all []client.Waiting, p memory.Path) (answer, bool) {
	for _, w := range open(all) {
		if w.Path != p {
			continue
		}
		if w.State == memory.ProposalRejected {
			return block(waiting(w)), true
		}
		return inform(PostToolUse, waiting(w)), true
	}
	return answer{}, false
}

// waiting says how a change of the member's stands.
func waiting(w client.Waiting) string {
	name := named(w.Path.String())
	if w.State == memory.ProposalPending {
		return name + " waits for review; teammates do not see it yet."
	}
	by, note := "a reviewer", ""
	if w.By != "" {
		by = memory.Inert(w.By, longestName)
	}
	if w.Note != "" {
		note = fmt.Sprintf(" They wrote: “%s”.", memory.Inert(w.Note, longestNote))
	}
	return fmt.Sprintf("%s was rejected by %s (%s).%s It stays on this computer only.", name, by, w.Reason, note)
}

// longestNote is how much of a reviewer's note is shown.
const longestNote = 300
