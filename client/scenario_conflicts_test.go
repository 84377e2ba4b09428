package client_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// open returns the open conflicts of a member, by path.
func (m *member) open(t *testing.T) map[string]client.Conflict {
	t.Helper()
	all, err := m.dirs.Conflicts(m.link)
	must(t, err)
	open := map[string]client.Conflict{}
	for _, k := range all {
		open[k.Path.String()] = k
	}
	return open
}

func (m *member) resolve(t *testing.T, k client.Conflict, r client.Resolution) string {
	t.Helper()
	to, err := m.syncer("").Resolve(t.Context(), k, r)
	must(t, err)
	return to.String()
}

func (m *member) sides(t *testing.T, k client.Conflict) client.Sides {
	t.Helper()
	s, err := m.syncer("").Sides(t.Context(), k)
	must(t, err)
	return s
}

// apart makes a team of two of which ben has a conflict at each path: the server
// has "ann's", and he wrote "ben's".
func apart(t *testing.T, paths ...string) (tm *team, a, b *member) {
	t.Helper()
	files := map[string]string{}
	for _, p := range paths {
		files[p] = "base of " + p + "\n"
	}
	tm, a, b = together(t, files)
	for _, p := range paths {
		a.write(t, p, "ann's "+p+"\n")
		b.write(t, p, "ben's "+p+"\n")
	}
	a.sync(t)
	if r := b.sync(t); len(r.Conflicts) != len(paths) {
		t.Fatalf("conflicts %v, want one for each of %q", r.Conflicts, paths)
	}
	return tm, a, b
}

// S27: however a conflict is resolved, the entry is there for everybody, and no
// text is gone.
func TestScenario_S27_ResolvingNeverDeletes(t *testing.T) {
	t.Parallel()
	tm, a, b := apart(t, "theirs.md", "ours.md", "both.md", "text.md")
	open := b.open(t)
	text := client.Resolution{Take: client.TakeText, Text: []byte("of both\n"), Seen: b.sides(t, open["text.md"])}
	want := client.Sides{Path: key(t, "text.md"), Base: []byte("base of text.md\n"), Ours: []byte("ben's text.md\n"), Theirs: []byte("ann's text.md\n")}
	if diff := cmp.Diff(want, text.Seen, cmp.Comparer(func(x, y memory.Path) bool { return x == y })); diff != "" {
		t.Errorf("sides (-want +got):\n%s", diff)
	}
	got := map[string]string{
		"theirs": b.resolve(t, open["theirs.md"], client.Resolution{Take: client.TakeTheirs}),
		"ours":   b.resolve(t, open["ours.md"], client.Resolution{Take: client.TakeOurs}),
		"both":   b.resolve(t, open["both.md"], client.Resolution{Take: client.TakeBoth}),
		"text":   b.resolve(t, open["text.md"], text),
	}
	if diff := cmp.Diff(map[string]string{"theirs": "", "ours": "ours.md", "both": "both-2.md", "text": "text.md"}, got); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	if r := b.sync(t); len(r.Conflicts) > 0 {
		t.Errorf("conflicts %v, want none", r.Conflicts)
	}
	a.sync(t)
	has(t, a, map[string]string{
		"theirs.md": "ann's theirs.md\n", "ours.md": "ben's ours.md\n", "both.md": "ann's both.md\n", "both-2.md": "ben's both.md\n",
		"text.md": "of both\n",
	})
	tm.equal(t, a, b)
	for p := range open {
		if place := b.kept(t, "ben's "+p+"\n"); place != "trash" {
			t.Errorf("ben's %s is in %q, want the trash", p, place)
		}
	}
	if left := filesBelow(t, path.Join(b.dirs.Data, "conflicts")); len(left) > 0 {
		t.Errorf("%q is left of closed conflicts", left)
	}
}

// S28: a text that loses again and again is kept once, in no tree, and is itself
// in no conflict.
func TestScenario_S28_NoConflictStorm(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "base\n"})
	c := tm.join(t, "cem")
	c.sync(t)
	for round := range 20 {
		a.write(t, "a.md", fmt.Sprintf("ann's %d\n", round))
		a.sync(t)
		if round < 3 { // later rounds find what there is
			b.write(t, "a.md", "ben's\n")
			c.write(t, "a.md", "cem's\n")
		}
		b.sync(t)
		c.sync(t)
	}
	tm.equal(t, a, b, c)
	has(t, c, map[string]string{"a.md": "ann's 19\n"})
	for m, want := range map[*member]string{a: "", b: "ben's\n", c: "cem's\n"} {
		var texts []string
		for name, text := range filesBelow(t, path.Join(m.dirs.Data, "conflicts")) {
			if strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, ".base.md") {
				texts = append(texts, text)
			}
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("the conflict store has %q, want %q", got, want)
		}
	}
	there, err := tm.store.Conflicts(t.Context(), tm.project.ID, memory.ConflictQuery{Limit: 100})
	must(t, err)
	if len(there) != 2 {
		t.Errorf("the server has %d conflicts, want one for each text: %v", len(there), there)
	}
}

// S29: fifteen texts that lost at one path are all there, under names that every
// file system takes.
func TestScenario_S29_NoConflictPruned(t *testing.T) {
	t.Parallel()
	_, a, b := together(t, map[string]string{"notes/a.md": "base\n"})
	want := map[string]bool{}
	for n := range 15 {
		a.write(t, "notes/a.md", fmt.Sprintf("ann's %d\n", n))
		b.write(t, "notes/a.md", fmt.Sprintf("ben's %d\n", n))
		a.sync(t)
		b.sync(t)
		want[fmt.Sprintf("ben's %d\n", n)] = true
	}
	all, err := b.dirs.Conflicts(b.link)
	must(t, err)
	got, legal := map[string]bool{}, regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z-[A-Za-z0-9]{1,8}-[0-9a-f]{8}\.md$`)
	for _, k := range all {
		found, err := client.Choose(all, k.ID)
		must(t, err)
		got[string(b.sides(t, found).Ours)] = true
		if name := path.Base(k.File); !legal.MatchString(name) || k.Path.String() != "notes/a.md" {
			t.Errorf("%s is kept as %q", k.Path, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("retrievable (-want +got):\n%s", diff)
	}
}
