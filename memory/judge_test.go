package memory

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entryAt is a live head in tests.
func entryAt(t *testing.T, id EntryID, path string, rev int64, text string) EntryHead {
	t.Helper()
	return EntryHead{ID: id, Path: path1(t, path), Rev: rev, Sum: Sum([]byte(text)), Size: len(text)}
}

func deletedAt(t *testing.T, id EntryID, path string, rev int64, text string) EntryHead {
	t.Helper()
	e := entryAt(t, id, path, rev, text)
	e.DeletedRev = rev
	return e
}

func path1(t *testing.T, key string) Path {
	t.Helper()
	p, err := ParsePath(key)
	if err != nil {
		t.Fatalf("parse %q: %v", key, err)
	}
	return p
}

func clean(text string) Clean { return Clean{content: text, sum: Sum([]byte(text)), ruleSet: "test"} }

func put(t *testing.T, id EntryID, path string, baseRev int64, text string) Write {
	t.Helper()
	return Write{Action: ActionPut, EntryID: id, NewID: "ent_new", Path: path1(t, path), BaseRev: baseRev, Content: clean(text)}
}

func move(t *testing.T, id EntryID, from, to string, baseRev int64) Write {
	t.Helper()
	return Write{Action: ActionMove, EntryID: id, Path: path1(t, to), Previous: path1(t, from), BaseRev: baseRev}
}

func remove(t *testing.T, id EntryID, path string, baseRev int64) Write {
	t.Helper()
	return Write{Action: ActionDelete, EntryID: id, Path: path1(t, path), BaseRev: baseRev}
}

// headsOf builds what the store would read for the entries.
func headsOf(seq int64, earlier []Earlier, entries ...EntryHead) Heads {
	h := Heads{Head: Head{Epoch: "e1", Seq: seq}, Entries: entries, Earlier: earlier}
	folders := map[string]FolderHead{}
	for _, e := range entries {
		if e.DeletedRev > 0 {
			continue
		}
		h.Live++
		h.Head.Digest.Add(e.Path, e.Sum)
		key := e.Path.Skeleton()
		for i, c := range key {
			if c == '/' {
				f := folders[key[:i]]
				folders[key[:i]] = FolderHead{Key: key[:i], Path: e.Path, Live: f.Live + 1}
			}
		}
	}
	for _, f := range folders {
		h.Folders = append(h.Folders, f)
	}
	return h
}

func judged(h Heads, writes ...Write) Judgement {
	b := Batch{Epoch: h.Head.Epoch, Quota: 100}
	for _, w := range writes {
		b.Items = append(b.Items, Item{Write: w})
	}
	return Judge(b, h)
}

