package store_test

import (
	"testing"

	"github.com/teammem/teammem/memory"
)

// A proposal or a conflict with the same secret as a shared text says nothing of
// since when that text was shared.
func TestRescan_OldestText(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	a.write(t, a.mara, "first.md", "clean")
	v := a.write(t, a.other, "a.md", "soft-one")
	_, err := a.Service.KeepConflict(ctx, a.other, id, memory.Draft{
		ID: memory.NewConflictID(), Path: "a.md", Content: []byte("also soft-one"), KeptAt: start(),
	})
	must(t, err)
	a.rescan(t, softScanner{})
	if n := a.count(t, `select first_rev from secret_findings where path = 'a.md'`); int64(n) != v.Rev {
		t.Errorf("shared since %d, want %d", n, v.Rev)
	}
}

// What is found in a proposal or conflict was not refused: others could read it.
// A clean text of its author's does not settle that.
func TestRescan_Held(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	must(t, a.Store.SetReview(ctx, id, memory.PresetStrict, a.principal().Row(start(), "project.review", string(id))))
	v := a.share(t, a.other, "a.md", "soft-one")
	if v.Ruling != memory.RulingWaiting {
		t.Fatalf("verdict %+v", v)
	}
	lost := memory.NewConflictID()
	_, err := a.Service.KeepConflict(ctx, a.other, id, memory.Draft{ID: lost, Path: "b.md", Content: []byte("soft-two"), KeptAt: start()})
	must(t, err)
	a.rescan(t, softScanner{})
	held := map[string]string{"a.md": string(v.Proposal), "b.md": string(lost)}
	for range 2 {
		found, err := a.Service.Findings(ctx, a.other, id, memory.FindingQuery{Leaked: true})
		must(t, err)
		for _, f := range found {
			if !f.Kept() || f.Held != held[f.Path.String()] || f.State != memory.FindingOpen || f.Stored.Rev != 0 {
				t.Errorf("%s: %+v", f.Path, f)
			}
		}
		if n := len(a.leaks(t)); len(found) != 2 || n != 2 {
			t.Errorf("%d findings and %d leaks, want 2", len(found), n)
		}
		a.share(t, a.other, "a.md", "clean")
		a.share(t, a.other, "b.md", "clean")
	}
}

// What was found in a conflict is settled when its text is purged.
func TestRescan_HeldAndPurged(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	v := a.write(t, a.other, "a.md", "soft-one")
	_, err := a.Service.KeepConflict(ctx, a.other, id, memory.Draft{
		ID: memory.NewConflictID(), Path: "b.md", Content: []byte("soft-one"), KeptAt: start(),
	})
	must(t, err)
	a.rescan(t, softScanner{})
	if n := len(a.leaks(t)); n != 2 {
		t.Errorf("%d leaks before, want 2", n)
	}
	_, err = a.Service.Purge(ctx, a.mara, id, memory.Purge{EntryID: v.EntryID})
	must(t, err)
	if left := a.leaks(t); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

// Whoever moves a text or restores it has not written it: its findings are the
// writer's, who cannot decide about them.
func TestRescan_MovedByOthers(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	v := a.write(t, a.mara, "a.md", "soft-one")
	r, err := a.Service.Push(ctx, a.other, id, memory.Push{Epoch: a.project.Head.Epoch, Ops: []memory.Op{
		{Action: memory.ActionMove, Path: "b.md", Previous: "a.md", EntryID: v.EntryID, BaseRev: v.Rev},
	}})
	must(t, err)
	if r.Verdicts[0].Ruling != memory.RulingPublished {
		t.Fatalf("%+v", r.Verdicts)
	}
	a.write(t, a.other, "b.md", "clean")
	again, err := a.Service.Restore(ctx, a.other, id, v.EntryID, v.Rev)
	must(t, err)
	if again.Verdicts[0].Ruling != memory.RulingPublished {
		t.Fatalf("%+v", again.Verdicts)
	}
	a.rescan(t, softScanner{})
	all, err := a.Service.Findings(ctx, a.mia, id, memory.FindingQuery{})
	must(t, err)
	if len(all) != 2 {
		t.Errorf("%d findings, want those of both names", len(all))
	}
	for _, f := range all {
		if f.Author.Member != a.mara.Member {
			t.Errorf("the one at %s is %s's", f.Path, f.Author.Name)
		}
	}
}
