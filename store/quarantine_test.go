package store_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// tree returns what the feed gives to somebody who is new.
func (b *bundle) tree(tb testing.TB) map[string]string {
	tb.Helper()
	page, err := b.Changes(tb.Context(), b.project.ID, memory.FeedQuery{Limit: 1 << 30, InlineMax: 1 << 20, PageMax: 1 << 30})
	must(tb, err)
	tree := map[string]string{}
	for _, c := range page.Changes {
		if !c.Gone() {
			tree[c.Path.String()] = string(c.Content)
		}
	}
	return tree
}

// quarantine takes back what is suspect, an hour after everything began.
func (b *bundle) quarantine(tb testing.TB, s memory.Suspects) memory.Quarantine {
	tb.Helper()
	q := memory.Quarantine{
		ID: memory.NewQuarantineID(), Project: b.project.ID, Suspects: s, Reason: "suspect",
		By: memory.Author{Member: b.member.ID, Name: b.member.Name}, At: start().Add(time.Hour),
	}
	seen, err := b.PreviewQuarantine(tb.Context(), q)
	must(tb, err)
	var done memory.Quarantine
	must(tb, allFit(func(fit memory.Screened) error {
		done, err = b.AddQuarantine(tb.Context(), q, fit, b.principal().Row(q.At, "quarantine.add", string(q.ID)))
		return err
	}))
	if done.ID != q.ID {
		return done // of before
	}
	if seen.Withdrawn != done.Withdrawn || seen.Kept != done.Kept || seen.Proposals != done.Proposals {
		tb.Errorf("the preview said %d, %d, %d; it was %d, %d, %d", seen.Withdrawn, seen.Kept, seen.Proposals, done.Withdrawn, done.Kept, done.Proposals)
	}
	b.check(tb)
	return done
}

func (b *bundle) release(tb testing.TB, q memory.Quarantine) memory.Quarantine {
	tb.Helper()
	at := start().Add(2 * time.Hour)
	r := memory.Releasing{Project: b.project.ID, Quarantine: q.ID, Reason: "released", At: at}
	var done memory.Quarantine
	must(tb, allFit(func(fit memory.Screened) (err error) {
		r.Screened = fit
		done, err = b.ReleaseQuarantine(tb.Context(), r, b.principal().Row(at, "quarantine.release", string(q.ID)))
		return err
	}))
	b.check(tb)
	return done
}

// allFit does what asks for texts to be screened, all of which pass.
func allFit(do func(memory.Screened) error) error {
	fit := memory.Screened{}
	for {
		err := do(fit)
		more, ok := errors.AsType[*memory.Unscreened](err)
		if !ok {
			return err
		}
		for _, ref := range more.Refs {
			fit[ref] = true
		}
	}
}

func (b *bundle) purge(tb testing.TB, p memory.Purge, own bool) (memory.Purged, error) {
	tb.Helper()
	at := start().Add(3 * time.Hour)
	done, err := b.Purge(tb.Context(), memory.Purging{Purge: p, Project: b.project.ID, By: b.principal(), Own: own, At: at, Since: at.Add(-time.Hour)}, b.principal().Row(at, "entry.purge", string(p.EntryID)))
	b.check(tb)
	return done, err
}

// mallory is somebody whose changes are taken back.
func (b *bundle) mallory(tb testing.TB) (memory.Member, func(writes ...memory.Write) memory.Receipt) {
	tb.Helper()
	m := b.addMember(tb, "Mallory")
	return m, func(writes ...memory.Write) memory.Receipt {
		batch := b.batch(writes...)
		batch.By.Member, batch.By.Token, batch.By.Device, batch.Device, batch.At = m.ID, "tok_stolen", "", "dev_stolen", start().Add(time.Minute)
		batch.Agent.Session = "stolen"
		r, err := b.Push(tb.Context(), batch)
		must(tb, err)
		for _, v := range r.Verdicts {
			if v.Ruling != memory.RulingPublished {
				tb.Fatalf("mallory's op: %s (%v)", v.Ruling, v.Problem)
			}
		}
		return r
	}
}

