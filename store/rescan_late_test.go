package store_test

import (
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// While servers are replaced one by one, one with older rules still takes texts
// when the new one has come to its end: those are looked at, too, held ones as well.
func TestRescan_HeldByAnOlderServer(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	ctx, id := t.Context(), a.project.ID
	must(t, a.Store.SetReview(ctx, id, memory.PresetStrict, a.principal().Row(start(), "project.review", string(id))))
	older := a.Service
	for _, path := range []string{"a.md", "b.md", "c.md"} {
		a.share(t, a.other, path, "clean")
	}
	a.now = a.now.Add(time.Hour)
	a.rescan(t, softScanner{})
	newer := a.Service
	a.Service, a.now = older, a.now.Add(time.Hour)
	for _, path := range []string{"d.md", "e.md", "f.md"} {
		a.share(t, a.other, path, "hard-"+path)
	}
	_, err := older.KeepConflict(ctx, a.other, id, memory.Draft{
		ID: memory.NewConflictID(), Path: "g.md", Content: []byte("hard-g"), KeptAt: start(),
	})
	must(t, err)
	for range 3 {
		a.now = a.now.Add(time.Hour)
		must(t, newer.Rescan(ctx, nil))
		if n := a.count(t, `select count(*) from proposals where state = 'pending'`); n != 3 {
			t.Errorf("%d proposals wait, want the 3 clean ones", n)
		}
		if n := a.count(t, `select count(*) from secret_findings where held <> ''`); n != 4 {
			t.Errorf("%d findings, want 4", n)
		}
	}
	if p := a.progress(t); p.Texts != 3+4 || p.Late || p.EndedAt.IsZero() {
		t.Errorf("looked at %d texts, late %v, ended %s", p.Texts, p.Late, p.EndedAt)
	}
}
