package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// except has Mia allow what Mara asks for.
func (o *office) except(t *testing.T, f memory.FindingID, glob string) {
	t.Helper()
	_, err := o.Service.RequestAllow(t.Context(), o.mara, o.project.ID, f, memory.AllowWish{Reason: memory.AllowTestValue, Glob: glob})
	must(t, err)
	_, err = o.Service.DecideAllow(t.Context(), o.mia, o.project.ID, f, memory.AllowAnswer{Approve: true, Glob: glob})
	must(t, err)
}

// Exceptions are for texts: a name with the value is refused, as by a move and a
// re-scan.
func TestFinding_NotInNames(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.share(t, o.mara, "a.md", "soft-one")
	o.except(t, o.only(t, o.mara).ID, "**")
	if v := o.share(t, o.mara, "b.md", "soft-one"); v.Ruling != memory.RulingPublished {
		t.Errorf("in a text: %+v", v)
	}
	if v := o.share(t, o.mara, "of soft-one here.md", "clean"); v.Ruling != memory.RulingRefused || v.Problem.Field != "path" {
		t.Errorf("in a name: %+v", v)
	}
}

// An exception is for its paths: a text is not moved out of them, on no way.
func TestFinding_MovedOut(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.share(t, o.mara, "in/a.md", "soft-one")
	o.except(t, o.only(t, o.mara).ID, "in/*.md")
	v := o.share(t, o.mara, "in/a.md", "soft-one")
	b := o.share(t, o.mara, "b.md", "clean")
	put := func(path string) memory.Op {
		return memory.Op{Action: memory.ActionPut, Path: path, Content: []byte("soft-one")}
	}
	move := func(from, to string, v memory.Verdict) memory.Op {
		return memory.Op{Action: memory.ActionMove, Previous: from, Path: to, EntryID: v.EntryID, BaseRev: v.Rev}
	}
	for _, tt := range []struct {
		name string
		ops  []memory.Op
	}{
		{"alone", []memory.Op{move("in/a.md", "c.md", v)}},
		{"as it is made", []memory.Op{put("in/new.md"), move("in/new.md", "c.md", memory.Verdict{})}},
		{"as names are swapped", []memory.Op{move("b.md", "in/a.md", b), move("in/a.md", "b.md", v)}},
		{"in two steps", []memory.Op{move("in/a.md", "in/c.md", v), move("in/c.md", "c.md", memory.Verdict{})}},
	} {
		r, err := o.Service.Push(t.Context(), o.mara, o.project.ID, memory.Push{Epoch: o.project.Head.Epoch, Ops: tt.ops})
		must(t, err)
		last := r.Verdicts[len(tt.ops)-1]
		if last.Ruling != memory.RulingRefused || last.Problem.Code != memory.CodeSecretFound {
			t.Errorf("%s: %+v", tt.name, r.Verdicts)
		}
	}
	for path, text := range o.tree(t) {
		if text == "soft-one" && path != "in/a.md" && path != "in/c.md" && path != "in/new.md" {
			t.Errorf("%s has the value", path)
		}
	}
}

// What else of the same push hides where a text comes from, or that somebody shares
// it meanwhile, moves it no further; nor that the exception has ended.
func TestFinding_MovedOutBehindOthers(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	o.share(t, o.mara, "in/a.md", "soft-one")
	o.except(t, o.only(t, o.mara).ID, "in/*.md")
	v, b := o.share(t, o.mara, "in/a.md", "clean"), o.share(t, o.mara, "b.md", "clean")
	put := func(text string, base int64) memory.Op {
		return memory.Op{Action: memory.ActionPut, Path: "in/a.md", EntryID: v.EntryID, BaseRev: base, Content: []byte(text)}
	}
	move := func(from, to string, entry memory.EntryID, base int64) memory.Op {
		return memory.Op{Action: memory.ActionMove, Previous: from, Path: to, EntryID: entry, BaseRev: base}
	}
	attack := func(name string, ops ...memory.Op) {
		t.Helper()
		_, err := o.Service.Push(t.Context(), o.mara, id, memory.Push{Epoch: o.project.Head.Epoch, Ops: ops})
		must(t, err)
		for path, text := range o.tree(t) {
			if text == "soft-one" && path != "in/a.md" {
				t.Errorf("%s: %s has the value", name, path)
			}
		}
	}
	attack("behind a text that is not taken", put("soft-one", v.Rev), put("clean too", 1000), move("in/a.md", "c.md", v.EntryID, b.Rev+1))
	e, _, err := o.Service.Entry(ctx, o.mara, id, "in/a.md")
	must(t, err)
	attack("behind an entry that is not taken",
		put("clean", e.Rev), put("soft-one", e.Rev+1), move("b.md", "in/a.md", b.EntryID, b.Rev), move("in/a.md", "d.md", v.EntryID, e.Rev+2))
	rules, err := o.Service.AllowRules(ctx, o.mia, id)
	must(t, err)
	must(t, o.Service.RevokeAllow(ctx, o.mia, id, rules[0].ID))
	e, _, err = o.Service.Entry(ctx, o.mara, id, "in/a.md")
	must(t, err)
	attack("after the exception", move("in/a.md", "e.md", v.EntryID, e.Rev))
}

