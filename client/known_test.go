package client_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

func (m *member) known(t testing.TB) client.Known {
	t.Helper()
	k, err := m.dirs.Known(m.link)
	must(t, err)
	return k
}

// byAuthor tells of each known entry who wrote it.
func byAuthor(k client.Known) map[string]string {
	authors := map[string]string{}
	for _, e := range k.Entries {
		authors[e.Path.String()] = e.Author
	}
	return authors
}

// Everybody knows the same of each entry: who wrote its newest revision, and
// when by the server's clock, whether it was pulled, pushed or found in the
// manifest. A pulled file has that time.
func TestKnown_Origin(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "a.md", "a\n")
	a.write(t, "sub/both.md", "1\n")
	a.write(t, "old.md", "moved\n")
	a.sync(t)
	b.sync(t)
	b.write(t, "sub/both.md", "2\n")
	b.write(t, "b.md", "b\n")
	b.rename(t, "old.md", "new.md")
	b.sync(t)
	a.sync(t)

	want := map[string]string{"a.md": "ann", "sub/both.md": "ben", "b.md": "ben", "new.md": "ben"}
	served := a.known(t).Entries
	if diff := cmp.Diff(want, byAuthor(a.known(t))); diff != "" {
		t.Errorf("authors (-want +got):\n%s", diff)
	}
	compare := func(when string, m *member) {
		t.Helper()
		if diff := cmp.Diff(served, m.known(t).Entries, cmp.AllowUnexported(memory.Path{})); diff != "" {
			t.Errorf("%s (-ann +%s):\n%s", when, m.id.Name, diff)
		}
	}
	compare("after pushes", b)
	for _, e := range served {
		entry, err := tm.store.EntryAt(t.Context(), tm.project.ID, e.Path)
		must(t, err)
		if !e.At.Equal(entry.UpdatedAt) || e.Rev != entry.Rev || e.EntryID != entry.ID || e.Sum != entry.Sum || e.Disk != e.Path.String() {
			t.Errorf("known is %+v, the server has %+v", e, entry)
		}
	}
	both, err := os.Stat(filepath.Join(a.tree(), "sub", "both.md"))
	must(t, err)
	if at := entryAt(served, "sub/both.md").At; !both.ModTime().Equal(at) {
		t.Errorf("the pulled file is of %s, its revision of %s", both.ModTime(), at)
	}

	must(t, os.Remove(b.index()))
	b.sync(t)
	compare("after the feed from its start", b)
	tm.between(goneFeed)
	b.sync(t)
	tm.between(nil)
	compare("after the manifest", b)
}

func entryAt(entries []client.KnownEntry, path string) client.KnownEntry {
	for _, e := range entries {
		if e.Path.String() == path {
			return e
		}
	}
	return client.KnownEntry{}
}

// What is merged is the work of whoever merged it.
func TestKnown_Merged(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "MEMORY.md", "- [one](one.md)\n")
	a.sync(t)
	b.sync(t)
	a.write(t, "MEMORY.md", "- [one](one.md)\n- [ann](ann.md)\n")
	b.write(t, "MEMORY.md", "- [one](one.md)\n- [ben](ben.md)\n")
	a.sync(t)
	b.sync(t)
	a.sync(t)
	if diff := cmp.Diff(a.known(t).Entries, b.known(t).Entries, cmp.AllowUnexported(memory.Path{})); diff != "" {
		t.Errorf("-ann +ben:\n%s", diff)
	}
	if e := a.known(t).Entries[0]; e.Author != "ben" || e.At.IsZero() {
		t.Errorf("known is %+v, want it to be ben's", e)
	}
}

