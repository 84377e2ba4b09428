package main

import (
	"context"
	"fmt"

	"github.com/teammem/teammem/client"
	msync "github.com/teammem/teammem/sync"
)

// maxHeld is how many of the entries that are held are named; --json names all.
const maxHeld = 5

// held lists what waits for the member, and what to say about it.
func (p reportPrinter) held(r *client.Report) {
	for _, h := range r.Held {
		n := len(h.Paths)
		var what, hint string
		switch h.Kind {
		case msync.DeleteRemote:
			what = plural(n, "file is", "files are") + " gone here, and stay with the team"
			hint = fmt.Sprintf("to delete for all: teammem sync --allow-deletes=%d; to bring back: teammem restore --held", r.HeldDeletes())
		case msync.DeleteLocal:
			what = plural(n, "entry was", "entries were") + " deleted for all, and stay here"
			hint = fmt.Sprintf("to let the files go to the trash: teammem sync --allow-deletes=%d; a file that you edit is shared again", r.HeldDeletes())
		default:
			what = fmt.Sprintf("all files changed at once, and %s not sent", plural(n, "text is", "texts are"))
			hint = fmt.Sprintf("to send them: teammem sync --allow-changes=%d", n)
		}
		p.tell("held: %s (%s, hold %s): %s", what, h.Why, h.ID, somePaths(h.Paths))
		p.tell("  %s", hint)
	}
}

// apartHeld counts for the summary what is held.
func apartHeld(r *client.Report) []string {
	var apart []string
	deletes := r.HeldDeletes()
	if deletes > 0 {
		apart = append(apart, plural(deletes, "delete", "deletes")+" held")
	}
	if n := countHeld(r) - deletes; n > 0 {
		apart = append(apart, plural(n, "change", "changes")+" held")
	}
	return apart
}

func countHeld(r *client.Report) int {
	n := 0
	for _, h := range r.Held {
		n += len(h.Paths)
	}
	return n
}

// heldLine is what is held in one direction, for --json.
type heldLine struct {
	Type      string   `json:"type"`
	Direction string   `json:"direction"`
	Op        string   `json:"op"`
	Reason    string   `json:"reason"`
	Hold      string   `json:"hold"`
	Count     int      `json:"count"`
	Paths     []string `json:"paths"`
}

func newHeldLine(h client.Held) heldLine {
	l := heldLine{Type: "held", Direction: "up", Op: "delete", Reason: string(h.Why), Hold: h.ID, Count: len(h.Paths)}
	switch h.Kind {
	case msync.DeleteLocal:
		l.Direction = "down"
	case msync.Upload:
		l.Op = "change"
	default:
	}
	for _, p := range h.Paths {
		l.Paths = append(l.Paths, p.String())
	}
	return l
}

// runRestoreHeld says no to the deletes that are held: their files come back.
func (a *app) runRestoreHeld(ctx context.Context, folder string) error {
	return a.runSync(ctx, folder, syncOptions{SyncOptions: client.SyncOptions{RestoreHeld: true}})
}
