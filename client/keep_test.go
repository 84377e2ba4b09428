package client_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// A file that is written while it is being replaced keeps both texts.
func TestKeep_WrittenMeanwhile(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "x.md", "one\n")
	a.sync(t)
	b.sync(t)
	a.write(t, "x.md", "two\n")
	a.sync(t)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, "/changes") {
			tm.between(nil)
			b.write(t, "x.md", "ben's\n") // perhaps after the scan
		}
	})
	_, err := b.try(t.Context())
	must(t, err)
	b.sync(t)
	a.sync(t)
	tm.equal(t, a, b)
	if b.kept(t, "ben's\n") != "conflicts" {
		t.Errorf("ben's text is in %q", b.kept(t, "ben's\n"))
	}
}

// What an interrupted run moved aside is kept: in the trash if the server has
// it, else in the conflict store. It may also go back to its name.
func TestKeep_Leftovers(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "x.md", "known\n")
	a.sync(t)
	must(t, os.WriteFile(filepath.Join(a.tree(), ".teammem-0011223344556677.old"), []byte("mine alone\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(a.tree(), ".teammem-0011223344556688.old"), []byte("known\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(a.tree(), ".teammem-0011223344556699.tmp"), []byte("half"), 0o600))
	r := a.sync(t)
	if a.kept(t, "mine alone\n") != "conflicts" || len(r.Conflicts) != 1 {
		t.Errorf("the only copy is in %q, conflicts %v", a.kept(t, "mine alone\n"), r.Conflicts)
	}
	if a.kept(t, "known\n") != "trash" {
		t.Errorf("the known text is in %q", a.kept(t, "known\n"))
	}
	tm.equal(t, a)
}

// The texts of many files that go at once, or are replaced, are in the trash, each
// of them once; what a member wrote is not among them.
func TestKeep_Many(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	name := func(i int) string { return fmt.Sprintf("notes/%02d.md", i) }
	for i := range 40 {
		a.write(t, name(i), fmt.Sprintf("text %d\n", i))
	}
	a.write(t, "stays.md", "as it is\n")
	a.sync(t)
	b.sync(t)
	for i := range 40 {
		if i%2 == 0 {
			a.remove(t, name(i))
			continue
		}
		a.write(t, name(i), fmt.Sprintf("edited %d\n", i))
	}
	a.allow(t, 20)
	b.write(t, name(1), "ben's\n")
	r, err := b.syncer("").Sync(t.Context(), client.SyncOptions{AllowDeletes: 20})
	must(t, err)
	if len(r.Conflicts) != 1 || b.kept(t, "ben's\n") != "conflicts" {
		t.Errorf("ben's text is in %q, conflicts %v", b.kept(t, "ben's\n"), r.Conflicts)
	}
	tm.equal(t, a, b)
	var want, got []string
	for i := range 40 {
		if i != 1 {
			want = append(want, fmt.Sprintf("text %d\n", i))
		}
	}
	for file, text := range filesBelow(t, b.dirs.Data) {
		if strings.HasPrefix(file, "trash/") {
			got = append(got, text)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in the trash (-want +got):\n%s", diff)
	}
}

// Everything that a text went through stays findable, on one side or the other.
func TestKeep_DeletedByTeamMate(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "gone.md", "as shared\n")
	a.write(t, "edited.md", "as shared too\n")
	a.sync(t)
	b.sync(t)
	b.remove(t, "gone.md")
	b.remove(t, "edited.md")
	b.allow(t, 2)
	a.write(t, "edited.md", "edited by ann\n")
	r := a.sync(t)
	if _, there := a.files(t)["gone.md"]; there || a.kept(t, "as shared\n") != "trash" {
		t.Errorf("gone.md: tree %q, kept in %q", a.files(t), a.kept(t, "as shared\n"))
	}
	if tm.served(t)["edited.md"] != "edited by ann\n" || len(r.Notices) == 0 {
		t.Errorf("the edit was lost or not told of: %q, %q", tm.served(t), r.Notices)
	}
	b.sync(t)
	tm.equal(t, a, b)

	// An index that is lost does not bring back what was deleted.
	a.write(t, "gone.md", "as shared\n")
	must(t, os.Remove(a.index()))
	a.sync(t)
	if _, there := tm.served(t)["gone.md"]; there {
		t.Error("a stale file brought a deleted entry back")
	}
	if a.kept(t, "as shared\n") != "trash" {
		t.Errorf("its text is in %q", a.kept(t, "as shared\n"))
	}
	tm.equal(t, a)
}

