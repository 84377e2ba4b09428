package main

import (
	"fmt"
	"strings"
)

// budget is a share of another's cost that teammem may have.
type budget struct {
	task   string
	ours   string
	theirs string
	most   float64
	upTo   int // files; 0: any
	from   int
	cost   string
	of     func(figure) float64
}

func ofWall(f figure) float64 { return float64(f.wall) }
func ofCPU(f figure) float64  { return float64(f.cpu()) }

func allBudgets() []budget {
	return []budget{
		{task: "no-op", ours: "teammem", theirs: "unison", most: 1, cost: "wall", of: ofWall},
		{task: "no-op", ours: "teammem", theirs: "unison", most: 1, cost: "CPU", of: ofCPU},
		{task: "no-op", ours: "teammem", theirs: "git", most: 0.5, upTo: 1000, cost: "wall", of: ofWall},
		{task: "one edit, up and down", ours: "teammem", theirs: "git", most: 0.5, upTo: 1000, cost: "wall", of: ofWall},
		{task: "first upload", ours: "unscanned", theirs: "git", most: 0.5, from: 10000, cost: "wall", of: ofWall},
		{task: "first download", ours: "teammem", theirs: "git", most: 1, from: 10000, cost: "wall", of: ofWall},
	}
}

// budgets tells which are kept. On a busy machine that says little of times.
func budgets(all []figure) string {
	var b strings.Builder
	b.WriteString("\n| files | budget | at most | is | |\n|---:|---|---:|---:|---|\n")
	for _, files := range sizes(all) {
		for _, limit := range allBudgets() {
			if limit.upTo > 0 && files > limit.upTo || files < limit.from {
				continue
			}
			t, _ := taskOf(limit.task)
			ours, have := t.of(all, files, limit.ours)
			theirs, has := t.of(all, files, limit.theirs)
			if !have || !has || limit.of(theirs) == 0 {
				continue
			}
			is := limit.of(ours) / limit.of(theirs)
			fmt.Fprintf(&b, "| %d | %s: %s of %s, of %s's | %.2f | %.2f | %s |\n",
				files, limit.task, limit.cost, limit.ours, limit.theirs, limit.most, is, kept(is <= limit.most))
		}
		b.WriteString(editBudget(all, files))
	}
	return b.String()
}

// editBudget is what one edit may send beyond two syncs without news: the text
// packed, twice, and what goes around it.
func editBudget(all []figure, files int) string {
	const most = 1500 + 2*1000 // a text of these trees packs to about 1,000 bytes
	up, _ := taskOf("one edit, up and down")
	quiet, _ := taskOf("no-op")
	edit, have := up.of(all, files, "teammem")
	none, has := quiet.of(all, files, "teammem")
	if !have || !has || !edit.hasWire {
		return ""
	}
	is := edit.wire - 2*none.wire
	return fmt.Sprintf("| %d | one edit, up and down: wire bytes beyond two no-ops | %d | %d | %s |\n", files, most, is, kept(is <= most))
}

func kept(is bool) string {
	if is {
		return "kept"
	}
	return "**missed**"
}

func taskOf(name string) (task, bool) {
	for _, t := range tasks() {
		if t.name == name {
			return t, true
		}
	}
	return task{}, false
}
