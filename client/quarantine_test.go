package client_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// maintain lets a member take changes back.
func (tm *team) maintain(t testing.TB, m *member) {
	t.Helper()
	must(t, tm.service.SetRole(t.Context(), root(), tm.project.ID, m.id.Member, memory.RoleMaintainer))
}

// entries returns the server's entries by path.
func (tm *team) entries(t testing.TB) map[string]memory.EntryID {
	t.Helper()
	_, all, err := tm.store.Manifest(t.Context(), tm.project.ID)
	must(t, err)
	ids := map[string]memory.EntryID{}
	for _, e := range all {
		ids[e.Path.String()] = e.ID
	}
	return ids
}

// A maintainer takes 200 of 300 entries back. They leave the trees at once, no
// guard asks, and the release brings every byte back.
func TestQuarantine_ManyLeaveAndReturn(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	boss, mara := tm.join(t, "Boss"), tm.join(t, "Mara")
	tm.maintain(t, boss)
	for i := range 300 {
		boss.write(t, numbered(i), fmt.Sprintf("text %d\r\nno end", i))
	}
	boss.sync(t)
	mara.sync(t)
	before := mara.files(t)

	mara.write(t, numbered(0), "text 0, edited by Mara")
	mara.rename(t, numbered(1), "elsewhere.md")
	ids, suspects := tm.entries(t), memory.Suspects{}
	for i := range 200 {
		suspects.Entries = append(suspects.Entries, ids[numbered(i)])
	}
	if _, err := mara.http.Quarantine(t.Context(), tm.project.ID, memory.Withdrawal{Suspects: suspects}); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("a contributor: %v", err)
	}
	q, err := boss.http.Quarantine(t.Context(), tm.project.ID, memory.Withdrawal{Suspects: suspects, Reason: "a drill"})
	must(t, err)
	r := mara.sync(t)
	if q.Withdrawn != 200 || len(r.Held) > 0 || len(r.Conflicts) != 1 {
		t.Errorf("taken back %d, held %v, conflicts %v", q.Withdrawn, r.Held, r.Conflicts)
	}
	boss.sync(t)
	tm.equal(t, boss, mara)
	if n := len(mara.files(t)); n != 100 {
		t.Errorf("%d files are left", n)
	}
	if got := mara.kept(t, before[numbered(1)]); got != "trash" {
		t.Errorf("a renamed file that was taken back is in %q", got)
	}
	if got := mara.kept(t, "text 0, edited by Mara"); got != "conflicts" {
		t.Errorf("what was edited in what was taken back is in %q", got)
	}
	open, err := tm.store.Conflicts(t.Context(), tm.project.ID, memory.ConflictQuery{Limit: 10})
	must(t, err)
	if len(open) != 0 {
		t.Errorf("the server has conflicts of it: %v", open)
	}

	mara.remove(t, numbered(250)) // no guard counts what was taken back
	if r := mara.sync(t); len(r.Held) > 0 {
		t.Errorf("held: %v", r.Held)
	}
	released, err := boss.http.Release(t.Context(), tm.project.ID, q.ID, "")
	must(t, err)
	if released.Released != 200 {
		t.Errorf("released %d", released.Released)
	}
	mara.sync(t)
	boss.sync(t)
	tm.equal(t, boss, mara)
	delete(before, numbered(250))
	if diff := cmp.Diff(before, mara.files(t)); diff != "" {
		t.Errorf("not as it was (-want +got):\n%s", diff)
	}
	for path, id := range tm.entries(t) {
		if ids[path] != id {
			t.Errorf("%s is another entry now", path)
		}
	}
}

// Where an earlier revision returns, it takes the place of the suspect one, and
// nothing of that is merged.
func TestQuarantine_EarlierReturns(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	boss, mara, mallory := tm.join(t, "Boss"), tm.join(t, "Mara"), tm.join(t, "Mallory")
	tm.maintain(t, boss)
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		boss.write(t, name, "one\ntwo\nthree\n")
	}
	boss.sync(t)
	mallory.sync(t)
	mallory.write(t, "a.md", "one\ntwo\nevil\n")
	mallory.write(t, "b.md", "one\ntwo\nevil\n")
	mallory.write(t, "new.md", "evil\n")
	mallory.sync(t)
	mara.sync(t)
	mara.write(t, "b.md", "ONE\ntwo\nevil\n") // an edit that would merge
	_, err := boss.http.Quarantine(t.Context(), tm.project.ID, memory.Withdrawal{Suspects: memory.Suspects{Member: mallory.id.Member}})
	must(t, err)
	for _, m := range []*member{mara, mallory, boss} {
		m.sync(t)
	}
	tm.equal(t, boss, mara, mallory)
	want := map[string]string{"a.md": "one\ntwo\nthree\n", "b.md": "one\ntwo\nthree\n", "c.md": "one\ntwo\nthree\n"}
	if diff := cmp.Diff(want, mara.files(t)); diff != "" {
		t.Error(diff)
	}
	if got := mara.kept(t, "ONE\ntwo\nevil\n"); got != "conflicts" {
		t.Errorf("Mara's edit is in %q", got)
	}
}

