package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/teammem/teammem/web/view/foreign"
)

// ago says how long before now something was, in the words of a person.
func ago(now, at time.Time) string {
	const day = 24 * time.Hour
	switch d := now.Sub(at); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < day:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 2*day:
		return "yesterday"
	case d < 60*day:
		return fmt.Sprintf("%d days ago", int(d/day))
	}
	return at.UTC().Format("2 Jan 2006")
}

// until says how long after now something is, in the words of a person.
func until(now, at time.Time) string {
	const day = 24 * time.Hour
	switch d := at.Sub(now); {
	case d <= 0:
		return "ended"
	case d < time.Hour:
		return "within the hour"
	case d < day-time.Hour/2:
		return fmt.Sprintf("in %d h", d.Round(time.Hour)/time.Hour)
	case d < day+day/2:
		return "in a day"
	default:
		return fmt.Sprintf("in %d days", d.Round(day)/day)
	}
}

func machineTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func exactTime(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04 UTC") }

// size writes a number of bytes.
func size(bytes int) string {
	if bytes < 1000 {
		return strconv.Itoa(bytes) + " B"
	}
	return strconv.FormatFloat(float64(bytes)/1000, 'f', 1, 64) + " KB"
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// rev writes the number of a revision.
func rev(n int64) string { return "r" + revision(n) }

// title is the name of a page for the browser.
func title(parts ...string) string {
	var named []string
	for _, p := range append(parts, "teammem") {
		if p != "" {
			named = append(named, foreign.Plain(p))
		}
	}
	return strings.Join(named, " · ")
}

// plain shows foreign text where there can be no chips.
func plain(s string) string { return foreign.Plain(s) }

// named is the name of an entry, or its path if it has none.
func named(name, path string) string {
	if name != "" {
		return name
	}
	return path
}

// String is the agent with its version.
func (a Agent) String() string { return strings.TrimSpace(a.Name + " " + a.Version) }

// verb says what a change did, for lists of what happened.
func (a Action) verb() string {
	switch a {
	case ActionCreate:
		return "added"
	case ActionMove:
		return "moved"
	case ActionDelete:
		return "deleted"
	case ActionPut:
	}
	return "changed"
}

// noun says what a proposal is.
func (a Action) noun() string {
	switch a {
	case ActionCreate:
		return "New entry"
	case ActionMove:
		return "Move"
	case ActionDelete:
		return "Delete"
	case ActionPut:
	}
	return "Change"
}

// icon is the name of the picture for a change.
func (a Action) icon() string {
	switch a {
	case ActionCreate:
		return "file-plus"
	case ActionMove:
		return "file-symlink"
	case ActionDelete:
		return "file-x"
	case ActionPut:
	}
	return "file-pen"
}

// label says where a proposal stands.
func (s State) label() string {
	switch s {
	case StatePublished:
		return "approved"
	case StateRejected, StateSuperseded, StateWithdrawn:
		return string(s)
	case StatePending:
	}
	return "waits"
}

// tone is the colour of a state.
func (s State) tone() Tone {
	switch s {
	case StatePublished:
		return ToneOK
	case StateRejected:
		return ToneNo
	case StatePending:
		return ToneWarn
	case StateSuperseded, StateWithdrawn:
	}
	return ToneInfo
}

// reason is one of the reasons for which a proposal is rejected.
type reason struct {
	value string
	label string
}

// reasons are all of them, in the order of the form.
func reasons() []reason {
	return []reason{
		{"wrong", "Wrong: it is not so"},
		{"outdated", "Outdated: it was so once"},
		{"duplicate", "Duplicate: another entry says it"},
		{"personal", "Personal: it belongs in private memory"},
		{"injection", "Injection: it tells agents what to do behind people's backs"},
		{"sensitive", "Sensitive: it must not be shared"},
		{"shape", "Shape: too long or badly formed"},
		{"derivable", "Derivable: the repository says it already"},
		{"other", "Other: see the note"},
	}
}

// reasonLabel is the first word of a reason.
func reasonLabel(value string) string {
	for _, r := range reasons() {
		if r.value == value {
			label, _, _ := strings.Cut(r.label, ":")
			return label
		}
	}
	return value
}

// heading is the title of an error page.
func (p Failure) heading() string {
	switch p.Status {
	case 400:
		return "This address or form is not right"
	case 401:
		return "Sign in first"
	case 403:
		return "Your role does not reach this far"
	case 404:
		return "There is nothing here"
	case 409:
		return "Somebody was faster"
	case 413:
		return "That is too large"
	case 422:
		return "That cannot be taken as it is"
	case 429:
		return "Too many requests"
	case 503:
		return "teammem is not ready"
	}
	return "Something went wrong"
}

// advice is what to do next.
func (p Failure) advice() string {
	switch {
	case p.Hint != "":
		return p.Hint
	case p.Wait > 0:
		return "Try again in " + count(int(p.Wait.Seconds()), "second", "seconds") + "."
	}
	switch p.Status {
	case 401:
		return "Ask your administrator for a link: teammem admin console-link NAME"
	case 403:
		return "A maintainer of the project can give you the role."
	case 404:
		return "It may have been deleted, or you are not a member of its project."
	case 409:
		return "Go back and look at it again."
	case 503:
		return "Try again in a minute."
	}
	if p.Status >= 500 {
		return "Try again. If it happens again, tell your administrator the number below."
	}
	return ""
}
