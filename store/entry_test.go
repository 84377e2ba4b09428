package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func TestEntries_Filters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gone := b.push(t, put(t, "a/gone.md", "x")).Verdicts[0]
	b.push(t, remove(t, "a/gone.md", gone),
		put(t, "a/one.md", "---\ntype: user\n---\n1"), put(t, "a/two.md", "2"), put(t, "ab.md", "3"), put(t, "b/three.md", "4"))
	ole := b.addMember(t, "Ole")
	batch := b.batch(put(t, "a/four.md", "5"))
	batch.By.Member = ole.ID
	_, err := b.Push(t.Context(), batch)
	must(t, err)

	for _, tc := range []struct {
		name string
		q    memory.EntryQuery
		want []string
	}{
		{"all", memory.EntryQuery{}, []string{"a/four.md", "a/one.md", "a/two.md", "ab.md", "b/three.md"}},
		{"prefix of a folder", memory.EntryQuery{Prefix: "a/"}, []string{"a/four.md", "a/one.md", "a/two.md"}},
		{"prefix of a name", memory.EntryQuery{Prefix: "a"}, []string{"a/four.md", "a/one.md", "a/two.md", "ab.md"}},
		{"kind", memory.EntryQuery{Kind: memory.KindUser}, []string{"a/one.md"}},
		{"author", memory.EntryQuery{Author: ole.ID}, []string{"a/four.md"}},
		{"after", memory.EntryQuery{After: parse(t, "a/one.md"), Limit: 2}, []string{"a/two.md", "ab.md"}},
		{"after in prefix", memory.EntryQuery{Prefix: "a/", After: parse(t, "a/one.md")}, []string{"a/two.md"}},
		{"no match", memory.EntryQuery{Prefix: "zz"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.q.Limit == 0 {
				tc.q.Limit = 100
			}
			entries, err := b.Entries(t.Context(), b.project.ID, tc.q)
			must(t, err)
			var got []string
			for _, e := range entries {
				got = append(got, e.Path.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

func TestManifest_ProvesItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.push(t, put(t, "b.md", "two"), put(t, "Über.md", "ü"), put(t, "a/z.md", "one"), put(t, "c.md", "three"))
	b.push(t, remove(t, "c.md", r.Verdicts[3]), move(t, "b.md", "d.md", r.Verdicts[0]))
	head, entries, err := b.Manifest(t.Context(), b.project.ID)
	must(t, err)
	var digest memory.Digest
	var paths []string
	for _, e := range entries {
		digest.Add(e.Path, e.Sum)
		paths = append(paths, e.Path.String())
	}
	if diff := cmp.Diff([]string{"a/z.md", "d.md", "Über.md"}, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if digest != head.Digest || head.Seq != 6 {
		t.Errorf("the manifest at %d does not have the head's digest", head.Seq)
	}
	_, _, err = b.Manifest(t.Context(), memory.NewProjectID())
	wantCode(t, err, memory.CodeNotFound)
}

func TestEntryAt_ExactPathOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.push(t, put(t, "Notes.md", "text"), put(t, "gone.md", "text"))
	b.push(t, remove(t, "gone.md", r.Verdicts[1]))
	e, err := b.EntryAt(t.Context(), b.project.ID, parse(t, "Notes.md"))
	must(t, err)
	if e.ID != r.Verdicts[0].EntryID || e.Deleted {
		t.Errorf("entry = %+v", e)
	}
	for _, path := range []string{"notes.md", "gone.md", "other.md"} {
		_, err := b.EntryAt(t.Context(), b.project.ID, parse(t, path))
		wantCode(t, err, memory.CodeNotFound)
	}
	_, err = b.Entry(t.Context(), b.project.ID, memory.NewEntryID())
	wantCode(t, err, memory.CodeNotFound)
}

// An id of one project means nothing in another.
func TestProjectsAreApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "a.md", "text")).Verdicts[0]
	other := b.addProject(t, "acme/other").ID
	_, err := b.Entry(t.Context(), other, v.EntryID)
	wantCode(t, err, memory.CodeNotFound)
	_, err = b.EntryAt(t.Context(), other, parse(t, "a.md"))
	wantCode(t, err, memory.CodeNotFound)
	found, err := b.Revisions(t.Context(), other, []memory.RevisionRef{{EntryID: v.EntryID, Rev: v.Rev}}, 100)
	must(t, err)
	history, err := b.History(t.Context(), other, v.EntryID, 0, 10)
	must(t, err)
	if len(found)+len(history) > 0 {
		t.Error("another project's revisions were found")
	}
	h, err := b.Heads(t.Context(), other, b.batch(put(t, "a.md", "text")).Lookups())
	must(t, err)
	if len(h.Entries)+len(h.Earlier)+len(h.Folders) > 0 {
		t.Error("another project's heads were found")
	}
}

func TestRevisions_StopAtTheLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.push(t, put(t, "a.md", strings.Repeat("a", 10)), put(t, "b.md", strings.Repeat("b", 10)), put(t, "c.md", strings.Repeat("c", 10)))
	ref := func(i int) memory.RevisionRef {
		return memory.RevisionRef{EntryID: r.Verdicts[i].EntryID, Rev: r.Verdicts[i].Rev}
	}
	unknown := memory.RevisionRef{EntryID: memory.NewEntryID(), Rev: 1}
	for _, tc := range []struct {
		name string
		refs []memory.RevisionRef
		most int
		want string
	}{
		{"in the order asked", []memory.RevisionRef{ref(2), ref(0), ref(1)}, 100, "cab"},
		{"the first always", []memory.RevisionRef{ref(1), ref(0)}, 5, "b"},
		{"exactly full is not above", []memory.RevisionRef{ref(0), ref(1), ref(2)}, 10, "ab"},
		{"unknown left out", []memory.RevisionRef{unknown, ref(0), {EntryID: ref(0).EntryID, Rev: 99}}, 100, "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found, err := b.Revisions(t.Context(), b.project.ID, tc.refs, tc.most)
			must(t, err)
			got := ""
			for _, f := range found {
				got += string(f.Content[:1])
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestHistory_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "a.md", "0")).Verdicts[0]
	for _, text := range []string{"1", "2", "3"} {
		v = b.push(t, edit(t, "a.md", text, v)).Verdicts[0]
	}
	for _, tc := range []struct {
		name  string
		below int64
		limit int
		want  []int64
	}{
		{"newest", 0, 2, []int64{4, 3}},
		{"next", 3, 2, []int64{2, 1}},
		{"end", 1, 2, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found, err := b.History(t.Context(), b.project.ID, v.EntryID, tc.below, tc.limit)
			must(t, err)
			var got []int64
			for _, f := range found {
				got = append(got, f.Rev)
				if f.Content != nil {
					t.Errorf("revision %d came with its content", f.Rev)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("revs (-want +got):\n%s", diff)
			}
		})
	}
}