// A lost index, a damaged one and a cut one: equal files are adopted, nothing is
// deleted or sent, and stale files are replaced.
func TestIndex_Lost(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"cut":       func(b []byte) []byte { return b[:len(b)/2] },
		"flipped":   func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"other":     func([]byte) []byte { return []byte("something else entirely") },
		"a version": func(b []byte) []byte { b[len("teammem index")]++; return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			a, b := tm.join(t, "ann"), tm.join(t, "ben")
			for n := range 20 {
				a.write(t, numbered(n), "text "+numbered(n)+"\n")
			}
			a.write(t, "stale.md", "1\n")
			a.write(t, "mine.md", "1\n")
			a.sync(t)
			b.sync(t)
			b.write(t, "stale.md", "2\n")
			b.sync(t)
			a.write(t, "mine.md", "edited\n")

			raw, err := os.ReadFile(a.index())
			must(t, err)
			must(t, os.WriteFile(a.index(), spoil(raw), 0o600))
			a.sync(t)
			a.sync(t)
			if got := tm.served(t); len(got) != 22 || got["stale.md"] != "2\n" || got["mine.md"] != "1\n" {
				t.Errorf("the server has %q", got)
			}
			if a.kept(t, "1\n") != "trash" || a.kept(t, "edited\n") != "conflicts" {
				t.Errorf("the stale text is in %q, the edited one in %q", a.kept(t, "1\n"), a.kept(t, "edited\n"))
			}
			tm.equal(t, a)
		})
	}
}

// A run may be cut off before any request, and its index may not be written: a
// crash at that point. The next run ends in sync, and no text is lost.
func TestCrash_AtEveryRequest(t *testing.T) {
	t.Parallel()
	for cut := int64(1); ; cut++ {
		tm := newTeam(t, memory.Limits{FeedPage: 3})
		a, b := tm.join(t, "ann"), tm.join(t, "ben")
		texts := workload(t, a, b)
		ctx, crash := context.WithCancel(t.Context())
		var requests atomic.Int64 // some are asked at the same time
		tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			n := requests.Add(1)
			next.ServeHTTP(w, r)
			if n == cut {
				crash() // the answer is there, or on its way
			}
		})
		before, err := os.ReadFile(a.index())
		must(t, err)
		_, err = a.try(ctx)
		crash()
		tm.between(nil)
		if cut%2 == 0 { // as if the process had died before it wrote the index
			must(t, os.WriteFile(a.index(), before, 0o600))
		}
		a.sync(t)
		b.sync(t)
		a.sync(t)
		tm.equal(t, a, b)
		for _, text := range texts {
			if !slices.Contains(slices.Collect(maps.Values(a.files(t))), text) && a.kept(t, text) == "" {
				t.Errorf("cut %d: %q is nowhere", cut, text)
			}
		}
		if requests.Load() < cut {
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
}

// workload brings two members to where a sync of the first has all kinds of
// ops to do, and returns the texts that only it has.
func workload(t *testing.T, a, b *member) []string {
	t.Helper()
	for _, p := range []string{"both.md", "theirs.md", "mine.md", "moved.md", "moves.md", "mydelete.md", "theirdelete.md", "edited.md", "big.md"} {
		a.write(t, p, "base of "+p+"\n")
	}
	a.write(t, "MEMORY.md", "- [one](one.md)\n- [two](two.md)\n")
	a.sync(t)
	b.sync(t)
	b.write(t, "both.md", "ben's\n")
	b.write(t, "theirs.md", "ben's\n")
	b.write(t, "big.md", strings.Repeat("ben wrote a lot\n", 5000)) // not inline
	b.write(t, "new.md", "new\n")
	b.write(t, "MEMORY.md", "- [one](one.md)\n- [two](two.md)\n- [ben](ben.md)\n")
	b.rename(t, "moves.md", "sub/moved-by-ben.md")
	b.remove(t, "theirdelete.md")
	b.remove(t, "edited.md")
	b.sync(t)
	texts := []string{"ann's both\n", "ann's mine\n", "ann's new\n", "ann's edited\n"}
	a.write(t, "both.md", texts[0])
	a.write(t, "mine.md", texts[1])
	a.write(t, "mynew.md", texts[2])
	a.write(t, "edited.md", texts[3])
	a.write(t, "MEMORY.md", "- [one](one.md)\n- [ann](ann.md)\n- [two](two.md)\n")
	a.rename(t, "moved.md", "sub/moved-by-ann.md")
	a.remove(t, "mydelete.md")
	return texts
}
