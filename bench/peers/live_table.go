package main

import (
	"fmt"
	"strings"
	"time"
)

// liveFigure is what became of one watcher on one size of tree.
type liveFigure struct {
	files     int
	peer      string
	edits     []time.Duration // sorted
	burst     time.Duration   // from the first file that is made to the last one that is there
	idle      bool            // what follows was measured
	bare      int64           // KB that one of the two needs before it has looked at a tree; 0: not known
	residence int64           // KB that one of the two needs
	cpu       time.Duration   // of one of the two, in a second
	wire      float64         // bytes of one of the two, in a second
	hasWire   bool
}

// liveTable writes the figures as Markdown, with teammem's part of each other's.
func liveTable(all []liveFigure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nFrom one watched folder to another; edits one at a time, then %d files in a second. "+
		"Idle figures are those of one watcher. × is teammem's part.\n\n", burstFiles)
	b.WriteString("| files | peer | edits | p50 ms | p95 ms | burst ms | MB, before a tree | MB | CPU ms/s | IP bytes/s | p50 × | p95 × | burst × |\n")
	b.WriteString("|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	var ours liveFigure
	for _, f := range all {
		if f.peer == "teammem" {
			ours = f
		}
		b.WriteString(f.row(ours))
	}
	return b.String()
}

func (f liveFigure) row(ours liveFigure) string {
	if len(f.edits) == 0 {
		return fmt.Sprintf("| %d | %s | not installed | – | – | – | – | – | – | – | – | – | – |\n", f.files, f.peer)
	}
	idle := "– | – | – | –"
	if f.idle {
		bare, wire := "–", "–"
		if f.bare > 0 {
			bare = fmt.Sprintf("%.0f", float64(f.bare)/1024)
		}
		if f.hasWire {
			wire = fmt.Sprintf("%.1f", f.wire)
		}
		idle = fmt.Sprintf("%s | %.0f | %.2f | %s", bare, float64(f.residence)/1024, float64(f.cpu)/float64(time.Millisecond), wire)
	}
	part := func(mine, theirs time.Duration) string { return share(float64(mine), float64(theirs)) }
	return fmt.Sprintf("| %d | %s | %d | %s | %s | %s | %s | %s | %s | %s |\n",
		f.files, f.peer, len(f.edits), milliseconds(f.quantile(50)), milliseconds(f.quantile(95)), milliseconds(f.burst), idle,
		part(ours.quantile(50), f.quantile(50)), part(ours.quantile(95), f.quantile(95)), part(ours.burst, f.burst))
}

// quantile is what so many percent of the edits took at most.
func (f liveFigure) quantile(percent int) time.Duration {
	if len(f.edits) == 0 {
		return 0
	}
	return f.edits[(len(f.edits)*percent+99)/100-1]
}
