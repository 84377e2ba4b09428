package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// calm is how long after the last change a watcher is idle.
const calm = 10 * time.Second

// measureIdle looks at the processes before and after a while in which nothing
// happens.
func (f *liveFigure) measureIdle(ctx context.Context, w watcher) error {
	if err := rest(ctx, calm); err != nil {
		return err
	}
	pids := w.watching()
	spent := processorTime(pids, nil)
	wire, _ := wireBytes()
	_, idle := w.patience()
	if err := rest(ctx, idle); err != nil {
		return err
	}
	seconds := idle.Seconds() * 2 // there are two watchers
	f.cpu = time.Duration(float64(processorTime(pids, nil)-spent) / seconds)
	now, has := wireBytes()
	f.wire, f.hasWire = float64(now-wire)/seconds, has
	for _, pid := range pids {
		f.residence += residentKB(pid) / 2
	}
	if t, ours := w.(interface{ bare() (int64, error) }); ours {
		var err error
		if f.bare, err = t.bare(); err != nil {
			return err
		}
	}
	f.idle = true
	return nil
}

// residentKB is the memory that a process and its children have.
func residentKB(pid int) (kb int64) {
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(status)) {
		if rest, is := strings.CutPrefix(line, "VmRSS:"); is {
			kb, _ = strconv.ParseInt(strings.Fields(rest)[0], 10, 64) // of the kernel
		}
	}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		if p, ok := readProcess(folder); ok && p.parent == pid {
			kb += residentKB(p.pid)
		}
	}
	return kb
}