func TestQuarantine_TakesBackAndReleases(t *testing.T) {
	t.Parallel()
	for _, named := range []struct {
		name     string
		suspects func(memory.Member) memory.Suspects
	}{
		{"member", func(m memory.Member) memory.Suspects { return memory.Suspects{Member: m.ID} }},
		{"token", func(memory.Member) memory.Suspects { return memory.Suspects{Token: "tok_stolen"} }},
		{"device", func(memory.Member) memory.Suspects { return memory.Suspects{Device: "dev_stolen"} }},
		{"session", func(memory.Member) memory.Suspects { return memory.Suspects{Session: "stolen"} }},
		{"member since", func(m memory.Member) memory.Suspects {
			return memory.Suspects{Member: m.ID, Since: start().Add(time.Second)}
		}},
	} {
		t.Run(named.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			mallory, push := b.mallory(t)
			first := b.push(t, put(t, "a.md", "a"), put(t, "b.md", "b"), put(t, "c.md", "c"), put(t, "d.md", "d"), put(t, "e.md", "e")).Verdicts
			before := b.tree(t)
			bad := push(
				edit(t, "a.md", "a, but bad", first[0]), move(t, "b.md", "moved/b.md", first[1]), remove(t, "c.md", first[2]),
				edit(t, "d.md", "d, but bad", first[3]), put(t, "new.md", "bad"),
				move(t, "e.md", "c.md", first[4]),
			).Verdicts
			b.push(t, edit(t, "d.md", "d, but bad, and mended", bad[3]))
			after := b.tree(t)

			q := b.quarantine(t, named.suspects(mallory))
			before["d.md"] = "d, but bad, and mended"
			if diff := cmp.Diff(before, b.tree(t)); diff != "" {
				t.Errorf("after the quarantine (-want +got):\n%s", diff)
			}
			if q.Withdrawn != 5 || q.Kept != 1 {
				t.Errorf("withdrawn %d, kept %d", q.Withdrawn, q.Kept)
			}
			if again := b.quarantine(t, named.suspects(mallory)); again.ID != q.ID || again.Withdrawn != 5 {
				t.Errorf("asked again: %q, %d; the first was %q", again.ID, again.Withdrawn, q.ID)
			}
			if r := b.release(t, q); r.Released != 5 {
				t.Errorf("released %d: %+v", r.Released, r.Entries)
			}
			if diff := cmp.Diff(after, b.tree(t)); diff != "" {
				t.Errorf("after the release (-want +got):\n%s", diff)
			}
			head := func() int64 { h, err := b.Head(t.Context(), b.project.ID); must(t, err); return h.Seq }
			was := head()
			if r := b.release(t, q); r.Released != 5 || head() != was {
				t.Errorf("released again: %d, %d changes more", r.Released, head()-was)
			}
			listed, err := b.Quarantines(t.Context(), b.project.ID, memory.QuarantineQuery{Limit: 10})
			must(t, err)
			if len(listed) != 1 || listed[0].Withdrawn != 5 || listed[0].Released != 5 || listed[0].Reason != "suspect" {
				t.Errorf("listed: %+v", listed)
			}
		})
	}
}

func TestQuarantine_OfEntries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "a.md", "a"), put(t, "b.md", "b"), put(t, "c.md", "c")).Verdicts
	q := b.quarantine(t, memory.Suspects{Entries: []memory.EntryID{v[0].EntryID, v[1].EntryID}})
	if diff := cmp.Diff(map[string]string{"c.md": "c"}, b.tree(t)); diff != "" {
		t.Error(diff)
	}
	_, err := b.PreviewQuarantine(t.Context(), memory.Quarantine{Project: b.project.ID, Suspects: memory.Suspects{Entries: []memory.EntryID{"ent_unknown"}}})
	wantCode(t, err, memory.CodeNotFound)

	// Somebody takes one of the names, and brings the other entry back with a text of their own.
	taken := b.push(t, put(t, "a.md", "another a")).Verdicts[0]
	back := edit(t, "b.md", "b again", memory.Verdict{EntryID: v[1].EntryID, Rev: q.Entries[1].Rev})
	b.push(t, back)
	r := b.release(t, q)
	if r.Released != 0 || r.Entries[0].Stuck != memory.StuckTaken || r.Entries[1].Stuck != memory.StuckChanged {
		t.Errorf("released %d: %+v", r.Released, r.Entries)
	}
	b.push(t, remove(t, "a.md", taken))
	if r := b.release(t, q); r.Released != 1 || r.Entries[1].Stuck != memory.StuckChanged {
		t.Errorf("released %d: %+v", r.Released, r.Entries)
	}
	if diff := cmp.Diff(map[string]string{"a.md": "a", "b.md": "b again", "c.md": "c"}, b.tree(t)); diff != "" {
		t.Error(diff)
	}
}

