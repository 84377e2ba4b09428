package main

import (
	"fmt"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// pending and ended tell apart what a reviewer has to decide on yet, and what
// will not be published as it is.
func pending(all []client.Waiting) []client.Waiting {
	return inState(all, func(s memory.ProposalState) bool { return s == memory.ProposalPending })
}

func ended(all []client.Waiting) []client.Waiting {
	return inState(all, func(s memory.ProposalState) bool { return s != memory.ProposalPending })
}

func inState(all []client.Waiting, wanted func(memory.ProposalState) bool) []client.Waiting {
	var some []client.Waiting
	for _, w := range all {
		if wanted(w.State) {
			some = append(some, w)
		}
	}
	return some
}

// notShared counts the files that stay here as they are: a rule or a reviewer
// said no.
func notShared(r *client.Report) int {
	n := len(r.Refused)
	for _, w := range ended(r.Waiting) {
		if w.Action == memory.ActionPut {
			n++
		}
	}
	return n
}

// waiting lists what waits for a reviewer: it is not done, and no problem.
func (p reportPrinter) waiting(r *client.Report) {
	all := pending(r.Waiting)
	for _, w := range all[:min(len(all), maxLines)] {
		fmt.Fprintf(p.stdout, "waiting for review: %s\n", describeChange(w))
	}
	if more := len(all) - maxLines; more > 0 {
		fmt.Fprintf(p.stdout, "… and %d more waiting\n", more)
	}
}

// describeChange names the file, and what would become of it.
func describeChange(w client.Waiting) string {
	path := shown(w.Path.String())
	switch w.Action {
	case memory.ActionDelete:
		return path + " (delete)"
	case memory.ActionMove:
		return path + " (rename from " + shown(w.From.String()) + ")"
	default:
		return path
	}
}

// describeEnded says how a proposal ended, and what the member can do.
func describeEnded(w client.Waiting) (what, hint string) {
	hint = "change the text to propose it again"
	if w.Action != memory.ActionPut {
		hint = "the tree is as before; do it again to propose it again"
	}
	change := describeChange(w)
	switch w.State {
	case memory.ProposalRejected:
		what = fmt.Sprintf("not approved: %s (%s), by %s on %s", change, w.Reason, memory.Inert(w.By, longestName), day(w.At))
		if w.Note != "" {
			what += ": " + memory.Inert(w.Note, longestNote)
		}
		return what, hint
	case memory.ProposalSuperseded:
		return "not shared: " + change + ": another computer of yours proposed something else in its place", hint
	case memory.ProposalWithdrawn:
		return "not shared: " + change + ": its proposal was withdrawn", hint
	case memory.ProposalPending, memory.ProposalPublished:
	}
	return fmt.Sprintf("not shared: %s (%s)", change, w.State), hint
}

// Foreign words are shown on one line, as far as it goes.
const (
	longestName = 100
	longestNote = 500
)

// waitingLine is one change that waits for a reviewer, or did.
type waitingLine struct {
	Type     string    `json:"type"`
	Path     string    `json:"path"`
	From     string    `json:"from,omitzero"`
	Op       string    `json:"op"`
	Proposal string    `json:"proposal"`
	State    string    `json:"state"`
	Reason   string    `json:"reason,omitzero"`
	Note     string    `json:"note,omitzero"`
	By       string    `json:"by,omitzero"`
	At       time.Time `json:"at,omitzero"`
	Known    bool      `json:"known"`
}

func newWaitingLine(w client.Waiting) waitingLine {
	return waitingLine{
		"waiting", w.Path.String(), w.From.String(), string(w.Action), string(w.Proposal), string(w.State), string(w.Reason), w.Note, w.By,
		w.At.UTC(), !w.New,
	}
}
