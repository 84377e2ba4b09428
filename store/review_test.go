package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// proposing makes a batch of which every op waits for a reviewer.
func (b *bundle) proposing(writes ...memory.Write) memory.Batch {
	batch := b.batch(writes...)
	for i := range batch.Items {
		batch.Items[i].Proposal = memory.NewProposalID()
	}
	return batch
}

// offer proposes writes and requires all of them to wait.
func (b *bundle) offer(tb testing.TB, writes ...memory.Write) []memory.Proposal {
	tb.Helper()
	return b.offerBy(tb, b.member, writes...)
}

func (b *bundle) offerBy(tb testing.TB, m memory.Member, writes ...memory.Write) (all []memory.Proposal) {
	tb.Helper()
	batch := b.proposing(writes...)
	batch.By.Member, batch.By.Name = m.ID, m.Name
	r, err := b.Push(tb.Context(), batch)
	must(tb, err)
	for i, v := range r.Verdicts {
		if v.Ruling != memory.RulingWaiting {
			tb.Fatalf("op %d: %s (%v)", i, v.Ruling, v.Problem)
		}
		p, err := b.Proposal(tb.Context(), b.project.ID, v.Proposal)
		must(tb, err)
		all = append(all, p)
	}
	return all
}

// approval is what the service makes of a proposal that m approves.
func (b *bundle) approval(tb testing.TB, p memory.Proposal, m memory.Member) (memory.Batch, memory.Ending) {
	tb.Helper()
	w := memory.Write{
		Action: p.Action, Path: p.Path, EntryID: p.EntryID, BaseRev: p.BaseRev, BaseSum: p.BaseSum, AllowEmpty: true, Note: p.Note,
		AbsentAt: memory.Cursor{Epoch: b.project.Head.Epoch, Seq: 1 << 40},
	}
	switch p.Action {
	case memory.ActionPut:
		clean, err := memory.Screen(tb.Context(), allClear{}, p.Path, p.Content)
		must(tb, err)
		w.Content, w.Meta = clean, memory.ReadFrontmatter(p.Path, string(p.Content))
	case memory.ActionMove:
		w.Previous = p.Previous
	default: // a delete needs no more
	}
	by := memory.Principal{Member: m.ID, Name: m.Name, Device: "dev_reviewer", Client: "console"}
	at := start().Add(time.Hour)
	row := by.Row(at, "proposal.approve", string(p.ID))
	row.Decision = "published"
	batch := memory.Batch{
		Project: b.project.ID, Epoch: b.project.Head.Epoch, By: by, Device: p.Device, Agent: p.Agent, At: at,
		Items: []memory.Item{{Write: w}}, Approves: memory.Approval{Proposal: p.ID, Author: p.Author.Member},
	}
	ending := memory.Ending{
		Project: b.project.ID, Proposal: p.ID, State: memory.ProposalPublished, By: m.ID, At: at, Row: row,
	}
	return batch, ending
}

// approve publishes a proposal and requires it to work.
func (b *bundle) approve(tb testing.TB, p memory.Proposal, m memory.Member) memory.Verdict {
	tb.Helper()
	batch, ending := b.approval(tb, p, m)
	r, pending, err := b.Publish(tb.Context(), batch, ending)
	must(tb, err)
	if !pending || r.Verdicts[0].Ruling != memory.RulingPublished {
		tb.Fatalf("pending %v, %+v", pending, r.Verdicts)
	}
	return r.Verdicts[0]
}

func (b *bundle) proposal(tb testing.TB, id memory.ProposalID) memory.Proposal {
	tb.Helper()
	p, err := b.Proposal(tb.Context(), b.project.ID, id)
	must(tb, err)
	return p
}

func (b *bundle) head(tb testing.TB) memory.Head {
	tb.Helper()
	h, err := b.Head(tb.Context(), b.project.ID)
	must(tb, err)
	return h
}