// What is decided about is what was looked at: who asks with other words, or tells
// of the line in others, gets nothing by it.
func TestFinding_OtherWordsMeanwhile(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	o.share(t, o.mara, "a.md", "soft-one")
	f := o.only(t, o.mara)
	ask := func(note string) {
		t.Helper()
		o.now = o.now.Add(time.Minute)
		r := memory.FindingReport{Finding: f.Finding, Path: "a.md", RuleSet: "soft-1", Device: o.device.ID, Excerpt: note + " ********"}
		_, err := o.Service.ReportFinding(ctx, o.mara, id, r)
		must(t, err)
		_, err = o.Service.RequestAllow(ctx, o.mara, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue, Note: note})
		must(t, err)
	}
	ask("of the database")
	seen := o.only(t, o.mia)
	ask("of the tutorial")
	now := o.only(t, o.mia)
	if now.Excerpt != "of the database ********" {
		t.Errorf("the line reads %q meanwhile", now.Excerpt)
	}
	for _, a := range []memory.AllowAnswer{{Approve: true, Asked: seen.Request.At}, {Asked: seen.Request.At}} {
		if _, err := o.Service.DecideAllow(ctx, o.mia, id, f.ID, a); memory.CodeOf(err) != memory.CodeConflict {
			t.Errorf("what was seen is decided: %v", err)
		}
	}
	_, err := o.Service.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Approve: true, Asked: now.Request.At})
	must(t, err)
}

// slowFindings lets something happen once a finding was read.
type slowFindings struct {
	*store.Store

	meanwhile func()
}

func (s slowFindings) Finding(ctx context.Context, project memory.ProjectID, id memory.FindingID) (memory.Finding, error) {
	f, err := s.Store.Finding(ctx, project, id)
	s.meanwhile()
	return f, err
}

// Who asks for other paths while somebody decides gets neither their answer for
// the old ones, nor loses the new request to it.
func TestFinding_AskedWhileDecided(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	o.share(t, o.mara, "a.md", "soft-one")
	f := o.only(t, o.mara)
	ask := func(glob string) {
		t.Helper()
		o.now = o.now.Add(time.Minute)
		_, err := o.Service.RequestAllow(ctx, o.mara, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue, Glob: glob})
		must(t, err)
	}
	clock := func() time.Time { return o.now }
	for _, approve := range []bool{true, false} {
		ask("a.md")
		slow := slowFindings{o.Store, func() { ask("**") }}
		s := memory.NewService(slow, softScanner{}, nobody{}, clock, memory.Limits{})
		_, err := s.DecideAllow(ctx, o.mia, id, f.ID, memory.AllowAnswer{Approve: approve})
		if now := o.only(t, o.mia); memory.CodeOf(err) != memory.CodeConflict || now.State != memory.FindingRequested || now.Request.Glob != "**" {
			t.Errorf("approve %t: %v, then %s for %q", approve, err, now.State, now.Request.Glob)
		}
	}
}

// Who takes out what was allowed has not shared it by the exception.
func TestFinding_CleanAfterAll(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.share(t, o.mara, "a.md", "soft-one")
	o.except(t, o.only(t, o.mara).ID, "")
	o.share(t, o.mara, "a.md", "clean")
	o.state(t, memory.FindingResolved)
}
