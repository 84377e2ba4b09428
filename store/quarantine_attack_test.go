package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// writer adds somebody, and returns what they push with. What they push is
// published.
func (b *bundle) writer(tb testing.TB, name string) (memory.Member, func(writes ...memory.Write) []memory.Verdict) {
	tb.Helper()
	m := b.addMember(tb, name)
	return m, func(writes ...memory.Write) []memory.Verdict {
		tb.Helper()
		batch := b.batch(writes...)
		batch.By.Member, batch.By.Name, batch.By.Device, batch.Device, batch.At = m.ID, name, "", "", start().Add(time.Minute)
		r, err := b.Push(tb.Context(), batch)
		must(tb, err)
		for i, v := range r.Verdicts {
			if v.Ruling != memory.RulingPublished {
				tb.Fatalf("op %d of %s: %s (%v)", i, name, v.Ruling, v.Problem)
			}
		}
		return r.Verdicts
	}
}

func (b *bundle) wantTree(tb testing.TB, when string, want map[string]string) {
	tb.Helper()
	if diff := cmp.Diff(want, b.tree(tb)); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// Two who wrote one after the other are taken back one after the other: the text
// that the second quarantine goes back to is not the first one's.
func TestQuarantine_Accomplices(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"newest first", "oldest first"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			one, pushOne := b.writer(t, "One")
			two, pushTwo := b.writer(t, "Two")
			v := b.push(t, put(t, "a.md", "good")).Verdicts
			v = pushOne(edit(t, "a.md", "bad", v[0]))
			pushTwo(edit(t, "a.md", "worse", v[0]))
			first, second := memory.Suspects{Member: two.ID}, memory.Suspects{Member: one.ID}
			if order == "oldest first" {
				first, second = second, first
			}
			q1, q2 := b.quarantine(t, first), b.quarantine(t, second)
			b.wantTree(t, "after both", map[string]string{"a.md": map[bool]string{true: "good", false: "bad"}[order == "newest first"]})
			if order == "oldest first" {
				if q1.Kept != 1 {
					t.Errorf("kept %d where another one wrote over it", q1.Kept)
				}
				b.quarantine(t, first)
				b.wantTree(t, "asked for again", map[string]string{"a.md": "good"})
				return
			}
			if r := b.release(t, q1); r.Released != 0 || r.Entries[0].Stuck != memory.StuckChanged {
				t.Errorf("the inner one was released under the outer: %+v", r.Entries)
			}
			b.release(t, q2)
			b.wantTree(t, "the outer one released", map[string]string{"a.md": "bad"})
			if r := b.release(t, q1); r.Released != 1 {
				t.Errorf("the inner one stays locked out: %+v", r.Entries)
			}
			b.wantTree(t, "both released", map[string]string{"a.md": "worse"})
		})
	}
}

// What was released is as suspect as it was.
func TestQuarantine_AgainAfterRelease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.writer(t, "Mallory")
	v := b.push(t, put(t, "a.md", "good")).Verdicts
	push(edit(t, "a.md", "bad", v[0]), put(t, "new.md", "bad"))
	for range 2 {
		q := b.quarantine(t, memory.Suspects{Member: mallory.ID})
		b.wantTree(t, "in quarantine", map[string]string{"a.md": "good"})
		b.release(t, q)
		b.wantTree(t, "released", map[string]string{"a.md": "bad", "new.md": "bad"})
	}
}

// The purge of an old text makes nobody immune.
func TestQuarantine_AfterPurge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.writer(t, "Mallory")
	v := push(put(t, "a.md", "first"))
	v = push(edit(t, "a.md", "second", v[0]))
	push(edit(t, "a.md", "third", v[0]))
	_, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Rev: v[0].Rev, Reason: "hers"}, false)
	must(t, err)
	b.quarantine(t, memory.Suspects{Member: mallory.ID})
	b.wantTree(t, "after the quarantine", map[string]string{})
}

