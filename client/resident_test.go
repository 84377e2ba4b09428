package client_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// watched is a member's tree with somebody who knows what happens in it.
type watched struct {
	*member
	syncer  *client.Syncer
	touched map[string]bool // folders
	all     bool
}

func watch(m *member) *watched {
	return &watched{member: m, syncer: m.syncer(""), touched: map[string]bool{}, all: true}
}

// run is a cycle that looks only where something happened.
func (w *watched) run(t *testing.T) *client.Report {
	t.Helper()
	r, err := w.syncer.Sync(t.Context(), client.SyncOptions{
		Touched: func() (folders []string, all bool) {
			for f := range w.touched {
				folders = append(folders, f)
			}
			all, w.all = w.all, false
			clear(w.touched)
			return folders, all
		},
		Settled: func(memory.Path) bool { return true },
	})
	if err != nil || !r.Proven {
		t.Fatalf("run: proven %t, %v\nnotices: %q", r.Proven, err, r.Notices)
	}
	return r
}

// happened notes the folders of a name.
func (w *watched) happened(name string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) { // those that were made on the way are names, too
		if dir == "." {
			dir = ""
		}
		w.touched[dir] = true
		if dir == "" {
			return
		}
	}
}

// mess changes a few files.
func mess(t *testing.T, r *rand.Rand, m *member, happened func(string)) {
	t.Helper()
	names := []string{"a.md", "b/c.md", "b/d.md", "b/e/f.md", "g.md", "MEMORY.md", "b/c-2.md"}
	for i := range 16 {
		names = append(names, fmt.Sprintf("h/%d.md", i))
	}
	for range 1 + r.IntN(3) {
		name, other := names[r.IntN(len(names))], names[r.IntN(len(names))]
		file := filepath.Join(m.tree(), filepath.FromSlash(name))
		switch r.IntN(6) {
		case 0:
			_ = os.Remove(file) // it may not be there
		case 1:
			if _, err := os.Stat(file); err == nil {
				m.rename(t, name, other)
				happened(other)
			}
		default:
			m.write(t, name, fmt.Sprintf("- [%d](x.md)\n", r.IntN(40)))
		}
		happened(name)
	}
}

// Whatever happens on either side, a run that has kept what the last one knew
// leaves nothing over for one that reads and looks at everything; and both keep
// what they know in one index.
func TestResident_NothingLeftOver(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
	w := watch(ann)
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 24 {
		mess(t, r, ann, w.happened)
		if i%3 == 0 {
			mess(t, r, ben, func(string) {})
			ben.sync(t)
		}
		report := w.run(t)
		left, err := ann.syncer("").Sync(t.Context(), client.SyncOptions{DryRun: true})
		must(t, err)
		if left.Pending > 0 || !left.Proven {
			t.Fatalf("round %d: %d ops are left over, proven %t: %v; held %v, refused %v", i, left.Pending, left.Proven, left.Done, report.Held, refused(report))
		}
		if i%8 == 7 { // another process works in it
			ann.write(t, "h/beside.md", fmt.Sprint(i))
			ann.sync(t)
		}
	}
}