func TestJudge_Verdicts(t *testing.T) {
	t.Parallel()
	a := func() EntryHead { return entryAt(t, "ent_a", "a.md", 7, "seven") }
	gone := func() EntryHead { return deletedAt(t, "ent_d", "d.md", 8, "eight") }
	before := []Earlier{{"ent_a", 3, Sum([]byte("three"))}, {"ent_d", 2, Sum([]byte("two"))}}
	absent := func(w Write, epoch string, seq int64) Write {
		w.AbsentAt = Cursor{epoch, seq}
		return w
	}
	based := func(w Write, text string) Write {
		w.BaseSum = Sum([]byte(text))
		return w
	}
	for _, tt := range []struct {
		name  string
		write Write
		want  Ruling
		code  Code
		rev   int64
	}{
		{"new entry", put(t, "", "new.md", 0, "x"), RulingPublished, "", 11},
		{"new entry at a deleted path, other text", put(t, "", "d.md", 0, "x"), RulingPublished, "", 11},
		{"edit against the head", put(t, "ent_a", "a.md", 7, "x"), RulingPublished, "", 11},
		{"edit by path against the head", put(t, "", "a.md", 7, "x"), RulingPublished, "", 11},
		{"edit against the head with its text", based(put(t, "ent_a", "a.md", 7, "x"), "seven"), RulingPublished, "", 11},
		{"edit against the head's number but another text", based(put(t, "ent_a", "a.md", 7, "x"), "other"), RulingConflict, "", 0},
		{"edit that renames too", put(t, "ent_a", "b.md", 7, "x"), RulingPublished, "", 11},
		{"back to an earlier text on purpose", put(t, "ent_a", "a.md", 7, "three"), RulingPublished, "", 11},
		{"edit against an older revision", put(t, "ent_a", "a.md", 3, "x"), RulingConflict, "", 0},
		{"lost answer", put(t, "ent_a", "a.md", 3, "seven"), RulingSame, "", 7},
		{"the same text twice", put(t, "", "a.md", 0, "seven"), RulingSame, "", 7},
		{"another text for a taken path", put(t, "", "a.md", 0, "x"), RulingConflict, "", 0},
		{"an earlier text without a base", put(t, "", "a.md", 0, "three"), RulingSuperseded, "", 7},
		{"a text from between base and head", put(t, "ent_a", "a.md", 2, "three"), RulingSuperseded, "", 7},
		{"a text from before the base", put(t, "ent_a", "a.md", 5, "three"), RulingConflict, "", 0},
		{"blank over text", put(t, "ent_a", "a.md", 7, " \n"), RulingRefused, CodeSuspectEmpty, 0},
		{"unknown entry", put(t, "ent_x", "x.md", 4, "x"), RulingRefused, CodeNotFound, 0},
		{"unknown entry, offered anew under its id", put(t, "ent_x", "x.md", 0, "x"), RulingPublished, "", 11},
		{"path that never was, with a base", put(t, "", "x.md", 4, "x"), RulingRefused, CodeNotFound, 0},
		{"deleted path, with a base", put(t, "", "d.md", 4, "x"), RulingConflict, "", 0},

		{"the deleted text, from a tree without a past", put(t, "", "d.md", 0, "eight"), RulingDeleted, "", 8},
		{"an earlier deleted text, from a tree without a past", put(t, "", "d.md", 0, "two"), RulingDeleted, "", 8},
		{"the deleted text, from before the delete", absent(put(t, "", "d.md", 0, "eight"), "e1", 7), RulingDeleted, "", 8},
		{"the deleted text, put back on purpose", absent(put(t, "", "d.md", 0, "eight"), "e1", 8), RulingPublished, "", 11},
		{"the deleted text, seen absent in another history", absent(put(t, "", "d.md", 0, "eight"), "e0", 99), RulingDeleted, "", 8},
		{"edit of a deleted entry", put(t, "ent_d", "d.md", 5, "x"), RulingConflict, "", 0},
		{"a text from between the base and the delete", put(t, "ent_d", "d.md", 1, "two"), RulingDeleted, "", 8},
		{"a text from before the base of a deleted entry", put(t, "ent_d", "d.md", 5, "two"), RulingConflict, "", 0},
		{"revived against the delete", put(t, "ent_d", "d.md", 8, "eight"), RulingPublished, "", 11},
		{"revived against the delete of another history", based(put(t, "ent_d", "d.md", 8, "x"), "other"), RulingConflict, "", 0},
		{"a deleted text under its id at another path, from before the delete", put(t, "ent_d", "e.md", 0, "two"), RulingDeleted, "", 8},
		{"a deleted text under its id at another path, on purpose", absent(put(t, "ent_d", "e.md", 0, "two"), "e1", 9), RulingPublished, "", 11},

		{"move", move(t, "ent_a", "a.md", "b.md", 7), RulingPublished, "", 11},
		{"move by path", move(t, "", "a.md", "b.md", 7), RulingPublished, "", 11},
		{"move in case only", move(t, "ent_a", "a.md", "A.md", 7), RulingPublished, "", 11},
		{"move that happened", move(t, "ent_a", "z.md", "a.md", 3), RulingSame, "", 7},
		{"move from a wrong name", move(t, "ent_a", "z.md", "y.md", 7), RulingConflict, "", 0},
		{"move of an old head", move(t, "ent_a", "a.md", "b.md", 3), RulingConflict, "", 0},
		{"move onto a live entry", move(t, "ent_a", "a.md", "sub/b.md", 7), RulingRefused, CodeConflict, 0},
		{"move onto a twin", move(t, "ent_a", "a.md", "SUB/c.md", 7), RulingRefused, CodePathRejected, 0},
		{"move of a deleted entry", move(t, "ent_d", "d.md", "e.md", 8), RulingConflict, "", 0},
		{"move of nothing", move(t, "", "x.md", "y.md", 3), RulingRefused, CodeNotFound, 0},

		{"delete", remove(t, "ent_a", "a.md", 7), RulingPublished, "", 11},
		{"delete of an old head", remove(t, "ent_a", "a.md", 3), RulingConflict, "", 0},
		{"delete that happened", remove(t, "ent_d", "d.md", 5), RulingSame, "", 8},
		{"delete of nothing", remove(t, "", "x.md", 5), RulingRefused, CodeNotFound, 0},
		{"delete that happened, by path", remove(t, "", "d.md", 5), RulingSame, "", 8},
		{"delete by path", remove(t, "", "a.md", 7), RulingPublished, "", 11},
		{"delete of an entry that is elsewhere", remove(t, "ent_a", "b.md", 7), RulingConflict, "", 0},

		{"twin of a file", put(t, "", "A.md", 0, "x"), RulingRefused, CodePathRejected, 0},
		{"twin of a folder", put(t, "", "Sub/new.md", 0, "x"), RulingRefused, CodePathRejected, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, before, a(), gone(), entryAt(t, "ent_b", "sub/b.md", 9, "nine"))
			v := judged(h, tt.write).Verdicts[0]
			if v.Ruling != tt.want || v.Rev != tt.rev {
				t.Errorf("got %s at %d, want %s at %d", v.Ruling, v.Rev, tt.want, tt.rev)
			}
			if v.Problem != nil && v.Problem.Code != tt.code || v.Problem == nil && tt.code != "" {
				t.Errorf("got problem %v, want code %q", v.Problem, tt.code)
			}
			if (v.Ruling == RulingConflict) != (v.Current != nil && v.Rev == 0) {
				t.Errorf("a conflict tells the current head, and nothing else does: %+v", v)
			}
		})
	}
}