// A name that somebody else has by now is not taken from them: what is suspect
// goes.
func TestQuarantine_NameTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.mallory(t)
	v := b.push(t, put(t, "a.md", "a"), put(t, "Dir/b.md", "b")).Verdicts
	push(move(t, "a.md", "bad.md", v[0]), move(t, "Dir/b.md", "worse.md", v[1]))
	b.push(t, put(t, "a.md", "mine now"), put(t, "dir/c.md", "and this folder"))
	q := b.quarantine(t, memory.Suspects{Member: mallory.ID})
	if diff := cmp.Diff(map[string]string{"a.md": "mine now", "dir/c.md": "and this folder"}, b.tree(t)); diff != "" {
		t.Error(diff)
	}
	b.release(t, q)
	want := map[string]string{"a.md": "mine now", "dir/c.md": "and this folder", "bad.md": "a", "worse.md": "b"}
	if diff := cmp.Diff(want, b.tree(t)); diff != "" {
		t.Error(diff)
	}
}

// What was taken back does not come back by itself: not from a tree that is
// behind, nor by an edit of it, and nobody counts it as a delete.
func TestQuarantine_StaysOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var writes []memory.Write
	for i := range 20 {
		writes = append(writes, put(t, pathOf(i), fmt.Sprint("text ", i)))
	}
	v := b.push(t, writes...).Verdicts
	var ids []memory.EntryID
	for _, one := range v[:15] {
		ids = append(ids, one.EntryID)
	}
	b.quarantine(t, memory.Suspects{Entries: ids})
	r, err := b.Push(t.Context(), b.batch(put(t, pathOf(0), "text 0"), edit(t, pathOf(1), "edited", v[1]), move(t, pathOf(2), "x.md", v[2])))
	must(t, err)
	for i, want := range []memory.Ruling{memory.RulingDeleted, memory.RulingConflict, memory.RulingConflict} {
		if got := r.Verdicts[i].Ruling; got != want {
			t.Errorf("op %d: %s, want %s", i, got, want)
		}
	}
	guarded := b.batch(remove(t, pathOf(15), v[15]))
	guarded.Guarded = start().Add(-time.Hour)
	if _, err := b.Push(t.Context(), guarded); err != nil {
		t.Errorf("a delete after a quarantine: %v", err)
	}
}