// A proposal keeps everything of the change, and the project nothing.
func TestPropose_KeepsTheChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.push(t, put(t, "a.md", "---\ntype: user\nname: A\n---\nSay it.\n")).Verdicts[0]
	before := b.head(t)
	text := "\ufeff---\nname: New\ntype: feedback\n---\r\nÜse “one” 🎉\r\n"
	created := put(t, "f/new.md", text)
	created.Note, created.Risks = "because", aRisk()
	renamed := edit(t, "b.md", "", v)
	renamed.AllowEmpty = true
	other := b.addMember(t, "Ole")
	moved, deleted := move(t, "a.md", "g/a.md", v), remove(t, "a.md", v)

	agent := memory.Agent{Name: "claude-code", Version: "2.1", Session: "s1", Model: "m1"}
	want := memory.Proposal{
		Project: b.project.ID, State: memory.ProposalPending, Action: memory.ActionPut, Path: created.Path, EntryID: created.NewID, Creates: true,
		Content: []byte(text), Sum: memory.Sum([]byte(text)), Size: len(text), Kind: memory.KindFeedback, Name: "New",
		Description: "Üse “one” 🎉", Author: memory.Author{Member: b.member.ID, Name: "Mara"}, Device: b.device.ID, Agent: agent,
		Note: "because", RuleSet: memory.RuleSet("rules-1"), Risks: aRisk(), At: start(),
	}
	entry := memory.Proposal{
		Project: b.project.ID, State: memory.ProposalPending, EntryID: v.EntryID, BaseRev: 1, BaseSum: v.Sum, Previous: parse(t, "a.md"),
		Device: b.device.ID, Agent: agent, At: start(),
	}
	put := entry
	put.Action, put.Path, put.Content, put.Sum, put.Kind, put.Name, put.RuleSet = memory.ActionPut, renamed.Path, []byte{}, memory.Sum(nil), memory.KindProject, "b", memory.RuleSet("rules-1")
	put.Author = want.Author
	mov := entry
	mov.Action, mov.Path, mov.Sum, mov.Size, mov.Kind, mov.Name, mov.Description = memory.ActionMove, moved.Path, v.Sum, 35, memory.KindUser, "A", "Say it."
	mov.Author = memory.Author{Member: other.ID, Name: "Ole"}
	del := mov
	del.Action, del.Path, del.Previous, del.Author = memory.ActionDelete, deleted.Path, memory.Path{}, memory.Author{Member: b.addMember(t, "Dan").ID, Name: "Dan"}

	for _, tt := range []struct {
		name string
		got  memory.Proposal
		want memory.Proposal
	}{
		{"new entry", b.offer(t, created)[0], want},
		{"edit and rename, to nothing", b.offer(t, renamed)[0], put},
		{"move", b.offerBy(t, other, moved)[0], mov},
		{"delete", b.offerBy(t, memory.Member{ID: del.Author.Member, Name: "Dan"}, deleted)[0], del},
	} {
		tt.want.ID = tt.got.ID
		if diff := cmp.Diff(tt.want, tt.got, cmp.AllowUnexported(memory.Path{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if b.head(t) != before {
		t.Errorf("the head moved from %v to %v", before, b.head(t))
	}
	rows := `select string_agg(action || ' ' || decision, ', ' order by number) from audit where project_id = $1`
	var got string
	must(t, b.owner.QueryRow(t.Context(), rows, b.project.ID).Scan(&got))
	if want := "entry.put published, proposal.put waiting, proposal.put waiting, proposal.move waiting, proposal.delete waiting"; got != want {
		t.Errorf("audit: %s", got)
	}
	b.check(t)
}

// The same push again waits as it did, with no row more; another takes its
// place in the same transaction.
func TestPropose_AgainAndInstead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.offer(t, put(t, "a.md", "one"))[0]
	if again := b.offer(t, put(t, "a.md", "one"))[0]; again.ID != first.ID {
		t.Errorf("the same change waits as %s and %s", first.ID, again.ID)
	}
	if n := b.count(t, `select count(*) from audit where project_id = $1`, b.project.ID); n != 1 {
		t.Errorf("%d rows of audit, want 1", n)
	}
	other := b.addMember(t, "Ole")
	theirs := b.offerBy(t, other, put(t, "a.md", "one"))[0]
	if theirs.ID == first.ID {
		t.Error("two authors share a proposal")
	}
	second := b.offer(t, put(t, "A.md", "two"))[0]
	old := b.proposal(t, first.ID)
	want := &memory.ReviewDecision{By: memory.Author{Member: b.member.ID, Name: "Mara"}, At: start()}
	if diff := cmp.Diff(want, old.Decision); diff != "" || old.State != memory.ProposalSuperseded || old.Successor != second.ID || string(old.Content) != "one" {
		t.Errorf("the first is %s by %s (-want +got):\n%s", old.State, old.Successor, diff)
	}
	if p := b.proposal(t, theirs.ID); p.State != memory.ProposalPending {
		t.Errorf("the other author's is %s", p.State)
	}

	// Several of one entry in one push: the last one waits.
	v := b.push(t, put(t, "b.md", "b")).Verdicts[0]
	three := b.offer(t, edit(t, "b.md", "b1", v), edit(t, "b.md", "b2", v), remove(t, "b.md", v))
	for i, p := range three {
		var successor memory.ProposalID
		state := memory.ProposalPending
		if i < 2 {
			state, successor = memory.ProposalSuperseded, three[i+1].ID
		}
		if p.State != state || p.Successor != successor {
			t.Errorf("%d is %s, followed by %q", i, p.State, p.Successor)
		}
	}
	// And published for all, nothing waits.
	b.push(t, edit(t, "b.md", "b3", v))
	if p := b.proposal(t, three[2].ID); p.State != memory.ProposalSuperseded || p.Successor != "" {
		t.Errorf("the last is %s, followed by %q", p.State, p.Successor)
	}
	b.check(t)
}

// An idempotency key answers with the same proposal.
func TestPropose_Key(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.proposing(put(t, "a.md", "one"))
	batch.Key, batch.Body = "key", memory.Sum([]byte("body"))
	first, err := b.Push(t.Context(), batch)
	must(t, err)
	again := b.proposing(put(t, "a.md", "one"))
	again.Key, again.Body = batch.Key, batch.Body
	second, err := b.Push(t.Context(), again)
	must(t, err)
	if diff := cmp.Diff(first, second); diff != "" || first.Verdicts[0].Proposal != batch.Items[0].Proposal {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

func TestPropose_QueueIsFull(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.offer(t, put(t, "a.md", "a"), put(t, "b.md", "b"))
	other := b.addMember(t, "Ole")
	for _, tt := range []struct {
		name         string
		by           memory.MemberID
		pending, own int
		path         string
		want         memory.Ruling
	}{
		{"project is full", b.member.ID, 2, 9, "c.md", memory.RulingRefused},
		{"project is full for others too", other.ID, 2, 9, "c.md", memory.RulingRefused},
		{"author has enough", b.member.ID, 9, 2, "c.md", memory.RulingRefused},
		{"in the place of one's own", b.member.ID, 2, 2, "a.md", memory.RulingWaiting},
		{"another author has room", other.ID, 3, 2, "c.md", memory.RulingWaiting},
	} {
		batch := b.proposing(put(t, tt.path, "x"))
		batch.By.Member, batch.Pending, batch.Own = tt.by, tt.pending, tt.own
		r, err := b.Push(t.Context(), batch)
		must(t, err)
		if v := r.Verdicts[0]; v.Ruling != tt.want || (v.Problem != nil) != (tt.want == memory.RulingRefused) {
			t.Errorf("%s: %+v", tt.name, v)
		}
	}
	b.check(t)
}

// What is approved is the author's in every byte and in provenance; the record
// names the reviewer.
func TestPublish_IsTheAuthors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reviewer := b.addMember(t, "Rea")
	texts := map[string]string{
		"empty.md": "", "bom.md": "\ufeff# T\n", "crlf.md": "one\r\ntwo\r", "wide.md": "日本語 🎉", "folded.md": strings.Repeat("the same line\n", 12_000),
	}
	var writes []memory.Write
	for path, text := range texts {
		writes = append(writes, put(t, path, text))
	}
	for i, p := range b.offer(t, writes...) {
		v := b.approve(t, p, reviewer)
		found, err := b.Revisions(t.Context(), b.project.ID, []memory.RevisionRef{{EntryID: v.EntryID, Rev: v.Rev}}, 1<<20)
		must(t, err)
		r := found[0]
		if r.Sum != writes[i].Content.Sum() || memory.Sum(r.Content) != r.Sum || r.Author.Name != "Mara" || r.Device != b.device.ID ||
			r.Agent.Session != "s1" || r.RuleSet != memory.RuleSet("rules-1") || r.At != start().Add(time.Hour) || r.EntryID != p.EntryID {
			t.Errorf("%s: %+v", p.Path, r)
		}
		entry, err := b.EntryAt(t.Context(), b.project.ID, p.Path)
		must(t, err)
		if entry.Author.Name != "Mara" || entry.Rev != v.Rev {
			t.Errorf("entry %+v", entry)
		}
		d := b.proposal(t, p.ID)
		if d.State != memory.ProposalPublished || d.Decision.By.Name != "Rea" || d.Decision.Rev != v.Rev || string(d.Content) != texts[p.Path.String()] {
			t.Errorf("proposal %+v", d)
		}
	}
	if n := b.count(t, `select count(*) from audit where project_id = $1 and actor = $2 and device_id = 'dev_reviewer'
		and action in ('entry.put', 'proposal.approve') and decision = 'published'`, b.project.ID, reviewer.ID); n != 2*len(texts) {
		t.Errorf("%d rows name the reviewer", n)
	}
	page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Limit: 100, InlineMax: 1 << 20, PageMax: 1 << 22})
	must(t, err)
	for _, c := range page.Changes {
		if c.Author.Name != "Mara" || c.Device != b.device.ID || memory.Sum(c.Content) != c.Sum {
			t.Errorf("change %+v", c)
		}
	}
	b.check(t)
}

func TestPublish_EveryAction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reviewer := b.addMember(t, "Rea")
	a := b.push(t, put(t, "a.md", "a")).Verdicts[0]
	a = b.approve(t, b.offer(t, edit(t, "b.md", "b", a))[0], reviewer)
	a = b.approve(t, b.offer(t, move(t, "b.md", "f/c.md", a))[0], reviewer)
	entry, err := b.EntryAt(t.Context(), b.project.ID, parse(t, "f/c.md"))
	must(t, err)
	if entry.ID != a.EntryID || entry.Sum != memory.Sum([]byte("b")) {
		t.Errorf("entry %+v", entry)
	}
	a = b.approve(t, b.offer(t, remove(t, "f/c.md", a))[0], reviewer)
	a.Sum = memory.Sum([]byte("b"))
	a = b.approve(t, b.offer(t, edit(t, "again.md", "again", a))[0], reviewer)
	if a.Rev != 5 {
		t.Errorf("rev %d", a.Rev)
	}
	b.check(t)
}