func TestJudge_SwapsNames(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 1, "a"), entryAt(t, "ent_b", "b.md", 2, "b"), entryAt(t, "ent_c", "c.md", 3, "c"))
	j := judged(h, move(t, "ent_a", "a.md", "b.md", 1), move(t, "ent_b", "b.md", "c.md", 2), move(t, "ent_c", "c.md", "a.md", 3))
	for i, v := range j.Verdicts {
		if v.Ruling != RulingPublished || v.Rev != int64(11+i) {
			t.Errorf("move %d: got %s at %d, want published at %d", i, v.Ruling, v.Rev, 11+i)
		}
	}
	var want Digest
	want.Add(path1(t, "b.md"), Sum([]byte("a")))
	want.Add(path1(t, "c.md"), Sum([]byte("b")))
	want.Add(path1(t, "a.md"), Sum([]byte("c")))
	if diff := cmp.Diff(want, j.Head.Digest); diff != "" {
		t.Errorf("digest (-want +got):\n%s", diff)
	}
}

// A move that cannot be carried out keeps its old name, and so spoils the move
// onto that name; nothing else.
func TestJudge_StuckMoveKeepsItsName(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 1, "a"), entryAt(t, "ent_b", "b.md", 2, "b"), entryAt(t, "ent_x", "x.md", 3, "x"))
	j := judged(h,
		move(t, "ent_b", "b.md", "a.md", 2), // waits for a
		move(t, "ent_a", "a.md", "x.md", 1), // x stays
		put(t, "ent_x", "x.md", 3, "x2"),
	)
	if diff := cmp.Diff([]Ruling{RulingRefused, RulingRefused, RulingPublished}, rulings(j)); diff != "" {
		t.Errorf("rulings (-want +got):\n%s", diff)
	}
	if len(j.Stored) != 1 || j.Stored[0].Rev != 11 {
		t.Errorf("got %d stored, want the edit alone as 11: %+v", len(j.Stored), j.Stored)
	}
}

