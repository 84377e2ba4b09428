package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/store"
)

func TestPush_StoresExactBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	texts := map[string]string{
		"empty.md":  "",
		"bom.md":    "\ufeff# Title\n",
		"crlf.md":   "one\r\ntwo\r\n",
		"noend.md":  "no final newline",
		"wide.md":   "日本語 🎉\n",
		"folded.md": strings.Repeat("the same line again\n", 12_000),
	}
	var writes []memory.Write
	for path, text := range texts {
		writes = append(writes, put(t, path, text))
	}
	r := b.push(t, writes...)
	for i, w := range writes {
		found, err := b.Revisions(t.Context(), b.project.ID, []memory.RevisionRef{{EntryID: r.Verdicts[i].EntryID, Rev: r.Verdicts[i].Rev}}, 1<<20)
		must(t, err)
		if len(found) != 1 || string(found[0].Content) != texts[w.Path.String()] || found[0].Content == nil {
			t.Errorf("%s was not stored as it was pushed", w.Path)
		}
	}
	b.check(t)
}

func TestPush_RevisionKeepsProvenance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := put(t, "testing/db.md", "---\nname: DB\ntype: feedback\n---\nUse one cluster.\n")
	w.Note, w.Risks = "because", aRisk()
	v := b.push(t, w).Verdicts[0]

	entry, err := b.Entry(t.Context(), b.project.ID, v.EntryID)
	must(t, err)
	wantEntry := memory.Entry{
		ID: v.EntryID, Path: w.Path, Kind: memory.KindFeedback, Name: "DB", Description: "Use one cluster.", Rev: 1,
		Sum: w.Content.Sum(), Size: w.Content.Size(), Author: memory.Author{Member: b.member.ID, Name: "Mara"}, UpdatedAt: start(),
	}
	if diff := cmp.Diff(wantEntry, entry, cmp.AllowUnexported(memory.Path{})); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	found, err := b.Revisions(t.Context(), b.project.ID, []memory.RevisionRef{{EntryID: v.EntryID, Rev: 1}}, 1<<20)
	must(t, err)
	want := []memory.Revision{{
		EntryID: v.EntryID, Rev: 1, Action: memory.ActionPut, Path: w.Path, Content: w.Content.Bytes(), Sum: w.Content.Sum(),
		Size: w.Content.Size(), Author: memory.Author{Member: b.member.ID, Name: "Mara"}, Device: b.device.ID,
		Agent: memory.Agent{Name: "claude-code", Version: "2.1", Session: "s1", Model: "m1"}, Note: "because", RuleSet: memory.RuleSet("rules-1"),
		Risks: aRisk(), At: start(),
	}}
	if diff := cmp.Diff(want, found, cmp.AllowUnexported(memory.Path{})); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

func TestPush_SwapNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.push(t, put(t, "a.md", "text of a"), put(t, "b.md", "text of b"), put(t, "c.md", "text of c"))
	a, bb, c := r.Verdicts[0], r.Verdicts[1], r.Verdicts[2]
	b.push(t, move(t, "a.md", "b.md", a), move(t, "b.md", "c.md", bb), move(t, "c.md", "a.md", c))
	for path, id := range map[string]memory.EntryID{"b.md": a.EntryID, "c.md": bb.EntryID, "a.md": c.EntryID} {
		entry, err := b.EntryAt(t.Context(), b.project.ID, parse(t, path))
		must(t, err)
		if entry.ID != id {
			t.Errorf("%s is %s, want %s", path, entry.ID, id)
		}
	}
	b.check(t)
}

func TestPush_TakeNameOfDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.push(t, put(t, "a.md", "text of a"), put(t, "b.md", "text of b"))
	b.push(t, remove(t, "a.md", r.Verdicts[0]), move(t, "b.md", "a.md", r.Verdicts[1]))
	entry, err := b.EntryAt(t.Context(), b.project.ID, parse(t, "a.md"))
	must(t, err)
	if entry.ID != r.Verdicts[1].EntryID || entry.Rev != 4 {
		t.Errorf("a.md is %s at %d", entry.ID, entry.Rev)
	}
	gone, err := b.Entry(t.Context(), b.project.ID, r.Verdicts[0].EntryID)
	must(t, err)
	if !gone.Deleted || gone.Rev != 3 || gone.Sum != memory.Sum([]byte("text of a")) {
		t.Errorf("deleted entry = %+v", gone)
	}
	b.check(t)
}

