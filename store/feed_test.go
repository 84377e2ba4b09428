package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/teammem/teammem/memory"
)

func TestChanges_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.push(t, put(t, "a.md", "one"), put(t, "b.md", "two"), put(t, "c.md", "three"))
	moved := b.push(t, move(t, "a.md", "d.md", r.Verdicts[0]))
	deleted := b.push(t, remove(t, "b.md", r.Verdicts[1]))

	for _, tc := range []struct {
		name   string
		since  int64
		limit  int
		to     int64
		digest memory.Digest
		want   []string
	}{
		{"all", 0, 100, 5, deleted.Head.Digest, []string{"3 put c.md", "4 move a.md > d.md", "5 delete b.md"}},
		{"first page", 0, 3, 3, r.Head.Digest, []string{"1 put a.md", "2 put b.md", "3 put c.md"}},
		{"middle", 3, 1, 4, moved.Head.Digest, []string{"4 move a.md > d.md"}},
		{"last", 4, 1, 5, deleted.Head.Digest, []string{"5 delete b.md"}},
		{"nothing new", 5, 10, 5, deleted.Head.Digest, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Since: tc.since, Limit: tc.limit})
			must(t, err)
			var got []string
			for _, c := range page.Changes {
				line := fmt.Sprintf("%d %s %s", c.Seq, c.Action, c.Path)
				if c.Action == memory.ActionMove {
					line = fmt.Sprintf("%d move %s > %s", c.Seq, c.Previous, c.Path)
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			page.Changes = nil
			want := memory.FeedPage{Epoch: b.project.Head.Epoch, From: tc.since, To: tc.to, Head: 5, Digest: tc.digest}
			if diff := cmp.Diff(want, page, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
			at, err := b.DigestAt(t.Context(), b.project.ID, tc.to)
			must(t, err)
			if at != tc.digest {
				t.Errorf("digest at %d differs from the page's", tc.to)
			}
		})
	}
}

func TestChanges_Whole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := put(t, "a.md", "---\ntype: user\n---\nText.\n")
	v := b.push(t, w).Verdicts[0]
	page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Limit: 10, InlineMax: 1000, PageMax: 1000})
	must(t, err)
	want := []memory.Change{{
		Seq: 1, EntryID: v.EntryID, Action: memory.ActionPut, Path: w.Path, Rev: 1, Sum: w.Content.Sum(), Size: w.Content.Size(),
		Kind: memory.KindUser, Content: w.Content.Bytes(), Inline: true, At: start(),
		Author: memory.Author{Member: b.member.ID, Name: "Mara"}, Device: b.device.ID,
		Agent: memory.Agent{Name: "claude-code", Version: "2.1", Session: "s1", Model: "m1"},
	}}
	if diff := cmp.Diff(want, page.Changes, cmp.AllowUnexported(memory.Path{})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestChanges_Inline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gone := b.push(t, put(t, "gone.md", "bye")).Verdicts[0]
	b.push(t, put(t, "a.md", "aaaa"), put(t, "big.md", strings.Repeat("b", 50)), put(t, "empty.md", ""), put(t, "c.md", "cccc"), put(t, "d.md", "dd"))
	b.push(t, remove(t, "gone.md", gone))
	for _, tc := range []struct {
		name               string
		inlineMax, pageMax int
		want               []string
	}{
		{"no limit in the way", 100, 100, []string{"a.md", "big.md", "empty.md", "c.md", "d.md"}},
		{"large entries apart", 10, 100, []string{"a.md", "empty.md", "c.md", "d.md"}},
		{"page full", 10, 7, []string{"a.md", "empty.md"}},
		{"none wanted", 0, 100, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Limit: 100, InlineMax: tc.inlineMax, PageMax: tc.pageMax})
			must(t, err)
			var got []string
			for _, c := range page.Changes {
				if c.Inline != (c.Content != nil) {
					t.Errorf("%s: inline %v with content %q", c.Path, c.Inline, c.Content)
				}
				if c.Inline {
					got = append(got, c.Path.String())
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || len(page.Changes) != 6 {
				t.Errorf("%d changes; inline (-want +got):\n%s", len(page.Changes), diff)
			}
		})
	}
}