func TestJudge_EditSpoilsTheMoveAfterIt(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 1, "a"))
	j := judged(h, put(t, "ent_a", "a.md", 1, "a2"), move(t, "ent_a", "a.md", "b.md", 1), put(t, "", "a.md", 0, "other"))
	if diff := cmp.Diff([]Ruling{RulingPublished, RulingConflict, RulingConflict}, rulings(j)); diff != "" {
		t.Errorf("rulings (-want +got):\n%s", diff)
	}
}

// Renaming a folder in case alone works when all of it goes, and not while
// another entry holds the old spelling.
func TestJudge_FolderInAnotherSpelling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		others int
		want   Ruling
	}{{"whole folder", 0, RulingPublished}, {"part of it", 1, RulingRefused}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, nil, entryAt(t, "ent_a", "Dir/a.md", 1, "a"), entryAt(t, "ent_b", "Dir/b.md", 2, "b"))
			h.Folders[0].Live += tt.others
			j := judged(h, move(t, "ent_a", "Dir/a.md", "dir/a.md", 1), move(t, "ent_b", "Dir/b.md", "dir/b.md", 2))
			for i, v := range j.Verdicts {
				if v.Ruling != tt.want {
					t.Errorf("move %d: got %s, want %s (%v)", i, v.Ruling, tt.want, v.Problem)
				}
			}
		})
	}
}

func TestJudge_Quota(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil)
	h.Live = 99
	j := judged(h, put(t, "", "a.md", 0, "a"), put(t, "", "b.md", 0, "b"))
	if j.Verdicts[0].Ruling != RulingPublished || j.Verdicts[1].Problem == nil || j.Verdicts[1].Problem.Code != CodeQuota {
		t.Errorf("got %+v, want the second refused by quota", j.Verdicts)
	}
}

func rulings(j Judgement) (all []Ruling) {
	for _, v := range j.Verdicts {
		all = append(all, v.Ruling)
	}
	return all
}

// An op without an id means the entry that its writer saw at the path, also
// when the batch moves that entry away.
func TestJudge_BatchByPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		writes []Write
		want   []Ruling
	}{
		{
			"swap",
			[]Write{move(t, "", "a.md", "b.md", 1), move(t, "", "b.md", "a.md", 2)},
			[]Ruling{RulingPublished, RulingPublished},
		},
		{
			"edit before the move",
			[]Write{put(t, "", "a.md", 1, "a2"), move(t, "", "a.md", "c.md", 1)},
			[]Ruling{RulingPublished, RulingConflict},
		},
		{
			"new entry under the old name, in either order",
			[]Write{put(t, "", "a.md", 0, "new"), move(t, "", "a.md", "c.md", 1)},
			[]Ruling{RulingPublished, RulingPublished},
		},
		{
			"delete makes room for a move before it was asked for",
			[]Write{move(t, "", "a.md", "b.md", 1), remove(t, "", "b.md", 2)},
			[]Ruling{RulingRefused, RulingPublished},
		},
		{
			"delete makes room for a chain of moves",
			[]Write{remove(t, "", "b.md", 2), move(t, "", "a.md", "b.md", 1)},
			[]Ruling{RulingPublished, RulingPublished},
		},
		{
			"delete, then the same text again",
			[]Write{remove(t, "", "a.md", 1), put(t, "", "a.md", 0, "a")},
			[]Ruling{RulingPublished, RulingPublished},
		},
		{
			"a text of this batch is an earlier one later in it",
			[]Write{put(t, "ent_a", "a.md", 1, "x"), put(t, "ent_a", "a.md", 11, "y"), put(t, "ent_a", "a.md", 1, "x")},
			[]Ruling{RulingPublished, RulingPublished, RulingSuperseded},
		},
		{
			"a stuck move in case alone is not in its own way",
			[]Write{put(t, "", "A.md", 0, "twin"), move(t, "", "a.md", "A.md", 1)},
			[]Ruling{RulingRefused, RulingPublished},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 1, "a"), entryAt(t, "ent_b", "b.md", 2, "b"))
			if diff := cmp.Diff(tt.want, rulings(judged(h, tt.writes...))); diff != "" {
				t.Errorf("rulings (-want +got):\n%s", diff)
			}
		})
	}
}

