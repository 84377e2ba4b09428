package client_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// An entry whose name is never looked at here is not taken for deleted, and is
// listed.
func TestListed_IgnoredName(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "good.md", "good\n")
	a.write(t, "plain.md", "plain\n")
	a.sync(t)
	const ignored = "x.sync-conflict-20260101.md"
	tm.between(alter(t, "changes", func(f *wire.Feed) {
		for i := range f.Changes {
			if f.Changes[i].Path == "plain.md" {
				f.Changes[i].Path = ignored
			}
		}
		var d memory.Digest
		for _, c := range f.Changes {
			sum, err := memory.ParseHash(c.SHA256)
			if err != nil {
				t.Error(err)
			}
			d.Add(memory.StoredPath(c.Path), sum)
		}
		f.Digest = d.String()
	}))
	r := b.sync(t)
	if refused(r)[ignored] != memory.Code(tree.KindIgnored) || !r.NewRefusals() {
		t.Errorf("refused %v, news %t; want the ignored name", refused(r), r.NewRefusals())
	}
	tm.between(nil)
	if got := b.files(t); len(got) != 1 {
		t.Errorf("the tree has %q", got)
	}
	_, _ = b.try(t.Context()) // the server's digest is another one now: whatever that means, nothing is deleted
	if len(tm.served(t)) != 2 {
		t.Errorf("the server has %q", tm.served(t))
	}
}

// A file of the member's in the place of a renamed entry makes room, and that is
// said.
func TestListed_NameTaken(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "old.md", "entry\n")
	a.sync(t)
	b.sync(t)
	a.rename(t, "old.md", "new.md")
	a.sync(t)
	b.write(t, "new.md", "ben's own\n")
	r := b.sync(t)
	if len(r.Refused) != 0 || !strings.Contains(strings.Join(r.Notices, " "), "yours got a number") {
		t.Errorf("refused %v, notices %q", refused(r), r.Notices)
	}
	want := map[string]string{"new.md": "entry\n", "new-2.md": "ben's own\n"}
	if diff := cmp.Diff(want, b.files(t)); diff != "" {
		t.Errorf("ben's files (-want +got):\n%s", diff)
	}
	a.sync(t)
	tm.equal(t, a, b)
}

// Line ends are not shared, and that is said.
func TestListed_LineEnds(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "a.md", "one\ntwo\n")
	a.sync(t)
	b.sync(t)
	b.write(t, "a.md", "one\r\ntwo\r\n")
	r := b.sync(t)
	if len(r.Done) != 0 || !strings.Contains(strings.Join(r.Notices, " "), "line ends") {
		t.Errorf("%d ops, notices %q", len(r.Done), r.Notices)
	}
	a.write(t, "a.md", "one\ntwo\nthree\n")
	a.sync(t)
	if r = b.sync(t); len(r.Conflicts) != 0 {
		t.Errorf("conflicts %v, want none over line ends", r.Conflicts)
	}
	tm.equal(t, a, b)
}

// A twin of a file that the member has is not written beside it.
func TestListed_Twin(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "Deploy.md", "ann's\n")
	a.sync(t)
	b.write(t, "deploy.md", "ben's\n")
	for range 2 {
		r := b.sync(t)
		if len(r.Refused) != 2 || len(b.files(t)) != 1 {
			t.Errorf("refused %v, tree %q", refused(r), b.files(t))
		}
	}
	b.rename(t, "deploy.md", "bens.md")
	if r := b.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing", refused(r))
	}
	a.sync(t)
	tm.equal(t, a, b)
}

// A conflict store that cannot be read is no empty one.
func TestListed_UnreadableConflicts(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.sync(t)
	must(t, os.MkdirAll(filepath.Join(a.dirs.Data, "conflicts"), 0o700))
	must(t, os.WriteFile(filepath.Join(a.dirs.Data, "conflicts", string(a.link.Project)), nil, 0o600))
	a.write(t, "a.md", "a\n")
	a.sync(t) // a file instead of a folder holds no conflicts
	if os.Geteuid() == 0 {
		return // reads everything
	}
	dir := filepath.Join(a.dirs.Data, "conflicts", string(a.link.Project))
	must(t, os.Remove(dir))
	must(t, os.Mkdir(dir, 0))
	if r, err := a.try(context.Background()); err == nil || r.Proven {
		t.Errorf("proven %t, %v", r.Proven, err)
	}
}

// A name that is no entry's stays listed when only another folder was looked at.
func TestListed_OddName(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a/x.md", "x\n")
	a.write(t, "a/x.md.bak", "x\n")
	a.write(t, "c/y.md", "y\n")
	s, touched := a.syncer(""), []string(nil)
	for i, again := range [][]string{nil, {"c"}, {"c"}, {"a"}} {
		touched = again
		r, err := s.Sync(t.Context(), client.SyncOptions{Touched: func() ([]string, bool) { return touched, i == 0 }})
		if must(t, err); refused(r)["a/x.md.bak"] != memory.CodePathRejected || len(r.Refused) != 1 || r.NewRefusals() != (i == 0) {
			t.Errorf("run %d: refused %v, news %t", i, refused(r), r.NewRefusals())
		}
		a.write(t, "c/y.md", strings.Repeat("y\n", i+2))
	}
	a.remove(t, "a/x.md.bak")
	touched = []string{"a", "c"}
	if r, err := s.Sync(t.Context(), client.SyncOptions{Touched: func() ([]string, bool) { return touched, false }}); err != nil || len(r.Refused) != 0 {
		t.Errorf("it is gone: %v, refused %v", err, refused(r))
	}
	tm.equal(t, a)
}
