package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Every list is the naive filter of all proposals, in pages of any size.
func TestProposals_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ole, rea := b.addMember(t, "Ole"), b.addMember(t, "Rea")
	for i := range 12 {
		author := []memory.Member{b.member, ole}[i%2]
		batch := b.proposing(put(t, pathOf(i), "x"), put(t, "b/"+pathOf(i), "x"))
		batch.By.Member, batch.At = author.ID, start().Add(time.Duration(i/3)*time.Microsecond)
		r, err := b.Push(t.Context(), batch)
		must(t, err)
		switch p := b.proposal(t, r.Verdicts[0].Proposal); i % 4 {
		case 1:
			b.approve(t, p, rea)
		case 2, 3:
			_, err := b.End(t.Context(), memory.Ending{
				Project: b.project.ID, Proposal: p.ID, State: memory.ProposalRejected, By: rea.ID, At: start(), Reason: memory.ReasonWrong,
				Row: memory.Principal{}.Row(start(), "proposal.reject", string(p.ID)),
			})
			must(t, err)
		}
	}
	other := b.addProject(t, "acme/other")
	elsewhere := b.proposing(put(t, "a.md", "x"))
	elsewhere.Project, elsewhere.Epoch = other.ID, other.Head.Epoch
	_, err := b.Push(t.Context(), elsewhere)
	must(t, err)

	all, err := b.Proposals(t.Context(), b.project.ID, memory.ProposalQuery{Limit: 100})
	must(t, err)
	if len(all) != 24 || !slices.IsSortedFunc(all, newestFirst) {
		t.Fatalf("%d proposals, sorted: %v", len(all), slices.IsSortedFunc(all, newestFirst))
	}
	for _, p := range all {
		if p.Content != nil || p.Author.Name == "" || (p.Decision == nil) != (p.State == memory.ProposalPending) {
			t.Errorf("got %+v", p)
		}
	}
	for _, state := range []memory.ProposalState{"", memory.ProposalPending, memory.ProposalPublished, memory.ProposalRejected, memory.ProposalWithdrawn} {
		for _, author := range []memory.MemberID{"", b.member.ID, ole.ID, rea.ID} {
			var want []memory.ProposalID
			for _, p := range all {
				if (state == "" || p.State == state) && (author == "" || p.Author.Member == author) {
					want = append(want, p.ID)
				}
			}
			for _, limit := range []int{1, 5, 100} {
				got := b.pages(t, memory.ProposalQuery{State: state, Author: author, Limit: limit})
				if !slices.Equal(got, want) {
					t.Errorf("state %q, author %q, by %d: got %v, want %v", state, author, limit, got, want)
				}
			}
		}
	}
}

func newestFirst(a, b memory.Proposal) int {
	if c := b.At.Compare(a.At); c != 0 {
		return c
	}
	return compare(string(b.ID), string(a.ID))
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// pages returns all ids of a list.
func (b *bundle) pages(t *testing.T, q memory.ProposalQuery) (found []memory.ProposalID) {
	t.Helper()
	for {
		page, err := b.Proposals(t.Context(), b.project.ID, q)
		must(t, err)
		for _, p := range page {
			found = append(found, p.ID)
		}
		if len(page) < q.Limit {
			return found
		}
		last := page[len(page)-1]
		q.After = memory.ProposalCursor{At: last.At, ID: last.ID}
	}
}

// A proposal of another project is not found, whatever is asked of it.
func TestProposal_OtherProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.addProject(t, "acme/other")
	p := b.offer(t, put(t, "a.md", "x"))[0]
	_, err := b.Proposal(t.Context(), other.ID, p.ID)
	wantCode(t, err, memory.CodeNotFound)
	batch, ending := b.approval(t, p, b.addMember(t, "Rea"))
	batch.Project, batch.Epoch, ending.Project = other.ID, other.Head.Epoch, other.ID
	_, _, err = b.Publish(t.Context(), batch, ending)
	wantCode(t, err, memory.CodeNotFound)
	_, err = b.End(t.Context(), ending)
	wantCode(t, err, memory.CodeNotFound)
	found, err := b.Proposals(t.Context(), other.ID, memory.ProposalQuery{Limit: 10})
	must(t, err)
	if len(found) != 0 || b.proposal(t, p.ID).State != memory.ProposalPending {
		t.Errorf("the other project has %+v", found)
	}
	for _, id := range []memory.ProposalID{"", "prp_'--", "prp_\u202e", "prj_x"} {
		_, err := b.Proposal(t.Context(), b.project.ID, id)
		wantCode(t, err, memory.CodeNotFound)
	}
}