// A later quarantine does not go back to what an earlier one took.
func TestQuarantine_SinceDoesNotBringBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.writer(t, "Mallory")
	v := push(put(t, "a.md", "bad"))
	q := b.quarantine(t, memory.Suspects{Member: mallory.ID})
	batch := b.batch(edit(t, "a.md", "bad again", memory.Verdict{EntryID: v[0].EntryID, Rev: q.Entries[0].Rev}))
	batch.By.Member, batch.At = mallory.ID, start().Add(2*time.Hour)
	_, err := b.Push(t.Context(), batch)
	must(t, err)
	b.quarantine(t, memory.Suspects{Member: mallory.ID, Since: start().Add(90 * time.Minute)})
	b.wantTree(t, "after the second", map[string]string{})
}

// What a reviewer approved goes with the token that its author proposed it by.
func TestQuarantine_TokenOfProposal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory := b.addMember(t, "Mallory")
	held := b.batch(put(t, "a.md", "bad"))
	held.By.Member, held.By.Device, held.By.Token = mallory.ID, "", "tok_stolen"
	held.Items[0].Proposal = memory.NewProposalID()
	_, err := b.Push(t.Context(), held)
	must(t, err)
	approved := b.batch(held.Items[0].Write)
	approved.At = start().Add(time.Minute)
	approved.Approves = memory.Approval{Proposal: held.Items[0].Proposal, Author: mallory.ID}
	_, pending, err := b.Publish(t.Context(), approved, memory.Ending{
		Project: b.project.ID, Proposal: held.Items[0].Proposal, State: memory.ProposalPublished, By: b.member.ID, At: approved.At,
		Row: b.principal().Row(approved.At, "proposal.approve", string(held.Items[0].Proposal)),
	})
	must(t, err)
	b.wantTree(t, "approved", map[string]string{"a.md": "bad"})
	if q := b.quarantine(t, memory.Suspects{Token: "tok_stolen"}); !pending || q.Withdrawn != 1 {
		t.Errorf("withdrawn %d", q.Withdrawn)
	}
	b.wantTree(t, "after the quarantine", map[string]string{})
}

// Only what was taken back is hidden, and what an entry said of itself goes with
// it and returns.
func TestQuarantine_HidesSuspects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.writer(t, "Mallory")
	const text = "---\nname: a fact\ndescription: what it says\n---\ngood\n"
	v := b.push(t, put(t, "a.md", "older"), put(t, "c.md", text)).Verdicts
	w := b.push(t, edit(t, "a.md", "old", v[0])).Verdicts
	gone := b.push(t, remove(t, "a.md", w[0])).Verdicts
	push(edit(t, "a.md", "bad", memory.Verdict{EntryID: v[0].EntryID, Rev: gone[0].Rev}))
	q := b.quarantine(t, memory.Suspects{Member: mallory.ID})
	b.wantTree(t, "after the quarantine", map[string]string{"c.md": text})
	history, err := b.History(t.Context(), b.project.ID, v[0].EntryID, 0, 10)
	must(t, err)
	hidden := 0
	for _, r := range history {
		if r.WithdrawnRev > 0 {
			hidden++
			if r.Author.Member != mallory.ID {
				t.Errorf("revision %d of %s is hidden", r.Rev, r.Author.Name)
			}
		}
	}
	if hidden != 1 || q.Withdrawn != 1 {
		t.Errorf("%d hidden, %d taken back", hidden, q.Withdrawn)
	}

	named := `select count(*) from entries where name = 'a fact' and description = 'what it says'`
	q = b.quarantine(t, memory.Suspects{Entries: []memory.EntryID{v[1].EntryID}})
	if n := b.count(t, named); n != 0 {
		t.Error("the name of what was taken back is still there")
	}
	b.release(t, q)
	if n := b.count(t, named); n != 1 {
		t.Error("the name of what was released is not back")
	}
}

// Naming entries suspects nobody: what others propose for them goes on waiting.
func TestQuarantine_LeavesProposals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "a.md", "a")).Verdicts
	held := b.batch(edit(t, "a.md", "better", v[0]))
	held.Items[0].Proposal = memory.NewProposalID()
	_, err := b.Push(t.Context(), held)
	must(t, err)
	q := b.quarantine(t, memory.Suspects{Entries: []memory.EntryID{v[0].EntryID}})
	if n := b.count(t, `select count(*) from proposals where state = 'pending'`); n != 1 || q.Proposals != 0 {
		t.Errorf("%d wait, %d were closed", n, q.Proposals)
	}
}