// The chain of moves goes from one folder into the next, of which each is free
// only once its one entry has left: nothing but judging tells that the last is
// stuck, and then the one before, and so on. Beside it two entries swap names.
// The project is locked meanwhile, so there is an end to that, and then the swap
// suffers too; its author just sends it again.
func TestJudge_RoundsEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		links int
		swap  Ruling
	}{{5, RulingPublished}, {20, RulingRefused}} {
		t.Run(fmt.Sprint(tt.links, " links"), func(t *testing.T) {
			t.Parallel()
			entries := []EntryHead{entryAt(t, "ent_a", "a.md", 1, "a"), entryAt(t, "ent_b", "b.md", 2, "b"), entryAt(t, "ent_z", "Z/z.md", 3, "z")}
			writes := []Write{move(t, "ent_a", "a.md", "b.md", 1), move(t, "ent_b", "b.md", "a.md", 2)}
			for i := range tt.links {
				id, from, to := EntryID(fmt.Sprintf("ent_%d", i)), fmt.Sprintf("F%d/a.md", i), fmt.Sprintf("f%d/b.md", i+1)
				if i == tt.links-1 {
					to = "z/b.md"
				}
				entries = append(entries, entryAt(t, id, from, int64(4+i), "x"))
				writes = append(writes, move(t, id, from, to, int64(4+i)))
			}
			got := rulings(judged(headsOf(100, nil, entries...), writes...))
			want := append([]Ruling{tt.swap, tt.swap}, slices.Repeat([]Ruling{RulingRefused}, tt.links)...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rulings (-want +got):\n%s", diff)
			}
		})
	}
}

// What the gate refused keeps its place among the verdicts, and neither asks
// the store for anything nor takes part.
func TestJudge_RefusedBefore(t *testing.T) {
	t.Parallel()
	problem := Invalid("path", "no")
	b := Batch{Items: []Item{
		{Write: remove(t, "ent_a", "a.md", 1), Refused: problem},
		{Write: put(t, "ent_a", "a.md", 1, "x")},
	}}
	j := Judge(b, headsOf(10, nil, entryAt(t, "ent_a", "a.md", 1, "a")))
	if j.Verdicts[0].Problem != problem || j.Verdicts[1].Ruling != RulingPublished || len(j.Stored) != 1 || j.Stored[0].Item != 1 {
		t.Errorf("got %+v", j)
	}
	b.Items = b.Items[:1]
	if diff := cmp.Diff(Lookups{}, b.Lookups()); diff != "" {
		t.Errorf("lookups (-want +got):\n%s", diff)
	}
}

func TestBatch_Lookups(t *testing.T) {
	t.Parallel()
	b := Batch{Items: []Item{
		{Write: put(t, "ent_b", "Docs/Deep/b.md", 1, "b")},
		{Write: put(t, "", "docs/a.md", 0, "b")},
		{Write: move(t, "ent_a", "old/a.md", "a.md", 1)},
		{Write: remove(t, "ent_a", "a.md", 1)},
	}}
	want := Lookups{
		Leaving:    3,
		EntryIDs:   []EntryID{"ent_a", "ent_b"},
		PathKeys:   []string{"a.md", "docs/a.md", "docs/deep/b.md", "old/a.md"},
		FolderKeys: []string{"docs", "docs/deep", "old"},
		Sums:       []Hash{Sum([]byte("b"))},
		Moves:      true,
	}
	if diff := cmp.Diff(want, b.Lookups()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFolderHead_Folder(t *testing.T) {
	t.Parallel()
	f := FolderHead{Key: "docs/deep", Path: path1(t, "Docs/Deep/er/b.md")}
	if got := f.Folder(); got != "Docs/Deep" {
		t.Errorf("got %q", got)
	}
}
