package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// keepText reports a text that could not be merged.
func (b *bundle) keepText(tb testing.TB, path, text string, entry memory.EntryID, by memory.MemberID) (memory.Conflict, error) {
	tb.Helper()
	clean, err := memory.Screen(tb.Context(), allClear{}, parse(tb, path), []byte(text))
	must(tb, err)
	c := memory.Conflict{
		ID: memory.NewConflictID(), Project: b.project.ID, Path: parse(tb, path), EntryID: entry, Sum: clean.Sum(), Size: clean.Size(),
		Author: memory.Author{Member: by}, KeptAt: start(), At: start(),
	}
	return b.KeepConflict(tb.Context(), c, clean, 10, b.principal().Row(start(), "conflict.keep", string(c.ID)))
}

// A purge of what is there counts as a delete, in both directions.
func TestPurge_CountsAsDelete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var writes []memory.Write
	for i := range 8 {
		writes = append(writes, put(t, pathOf(i), fmt.Sprint("text ", i)))
	}
	v := b.push(t, writes...).Verdicts
	at := start().Add(time.Minute)
	purge := func(i int, own bool) error {
		_, err := b.Purge(t.Context(), memory.Purging{
			Purge: memory.Purge{EntryID: v[i].EntryID, Reason: "mine"}, Project: b.project.ID, By: b.principal(), Own: own, At: at,
			Since: start().Add(-time.Hour),
		}, b.principal().Row(at, "entry.purge", string(v[i].EntryID)))
		return err
	}
	for i := range 5 {
		must(t, purge(i, true))
	}
	wantCode(t, purge(5, true), memory.CodeDeleteGuard)
	guarded := b.batch(remove(t, pathOf(5), v[5]))
	guarded.Guarded = start().Add(-time.Hour)
	_, err := b.Push(t.Context(), guarded)
	wantCode(t, err, memory.CodeDeleteGuard)
	must(t, purge(5, false))
	b.check(t)
}

// Evidence is not its author's to remove.
func TestPurge_NotWhatIsInQuarantine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "a.md", "first")).Verdicts
	w := b.push(t, edit(t, "a.md", "second", v[0])).Verdicts
	q := b.quarantine(t, memory.Suspects{Entries: []memory.EntryID{v[0].EntryID}})
	for _, rev := range []int64{0, v[0].Rev, w[0].Rev} {
		_, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Rev: rev, Reason: "oops"}, true)
		wantCode(t, err, memory.CodeForbidden)
	}
	b.release(t, q)
	if _, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Rev: v[0].Rev, Reason: "mine"}, true); err != nil {
		t.Errorf("after the release: %v", err)
	}
	if _, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Reason: "all"}, false); err != nil {
		t.Errorf("a maintainer: %v", err)
	}
}

// A member's purge takes nothing of others, and tells nobody to.
func TestPurge_LeavesOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, push := b.writer(t, "Other")
	v := b.push(t, put(t, "mine.md", "common"), put(t, "alone.md", "only mine")).Verdicts
	push(put(t, "theirs.md", "unrelated"))
	theirs, err := b.keepText(t, "theirs.md", "common", "", other.ID)
	must(t, err)
	mine, err := b.keepText(t, "x.md", "common", "", b.member.ID)
	must(t, err)
	held := b.batch(put(t, "proposed.md", "common"))
	held.By.Member, held.By.Device, held.Device = other.ID, "", ""
	held.Items[0].Proposal = memory.NewProposalID()
	_, err = b.Push(t.Context(), held)
	must(t, err)
	for _, one := range v {
		_, err := b.purge(t, memory.Purge{EntryID: one.EntryID, Reason: "mine"}, true)
		must(t, err)
	}
	for id, want := range map[memory.ConflictID]bool{theirs.ID: false, mine.ID: true} {
		c, err := b.Conflict(t.Context(), b.project.ID, id)
		must(t, err)
		if c.Purged != want || (c.Closed != nil) != want || (len(c.Content) == 0) != want {
			t.Errorf("conflict of %s: %+v", c.Author.Name, c)
		}
	}
	p, err := b.Proposal(t.Context(), b.project.ID, held.Items[0].Proposal)
	must(t, err)
	if p.Purged || p.State != memory.ProposalPending || string(p.Content) != "common" {
		t.Errorf("their proposal: %+v", p)
	}
	told := func() []memory.Hash {
		page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Limit: 100, InlineMax: 1 << 20, PageMax: 1 << 30})
		must(t, err)
		return page.Purged
	}
	if diff := cmp.Diff([]memory.Hash{memory.Sum([]byte("only mine"))}, told()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// What was purged does not come back by another name, as a conflict, or out of a
// quarantine.
func TestPurge_NoWayBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, push := b.writer(t, "Mallory")
	const text = "a text that must go"
	v := b.push(t, put(t, "a.md", text), put(t, "moved.md", text), put(t, "b.md", "b")).Verdicts
	v[1] = b.push(t, move(t, "moved.md", "twin.md", v[1])).Verdicts[0]
	_, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Reason: "a secret"}, false)
	must(t, err)
	twin := v[1]
	r, err := b.Push(t.Context(), b.batch(
		move(t, "twin.md", "a.md", twin), edit(t, "a.md", text, twin), put(t, "else.md", text), move(t, "b.md", "c.md", v[2]),
	))
	must(t, err)
	for i, want := range []memory.Ruling{memory.RulingRefused, memory.RulingRefused, memory.RulingPublished, memory.RulingPublished} {
		if got := r.Verdicts[i].Ruling; got != want {
			t.Errorf("op %d: %s, want %s", i, got, want)
		}
	}
	for _, c := range []struct {
		path  string
		entry memory.EntryID
	}{{"a.md", ""}, {"any.md", v[0].EntryID}} {
		_, err := b.keepText(t, c.path, text, c.entry, b.member.ID)
		wantCode(t, err, memory.CodeTextRejected)
	}

	// An entry that had the name and the text, and has others now, would return to them.
	w := b.push(t, put(t, "d.md", "not yet a secret"), put(t, "e.md", "e")).Verdicts
	bad := push(edit(t, "d.md", "bad", w[0]))
	moved := push(move(t, "d.md", "f.md", bad[0]))
	again := b.push(t, put(t, "d.md", "not yet a secret")).Verdicts
	_, err = b.purge(t, memory.Purge{EntryID: again[0].EntryID, Reason: "a secret"}, false)
	must(t, err)
	q := b.quarantine(t, memory.Suspects{Member: mallory.ID})
	if len(moved) != 1 || q.Withdrawn != 1 || q.Entries[0].Back != 0 {
		t.Errorf("quarantined: %+v", q.Entries)
	}
	if _, there := b.tree(t)["d.md"]; there {
		t.Error("a purged text came back out of a quarantine")
	}
}

