package client_test

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// kill runs a sync that is killed after a text came into the tree, before the
// index was written.
func (m *member) kill(t *testing.T) {
	t.Helper()
	before, err := os.ReadFile(m.index())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	fresh := err != nil
	var noted map[string]string
	_, err = client.NewSyncer(m.dirs, m.link, m.http, client.SyncerOptions{
		Device: m.id.Device, Member: m.id.Name, Scanner: func() (memory.Scanner, error) { return markScanner{""}, nil },
		RuleSet: markScanner{""}.RuleSet(), Clock: m.now, Home: m.home,
		Done: func(d client.Done) {
			if d.Kind == msync.Download && noted == nil {
				noted = m.notes(t)
			}
		},
	}).Sync(t.Context(), client.SyncOptions{})
	must(t, err)
	if left := m.notes(t); len(left) > 0 {
		t.Errorf("a run that ended well leaves notes: %q", left)
	}
	for name, text := range noted {
		must(t, os.WriteFile(filepath.Join(m.state(), name), []byte(text), 0o600))
	}
	if fresh {
		must(t, os.Remove(m.index()))
		return
	}
	must(t, os.WriteFile(m.index(), before, 0o600))
}

func (m *member) writeAll(t *testing.T, texts map[string]string) {
	t.Helper()
	for path, text := range texts {
		m.write(t, path, text)
	}
}

// notes returns what is noted beside the index.
func (m *member) notes(t *testing.T) map[string]string {
	t.Helper()
	notes := map[string]string{}
	for _, name := range []string{"sent", "received"} {
		b, err := os.ReadFile(filepath.Join(m.state(), name))
		if err == nil {
			notes[name] = string(b)
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return notes
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

// The notes say that texts were about to come, and they never did: what the member
// has was not made from them, however much of it is in both.
func TestSync_KilledBeforeADownload(t *testing.T) {
	t.Parallel()
	const bens = "- one\n- ben's first line\n- ben's second line\n- ben's third line\n"
	for _, tt := range []struct {
		name           string
		both, ann, ben map[string]string // ben's before the run, and ann's before that
		then, want     map[string]string
	}{
		{
			name: "most of what came is the member's own", both: map[string]string{"x.md": "- one\n"},
			ann: map[string]string{"x.md": bens + "- ann's line\n"}, then: map[string]string{"x.md": bens + "- ben's fourth line\n"},
			want: map[string]string{"x.md": bens + "- ann's line\n- ben's fourth line\n"},
		},
		{
			name: "a merge", both: map[string]string{"x.md": "# x\n\nFirst paragraph of it\n\nLast line of the file\n"},
			ann:  map[string]string{"x.md": "# x\n- vm2\n\nFirst paragraph of it\n\nLast line of the file\n"},
			ben:  map[string]string{"x.md": "# x\n\nFirst paragraph of it\n\nLast line of the file\nAnd what ben added to it\n"},
			want: map[string]string{"x.md": "# x\n- vm2\n\nFirst paragraph of it\n\nLast line of the file\nAnd what ben added to it\n"},
		},
		{
			name: "a merge with a delete", both: map[string]string{"x.md": "# x\n\nThe first paragraph\n\nThe second paragraph\n\nThe third\n"},
			ann:  map[string]string{"x.md": "# x\n\nThe second paragraph\n\nThe third\n"},
			ben:  map[string]string{"x.md": "# x\n\nThe first paragraph\n\nThe second paragraph\n\nThe third\nAnd what ben added to it\n"},
			want: map[string]string{"x.md": "# x\n\nThe second paragraph\n\nThe third\nAnd what ben added to it\n"},
		},
		{
			name: "an index", both: map[string]string{"MEMORY.md": "- [a](a.md) the first\n"},
			ann:  map[string]string{"MEMORY.md": "- [a](a.md) the first\n- [b](b.md)\n"},
			ben:  map[string]string{"MEMORY.md": "- [a](a.md) the first\n- [c](c.md) what ben has added\n"},
			want: map[string]string{"MEMORY.md": "- [a](a.md) the first\n- [b](b.md)\n- [c](c.md) what ben has added\n"},
		},
		{
			name: "a short line under the same heading", both: map[string]string{"x.md": "# x\n"},
			ann:  map[string]string{"x.md": "# x\n\n## Deployment\n- vm2\n"},
			then: map[string]string{"x.md": "# x\n\n## Deployment\n- vm1\n"},
			want: map[string]string{"x.md": "# x\n\n## Deployment\n- vm2\n- vm1\n"},
		},
		{
			name: "a file of the same name", both: map[string]string{"o.md": "other\n"},
			ann:  map[string]string{"hosts.md": "## Deployment\n- vm2\n"},
			then: map[string]string{"hosts.md": "## Deployment\n- vm1\n"},
			want: map[string]string{"o.md": "other\n", "hosts.md": "## Deployment\n- vm2\n", "hosts-2.md": "## Deployment\n- vm1\n"},
		},
		{
			name: "the same text under another name", both: map[string]string{"x.md": "# a template\n"},
			ann:  map[string]string{"y.md": "# a template\n"},
			want: map[string]string{"x.md": "# a template\n", "y.md": "# a template\n"},
		},
		{
			name: "two of the same text", both: map[string]string{"o.md": "other\n"},
			ann: map[string]string{"a.md": "to do\n", "b.md": "to do\n"}, then: map[string]string{"a.md": "to do\n"},
			want: map[string]string{"o.md": "other\n", "a.md": "to do\n", "b.md": "to do\n"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
			ann.writeAll(t, tt.both)
			ann.sync(t)
			ben.sync(t)
			ann.writeAll(t, tt.ann)
			ann.sync(t)
			ben.writeAll(t, tt.ben)
			before := ben.files(t)
			ben.kill(t)
			for path := range ben.files(t) {
				ben.remove(t, path)
			}
			ben.writeAll(t, before)
			ben.writeAll(t, tt.then)
			r := ben.sync(t)
			ann.sync(t)
			tm.equal(t, ann, ben)
			has(t, ann, tt.want)
			if len(r.Conflicts) > 0 {
				t.Errorf("conflicts %v", r.Conflicts)
			}
		})
	}
}

// The run after a kill was cut off, too, while it asked what came.
func TestSync_KilledAndCutOff(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	ann, ben := tm.join(t, "ann"), tm.join(t, "ben")
	const came = "# x\n\n- came from ann\n"
	ann.write(t, "o.md", "other\n")
	ann.sync(t)
	ben.sync(t)
	ann.write(t, "x.md", came)
	ann.sync(t)
	ben.kill(t)
	ben.write(t, "x.md", came+"- ben's\n")
	ann.write(t, "x.md", came+"- ann's\n")
	ann.sync(t)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/contents") {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	ben.fail(t)
	tm.between(nil)
	ben.sync(t)
	ann.sync(t)
	tm.equal(t, ann, ben)
	has(t, ann, map[string]string{"o.md": "other\n", "x.md": came + "- ann's\n- ben's\n"})
}
