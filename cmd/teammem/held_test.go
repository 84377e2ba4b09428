package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// syncWilling runs one sync, and says yes to the deletes that it holds. It must
// end in sync.
func (m *member) syncWilling(t *testing.T) result {
	t.Helper()
	r := m.run(t, "sync", m.work(), "--json")
	if r.code == exitHold {
		r = m.run(t, "sync", m.work(), "--json", allowing(heldDeletes(r.stdout)))
	}
	if r.code != exitOK {
		t.Errorf("sync: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	return r
}

func allowing(deletes int) string { return "--allow-deletes=" + strconv.Itoa(deletes) }

// heldDeletes counts the deletes that a run with --json holds.
func heldDeletes(stdout string) (n int) {
	for line := range strings.Lines(stdout) {
		var l heldLine
		if err := json.Unmarshal([]byte(line), &l); err == nil && l.Type == "held" && l.Op == "delete" {
			n += l.Count
		}
	}
	return n
}
