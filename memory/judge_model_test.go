package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/sanitize"
)

// world is the naive idea of a project: a store that forgets nothing and reads
// everything.
type world struct {
	head    Head
	entries map[EntryID]EntryHead
	said    []Earlier
	minted  int
}

func newWorld() *world { return &world{head: Head{Epoch: "e1"}, entries: map[EntryID]EntryHead{}} }

// heads reads what a store would read for the batch, and no more.
func (w *world) heads(b Batch) Heads {
	l := b.Lookups()
	h := Heads{Head: w.head}
	for _, e := range w.sorted() {
		if e.DeletedRev == 0 {
			h.Live++
		}
		if !slices.Contains(l.EntryIDs, e.ID) && !slices.Contains(l.PathKeys, e.Path.Skeleton()) {
			continue
		}
		h.Entries = append(h.Entries, e)
		for _, s := range w.said {
			if s.EntryID == e.ID && slices.Contains(l.Sums, s.Sum) {
				h.Earlier = append(h.Earlier, s)
			}
		}
	}
	for _, key := range l.FolderKeys {
		f := FolderHead{Key: key}
		for _, e := range w.sorted() {
			if e.DeletedRev == 0 && strings.HasPrefix(e.Path.Skeleton(), key+"/") {
				f.Path = e.Path
				f.Live = min(f.Live+1, l.Leaving+1) // as much as a store has to count
			}
		}
		if f.Live > 0 {
			h.Folders = append(h.Folders, f)
		}
	}
	return h
}

func (w *world) sorted() []EntryHead {
	return slices.SortedFunc(maps.Values(w.entries), func(a, b EntryHead) int { return int(a.Rev - b.Rev) })
}

// apply stores what was decided, as the store's tables would.
func (w *world) apply(t *rapid.T, j Judgement) {
	for _, s := range j.Stored {
		before, known := w.entries[s.EntryID]
		if s.Created == known {
			t.Fatalf("rev %d: created is %v of an entry that is known: %v", s.Rev, s.Created, known)
		}
		if s.BaseRev != before.Rev || s.Before != before.Sum {
			t.Fatalf("rev %d follows %d, but the entry is at %d", s.Rev, s.BaseRev, before.Rev)
		}
		moved := known && before.DeletedRev == 0 && before.Path != s.Path
		if s.Previous.IsZero() == moved || (moved && s.Previous != before.Path) {
			t.Fatalf("rev %d: previous %q of an entry that was at %q and is at %q", s.Rev, s.Previous, before.Path, s.Path)
		}
		e := EntryHead{ID: s.EntryID, Path: s.Path, Rev: s.Rev, Sum: s.Sum, Size: before.Size}
		switch s.Action {
		case ActionPut:
			e.Size = s.Write.Content.Size()
			w.said = append(w.said, Earlier{e.ID, e.Rev, e.Sum})
		case ActionDelete:
			e.DeletedRev = s.Rev
		default: // a move has its path already
		}
		w.entries[e.ID] = e
		if w.head.Seq++; s.Rev != w.head.Seq {
			t.Fatalf("rev %d where %d was due", s.Rev, w.head.Seq)
		}
	}
	w.head = j.Head
}

// check holds the project to what must always be true of it.
func (w *world) check(t *rapid.T, j Judgement) {
	var digest Digest
	live, keys, spellings := 0, map[string]Path{}, map[string]string{}
	for _, e := range w.sorted() {
		if e.DeletedRev > 0 {
			continue
		}
		live++
		digest.Add(e.Path, e.Sum)
		if other, taken := keys[e.Path.Skeleton()]; taken {
			t.Fatalf("%q and %q are one name", other, e.Path)
		}
		keys[e.Path.Skeleton()] = e.Path
		for folder := e.Path.Dir(); folder != ""; folder = StoredPath(folder).Dir() {
			skeleton := sanitize.Skeleton(folder)
			if other, ok := spellings[skeleton]; ok && other != folder {
				t.Fatalf("one folder is spelled %q and %q", other, folder)
			}
			spellings[skeleton] = folder
		}
	}
	if digest != j.Head.Digest {
		t.Fatalf("digest is not the sum over the live entries")
	}
	if live != j.Live {
		t.Fatalf("%d live, want %d", j.Live, live)
	}
	if n := len(j.Stored); n > 0 && j.Stored[n-1].Digest != digest {
		t.Fatalf("the last change has another digest than the head")
	}
}