// What the gate refuses today does not come back, whoever let it go.
func TestQuarantine_Unfit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.writer(t, "Mallory")
	v := b.push(t, put(t, "a.md", "once allowed"), put(t, "b.md", "b")).Verdicts
	w := push(edit(t, "a.md", "bad", v[0]), edit(t, "b.md", "bad, too", v[1]))
	q := memory.Quarantine{
		ID: memory.NewQuarantineID(), Project: b.project.ID, Suspects: memory.Suspects{Member: mallory.ID}, Reason: "suspect",
		By: memory.Author{Member: b.member.ID}, At: start().Add(time.Hour),
	}
	ref := func(v memory.Verdict) memory.RevisionRef { return memory.RevisionRef{EntryID: v.EntryID, Rev: v.Rev} }
	done := memory.Screened{ref(v[0]): false, ref(w[1]): false}
	_, err := b.AddQuarantine(t.Context(), q, done, b.principal().Row(q.At, "quarantine.add", string(q.ID)))
	if more, ok := errors.AsType[*memory.Unscreened](err); !ok || !slices.Equal(more.Refs, []memory.RevisionRef{ref(v[1])}) {
		t.Errorf("%v, want that the earlier text of b.md has to be screened", err)
	}
	b.wantTree(t, "not all was screened", map[string]string{"a.md": "bad", "b.md": "bad, too"})
	done[ref(v[1])] = true
	q, err = b.AddQuarantine(t.Context(), q, done, b.principal().Row(q.At, "quarantine.add", string(q.ID)))
	must(t, err)
	if q.Entries[0].Stuck != memory.StuckRefused || q.Entries[0].Back != 0 || q.Entries[1].Stuck != "" {
		t.Errorf("quarantined: %+v", q.Entries)
	}
	b.wantTree(t, "after the quarantine", map[string]string{"b.md": "b"})
	done[ref(w[0])] = true
	r, err := b.ReleaseQuarantine(t.Context(), memory.Releasing{
		Project: b.project.ID, Quarantine: q.ID, Reason: "why", At: q.At.Add(time.Minute), Screened: done,
	}, b.principal().Row(q.At, "quarantine.release", string(q.ID)))
	must(t, err)
	if r.Released != 1 || r.Entries[1].Stuck != memory.StuckRefused {
		t.Errorf("released %d: %+v", r.Released, r.Entries)
	}
	b.wantTree(t, "after the release", map[string]string{"a.md": "bad", "b.md": "b"})
	b.check(t)
}

// between does something just before a quarantine takes the project's lock.
type between struct {
	memory.Store

	do func()
}

func (s between) AddQuarantine(ctx context.Context, q memory.Quarantine, done memory.Screened, row memory.AuditRow) (memory.Quarantine, error) {
	s.do()
	return s.Store.AddQuarantine(ctx, q, done, row)
}

// newRules refuse what they allowed once.
type newRules struct{}

func (newRules) RuleSet() string { return "new" }

func (newRules) Scan(_ context.Context, text string) ([]sanitize.Finding, error) {
	if strings.Contains(text, "once allowed") {
		return []sanitize.Finding{{Rule: "new", Severity: sanitize.SeverityHard, Line: 1, Column: 1}}, nil
	}
	return nil, nil
}

// nobody is told.
type nobody struct{ memory.Notifier }

func (nobody) Notify(memory.ProjectID, memory.Cursor) {}

// A push that comes in after the texts were screened brings no other one back
// unseen: what the gate refuses today stays out.
func TestQuarantine_PushedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.writer(t, "Mallory")
	v := b.push(t, put(t, "a.md", "once allowed"), put(t, "b.md", "b"), put(t, "c.md", "c")).Verdicts
	push(edit(t, "b.md", "bad", v[1]))
	pushed := false
	service := memory.NewService(between{b.Store, func() {
		if !pushed {
			pushed = true
			push(edit(t, "a.md", "bad, too", v[0]), edit(t, "c.md", "bad as well", v[2]))
		}
	}}, newRules{}, nobody{}, start, memory.Limits{})
	must(t, service.SetRole(t.Context(), memory.Principal{Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}}, b.project.ID, b.member.ID, memory.RoleMaintainer))
	q, err := service.Quarantine(t.Context(), b.principal(), b.project.ID, memory.Withdrawal{Suspects: memory.Suspects{Member: mallory.ID}})
	must(t, err)
	if q.Withdrawn != 3 || q.Entries[0].Stuck != memory.StuckRefused || q.Entries[1].Stuck != "" || q.Entries[2].Stuck != "" {
		t.Errorf("taken back %d: %+v", q.Withdrawn, q.Entries)
	}
	b.wantTree(t, "after the quarantine", map[string]string{"b.md": "b", "c.md": "c"})
	b.check(t)
}

