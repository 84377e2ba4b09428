package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// task is what the table compares: one operation, or two whose cost a member
// bears together, since some peers do both in one run.
type task struct {
	name string
	ops  []operation
}

func tasks() []task {
	return []task{
		{"no-op", []operation{noNews}},
		{"no-op, all files read", []operation{noNewsHashed}},
		{"one edit, up", []operation{editUp}},
		{"one edit, down", []operation{editDown}},
		{"one edit, up and down", []operation{editUp, editDown}},
		{"first upload", []operation{firstUpload}},
		{"first download", []operation{firstDownload}},
		{"first sync, up and down", []operation{firstUpload, firstDownload}},
	}
}

// both adds up what a task costs a peer. Of a peer that does several operations
// in one run, only the task with all of them says something.
func (t task) of(all []figure, files int, peer string) (figure, bool) {
	sum, found := figure{files: files, peer: peer, hasWire: true}, 0
	whole := peer == "unison" || peer == "rsync"
	for _, f := range all {
		if f.files != files || f.peer != peer || !slices.Contains(t.ops, f.op) {
			continue
		}
		if whole && len(t.ops) == 1 && (f.op == firstUpload || f.op == editUp) {
			continue
		}
		found++
		sum.wall, sum.client, sum.server, sum.database = sum.wall+f.wall, sum.client+f.client, sum.server+f.server, sum.database+f.database
		sum.peakKB, sum.wire, sum.runs = max(sum.peakKB, f.peakKB), sum.wire+f.wire, f.runs
		sum.fastest, sum.hasWire = sum.fastest+f.fastest, sum.hasWire && f.hasWire
	}
	return sum, found == len(t.ops) || whole && found > 0
}

// cpu is what client and server use; the database is told apart.
func (f figure) cpu() time.Duration { return f.client + f.server }

// table writes all figures as Markdown, with what teammem needs as a share of
// what each other needs.
func table(all []figure) string {
	var b strings.Builder
	b.WriteString("Medians; × is teammem's part of it. Unison does up and down in one run; rsync only goes one way.\n\n")
	b.WriteString("| files | task | peer | wall ms | fastest | CPU ms, client + server + Postgres | MB | wire bytes | wall × | CPU × | wire × |\n")
	b.WriteString("|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, files := range sizes(all) {
		for _, t := range tasks() {
			ours, _ := t.of(all, files, "teammem")
			for _, peer := range names(all) {
				if f, has := t.of(all, files, peer); has {
					b.WriteString(f.row(t.name, ours))
				}
			}
		}
	}
	return b.String()
}

func (f figure) row(name string, ours figure) string {
	processor := milliseconds(f.client) + " + " + milliseconds(f.server)
	if f.database > 0 {
		processor += " + " + milliseconds(f.database)
	}
	wire, wires := "–", "–"
	if f.hasWire {
		wire, wires = fmt.Sprint(f.wire), share(float64(ours.wire), float64(f.wire))
	}
	return fmt.Sprintf("| %d | %s | %s | %s | %s | %s | %.0f | %s | %s | %s | %s |\n",
		f.files, name, f.peer, milliseconds(f.wall), milliseconds(f.fastest), processor, float64(f.peakKB)/1024, wire,
		share(float64(ours.wall), float64(f.wall)), share(float64(ours.cpu()), float64(f.cpu())), wires)
}

func share(a, b float64) string {
	if a == 0 || b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", a/b)
}

func milliseconds(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 100 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

func sizes(all []figure) (found []int) {
	for _, f := range all {
		if !slices.Contains(found, f.files) {
			found = append(found, f.files)
		}
	}
	slices.SortFunc(found, cmp.Compare)
	return found
}

func names(all []figure) (found []string) {
	for _, f := range all {
		if !slices.Contains(found, f.peer) {
			found = append(found, f.peer)
		}
	}
	return found
}
