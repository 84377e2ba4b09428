package memory

import (
	"errors"
	"testing"
)

func TestEntries_Limit(t *testing.T) {
	t.Parallel()
	for asked, want := range map[int]int{-1: 10, 0: 10, 3: 3, 10: 10, 11: 10} {
		b := setupWith(t, Limits{ListPage: 10})
		q := EntryQuery{Prefix: "a/", Kind: KindUser, Author: "mem_x", After: StoredPath("a/b.md"), Limit: asked}
		_, err := b.Entries(t.Context(), b.who, "prj_a", q)
		if q.Limit = want; err != nil || b.store.listed != q {
			t.Errorf("asked the store for %+v, want %+v (%v)", b.store.listed, q, err)
		}
		revs, err := b.withEntry("a.md", "text").History(t.Context(), b.who, "prj_a", "ent_a", 5, asked)
		if err != nil || revs[0].Rev != 5 || revs[0].Size != want {
			t.Errorf("asked for %d of history below %d, want %d (%v)", revs[0].Size, revs[0].Rev, want, err)
		}
	}
}

func TestEntry(t *testing.T) {
	t.Parallel()
	b := setup(t).withEntry("a.md", "text")
	entry, rev, err := b.Entry(t.Context(), b.who, "prj_a", "a.md")
	if err != nil || entry.ID != "ent_a" || string(rev.Content) != "text" {
		t.Errorf("got %+v, %+v, %v", entry, rev, err)
	}
	_, _, err = b.Entry(t.Context(), b.who, "prj_a", "../a.md")
	wantCode(t, err, CodePathRejected)
	_, _, err = b.Entry(t.Context(), b.who, "prj_a", "b.md")
	wantCode(t, err, CodeNotFound)
	_, err = b.History(t.Context(), b.who, "prj_a", "ent_x", 0, 0)
	wantCode(t, err, CodeNotFound)
	_, err = b.Revision(t.Context(), b.who, "prj_a", "ent_a", 9)
	wantCode(t, err, CodeNotFound)
}

func TestRestore(t *testing.T) {
	t.Parallel()
	at := func(path string, rev int64, a Action, text string) Revision {
		return Revision{EntryID: "ent_a", Rev: rev, Action: a, Path: StoredPath(path), Content: []byte(text), Sum: Sum([]byte(text)), Size: len(text)}
	}
	for _, tt := range []struct {
		name    string
		now     Entry
		old     Revision
		want    string // path of the new revision
		problem Code
		code    Code
	}{
		{name: "over a newer text", now: Entry{Path: StoredPath("a.md"), Rev: 5}, old: at("a.md", 2, ActionPut, "old"), want: "a.md"},
		{name: "moved since", now: Entry{Path: StoredPath("new.md"), Rev: 5}, old: at("a.md", 2, ActionPut, "old"), want: "new.md"},
		{name: "a move", now: Entry{Path: StoredPath("new.md"), Rev: 5}, old: at("a.md", 2, ActionMove, "old"), want: "new.md"},
		{name: "deleted since", now: Entry{Path: StoredPath("new.md"), Rev: 5, Deleted: true}, old: at("a.md", 2, ActionPut, "old"), want: "a.md"},
		{name: "an empty text", now: Entry{Path: StoredPath("a.md"), Rev: 5}, old: at("a.md", 2, ActionPut, ""), want: "a.md"},
		{name: "a text that is refused now", now: Entry{Path: StoredPath("a.md"), Rev: 5}, old: at("a.md", 2, ActionPut, mark), problem: CodeSecretFound},
		{name: "a path that is refused now", now: Entry{Path: StoredPath("a.md "), Rev: 5}, old: at("a.md ", 2, ActionPut, "old"), problem: CodePathRejected},
		{name: "a delete", now: Entry{Path: StoredPath("a.md"), Rev: 5, Deleted: true}, old: at("a.md", 2, ActionDelete, ""), code: CodeInvalid},
		{name: "unknown revision", now: Entry{Path: StoredPath("a.md"), Rev: 5}, old: at("a.md", 3, ActionPut, "old"), code: CodeNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			tt.now.ID = "ent_a"
			b.store.entries["ent_a"] = tt.now
			b.store.texts[RevisionRef{"ent_a", tt.old.Rev}] = tt.old
			receipt, err := b.Restore(t.Context(), b.who, "prj_a", "ent_a", 2)
			if tt.code != "" {
				wantCode(t, err, tt.code)
				return
			}
			must(t, err)
			if tt.problem != "" {
				if p := receipt.Verdicts[0].Problem; p == nil || p.Code != tt.problem {
					t.Errorf("got %+v", receipt.Verdicts[0])
				}
				return
			}
			w := b.store.batch.Items[0].Write
			if w.Path.String() != tt.want || w.EntryID != "ent_a" || w.BaseRev != 5 || w.Content.Text() != string(tt.old.Content) ||
				!w.AllowEmpty || w.Note != "restored from revision 2" || b.store.batch.Device != "dev_own" {
				t.Errorf("wrote %+v", w)
			}
		})
	}
}

// What somebody restores over is what they saw, not what is there.
func TestRestoreOver(t *testing.T) {
	t.Parallel()
	b := setup(t).withEntry("a.md", "text")
	e := b.store.entries["ent_a"]
	e.Rev = 7
	b.store.entries["ent_a"] = e
	_, err := b.RestoreOver(t.Context(), b.who, "prj_a", "ent_a", 1, 5)
	must(t, err)
	if w := b.store.batch.Items[0].Write; w.BaseRev != 5 {
		t.Errorf("wrote over %d", w.BaseRev)
	}
	_, err = b.RestoreOver(t.Context(), b.who, "prj_a", "ent_a", 1, 0)
	wantCode(t, err, CodeInvalid)
}

func TestEntryByID(t *testing.T) {
	t.Parallel()
	b := setup(t).withEntry("a.md", "text")
	entry, rev, err := b.EntryByID(t.Context(), b.who, "prj_a", "ent_a")
	if err != nil || entry.Path.String() != "a.md" || string(rev.Content) != "text" {
		t.Errorf("got %+v, %+v, %v", entry, rev, err)
	}
	_, _, err = b.EntryByID(t.Context(), b.who, "prj_a", "ent_x")
	wantCode(t, err, CodeNotFound)
}

func TestRestore_EntryCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t).withEntry("a.md", "text")
	delete(b.store.entries, "ent_a")
	_, err := b.Restore(t.Context(), b.who, "prj_a", "ent_a", 1)
	wantCode(t, err, CodeNotFound)
	b.store.revisionErr = errFake
	if _, err = b.Restore(t.Context(), b.who, "prj_a", "ent_a", 1); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}