func TestFeed_NotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nowhere := memory.NewProjectID()
	_, err := b.Head(t.Context(), nowhere)
	wantCode(t, err, memory.CodeNotFound)
	_, err = b.Changes(t.Context(), nowhere, memory.FeedQuery{Limit: 1})
	wantCode(t, err, memory.CodeNotFound)
	_, err = b.DigestAt(t.Context(), b.project.ID, 1)
	wantCode(t, err, memory.CodeNotFound)
	zero, err := b.DigestAt(t.Context(), b.project.ID, 0)
	must(t, err)
	if zero != (memory.Digest{}) {
		t.Error("the digest at 0 is not empty")
	}
}

// S40: every follower sees every revision once and in order, and what it has is
// proven equal after every page, while 16 writers commit slowly.
func TestScenario_S40_FeedGaps(t *testing.T) {
	t.Parallel()
	const writers, total = 16, 2000
	b := setup(t)
	b.slowCommits(t)
	tickets := make(chan int, total)
	for i := range total {
		tickets <- i
	}
	close(tickets)

	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() { b.writeUntilEmpty(t, rand.New(rand.NewPCG(1, uint64(w))), tickets) })
	}
	for _, limit := range []int{1, 7, 1000} {
		group.Go(func() { b.follow(t, limit, total) })
	}
	group.Wait()
	b.check(t)
}

// slowCommits makes every few changes hold their commit up, after all of the
// transaction's work is done.
func (b *bundle) slowCommits(t *testing.T) {
	t.Helper()
	b.exec(t, `
		create function dawdle() returns trigger language plpgsql as $$
		begin
			if random() < 0.1 then
				perform pg_sleep(random() * 0.02);
			end if;
			return null;
		end
		$$`)
	b.exec(t, `
		create constraint trigger dawdle after insert on changes
		deferrable initially deferred
		for each row execute function dawdle()`)
}

// writeUntilEmpty makes one new entry a ticket, in batches of up to 10.
func (b *bundle) writeUntilEmpty(t *testing.T, random *rand.Rand, tickets <-chan int) {
	t.Helper()
	for {
		var writes []memory.Write
		for range 1 + random.IntN(10) {
			i, ok := <-tickets
			if !ok {
				break
			}
			writes = append(writes, put(t, pathOf(i), fmt.Sprintf("fact %d", i)))
		}
		if len(writes) == 0 {
			return
		}
		r, err := b.Push(context.WithoutCancel(t.Context()), b.batch(writes...))
		if err != nil {
			t.Errorf("push: %v", err)
			return
		}
		for _, v := range r.Verdicts {
			if v.Ruling != memory.RulingPublished {
				t.Errorf("%s: %v", v.Ruling, v.Problem)
			}
		}
	}
}

// follow polls the head and reads what is new, as a client does.
func (b *bundle) follow(t *testing.T, limit int, total int64) {
	t.Helper()
	var seen int64
	var digest memory.Digest
	paths := map[memory.Path]bool{}
	for seen < total && !t.Failed() {
		head, err := b.Head(t.Context(), b.project.ID)
		if err != nil {
			t.Errorf("head: %v", err)
			return
		}
		if head.Seq == seen {
			continue
		}
		page, err := b.Changes(t.Context(), b.project.ID, memory.FeedQuery{Since: seen, Limit: limit})
		if err != nil {
			t.Errorf("changes: %v", err)
			return
		}
		for _, c := range page.Changes {
			if seen++; c.Seq != seen || paths[c.Path] {
				t.Errorf("limit %d: change %d of %s came when %d was due", limit, c.Seq, c.Path, seen)
				return
			}
			paths[c.Path] = true
			digest.Add(c.Path, c.Sum)
		}
		if page.To != seen || page.Digest != digest {
			t.Errorf("limit %d: the page to %d does not prove what was read to %d", limit, page.To, seen)
			return
		}
	}
}