// Every way in which the base can be gone when somebody approves: nothing is
// published, and the proposal goes on waiting.
func TestPublish_BaseIsGone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		write func(*testing.T, memory.Verdict) memory.Write
		then  func(*testing.T, *bundle, memory.Verdict)
		want  memory.Ruling
	}{
		{
			"edited", func(t *testing.T, v memory.Verdict) memory.Write { return edit(t, "a.md", "mine", v) },
			func(t *testing.T, b *bundle, v memory.Verdict) { b.push(t, edit(t, "a.md", "theirs", v)) }, memory.RulingConflict,
		},
		{
			"edited to the very text", func(t *testing.T, v memory.Verdict) memory.Write { return edit(t, "a.md", "mine", v) },
			func(t *testing.T, b *bundle, v memory.Verdict) { b.push(t, edit(t, "a.md", "mine", v)) }, memory.RulingSame,
		},
		{
			"deleted", func(t *testing.T, v memory.Verdict) memory.Write { return edit(t, "a.md", "mine", v) },
			func(t *testing.T, b *bundle, v memory.Verdict) { b.push(t, remove(t, "a.md", v)) }, memory.RulingConflict,
		},
		{
			"moved under a delete", func(t *testing.T, v memory.Verdict) memory.Write { return remove(t, "a.md", v) },
			func(t *testing.T, b *bundle, v memory.Verdict) { b.push(t, move(t, "a.md", "b.md", v)) }, memory.RulingConflict,
		},
		{
			"path taken", func(t *testing.T, _ memory.Verdict) memory.Write { return put(t, "n.md", "mine") },
			func(t *testing.T, b *bundle, _ memory.Verdict) { b.push(t, put(t, "n.md", "theirs")) }, memory.RulingRefused,
		},
		{
			"name of a move taken", func(t *testing.T, v memory.Verdict) memory.Write { return move(t, "a.md", "n.md", v) },
			func(t *testing.T, b *bundle, _ memory.Verdict) { b.push(t, put(t, "n.md", "theirs")) }, memory.RulingRefused,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			reviewer := b.addMember(t, "Rea")
			v := b.push(t, put(t, "a.md", "a")).Verdicts[0]
			author := b.addMember(t, "Ole")
			p := b.offerBy(t, author, tt.write(t, v))[0]
			tt.then(t, b, v)
			before := b.head(t)
			batch, ending := b.approval(t, p, reviewer)
			r, pending, err := b.Publish(t.Context(), batch, ending)
			must(t, err)
			if !pending || r.Verdicts[0].Ruling != tt.want || b.head(t) != before {
				t.Errorf("pending %v, %+v", pending, r.Verdicts[0])
			}
			if now := b.proposal(t, p.ID); now.State != memory.ProposalPending || now.Decision != nil {
				t.Errorf("it is %s", now.State)
			}
			if n := b.count(t, `select count(*) from audit where action = 'proposal.approve'`); n != 0 {
				t.Errorf("%d approvals on record", n)
			}
			b.check(t)
		})
	}
}