// Nobody brings back by themselves what another maintainer took from them, with no
// credential of theirs; a third does, and they do what they took back themselves.
func TestQuarantine_NotReleasedByItsAuthor(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	id := o.project.ID
	take := func(who memory.Principal, path, text string) memory.Quarantine {
		t.Helper()
		v := o.share(t, o.mia, path, text)
		q, err := o.Service.Quarantine(t.Context(), who, id, memory.Withdrawal{Suspects: memory.Suspects{Entries: []memory.EntryID{v.EntryID}}})
		must(t, err)
		return q
	}
	release := func(who memory.Principal, q memory.Quarantine) memory.Quarantined {
		t.Helper()
		r, err := o.Service.Release(t.Context(), who, id, q.ID, "")
		must(t, err)
		return r.Entries[0]
	}
	token := o.mia
	token.Token, token.Scopes = "tok_1", []memory.Scope{memory.ScopeRead, memory.ScopeWrite}
	taken := take(o.mara, "a.md", "poison")
	for name, who := range map[string]memory.Principal{"in person": o.mia, "with a token": token} {
		if e := release(who, taken); e.Released != 0 || e.Stuck != memory.StuckOwn {
			t.Errorf("its author %s: %+v", name, e)
		}
	}
	o.wantTree(t, "after its author tried", map[string]string{})
	if e := release(o.mara, taken); e.Released == 0 || e.Stuck != "" {
		t.Errorf("who took it: %+v", e)
	}
	if e := release(o.mia, take(o.mia, "own.md", "a mistake")); e.Released == 0 || e.Stuck != "" {
		t.Errorf("its author took it: %+v", e)
	}
}

// A text is its author's whoever moved it or released it since, and a name whoever
// gave it.
func TestQuarantine_NotReleasedByWhoWroteTheText(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	take := func(who memory.Principal, entry memory.EntryID) memory.Quarantine {
		t.Helper()
		q, err := o.Service.Quarantine(ctx, who, id, memory.Withdrawal{Suspects: memory.Suspects{Entries: []memory.EntryID{entry}}})
		must(t, err)
		return q
	}
	release := func(who memory.Principal, q memory.Quarantine, want memory.Stuck) {
		t.Helper()
		r, err := o.Service.Release(ctx, who, id, q.ID, "")
		must(t, err)
		if e := r.Entries[0]; e.Stuck != want || (e.Released == 0) != (want != "") {
			t.Errorf("%s releases %s: %+v", who.Name, e.Path, e)
		}
	}
	move := func(who memory.Principal, from, to string) memory.EntryID {
		t.Helper()
		e, _, err := o.Service.Entry(ctx, who, id, from)
		must(t, err)
		op := memory.Op{Action: memory.ActionMove, Previous: from, Path: to, EntryID: e.ID, BaseRev: e.Rev}
		r, err := o.Service.Push(ctx, who, id, memory.Push{Epoch: o.project.Head.Epoch, Ops: []memory.Op{op}})
		must(t, err)
		if r.Verdicts[0].Ruling != memory.RulingPublished {
			t.Fatalf("%s: %+v", to, r.Verdicts)
		}
		return e.ID
	}
	v := o.share(t, o.mia, "a.md", "poison")
	release(o.mara, take(o.mara, v.EntryID), "")
	released := take(o.mara, v.EntryID)
	release(o.mia, released, memory.StuckOwn)
	release(o.mara, released, "")
	moved := take(o.mara, move(o.mara, "a.md", "b.md"))
	release(o.mia, moved, memory.StuckOwn)
	release(o.mara, moved, "")
	o.share(t, o.mara, "c.md", "harmless")
	named := take(o.mara, move(o.mia, "c.md", "d.md"))
	release(o.mia, named, memory.StuckOwn)
	release(o.mara, named, "")
}