// verdicts holds every answer to what was stored.
func verdicts(t *rapid.T, b Batch, j Judgement) {
	published := map[int]Stored{}
	for _, s := range j.Stored {
		published[s.Item] = s
	}
	for i, v := range j.Verdicts {
		s, stored := published[i]
		if stored != (v.Ruling == RulingPublished) {
			t.Fatalf("op %d is %s, stored: %v", i, v.Ruling, stored)
		}
		if stored && (v.Rev != s.Rev || v.EntryID != s.EntryID || v.Sum != s.Sum) {
			t.Fatalf("op %d was stored as %+v and answered with %+v", i, s, v)
		}
		if (v.Problem != nil) != (v.Ruling == RulingRefused) || (v.Ruling == RulingConflict && v.Current == nil) {
			t.Fatalf("op %d: an answer without its reason: %+v", i, v)
		}
	}
	if len(j.Verdicts) != len(b.Items) {
		t.Fatalf("%d verdicts on %d ops", len(j.Verdicts), len(b.Items))
	}
}

func modelPaths(tb interface{ Fatal(...any) }) (all []Path) {
	for _, key := range []string{
		"a.md", "A.md", "b.md", "c.md", "ß.md", "SS.md", "f/a.md", "F/a.md", "f/b.md", "F/c.md", "f/g/a.md", "f/G/b.md", "h/a.md",
	} {
		p, err := ParsePath(key)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// op draws an op, mostly one that a client with some idea of the project could
// ask for.
func (w *world) op(t *rapid.T, paths []Path) Write {
	o := Write{
		Action:     rapid.SampledFrom([]Action{ActionPut, ActionPut, ActionMove, ActionMove, ActionDelete}).Draw(t, "action"),
		Path:       rapid.SampledFrom(paths).Draw(t, "path"),
		AllowEmpty: rapid.IntRange(0, 9).Draw(t, "allow empty") == 0,
	}
	w.minted++
	o.NewID = EntryID(fmt.Sprintf("ent_%d", w.minted))
	if known := w.sorted(); len(known) > 0 && rapid.IntRange(0, 3).Draw(t, "of a known entry") > 0 {
		w.about(t, &o, rapid.SampledFrom(known).Draw(t, "entry"))
	}
	switch o.Action {
	case ActionPut:
		o.Content = clean(rapid.SampledFrom([]string{"one", "two", "three", " "}).Draw(t, "text"))
		o.AbsentAt = Cursor{rapid.SampledFrom([]string{"", "e1", "e0"}).Draw(t, "epoch"), rapid.Int64Range(0, w.head.Seq).Draw(t, "absent at")}
	case ActionMove:
		if o.Previous.IsZero() {
			o.Previous = rapid.SampledFrom(paths).Draw(t, "previous")
		}
	default: // a delete needs no more
	}
	return o
}

// about makes the op one on an entry.
func (w *world) about(t *rapid.T, o *Write, e EntryHead) {
	if rapid.Bool().Draw(t, "by id") {
		o.EntryID = e.ID
	}
	o.Previous = e.Path
	if o.Action == ActionDelete || rapid.Bool().Draw(t, "stays") {
		o.Path = e.Path
	}
	switch rapid.IntRange(0, 9).Draw(t, "base") {
	case 0:
		o.BaseRev = rapid.Int64Range(0, w.head.Seq+2).Draw(t, "rev")
	case 1:
		o.BaseRev, o.BaseSum = e.Rev, Sum([]byte("another history"))
	case 2:
		o.BaseRev = 0
	default:
		o.BaseRev, o.BaseSum = e.Rev, e.Sum
	}
}

// Whatever is pushed, in whatever order: names stay apart, numbers dense, the
// digest right, and an answer says what happened.
func TestJudge_Model(t *testing.T) {
	t.Parallel()
	paths := modelPaths(t)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			b := Batch{Epoch: "e1", Quota: rapid.SampledFrom([]int{0, 3, 100}).Draw(t, "quota")}
			for range rapid.IntRange(1, 8).Draw(t, "ops") {
				b.Items = append(b.Items, Item{Write: w.op(t, paths)})
			}
			j := Judge(b, w.heads(b))
			verdicts(t, b, j)
			w.apply(t, j)
			w.check(t, j)
		}
	})
}