func TestPush_SeveralOpsOnOneEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := put(t, "a.md", "one")
	r := b.push(t, w)
	after := func(rev int64, text string) memory.Verdict {
		return memory.Verdict{EntryID: r.Verdicts[0].EntryID, Rev: rev, Sum: memory.Sum([]byte(text))}
	}
	// The numbers are foreseeable, so a batch can build on itself.
	b.push(t,
		edit(t, "a.md", "two", after(1, "one")),
		move(t, "a.md", "b.md", after(2, "two")),
		move(t, "b.md", "c.md", after(3, "two")),
		remove(t, "c.md", after(4, "two")),
		edit(t, "d.md", "three", after(5, "two")),
	)
	history, err := b.History(t.Context(), b.project.ID, w.NewID, 0, 10)
	must(t, err)
	var got []string
	for _, h := range history {
		got = append(got, fmt.Sprintf("%d %s %s base %d size %d", h.Rev, h.Action, h.Path, h.BaseRev, h.Size))
	}
	want := []string{
		"6 put d.md base 5 size 5", "5 delete c.md base 4 size 3", "4 move c.md base 3 size 3",
		"3 move b.md base 2 size 3", "2 put a.md base 1 size 3", "1 put a.md base 0 size 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	for rev, text := range map[int64]string{1: "one", 2: "two", 3: "two", 4: "two", 6: "three"} {
		found, err := b.Revisions(t.Context(), b.project.ID, []memory.RevisionRef{{EntryID: w.NewID, Rev: rev}}, 0)
		must(t, err)
		if string(found[0].Content) != text {
			t.Errorf("revision %d = %q, want %q", rev, found[0].Content, text)
		}
	}
	b.check(t)
}

func TestPush_NothingStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.push(t, put(t, "a.md", "text"))
	stale := edit(t, "a.md", "other", first.Verdicts[0])
	stale.BaseRev, stale.BaseSum = 9, memory.Hash{}
	batch := b.batch(edit(t, "a.md", "text", first.Verdicts[0]), stale)
	batch.Items = append(batch.Items, memory.Item{Refused: memory.Invalid("path", "no")})
	r, err := b.Push(t.Context(), batch)
	must(t, err)
	var rulings []memory.Ruling
	for _, v := range r.Verdicts {
		rulings = append(rulings, v.Ruling)
	}
	want := []memory.Ruling{memory.RulingSame, memory.RulingConflict, memory.RulingRefused}
	if diff := cmp.Diff(want, rulings); diff != "" || r.Head != first.Head {
		t.Errorf("head %v, rulings (-want +got):\n%s", r.Head, diff)
	}
	if n := b.count(t, `select count(*) from audit where project_id = $1`, b.project.ID); n != 1 {
		t.Errorf("%d audit rows, want 1", n)
	}
	b.check(t)
}

func TestPush_SeesTombstonesFoldersAndEarlierTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "Topic/a.md", "one")).Verdicts[0]
	v = b.push(t, edit(t, "Topic/a.md", "two", v)).Verdicts[0]
	v = b.push(t, edit(t, "Topic/a.md", "three", v)).Verdicts[0]

	earlier := edit(t, "Topic/a.md", "one", memory.Verdict{EntryID: v.EntryID, Rev: 1, Sum: memory.Sum([]byte("one"))})
	r, err := b.Push(t.Context(), b.batch(earlier, put(t, "topic/b.md", "text")))
	must(t, err)
	if got := r.Verdicts[0].Ruling; got != memory.RulingSuperseded {
		t.Errorf("an earlier text: %s, want superseded", got)
	}
	if p := r.Verdicts[1].Problem; p == nil || p.Code != memory.CodePathRejected {
		t.Errorf("another spelling of a folder: %v (%v), want path_rejected", r.Verdicts[1].Ruling, p)
	}

	b.push(t, remove(t, "Topic/a.md", v))
	r, err = b.Push(t.Context(), b.batch(put(t, "topic/a.md", "one")))
	must(t, err)
	if got := r.Verdicts[0].Ruling; got != memory.RulingDeleted {
		t.Errorf("a deleted text: %s, want deleted", got)
	}
	b.push(t, put(t, "topic/b.md", "text")) // the folder is empty, so its spelling is free
	b.check(t)
}

func TestPush_Key(t *testing.T) {
	t.Parallel()
	b := setup(t)
	keyed := func(body string, at time.Time, writes ...memory.Write) memory.Batch {
		batch := b.batch(writes...)
		batch.Key, batch.Body, batch.At = "key", memory.Sum([]byte(body)), at
		return batch
	}
	stale := put(t, "b.md", "text")
	stale.EntryID, stale.BaseRev = memory.NewEntryID(), 7
	batch := keyed("body", start(), put(t, "a.md", "text"), stale)
	batch.Items = append(batch.Items, memory.Item{Refused: &memory.Error{
		Code: memory.CodeSecretFound, Field: "content", Message: "a secret", Hint: "take it out", Layer: "l", Position: 3,
		Findings: []sanitize.Finding{{Rule: "r", Severity: sanitize.SeverityHard, Line: 2, Column: 5}},
	}})
	first, err := b.Push(t.Context(), batch)
	must(t, err)

	again, err := b.Push(t.Context(), batch)
	must(t, err)
	if diff := cmp.Diff(first, again, cmp.AllowUnexported(memory.Path{}), cmpopts.IgnoreFields(memory.Error{}, "Err")); diff != "" {
		t.Errorf("the answer to the same key (-first +again):\n%s", diff)
	}
	_, err = b.Push(t.Context(), keyed("other body", start(), put(t, "c.md", "text")))
	wantCode(t, err, memory.CodeInvalid)

	other := batch
	other.By.Member = b.addMember(t, "Ole").ID
	r, err := b.Push(t.Context(), other)
	must(t, err)
	if r.Verdicts[0].Ruling != memory.RulingSame {
		t.Errorf("another member's key: %s, want an answer of its own", r.Verdicts[0].Ruling)
	}

	late, err := b.Push(t.Context(), keyed("other body", start().Add(24*time.Hour), put(t, "c.md", "text")))
	must(t, err)
	if late.Verdicts[0].Ruling != memory.RulingPublished {
		t.Errorf("the key a day later: %s, want published", late.Verdicts[0].Ruling)
	}
	if n := b.count(t, `select count(*) from push_keys`); n != 1 {
		t.Errorf("%d keys are kept, want only the new one", n)
	}
	b.check(t)
}