// There is something to say of every state that the index can be in, and
// nobody has to wait for it.
func TestKnown_Index(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	if k := a.known(t); len(k.Notices) != 1 || len(k.Entries) != 0 || !k.LastSync.IsZero() {
		t.Errorf("before the first sync: %+v", k)
	}
	a.write(t, "secret.md", mark+"\n")
	a.write(t, "x.md", "1\n")
	a.sync(t)
	b.sync(t)
	a.write(t, "x.md", "ann's\n")
	b.write(t, "x.md", "ben's\n")
	b.sync(t)
	a.sync(t)
	k := a.known(t)
	if len(k.Notices) != 0 || len(k.Entries) != 1 || k.LastSync.IsZero() || k.Cursor.IsZero() || k.Link != a.link {
		t.Errorf("known is %+v", k)
	}
	if len(k.Refused) != 1 || k.Refused[0].File != "secret.md" || k.Refused[0].Problem.Code != memory.CodeSecretFound {
		t.Errorf("refused %+v, want secret.md", k.Refused)
	}
	if len(k.Conflicts) != 1 || k.Conflicts[0].Path.String() != "x.md" {
		t.Errorf("conflicts %+v, want x.md", k.Conflicts)
	}
	must(t, os.WriteFile(a.index(), []byte("teammem index\x09"), 0o600))
	if k := a.known(t); len(k.Notices) != 1 || len(k.Entries) != 0 || len(k.Conflicts) != 1 {
		t.Errorf("with a damaged index: %+v", k)
	}
}

// An index of the version before is brought up to date by one look at the
// manifest; nothing is lost, and what was deleted here stays deleted.
func TestKnown_AfterUpgrade(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "a.md", "a\n")
	a.write(t, "gone.md", "gone\n")
	a.sync(t)
	b.sync(t)
	client.ForgetOrigins(t, b.index())
	b.remove(t, "gone.md")
	b.write(t, "b.md", "b\n")
	if diff := cmp.Diff(map[string]string{"a.md": "", "gone.md": ""}, byAuthor(b.known(t))); diff != "" {
		t.Errorf("known from the old index (-want +got):\n%s", diff)
	}
	if r := b.sync(t); len(r.Notices) != 0 {
		t.Errorf("notices %q", r.Notices)
	}
	if diff := cmp.Diff(map[string]string{"a.md": "ann", "b.md": "ben"}, byAuthor(b.known(t))); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	if r := b.sync(t); r.Requests != 1 {
		t.Errorf("%d requests in the run after that, want 1", r.Requests)
	}
	a.sync(t)
	tm.equal(t, a, b)
}

// A list of another history is not taken for one of which most was deleted.
func TestKnown_AfterUpgradeAndReset(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a.md", "a\n")
	a.sync(t)
	client.ForgetOrigins(t, a.index())
	tm.between(alter(t, "manifest", func(m *wire.Manifest) { m.Epoch = "another" }))
	if r, err := a.try(t.Context()); err == nil || r.Proven {
		t.Errorf("proven %t, %v; want an error", r.Proven, err)
	}
	if got := a.files(t); len(got) != 1 {
		t.Errorf("the tree has %q", got)
	}
}

// A run tells only of what was there when it began: a file that came later may
// not have been seen, so it counts as not synced yet.
func TestKnown_LastSyncIsWhenItBegan(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	began := time.Now()
	var sending time.Time
	tm.onPush(func(int) { sending = time.Now() })
	a.write(t, "a.md", "a\n")
	a.sync(t)
	if last := a.known(t).LastSync; last.Before(began) || !last.Before(sending) {
		t.Errorf("last sync %s, want it from %s until %s", last, began, sending)
	}
}

func BenchmarkKnown(b *testing.B) {
	const entries = 1000
	a := benchTree(b, entries)
	a.sync(b)
	b.ReportAllocs()
	start := time.Now()
	for b.Loop() {
		if k := a.known(b); len(k.Entries) != entries {
			b.Fatalf("%d entries", len(k.Entries))
		}
	}
	b.ReportMetric(float64(time.Since(start).Milliseconds())/float64(b.N), "ms/op")
}
