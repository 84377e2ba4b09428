package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// A client without a guard of its own empties no project. What it deletes within
// an hour counts, however it is spread; nobody else is held up by it.
func TestPush_DeleteGuard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, other := b.as(t, memory.RoleContributor), b.as(t, memory.RoleMaintainer)
	var made []wire.Result
	push := func(c *client, release int, ops ...wire.Op) reply {
		t.Helper()
		w := wire.Push{Epoch: b.project.Head.Epoch, Ops: ops}
		if release > 0 {
			w.Release = wire.Release{Hold: "h1", Deletes: release}
		}
		body, err := wire.Encode(w)
		must(t, err)
		return c.post(b.in("/push"), string(body))
	}
	put := func(path string) wire.Op {
		zero, text := int64(0), "text of "+path
		return wire.Op{Op: "put", Path: &path, BaseRev: &zero, Content: &text}
	}
	path := func(n int) string { return fmt.Sprintf("n%02d.md", n) }
	var ops []wire.Op
	for n := range 40 {
		ops = append(ops, put(path(n)))
	}
	made = read[wire.Receipt](t, push(first, 0, ops...)).Results
	gone := func(from, to int) (ops []wire.Op) {
		for n := from; n < to; n++ {
			p := path(n)
			ops = append(ops, wire.Op{Op: "delete", Path: &p, EntryID: made[n].EntryID, BaseRev: &made[n].Rev})
		}
		return ops
	}
	head := func() int64 { return read[wire.Project](t, first.get(b.in(""))).Head }

	push(first, 0, append(gone(0, 11), put("new.md"))...).want(t, http.StatusConflict, memory.CodeDeleteGuard)
	if head() != 40 {
		t.Error("some of it was carried out")
	}
	push(first, 0, put("new.md")).want(t, http.StatusOK, "")
	push(first, 0, gone(0, 10)...).want(t, http.StatusOK, "")
	push(first, 0, gone(0, 10)...).want(t, http.StatusOK, "") // again, after a lost answer: these are no more deletes
	push(first, 0, gone(10, 11)...).want(t, http.StatusConflict, memory.CodeDeleteGuard)
	first.do(http.MethodDelete, b.in("/entry?path="+path(10)), "", "If-Match", fmt.Sprintf("%q", fmt.Sprint(made[10].Rev))).
		want(t, http.StatusConflict, memory.CodeDeleteGuard)
	push(other, 0, gone(10, 12)...).want(t, http.StatusOK, "")
	push(first, 1, gone(12, 14)...).want(t, http.StatusConflict, memory.CodeDeleteGuard)
	push(first, 2, gone(12, 14)...).want(t, http.StatusOK, "")
	var refusals int
	b.row(t, &refusals, "select count(*) from audit where action = 'entry.delete' and decision = 'refused' and 'delete_guard' = any (rules)")
	if refusals != 4 {
		t.Errorf("%d refusals on record, want 4", refusals)
	}

	// An hour later they do not count, and what waits for a reviewer never does.
	b.sql(t, "update revisions set at = at - interval '1 hour'")
	push(first, 0, gone(14, 18)...).want(t, http.StatusOK, "")
	b.sql(t, "update projects set review = 'strict'")
	if r := read[wire.Receipt](t, push(first, 0, gone(18, 40)...)); r.Results[0].Verdict != "waiting" {
		t.Errorf("a delete that a reviewer has to see: %+v", r.Results[0])
	}
	for name, body := range map[string]string{
		"no hold":    `{"epoch":"e","ops":[],"release":{"hold":"","deletes":3}}`,
		"no number":  `{"epoch":"e","ops":[],"release":{"hold":"h","deletes":0}}`,
		"long names": `{"epoch":"e","ops":[],"release":{"hold":"` + fmt.Sprintf("%065d", 0) + `","deletes":1}}`,
	} {
		if r := first.post(b.in("/push"), body); r.problem.Code != string(memory.CodeInvalid) {
			t.Errorf("%s: %s", name, r.body)
		}
	}
}