func TestPurge_RemovesEveryCopy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const secret = "a text that must go"
	v := b.push(t, put(t, "a.md", secret), put(t, "other.md", secret)).Verdicts
	v[0] = b.push(t, move(t, "a.md", "b.md", v[0])).Verdicts[0]
	edited := b.push(t, edit(t, "b.md", "edited", v[0])).Verdicts[0]
	text, err := memory.Screen(t.Context(), allClear{}, parse(t, "b.md"), []byte(secret))
	must(t, err)
	conflict := memory.Conflict{
		ID: memory.NewConflictID(), Project: b.project.ID, Path: parse(t, "b.md"), EntryID: v[0].EntryID, Sum: text.Sum(), Size: text.Size(),
		Author: memory.Author{Member: b.member.ID}, KeptAt: start(), At: start(),
	}
	_, err = b.KeepConflict(t.Context(), conflict, text, 10, b.principal().Row(start(), "conflict.keep", string(conflict.ID)))
	must(t, err)
	held := b.batch(edit(t, "b.md", secret, edited))
	held.Items[0].Proposal = memory.NewProposalID()
	_, err = b.Push(t.Context(), held)
	must(t, err)

	_, err = b.purge(t, memory.Purge{EntryID: v[0].EntryID, Rev: edited.Rev, Reason: "oops"}, false)
	wantCode(t, err, memory.CodeConflict)
	_, err = b.purge(t, memory.Purge{EntryID: "ent_unknown"}, false)
	wantCode(t, err, memory.CodeNotFound)
	done, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Rev: 1, Reason: "oops"}, true)
	must(t, err)
	if done.Revisions != 2 || len(done.Sums) != 1 || !cmp.Equal(done.Elsewhere, []memory.EntryID{v[1].EntryID}) {
		t.Errorf("purged: %+v", done)
	}
	if diff := cmp.Diff(map[string]string{"b.md": "edited", "other.md": secret}, b.tree(t)); diff != "" {
		t.Error(diff)
	}
	// It is offered again: over the entry, under its old name, and from elsewhere.
	r, err := b.Push(t.Context(), b.batch(
		edit(t, "b.md", secret, memory.Verdict{EntryID: v[0].EntryID, Rev: done.Rev}), put(t, "a.md", secret), put(t, "third.md", secret),
	))
	must(t, err)
	for i, want := range []memory.Ruling{memory.RulingRefused, memory.RulingDeleted, memory.RulingPublished} {
		if got := r.Verdicts[i].Ruling; got != want {
			t.Errorf("op %d: %s, want %s", i, got, want)
		}
	}

	all, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Reason: "all of it"}, false)
	must(t, err)
	if again, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Reason: "all of it"}, false); err != nil || again.Rev != 0 || len(again.Sums) != 2 {
		t.Errorf("purged again: %+v, %v", again, err)
	}
	page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Since: done.Rev, Limit: 100, InlineMax: 1 << 20, PageMax: 1 << 30})
	must(t, err)
	if len(page.Purged) != 1 || page.Changes[len(page.Changes)-1].Action != memory.ActionPurge || !page.Changes[len(page.Changes)-1].Gone() {
		t.Errorf("feed after purge %d: %+v, %d purged", all.Rev, page.Changes, len(page.Purged))
	}
	for _, left := range []string{
		`select count(*) from revisions where content = $1 and entry_id = '` + string(v[0].EntryID) + `'`,
		`select count(*) from proposals where content = $1`, `select count(*) from conflicts where content = $1`,
	} {
		if n := b.count(t, left, []byte(secret)); n != 0 {
			t.Errorf("%d copies: %s", n, left)
		}
	}
	if n := b.count(t, `select rewrites from projects`); n != 2 {
		t.Errorf("%d purges", n)
	}
}

// Members purge only what they have brought.
func TestPurge_Own(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, push := b.mallory(t)
	mine := b.push(t, put(t, "a.md", "mine")).Verdicts[0]
	push(edit(t, "a.md", "hers", mine))
	_, err := b.purge(t, memory.Purge{EntryID: mine.EntryID}, true)
	wantCode(t, err, memory.CodeForbidden)
	if _, err := b.purge(t, memory.Purge{EntryID: mine.EntryID, Rev: mine.Rev}, true); err != nil {
		t.Error(err)
	}
	if _, err := b.purge(t, memory.Purge{EntryID: mine.EntryID}, false); err != nil {
		t.Error(err)
	}
}

func TestQuarantine_Many(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.mallory(t)
	entries, batch := 400, 200
	if os.Getenv("TEAMMEM_SOAK") != "" {
		entries = 10_000
	}
	for n := 0; n < entries; n += batch {
		var writes []memory.Write
		for i := n; i < n+batch; i++ {
			writes = append(writes, put(t, pathOf(i), fmt.Sprint("text ", i)))
		}
		push(writes...)
	}
	before := b.tree(t)
	q := b.quarantine(t, memory.Suspects{Member: mallory.ID})
	if q.Withdrawn != entries || len(b.tree(t)) != 0 {
		t.Errorf("%d taken back, %d left", q.Withdrawn, len(b.tree(t)))
	}
	b.release(t, q)
	if diff := cmp.Diff(before, b.tree(t)); diff != "" {
		t.Error(diff)
	}
}