// A text that was there and deleted while it waited comes back: who approves it
// has seen that the path is free.
func TestPublish_DeletedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.offer(t, put(t, "a.md", "text"))[0]
	v := b.push(t, put(t, "b.md", "text")).Verdicts[0]
	v = b.push(t, move(t, "b.md", "a.md", v)).Verdicts[0] // by the author, which closes what waits at the path
	if now := b.proposal(t, p.ID); now.State != memory.ProposalSuperseded {
		t.Fatalf("it is %s", now.State)
	}
	b.push(t, remove(t, "a.md", v))
	late := put(t, "a.md", "text")
	late.AbsentAt = memory.Cursor{Epoch: b.project.Head.Epoch, Seq: v.Rev + 1}
	b.approve(t, b.offerBy(t, b.addMember(t, "Ole"), late)[0], b.addMember(t, "Rea"))
	b.check(t)
}

func TestEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reviewer := b.addMember(t, "Rea")
	p := b.offer(t, put(t, "a.md", "one"))[0]
	before := b.head(t)
	at := start().Add(time.Minute)
	ending := memory.Ending{
		Project: b.project.ID, Proposal: p.ID, State: memory.ProposalRejected, By: reviewer.ID, At: at, Reason: memory.ReasonOther, Note: "näh\n",
		Row: memory.Principal{Member: reviewer.ID}.Row(at, "proposal.reject", string(p.ID)),
	}
	for i, want := range []bool{true, false} {
		if pending, err := b.End(t.Context(), ending); err != nil || pending != want {
			t.Errorf("time %d: %v, %v", i, pending, err)
		}
	}
	want := &memory.ReviewDecision{By: memory.Author{Member: reviewer.ID, Name: "Rea"}, At: at, Reason: memory.ReasonOther, Note: "näh\n"}
	now := b.proposal(t, p.ID)
	if diff := cmp.Diff(want, now.Decision); diff != "" || now.State != memory.ProposalRejected || string(now.Content) != "one" {
		t.Errorf("%s (-want +got):\n%s", now.State, diff)
	}
	if n := b.count(t, `select count(*) from audit where action = 'proposal.reject'`); n != 1 || b.head(t) != before {
		t.Errorf("%d rows, head %v", n, b.head(t))
	}
	// The way is free for the author's next try, with the same text.
	if again := b.offer(t, put(t, "a.md", "one"))[0]; again.ID == p.ID {
		t.Error("a rejected proposal waits again")
	}
	ending.Proposal = memory.NewProposalID()
	_, err := b.End(t.Context(), ending)
	wantCode(t, err, memory.CodeNotFound)
	b.check(t)
}