// S43: a text was synced whose path is left out since. Forgetting it removes the
// server's copy and its versions, and the copies of others; the file stays.
func TestScenario_S43_SecretFoundLater(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	mara, tom := tm.join(t, "Mara"), tm.join(t, "Tom")
	texts := []string{"an old secret\n", "a newer secret\n", "the newest secret\n"}
	for _, text := range texts {
		mara.write(t, "leak.md", text)
		mara.sync(t)
		tom.sync(t)
	}
	mara.write(t, ".teammemignore", "leak.md\n")
	mara.sync(t)
	leak := memory.Purge{EntryID: tm.entries(t)["leak.md"], Reason: "a secret"}
	if _, err := mara.http.Purge(t.Context(), tm.project.ID, leak); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("by an API token: %v", err)
	}
	signedIn := memory.Principal{Member: mara.id.Member, Name: mara.id.Name, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
	_, err := tm.service.Purge(t.Context(), signedIn, tm.project.ID, leak)
	must(t, err)
	tom.sync(t)
	mara.sync(t)
	if diff := cmp.Diff(map[string]string{}, tom.files(t)); diff != "" {
		t.Errorf("Tom's tree: %s", diff)
	}
	if got := mara.files(t)["leak.md"]; got != texts[2] {
		t.Errorf("the file that was left out says %q", got)
	}
	for _, m := range []*member{mara, tom} {
		for name, text := range filesBelow(t, m.dirs.Data) {
			if slices.Contains(texts, text) {
				t.Errorf("%s keeps %s", m.id.Name, name)
			}
		}
	}
	revisions, err := tm.store.History(t.Context(), tm.project.ID, entryOf(t, tm), 0, 10)
	must(t, err)
	purged := 0
	for _, r := range revisions {
		if r.Purged {
			purged++
		}
	}
	if purged != len(texts) {
		t.Errorf("%d revisions are purged: %+v", purged, revisions)
	}
	// A copy that turns up somewhere is not shared again, and not lost.
	tom.write(t, "leak.md", texts[0])
	r, err := tom.try(t.Context())
	must(t, err)
	if len(tm.entries(t)) != 0 || tom.kept(t, texts[0]) != "trash" {
		t.Errorf("offered again: %v, entries %v", r.Done, tm.entries(t))
	}
}

// entryOf returns the one entry of which the feed tells.
func entryOf(t testing.TB, tm *team) memory.EntryID {
	t.Helper()
	page, err := tm.store.Changes(t.Context(), tm.project.ID, memory.FeedQuery{Limit: 100})
	must(t, err)
	return page.Changes[0].EntryID
}

// A run that is cut off after it heard of a withdrawal obeys it in the next one.
func TestQuarantine_SurvivesACut(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	boss, mara := tm.join(t, "Boss"), tm.join(t, "Mara")
	tm.maintain(t, boss)
	for i := range 20 {
		boss.write(t, numbered(i), "text\n")
	}
	boss.sync(t)
	mara.sync(t)
	var w memory.Withdrawal
	w.Entries = slices.Collect(maps.Values(tm.entries(t)))
	_, err := boss.http.Quarantine(t.Context(), tm.project.ID, w)
	must(t, err)
	cut := mara.syncer("")
	if _, err := cut.Sync(t.Context(), client.SyncOptions{Mode: client.PushOnly}); err != nil && !strings.Contains(err.Error(), "digest") {
		t.Logf("push only: %v", err)
	}
	if n := len(mara.files(t)); n != 20 {
		t.Fatalf("%d files are left before the tree may be written", n)
	}
	if r := mara.sync(t); len(r.Held) > 0 || len(mara.files(t)) > 0 {
		t.Errorf("held %v, left %v", r.Held, mara.files(t))
	}
}

// Who gets the list of all entries instead of the feed hears of what was purged,
// too: no copy of it stays. One that the member had beside it is theirs.
func TestPurge_HeardOfWithoutTheFeed(t *testing.T) {
	t.Parallel()
	tm, mara, tom := together(t, map[string]string{"leak.md": "an old secret\n", "stays.md": "stays\n"})
	mara.write(t, "leak.md", "a newer secret\n")
	mara.sync(t)
	tom.sync(t) // which puts the old one into the trash
	if tom.kept(t, "an old secret\n") != "trash" {
		t.Fatal("nothing is kept, so this test shows nothing")
	}
	signedIn := memory.Principal{Member: mara.id.Member, Name: mara.id.Name, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
	_, err := tm.service.Purge(t.Context(), signedIn, tm.project.ID, memory.Purge{EntryID: tm.entries(t)["leak.md"], Reason: "a secret"})
	must(t, err)
	tom.write(t, "mine.md", "a newer secret\n")
	tm.between(goneFeed)
	r, err := tom.try(t.Context())
	tm.between(nil)
	must(t, err)
	for _, text := range []string{"an old secret\n", "a newer secret\n"} {
		if place := tom.kept(t, text); place != "" || len(r.Held) > 0 {
			t.Errorf("%q is in %q, held %v", text, place, r.Held)
		}
	}
	if got := tom.files(t); got["leak.md"] != "" || got["stays.md"] != "stays\n" || got["mine.md"] != "a newer secret\n" {
		t.Errorf("the tree has %q", got)
	}
}
