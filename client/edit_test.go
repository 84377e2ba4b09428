package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// What a program changes through Edit is an ordinary change to the next sync,
// and the texts that it replaces are never in doubt: they go to the trash.
func TestEdit_ChangesAreSyncedAndOldTextsKept(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m := tm.join(t, "mara")
	m.write(t, "MEMORY.md", "- [a](a.md)\n") // never synced: nobody else has it
	m.write(t, "gone.md", "not needed any more\n")

	must(t, m.syncer("").Edit(t.Context(), func(w *tree.Tree) error {
		b := w.Begin()
		b.Put(key(t, "MEMORY.md"), "MEMORY.md", []byte("- [a](a.md)\n- [b](b.md)\n"), time.Time{}, memory.Sum([]byte("- [a](a.md)\n")))
		b.Put(key(t, "b.md"), "b.md", []byte("new\n"), time.Time{}, memory.Hash{})
		b.Delete(key(t, "gone.md"), "gone.md", memory.Sum([]byte("not needed any more\n")))
		return committed(t.Context(), b)
	}))
	for _, text := range []string{"- [a](a.md)\n", "not needed any more\n"} {
		if got := m.kept(t, text); got != "trash" {
			t.Errorf("%q is in %q, want the trash", text, got)
		}
	}
	if r := m.sync(t); len(r.Conflicts) > 0 {
		t.Errorf("conflicts: %v", r.Conflicts)
	}
	tm.equal(t, m)
}

func TestEdit_HoldsTheLockAndKnowsTheTree(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m := tm.join(t, "mara")
	m.write(t, "a.md", "first\n")
	m.sync(t)

	must(t, m.syncer("").Edit(t.Context(), func(*tree.Tree) error {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := m.try(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a sync beside an edit: %v, want it to wait", err)
		}
		return nil
	}))

	m.remove(t, ".teammem")
	err := m.syncer("").Edit(t.Context(), func(*tree.Tree) error { t.Error("a tree without its marker was lent"); return nil })
	if !errors.Is(err, client.ErrMarker) {
		t.Errorf("got %v, want ErrMarker", err)
	}
}

func committed(ctx context.Context, b *tree.Batch) error {
	results, err := b.Commit(ctx)
	for _, r := range results {
		err = errors.Join(err, r.Err)
	}
	return err
}

func key(t testing.TB, s string) memory.Path {
	t.Helper()
	p, err := memory.ParsePath(s)
	must(t, err)
	return p
}