// Two who approve at once: one publishes, the other is told that it was
// decided. And nobody waits for ever.
func TestPublish_Race(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var reviewers []memory.Member
	for i := range 6 {
		reviewers = append(reviewers, b.addMember(t, fmt.Sprint("reviewer ", i)))
	}
	for round := range 10 {
		p := b.offer(t, put(t, pathOf(round), "text"))[0]
		won, lost := make([]bool, len(reviewers)), make([]bool, len(reviewers))
		var group sync.WaitGroup
		for i, m := range reviewers {
			batch, ending := b.approval(t, p, m)
			group.Go(func() {
				if i%3 == 2 { // some say no
					ending.State, ending.Reason = memory.ProposalRejected, memory.ReasonWrong
					pending, err := b.End(t.Context(), ending)
					won[i], lost[i] = pending, !pending
					if err != nil {
						t.Errorf("reject: %v", err)
					}
					return
				}
				r, pending, err := b.Publish(t.Context(), batch, ending)
				if err != nil {
					t.Errorf("approve: %v", err)
					return
				}
				won[i], lost[i] = pending && r.Verdicts[0].Ruling == memory.RulingPublished, !pending
			})
		}
		group.Wait()
		winner := slices.Index(won, true)
		now := b.proposal(t, p.ID)
		if winner < 0 || now.Decision == nil || now.Decision.By.Member != reviewers[winner].ID {
			t.Fatalf("round %d: won %v, decided %+v", round, won, now.Decision)
		}
		for i := range reviewers {
			if won[i] == lost[i] || won[i] && i != winner {
				t.Errorf("round %d: won %v, lost %v", round, won, lost)
			}
		}
		published := b.count(t, `select count(*) from revisions where entry_id = $1`, p.EntryID)
		if (now.State == memory.ProposalPublished) != (published == 1) || published > 1 {
			t.Errorf("round %d: %s, with %d revisions", round, now.State, published)
		}
	}
	b.check(t)
}