func TestPush_WrongEpoch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	head := b.push(t, put(t, "a.md", "text")).Head
	batch := b.batch(put(t, "b.md", "text"))
	batch.Epoch = "other"
	_, err := b.Push(t.Context(), batch)
	wantCode(t, err, memory.CodeEpochChanged)
	if e, ok := errors.AsType[*memory.Error](err); !ok || e.Head == nil || *e.Head != head {
		t.Errorf("the error does not say where the project stands: %+v", err)
	}
	batch.Project = memory.NewProjectID()
	_, err = b.Push(t.Context(), batch)
	wantCode(t, err, memory.CodeNotFound)
}

func TestPush_RefusesZeroValues(t *testing.T) {
	t.Parallel()
	b := setup(t)
	unscreened, unparsed := put(t, "a.md", "text"), put(t, "a.md", "text")
	unscreened.Content, unparsed.Path = memory.Clean{}, memory.Path{}
	for _, w := range []memory.Write{unscreened, unparsed} {
		_, err := b.Push(t.Context(), b.batch(w))
		wantCode(t, err, memory.CodeInternal)
	}
	if n := b.count(t, `select count(*) from entries`); n != 0 {
		t.Errorf("%d entries were stored", n)
	}
}

func TestPush_WaitsForTheLockAWhile(t *testing.T) {
	t.Parallel()
	b := open(t, store.Options{LockTimeout: 20 * time.Millisecond, Log: testLog(t)})
	blocker, err := b.owner.Begin(t.Context())
	must(t, err)
	_, err = blocker.Exec(t.Context(), `select from projects for update`)
	must(t, err)
	_, err = b.Push(t.Context(), b.batch(put(t, "a.md", "text")))
	wantCode(t, err, memory.CodeUnavailable)
	must(t, blocker.Rollback(t.Context()))
	b.push(t, put(t, "a.md", "text"))
	b.check(t)
}

func TestHeads_AreWhatPushJudgesBy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.push(t, put(t, "Topic/sub/a.md", "one"), put(t, "Topic/b.md", "two"), put(t, "Topicx.md", "three"))
	b.push(t, remove(t, "Topic/b.md", r.Verdicts[1]))
	batch := b.batch(put(t, "topic/SUB/a.md", "one"), put(t, "topic/b.md", "two"))
	h, err := b.Heads(t.Context(), b.project.ID, batch.Lookups())
	must(t, err)
	if h.Live != 2 || h.Head.Seq != 4 {
		t.Errorf("live %d, seq %d", h.Live, h.Head.Seq)
	}
	want := []memory.EntryHead{
		{ID: r.Verdicts[0].EntryID, Path: parse(t, "Topic/sub/a.md"), Rev: 1, Sum: memory.Sum([]byte("one")), Size: 3},
		{ID: r.Verdicts[1].EntryID, Path: parse(t, "Topic/b.md"), Rev: 4, Sum: memory.Sum([]byte("two")), Size: 3, DeletedRev: 4},
	}
	if diff := cmp.Diff(want, h.Entries, cmp.AllowUnexported(memory.Path{})); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	var folders []string
	for _, f := range h.Folders {
		folders = append(folders, fmt.Sprintf("%s %d", f.Folder(), f.Live))
	}
	if diff := cmp.Diff([]string{"Topic 1", "Topic/sub 1"}, folders, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	wantEarlier := []memory.Earlier{
		{EntryID: r.Verdicts[0].EntryID, Rev: 1, Sum: memory.Sum([]byte("one"))},
		{EntryID: r.Verdicts[1].EntryID, Rev: 2, Sum: memory.Sum([]byte("two"))},
	}
	if diff := cmp.Diff(wantEarlier, h.Earlier); diff != "" {
		t.Errorf("earlier texts (-want +got):\n%s", diff)
	}
	_, err = b.Heads(t.Context(), memory.NewProjectID(), batch.Lookups())
	wantCode(t, err, memory.CodeNotFound)
}