// A push that is sent twice, by somebody who states what they saw, stores
// nothing the second time.
func TestJudge_SentTwice(t *testing.T) {
	t.Parallel()
	paths := modelPaths(t)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for range rapid.IntRange(1, 8).Draw(t, "batches") {
			var b Batch
			for range rapid.IntRange(1, 6).Draw(t, "ops") {
				o := w.op(t, paths)
				if o.BaseRev > w.head.Seq {
					o.BaseRev = 0 // nobody has seen what is yet to come
				}
				b.Items = append(b.Items, Item{Write: o})
			}
			first := Judge(b, w.heads(b))
			w.apply(t, first)
			again := Judge(b, w.heads(b))
			for _, s := range again.Stored { // what was refused may pass now that others made room
				if first.Verdicts[s.Item].Ruling == RulingPublished {
					t.Fatalf("op %d was published twice: %+v", s.Item, s)
				}
			}
			w.apply(t, again)
			w.check(t, again)
		}
	})
}

// Any set of entries can trade names in one push, in any order of the ops.
func TestJudge_PermutesNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "entries")
		w := newWorld()
		var first Batch
		for i := range n {
			p, err := ParsePath(fmt.Sprintf("f/%c.md", 'a'+i))
			if err != nil {
				t.Fatal(err)
			}
			first.Items = append(first.Items, Item{Write: Write{
				Action: ActionPut, Path: p, NewID: EntryID(fmt.Sprintf("ent_%d", i)), Content: clean(fmt.Sprint(i)),
			}})
		}
		w.apply(t, Judge(first, w.heads(first)))
		entries := w.sorted()
		targets := rapid.Permutation(slices.Clone(entries)).Draw(t, "targets")
		byPath := rapid.Bool().Draw(t, "by path")
		var moves Batch
		for i, e := range entries {
			o := Write{Action: ActionMove, EntryID: e.ID, Path: targets[i].Path, Previous: e.Path, BaseRev: e.Rev}
			if byPath {
				o.EntryID = ""
			}
			moves.Items = append(moves.Items, Item{Write: o})
		}
		moves.Items = rapid.Permutation(moves.Items).Draw(t, "order")
		j := Judge(moves, w.heads(moves))
		for i, v := range j.Verdicts {
			if v.Ruling != RulingPublished && v.Ruling != RulingSame {
				t.Errorf("%s to %s: %s", moves.Items[i].Write.Previous, moves.Items[i].Write.Path, v.Ruling)
			}
		}
		w.apply(t, j)
		w.check(t, j)
	})
}

// What is refused or in conflict leaves no trace: the others are judged as if
// it had not been sent.
func TestJudge_RefusedLeavesNoTrace(t *testing.T) {
	t.Parallel()
	paths := modelPaths(t)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		for range rapid.IntRange(1, 6).Draw(t, "batches") {
			var b, kept Batch
			for range rapid.IntRange(1, 8).Draw(t, "ops") {
				b.Items = append(b.Items, Item{Write: w.op(t, paths)})
			}
			j := Judge(b, w.heads(b))
			for _, s := range j.Stored {
				kept.Items = append(kept.Items, b.Items[s.Item])
			}
			if diff := cmp.Diff(j.Head, Judge(kept, w.heads(kept)).Head); diff != "" {
				t.Fatalf("head with the others and without (-with +without):\n%s", diff)
			}
			w.apply(t, j)
		}
	})
}
