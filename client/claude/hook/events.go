package hook

import "time"

// Event is one of the agent's events that hooks answer.
type Event struct {
	Name    string
	Matcher string        // the tools whose calls it is about
	Limit   time.Duration // that the agent is told: beyond, it gives up
	Async   bool          // the agent does not wait
	Own     time.Duration // after which there is no answer any more
}

// The agent's names for the events.
const (
	SessionStart = "SessionStart"
	PreToolUse   = "PreToolUse"
	PostToolUse  = "PostToolUse"
	Stop         = "Stop"
	PreCompact   = "PreCompact"
	SessionEnd   = "SessionEnd"
)

// The tools that write files, and the pattern for both.
const (
	toolWrite = "Write"
	toolEdit  = "Edit"
	writers   = toolWrite + "|" + toolEdit
)

// Events are what an installation asks the agent for. All hooks at the end of a
// session share a second and a half.
func Events() []Event {
	return []Event{
		{Name: SessionStart, Limit: 5 * time.Second, Own: 1900 * time.Millisecond},
		{Name: PreToolUse, Matcher: writers, Limit: 5 * time.Second, Own: 2 * time.Second},
		{Name: PostToolUse, Matcher: writers, Limit: 5 * time.Second, Own: 800 * time.Millisecond},
		{Name: Stop, Limit: 5 * time.Second, Async: true, Own: flushLimit},
		{Name: SessionEnd, Limit: time.Second, Own: 300 * time.Millisecond},
	}
}

const flushLimit = 100 * time.Millisecond

// eventOf also knows the events that only an own entry in the settings asks
// for.
func eventOf(name string) (Event, bool) {
	for _, e := range append(Events(), Event{Name: PreCompact, Own: flushLimit}) {
		if e.Name == name {
			return e, true
		}
	}
	return Event{}, false
}

// end is when the program ends, whatever is still to be kept: before the agent
// gives up and says so.
func (e Event) end() time.Duration { return e.Limit * 4 / 5 }

// flushes reports whether the event only asks for a sync, and has no answer.
func (e Event) flushes() bool { return e.Name == Stop || e.Name == PreCompact || e.Name == SessionEnd }