// The purge of an earlier text leaves the entry as its last writer left it.
func TestPurge_OldTextLeavesTheNewest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, push := b.writer(t, "Other")
	v := b.push(t, put(t, "a.md", "old")).Verdicts
	w := push(edit(t, "a.md", "new", v[0]))
	done, err := b.purge(t, memory.Purge{EntryID: v[0].EntryID, Rev: v[0].Rev, Reason: "why"}, false)
	must(t, err)
	page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Since: w[0].Rev, Limit: 100, InlineMax: 1 << 20, PageMax: 1 << 30})
	must(t, err)
	c := page.Changes[0]
	if len(page.Changes) != 1 || c.Seq != done.Rev || c.Rev != w[0].Rev || c.Author.Member != other.ID || c.Imposed() || string(c.Content) != "new" {
		t.Errorf("the feed says %+v", c)
	}
	b.push(t, edit(t, "a.md", "newer", w[0])) // over the text as it was before the purge
	b.wantTree(t, "edited", map[string]string{"a.md": "newer"})
}

// A text that is gone without a purge is a loss, and the database says so.
func TestPurge_OnlyWayToLoseAText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "a.md", "a")).Verdicts
	b.quarantine(t, memory.Suspects{Entries: []memory.EntryID{v[0].EntryID}})
	if _, err := b.owner.Exec(t.Context(), `update revisions set content = null where op = 'put'`); err == nil {
		t.Error("a text in quarantine was lost, and nobody noticed")
	}
}

// However much is purged at once, a page of the feed does not grow without bound,
// and all pages together tell everything.
func TestFeed_PurgesAreSpread(t *testing.T) {
	t.Parallel()
	const entries, most = 5, 4
	b := setup(t)
	want := map[memory.Hash]bool{}
	for i := range entries {
		v := b.push(t, put(t, pathOf(i), fmt.Sprintf("text %d", i))).Verdicts[0]
		for n := range 2 {
			text := fmt.Sprintf("text %d, edit %d", i, n)
			v = b.push(t, edit(t, pathOf(i), text, v)).Verdicts[0]
			want[memory.Sum([]byte(text))] = true
		}
		want[memory.Sum(fmt.Appendf(nil, "text %d", i))] = true
		_, err := b.purge(t, memory.Purge{EntryID: v.EntryID, Reason: "secrets"}, false)
		must(t, err)
	}
	got, pages := map[memory.Hash]bool{}, 0
	for since, more := int64(0), true; more; pages++ {
		page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Since: since, Limit: 1000, PurgedMax: most})
		must(t, err)
		digest, err := b.DigestAt(t.Context(), b.project.ID, page.To)
		must(t, err)
		if len(page.Purged) > most || page.Digest != digest || page.To <= since {
			t.Fatalf("the page from %d to %d has %d hashes", since, page.To, len(page.Purged))
		}
		for _, sum := range page.Purged {
			got[sum] = true
		}
		since, more = page.To, page.More()
	}
	if diff := cmp.Diff(want, got); diff != "" || pages != entries {
		t.Errorf("%d pages (-want +got):\n%s", pages, diff)
	}
}
