package hook

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/memory"
)

// answer is what the agent is told. The zero value says nothing.
type answer struct {
	Decision string    `json:"decision,omitzero"` // "block": the reason is given to the agent
	Reason   string    `json:"reason,omitzero"`
	Message  string    `json:"systemMessage,omitzero"` // shown to the member
	Specific *specific `json:"hookSpecificOutput,omitzero"`
}

// specific is what only some events take.
type specific struct {
	Event            string `json:"hookEventName"`
	Permission       string `json:"permissionDecision,omitzero"`
	PermissionReason string `json:"permissionDecisionReason,omitzero"`
	Context          string `json:"additionalContext,omitzero"`
}

// deny keeps a tool from being run.
func deny(reason string) answer {
	return answer{Specific: &specific{Event: PreToolUse, Permission: "deny", PermissionReason: told(reason)}}
}

// block gives the agent a reason to look at what it did.
func block(reason string) answer {
	return answer{Decision: "block", Reason: told(reason)}
}

// inform tells the agent something.
func inform(event, text string) answer {
	return answer{Specific: &specific{Event: event, Context: told(text)}}
}

// bytes returns the answer as the agent reads it: it begins with a brace, or
// the agent would take it for a text.
func (a answer) bytes() ([]byte, error) {
	if a == (answer{}) {
		return nil, nil
	}
	a.Message = told(a.Message)
	b, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return append(b, '\n'), nil
}

// told makes a text fit for the agent: each line without anything that could
// pass for a tag or hide something, and all of it short enough to be read in
// place.
func told(text string) string {
	var lines []string
	room := memory.MaxTeamIndex
	for line := range strings.Lines(text) {
		line = memory.Inert(line, memory.MaxTeamIndex)
		if room -= units(line) + 1; room < 0 {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// units counts as the agent does.
func units(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
