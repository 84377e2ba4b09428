package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc.
const tick = 10 * time.Millisecond

// process is what /proc tells of one.
type process struct {
	pid, parent int
	spent       time.Duration // by it, and by its children that ended
}

// processorTime is what the processes and all their descendants have used so
// far, but for the descendants of those named as apart.
func processorTime(roots, apart []int) time.Duration {
	children := map[int][]process{}
	own := map[int]process{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		if p, ok := readProcess(folder); ok {
			children[p.parent], own[p.pid] = append(children[p.parent], p), p
		}
	}
	skip := map[int]bool{}
	for _, pid := range apart {
		skip[pid] = true
	}
	var sum time.Duration
	var add func(p process)
	add = func(p process) {
		if skip[p.pid] {
			return
		}
		sum += p.spent
		for _, child := range children[p.pid] {
			add(child)
		}
	}
	for _, pid := range roots {
		add(own[pid])
	}
	return sum
}

// readProcess reads a process's stat: behind its name, which ends with the last
// bracket, the second field is the parent, and the twelfth to fifteenth are
// times.
func readProcess(folder string) (process, bool) {
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return process{}, false
	}
	rest := string(stat)
	fields := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
	if len(fields) < 15 {
		return process{}, false
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // of the kernel
		return n
	}
	p := process{pid: number(filepath.Base(folder)), parent: number(fields[1])}
	for _, field := range fields[11:15] {
		p.spent += time.Duration(number(field)) * tick
	}
	return p, true
}

// load is how many processes want to run, on average over the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}
