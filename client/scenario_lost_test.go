package client_test

import (
	"slices"
	"testing"

	"github.com/teammem/teammem/memory"
)

// S38: a push was carried out and its answer got lost. Offering the same again
// makes neither a conflict nor a second revision.
func TestScenario_S38_LostAnswer(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"a.md": "one\n"})
	known, err := b.dirs.Known(b.link)
	must(t, err)
	base := known.Entries[0]
	b.write(t, "a.md", "two\n")
	b.write(t, "new.md", "new\n")
	tm.loseAnswers()
	b.fail(t)
	tm.between(nil)
	before, err := tm.store.Head(t.Context(), tm.project.ID)
	must(t, err)
	if r := b.sync(t); len(r.Conflicts) > 0 || len(r.Notices) > 0 {
		t.Errorf("conflicts %v, notices %q", r.Conflicts, r.Notices)
	}
	if got := b.versions(t, "a.md"); !slices.Equal(got, []string{"one\n", "two\n"}) {
		t.Errorf("the versions are %q", got)
	}

	// A client that remembers nothing of it sends the very op once more.
	who := memory.Principal{Member: b.id.Member, Device: b.id.Device, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
	text, sum := []byte("two\n"), memory.Sum([]byte("two\n"))
	receipt, err := tm.service.Push(t.Context(), who, tm.project.ID, memory.Push{
		Epoch: before.Epoch, Device: b.id.Device,
		Ops: []memory.Op{{Action: memory.ActionPut, Path: "a.md", EntryID: base.EntryID, BaseRev: base.Rev, BaseSum: base.Sum, Content: text, Sum: sum}},
	})
	must(t, err)
	if v := receipt.Verdicts[0]; v.Ruling != memory.RulingSame || v.Rev <= base.Rev {
		t.Errorf("the verdict is %s of revision %d", v.Ruling, v.Rev)
	}
	if now, err := tm.store.Head(t.Context(), tm.project.ID); err != nil || now.Seq != before.Seq {
		t.Errorf("the head is %d, was %d: %v", now.Seq, before.Seq, err)
	}
	a.sync(t)
	tm.equal(t, a, b)
}