// The schema refuses what no program should write.
func TestProposals_Constraints(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.offer(t, put(t, "a.md", "x"))[0]
	for _, sql := range []string{
		`update proposals set state = 'lost'`,
		`update proposals set state = 'published'`,
		`update proposals set state = 'rejected', decided_by = author, decided_at = at`,
		`update proposals set state = 'rejected', decided_by = author, decided_at = at, reason = 'boring'`,
		`update proposals set state = 'withdrawn'`,
		`update proposals set state = 'withdrawn', decided_at = at`,
		`update proposals set state = 'withdrawn', decided_by = 'mem_nobody', decided_at = at`,
		`update proposals set state = 'published', decided_by = author, decided_at = at, published_rev = 7`,
		`update proposals set state = 'withdrawn', decided_by = author, decided_at = at, successor = proposal_id`,
		`update proposals set state = 'superseded', decided_by = author, decided_at = at, successor = 'prp_none'`,
		`update proposals set decision_note = 'x'`,
		`update proposals set reason = 'wrong'`,
		`update proposals set content = 'y'`,
		`update proposals set content = null`,
		`update proposals set op = 'delete'`,
		`update proposals set creates = false`,
		`update proposals set project_id = 'prj_none'`,
		`insert into proposals select project_id, 'prp_2', state, op, path, path_key, previous_path, 'ent_2', creates, base_rev, base_sha256, kind, name,
			description, content, sha256, size, author, device_id, agent, agent_version, agent_session, agent_model, note, rule_set, at from proposals`,
	} {
		if _, err := b.owner.Exec(t.Context(), sql); err == nil {
			t.Errorf("passes: %s", sql)
		}
	}
	if now := b.proposal(t, p.ID); now.State != memory.ProposalPending {
		t.Errorf("it is %s", now.State)
	}
}

// A decision whose connection dies before its commit leaves the proposal
// waiting and publishes nothing, and can be made again.
func TestPublish_KilledBeforeCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reviewer := b.addMember(t, "Rea")
	p := b.offer(t, put(t, "a.md", "text"))[0]
	before := b.head(t)
	gate := b.gateCommits(t)
	batch, ending := b.approval(t, p, reviewer)
	failed := make(chan error, 1)
	go func() {
		_, _, err := b.Publish(t.Context(), batch, ending)
		failed <- err
	}()
	b.killAtGate(t, gate)
	wantCode(t, <-failed, memory.CodeUnavailable)
	must(t, gate.Rollback(t.Context()))

	if now := b.proposal(t, p.ID); now.State != memory.ProposalPending || b.head(t) != before {
		t.Errorf("it is %s, the head %v", now.State, b.head(t))
	}
	if n := b.count(t, `select (select count(*) from revisions) + (select count(*) from audit where action = 'proposal.approve')`); n != 0 {
		t.Errorf("%d rows were left", n)
	}
	b.check(t)
	b.approve(t, p, reviewer)
	b.check(t)
}

// killAtGate ends the connection that waits at the gate.
func (b *bundle) killAtGate(t *testing.T, _ pgx.Tx) {
	t.Helper()
	waiting := `
		select count(*)
		from pg_locks
		join pg_database d on d.oid = database
		where datname = current_database() and locktype = 'advisory' and not granted`
	for b.count(t, waiting) == 0 { // asks until somebody is at the gate
	}
	b.exec(t, `
		select pg_terminate_backend(l.pid)
		from pg_locks l
		join pg_database d on d.oid = l.database
		where datname = current_database() and locktype = 'advisory' and not granted`)
}

// A push that is held is one transaction, too: what it replaces and what takes
// its place come together or not at all.
func TestPropose_FailsWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.offer(t, put(t, "a.md", "one"))[0]
	b.exec(t, `alter table audit add constraint no_second check (action <> 'proposal.put' or number < 2)`)
	_, err := b.Push(t.Context(), b.proposing(put(t, "a.md", "two")))
	wantCode(t, err, memory.CodeInternal)
	if now := b.proposal(t, first.ID); now.State != memory.ProposalPending {
		t.Errorf("it is %s", now.State)
	}
	if n := b.count(t, `select count(*) from proposals`); n != 1 {
		t.Errorf("%d proposals", n)
	}
	b.exec(t, `alter table audit drop constraint no_second`)
	b.offer(t, put(t, "a.md", "two"))
	b.check(t)
}

// fillQueue gives the project proposals of another author, each of which took
// the place of many others.
func (b *bundle) fillQueue(tb testing.TB, pending, replaced int) {
	tb.Helper()
	m := b.addMember(tb, "Quinn")
	for i := range pending {
		var writes []memory.Write
		for k := range replaced + 1 {
			writes = append(writes, put(tb, "queue/"+pathOf(i), fmt.Sprint("text ", k)))
		}
		b.offerBy(tb, m, writes...)
	}
}
