package client_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// kill runs a sync that is killed after a text came into the tree, before the
// index was written.
func (m *member) kill(t *testing.T) {
	t.Helper()
	beside := filepath.Join(m.state(), "received")
	before, err := os.ReadFile(m.index())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	fresh := err != nil
	var noted []byte
	_, err = client.NewSyncer(m.dirs, m.link, m.http, client.SyncerOptions{
		Device: m.id.Device, Member: m.id.Name, Scanner: func() (memory.Scanner, error) { return markScanner{""}, nil },
		RuleSet: markScanner{""}.RuleSet(), Clock: m.now, Home: m.home,
		Done: func(d client.Done) {
			if d.Kind == msync.Download {
				var err error
				noted, err = os.ReadFile(beside)
				must(t, err)
			}
		},
	}).Sync(t.Context(), client.SyncOptions{})
	must(t, err)
	if _, err := os.Stat(beside); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what came is still noted after a run that ended well: %v", err)
	}
	must(t, os.WriteFile(beside, noted, 0o600))
	if fresh {
		must(t, os.Remove(m.index()))
		return
	}
	must(t, os.WriteFile(m.index(), before, 0o600))
}

// A text came into the tree, and the run was killed before it took note of that.
// Whatever the member and the others make of it meanwhile, it is one entry.
func TestSync_KilledAfterADownload(t *testing.T) {
	t.Parallel()
	const came, edited = "# x\n\n- came from ann\n", "# x\n\n- came from ann\n- ben's\n"
	for _, tt := range []struct {
		name string
		then func(t *testing.T, ann, ben *member)
		want map[string]string
	}{
		{"edited", func(t *testing.T, _, ben *member) { ben.write(t, "x.md", edited) }, map[string]string{"x.md": edited}},
		{"edited on both sides", func(t *testing.T, ann, ben *member) {
			ben.write(t, "x.md", edited)
			ann.write(t, "x.md", came+"- ann's\n")
		}, map[string]string{"x.md": came + "- ann's\n- ben's\n"}},
		{"edited there", func(t *testing.T, ann, _ *member) { ann.write(t, "x.md", "# x\n") }, map[string]string{"x.md": "# x\n"}},
		{"edited, and renamed there", func(t *testing.T, ann, ben *member) {
			ben.write(t, "x.md", edited)
			ann.rename(t, "x.md", "y/z.md")
		}, map[string]string{"y/z.md": edited}},
		{"renamed there", func(t *testing.T, ann, _ *member) { ann.rename(t, "x.md", "y/z.md") }, map[string]string{"y/z.md": came}},
		{"renamed", func(t *testing.T, _, ben *member) { ben.rename(t, "x.md", "y/z.md") }, map[string]string{"y/z.md": came}},
		{"renamed, and edited there", func(t *testing.T, ann, ben *member) {
			ben.rename(t, "x.md", "y/z.md")
			ann.write(t, "x.md", edited)
		}, map[string]string{"y/z.md": edited}},
		{"deleted there", func(t *testing.T, ann, _ *member) { ann.remove(t, "x.md") }, map[string]string{}},
		{"deleted there, another of its name here", func(t *testing.T, ann, ben *member) {
			ann.remove(t, "x.md")
			ben.remove(t, "x.md")
			ben.sync(t)
			ben.write(t, "x.md", "# mine\n")
		}, map[string]string{"x.md": "# mine\n"}},
	} {
		for _, first := range []bool{false, true} {
			name := tt.name
			if first {
				name += ", in the first run"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tm := newTeam(t, memory.Limits{})
				ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
				ann.write(t, "other.md", "other\n")
				ann.sync(t)
				if !first {
					ben.sync(t)
				}
				ann.write(t, "x.md", came)
				ann.sync(t)
				ben.kill(t)
				tt.then(t, ann, ben)
				ann.sync(t)
				r := ben.sync(t)
				ann.sync(t)
				tm.equal(t, ann, ben)
				want := maps.Clone(tt.want)
				want["other.md"] = "other\n"
				has(t, ann, want)
				if len(r.Conflicts) > 0 {
					t.Errorf("conflicts %v", r.Conflicts)
				}
			})
		}
	}
}

// The note of a text says that it was about to come, and it never did: what the
// member has was not made from it, though most of its lines are the member's.
func TestSync_KilledBeforeADownload(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
	ann.write(t, "x.md", "- one\n")
	ann.sync(t)
	ben.sync(t)
	const bens = "- one\n- ben's first line\n- ben's second line\n- ben's third line\n"
	ben.write(t, "x.md", bens)
	ben.cutOff(t)
	ann.sync(t)
	ann.write(t, "x.md", bens+"- ann's line\n")
	ann.sync(t)
	ben.kill(t)
	ben.write(t, "x.md", bens+"- ben's fourth line\n")
	ben.sync(t)
	ann.sync(t)
	tm.equal(t, ann, ben)
	has(t, ann, map[string]string{"x.md": bens + "- ann's line\n- ben's fourth line\n"})
}
