package install

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/client/claude/hook"
	"github.com/teammem/teammem/client/claude/settings"
)

// group is a hook in the agent's words. The form with arguments runs the
// program without a shell, so no name needs quotes.
type group struct {
	Matcher string    `json:"matcher,omitzero"`
	Hooks   []command `json:"hooks"`
}

type command struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"` // seconds
	Async   bool     `json:"async,omitzero"`
}

// Items are the hooks of a program: its name if the agent is to look for it on
// PATH, or its path.
func Items(program string) ([]settings.Item, error) {
	var items []settings.Item
	for _, e := range hook.Events() {
		b, err := json.Marshal(group{e.Matcher, []command{{
			Type: "command", Command: program, Args: []string{"hook", e.Name}, Timeout: int(e.Limit.Seconds()), Async: e.Async,
		}}})
		if err != nil {
			return nil, fmt.Errorf("write hooks: %w", err)
		}
		items = append(items, settings.Item{Event: e.Name, Value: string(b)})
	}
	return items, nil
}
