package client_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// S18: whoever writes into a file just before it is removed, because a team-mate
// deleted it, keeps it; and so does the team.
func TestScenario_S18_DeleteAgainstWrite(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"x.md": "old\n", "stays.md": "stays\n"})
	a.remove(t, "x.md")
	a.sync(t)
	b.write(t, "new.md", "new\n")
	// What is sent goes before what is removed.
	s := client.NewSyncer(b.dirs, b.link, b.http, client.SyncerOptions{
		Device: b.id.Device, Member: b.id.Name, Scanner: func() (memory.Scanner, error) { return markScanner{}, nil },
		RuleSet: markScanner{}.RuleSet(), Clock: b.now, Home: b.home,
		Done: func(d client.Done) {
			if d.Kind == msync.Create && d.Path.String() == "new.md" {
				b.write(t, "x.md", "written at the last moment\n")
			}
		},
	})
	r, err := s.Sync(t.Context(), client.SyncOptions{})
	if err != nil || !r.Proven || !strings.Contains(strings.Join(r.Notices, "\n"), "x.md") {
		t.Errorf("proven %t, %v, notices %q", r.Proven, err, r.Notices)
	}
	a.sync(t)
	has(t, a, map[string]string{"x.md": "written at the last moment\n", "new.md": "new\n", "stays.md": "stays\n"})
	tm.equal(t, a, b)
}

// S19: whoever writes into a file while the server's text takes its place loses
// nothing: the server's text is in the tree, theirs is kept.
func TestScenario_S19_UpdateAgainstWrite(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"x.md": "old\n"})
	a.write(t, "x.md", "ann's\n")
	a.sync(t)
	s, once := b.syncer(""), false
	s.OnSync(func() {
		if !once {
			once = true
			b.write(t, "x.md", "ben's, at the last moment\n")
		}
	})
	r, err := s.Sync(t.Context(), client.SyncOptions{})
	if err != nil || len(r.Conflicts) != 1 || !once {
		t.Errorf("conflicts %v, %v", r.Conflicts, err)
	}
	has(t, b, map[string]string{"x.md": "ann's\n"})
	if place := b.kept(t, "ben's, at the last moment\n"); place != "conflicts" {
		t.Errorf("ben's text is in %q", place)
	}
	tm.equal(t, a, b)
}

// S42: one entry that is refused for good holds nothing else up, now or later.
func TestScenario_S42_NoWedge(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"first.md": "first\n"})
	for n := range 20 {
		b.write(t, entryName(n), fmt.Sprintf("entry %d\n", n))
	}
	b.write(t, "secret.md", mark+"\n")
	r := b.sync(t)
	if diff := cmp.Diff(map[string]memory.Code{"secret.md": memory.CodeSecretFound}, refused(r)); diff != "" || len(tm.served(t)) != 21 {
		t.Errorf("%d entries, refused (-want +got):\n%s", len(tm.served(t)), diff)
	}
	a.write(t, "first.md", "changed\n")
	a.sync(t)
	b.write(t, "later.md", "later\n")
	if r := b.sync(t); len(refused(r)) != 1 || len(tm.served(t)) != 22 || b.files(t)["first.md"] != "changed\n" {
		t.Errorf("refused %v, %d entries", refused(r), len(tm.served(t)))
	}
}

// F26: of fifty changes three are bad, each in its way. The others go through,
// the bad ones are named with their reasons, and what comes later goes on.
func TestField_F26_OneBadItem(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"contested.md": "base\n"})
	a.write(t, "contested.md", "ann's\n")
	a.sync(t)
	for n := range 47 {
		b.write(t, entryName(n), fmt.Sprintf("entry %d\n", n))
	}
	b.write(t, "contested.md", "ben's\n")
	b.write(t, "secret.md", mark+"\n")
	b.write(t, "AUX.md", "a name that Windows has taken\n")
	r := b.sync(t)
	want := map[string]memory.Code{"secret.md": memory.CodeSecretFound, "AUX.md": memory.CodePathRejected}
	if diff := cmp.Diff(want, refused(r)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].Path.String() != "contested.md" || len(tm.served(t)) != 48 {
		t.Errorf("conflicts %v, %d entries, want 48", r.Conflicts, len(tm.served(t)))
	}
	b.write(t, "later.md", "later\n")
	b.write(t, "secret.md", "repaired\n")
	b.resolve(t, r.Conflicts[0], client.Resolution{Take: client.TakeOurs})
	r = b.sync(t)
	a.sync(t)
	if served := tm.served(t); len(r.Conflicts) > 0 || len(served) != 50 || served["contested.md"] != "ben's\n" || served["secret.md"] != "repaired\n" {
		t.Errorf("conflicts %v, %d entries", r.Conflicts, len(served))
	}
}

// S44: clocks that are a day off, either way, and files from 1970 change nothing
// of the outcome.
func TestScenario_S44_ClockSkew(t *testing.T) {
	t.Parallel()
	var outcomes []map[string]string
	for _, off := range []time.Duration{0, 24 * time.Hour, -24 * time.Hour} {
		tm, a, b := together(t, map[string]string{"both.md": "1\n2\n3\n", "lost.md": "base\n", "gone.md": "gone\n", "same.md": "same\n"})
		b.now = func() time.Time { return time.Now().Add(off) }
		a.write(t, "both.md", "one\n2\n3\n")
		a.write(t, "lost.md", "ann's\n")
		a.remove(t, "gone.md")
		a.sync(t)
		b.write(t, "both.md", "1\n2\nthree\n")
		b.write(t, "lost.md", "ben's\n")
		b.write(t, "new.md", "new\n")
		for _, name := range []string{"both.md", "lost.md", "new.md", "same.md"} {
			must(t, os.Chtimes(filepath.Join(b.tree(), name), time.Time{}, time.Unix(1, 0)))
		}
		if r := b.sync(t); len(r.Conflicts) != 1 || b.kept(t, "ben's\n") != "conflicts" || b.kept(t, "gone\n") != "trash" {
			t.Errorf("clock %v off: conflicts %v", off, r.Conflicts)
		}
		a.sync(t)
		tm.equal(t, a, b)
		outcomes = append(outcomes, a.files(t))
	}
	for _, got := range outcomes[1:] {
		if diff := cmp.Diff(outcomes[0], got); diff != "" {
			t.Errorf("another clock, another outcome (-right +wrong):\n%s", diff)
		}
	}
}