// Approvals against pushes of the same entry: one of the two is first, and the
// other knows. No text is lost on the way.
func TestPublish_AgainstPushes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reviewer, author := b.addMember(t, "Rea"), b.addMember(t, "Ole")
	v := b.push(t, put(t, "a.md", "0")).Verdicts[0]
	for round := 1; round <= 20; round++ {
		p := b.offerBy(t, author, edit(t, "a.md", fmt.Sprint("proposed ", round), v))[0]
		batch, ending := b.approval(t, p, reviewer)
		direct := b.batch(edit(t, "a.md", fmt.Sprint("pushed ", round), v))
		var approved, pushed memory.Receipt
		var group sync.WaitGroup
		group.Go(func() {
			var err error
			if approved, _, err = b.Publish(t.Context(), batch, ending); err != nil {
				t.Errorf("approve: %v", err)
			}
		})
		group.Go(func() {
			var err error
			if pushed, err = b.Push(t.Context(), direct); err != nil {
				t.Errorf("push: %v", err)
			}
		})
		group.Wait()
		one, two := approved.Verdicts[0], pushed.Verdicts[0]
		if (one.Ruling == memory.RulingPublished) == (two.Ruling == memory.RulingPublished) {
			t.Fatalf("round %d: approval %s, push %s", round, one.Ruling, two.Ruling)
		}
		state := b.proposal(t, p.ID).State
		if one.Ruling == memory.RulingPublished {
			v = one
			if state != memory.ProposalPublished || two.Ruling != memory.RulingConflict {
				t.Errorf("round %d: %s, push %s", round, state, two.Ruling)
			}
			continue
		}
		v = two
		if state != memory.ProposalPending || one.Ruling != memory.RulingConflict {
			t.Errorf("round %d: %s, approval %s", round, state, one.Ruling)
		}
	}
	b.check(t)
}

// The preset counts under the lock: once it was changed, nothing is stored that
// was decided by the one before.
func TestSetReview_CountsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	open := b.batch(put(t, "a.md", "a"))
	open.Review = memory.PresetOpen
	row := b.principal().Row(start(), "project.review", string(b.project.ID))
	must(t, b.SetReview(t.Context(), b.project.ID, memory.PresetStrict, row))
	_, err := b.Push(t.Context(), open)
	wantCode(t, err, memory.CodeUnavailable)
	open.Review = memory.PresetStrict
	if r, err := b.Push(t.Context(), open); err != nil || r.Verdicts[0].Ruling != memory.RulingPublished {
		t.Errorf("got %+v, %v", r, err)
	}
	p, err := b.Project(t.Context(), b.project.ID)
	must(t, err)
	if p.Review != memory.PresetStrict {
		t.Errorf("the preset is %s", p.Review)
	}
	wantCode(t, b.SetReview(t.Context(), memory.NewProjectID(), memory.PresetOpen, row), memory.CodeNotFound)
	// What waits goes on waiting under any preset.
	waits := b.offer(t, put(t, "w.md", "w"))[0]
	must(t, b.SetReview(t.Context(), b.project.ID, memory.PresetOpen, row))
	if now := b.proposal(t, waits.ID); now.State != memory.ProposalPending {
		t.Errorf("it is %s", now.State)
	}
	b.check(t)
}

func TestSetRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := b.principal().Row(start(), "role.set", string(b.member.ID))
	for _, want := range []memory.Role{memory.RoleReviewer, memory.RoleNone, memory.RoleMaintainer} {
		must(t, b.SetRole(t.Context(), b.project.ID, b.member.ID, want, row))
		if got, ok, err := b.Role(t.Context(), b.project.ID, b.member.ID); err != nil || !ok || got != want {
			t.Errorf("got %s, %v, %v; want %s", got, ok, err, want)
		}
	}
	if n := b.count(t, `select count(*) from audit where project_id = $1 and action = 'role.set'`, b.project.ID); n != 3 {
		t.Errorf("%d rows", n)
	}
	wantCode(t, b.SetRole(t.Context(), memory.NewProjectID(), b.member.ID, memory.RoleViewer, row), memory.CodeNotFound)
	b.check(t)
}
