package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// lost makes a conflict of a text that lost at a path.
func (b *bundle) lost(tb testing.TB, author memory.Member, path, text string) (memory.Conflict, memory.Clean, memory.AuditRow) {
	tb.Helper()
	w := put(tb, path, text)
	c := memory.Conflict{
		ID: memory.NewConflictID(), Project: b.project.ID, Path: w.Path, BaseRev: 3, ServerRev: 4, Sum: w.Content.Sum(), Size: w.Content.Size(),
		Author: memory.Author{Member: author.ID, Name: author.Name}, Device: b.device.ID, RuleSet: w.Content.RuleSet(), KeptAt: start(), At: start(),
	}
	return c, w.Content, b.principal().Row(start(), "conflict.keep", string(c.ID))
}

func (b *bundle) keep(tb testing.TB, author memory.Member, path, text string) memory.Conflict {
	tb.Helper()
	c, clean, row := b.lost(tb, author, path, text)
	kept, err := b.KeepConflict(tb.Context(), c, clean, 1000, row)
	must(tb, err)
	return kept
}

// A conflict is stored once, however often and by however many it is reported,
// and closed once.
func TestConflict_Life(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rea := b.addMember(t, "Rea")
	c, clean, row := b.lost(t, b.member, "notes/a.md", "mine")
	var reports sync.WaitGroup
	for range 4 {
		reports.Go(func() {
			kept, err := b.KeepConflict(t.Context(), c, clean, 1, row)
			if err != nil || string(kept.Content) != "mine" || kept.Closed != nil || kept.Author.Name != "Mara" || !kept.KeptAt.Equal(start()) {
				t.Errorf("kept %+v, %v", kept, err)
			}
		})
	}
	reports.Wait()
	if n := b.count(t, `select count(*) from audit where action = 'conflict.keep'`); n != 1 {
		t.Errorf("%d reports on record, want 1", n)
	}
	one := memory.Resolution{By: memory.Author{Member: rea.ID, Name: "Rea"}, At: start().Add(time.Hour), How: memory.HowOurs, Rev: 7, EntryID: "ent_a"}
	for _, want := range []bool{true, false} {
		open, err := b.CloseConflict(t.Context(), b.project.ID, c.ID, one, b.principal().Row(start(), "conflict.resolve", string(c.ID)))
		if err != nil || open != want {
			t.Errorf("closed: %t, %v, want %t", open, err, want)
		}
	}
	got, err := b.Conflict(t.Context(), b.project.ID, c.ID)
	must(t, err)
	if diff := cmp.Diff(&one, got.Closed); diff != "" {
		t.Errorf("resolution (-want +got):\n%s", diff)
	}
	// Reported again it is still closed; and there is room for another.
	again, err := b.KeepConflict(t.Context(), c, clean, 1, row)
	if err != nil || again.Closed == nil {
		t.Errorf("again %+v, %v", again, err)
	}
	b.keep(t, b.member, "notes/a.md", "mine")
	d, clean, row := b.lost(t, b.member, "notes/b.md", "mine")
	if _, err := b.KeepConflict(t.Context(), d, clean, 1, row); memory.CodeOf(err) != memory.CodeQuota {
		t.Errorf("one too many: %v", err)
	}
	if _, err := b.KeepConflict(t.Context(), d, memory.Clean{}, 9, row); memory.CodeOf(err) != memory.CodeInternal {
		t.Errorf("a text that was not screened: %v", err)
	}
	other := b.addProject(t, "acme/other")
	if _, err := b.Conflict(t.Context(), other.ID, c.ID); memory.CodeOf(err) != memory.CodeNotFound {
		t.Errorf("in another project: %v", err)
	}
	b.check(t)
}

// Every list is the naive filter of all conflicts, in pages of any size.
func TestConflicts_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ole := b.addMember(t, "Ole")
	for i := range 12 {
		author := []memory.Member{b.member, ole}[i%2]
		c, clean, row := b.lost(t, author, pathOf(i), "x")
		c.At = start().Add(time.Duration(i/3) * time.Microsecond)
		_, err := b.KeepConflict(t.Context(), c, clean, 100, row)
		must(t, err)
		if i%4 < 2 {
			_, err := b.CloseConflict(t.Context(), b.project.ID, c.ID, memory.Resolution{
				By: memory.Author{Member: ole.ID}, At: start(), How: memory.HowTheirs,
			}, row)
			must(t, err)
		}
	}
	all, err := b.Conflicts(t.Context(), b.project.ID, memory.ConflictQuery{Limit: 100})
	must(t, err)
	if len(all) != 12 || all[0].Content != nil {
		t.Fatalf("%d conflicts", len(all))
	}
	for _, open := range []bool{false, true} {
		for _, author := range []memory.MemberID{"", b.member.ID, ole.ID} {
			var want []memory.ConflictID
			for _, c := range all {
				if (!open || c.Closed == nil) && (author == "" || c.Author.Member == author) {
					want = append(want, c.ID)
				}
			}
			for _, limit := range []int{1, 5, 100} {
				q, got := memory.ConflictQuery{Open: open, Author: author, Limit: limit}, []memory.ConflictID(nil)
				for {
					page, err := b.Conflicts(t.Context(), b.project.ID, q)
					must(t, err)
					for _, c := range page {
						got = append(got, c.ID)
					}
					if len(page) < limit {
						break
					}
					q.After = memory.ConflictCursor{At: page[limit-1].At, ID: page[limit-1].ID}
				}
				if !slices.Equal(got, want) {
					t.Errorf("open %t, author %q, pages of %d: got %v, want %v", open, author, limit, got, want)
				}
			}
		}
	}
}

// The database itself refuses rows that contradict themselves.
func TestConflict_Constraints(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.keep(t, b.member, "a.md", "x")
	for _, sql := range []string{
		`update conflicts set conflict_id = 'x'`,
		`update conflicts set content = 'y'`,
		`update conflicts set author = 'mem_nobody'`,
		`update conflicts set project_id = 'prj_none'`,
		`update conflicts set closed_at = at`,
		`update conflicts set how = 'theirs'`,
		`update conflicts set closed_at = at, closed_by = author, how = 'lost'`,
		`update conflicts set closed_at = at, closed_by = author, how = 'theirs', closed_rev = 1, closed_into = 'ent_a'`,
		`update conflicts set closed_at = at, closed_by = author, how = 'ours', closed_rev = 1`,
		`update conflicts set closed_at = at, closed_by = author, how = 'ours', closed_rev = 1, closed_into = 'ent_a', proposal = 'prp_a'`,
	} {
		if _, err := b.owner.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: nothing is wrong with it", sql)
		}
	}
}

// What a list or a report reads does not grow with the project.
func TestConflicts_ReadNoWholeProject(t *testing.T) {
	t.Parallel()
	const rounds, most = 20, 40
	b := open(t, store.Options{MaxConns: 1, Log: testLog(t)})
	b.exec(t, `alter table conflicts set (autovacuum_enabled = false)`)
	ole := b.addMember(t, "Ole")
	b.keep(t, b.member, "a.md", "x")
	conn, err := b.owner.Acquire(t.Context())
	must(t, err)
	_, err = conn.Exec(t.Context(), `
		insert into conflicts (project_id, conflict_id, path, entry_id, base_rev, server_rev, content, sha256, size, author, device_id, rule_set, kept_at, at)
		select project_id, 'cnf_' || n, path, '', 0, 0, content, sha256, size, case when n % 50 = 0 then author else $1 end, '', '', at,
			at + n * interval '1 s'
		from conflicts, generate_series(1, 1000) n`, ole.ID)
	must(t, err)
	// What the checks of these rows read is not counted below. Postgres 14 has no
	// such function, and reports when a connection ends.
	_, _ = conn.Exec(t.Context(), `select pg_stat_force_next_flush()`)
	must(t, conn.Hijack().Close(t.Context()))
	for name, call := range map[string]func(i int) error{
		"open": func(int) error {
			_, err := b.Conflicts(t.Context(), b.project.ID, memory.ConflictQuery{Open: true, Limit: 5})
			return err
		},
		"open of an author": func(int) error {
			_, err := b.Conflicts(t.Context(), b.project.ID, memory.ConflictQuery{Open: true, Author: b.member.ID, Limit: 5})
			return err
		},
		"all of an author": func(int) error {
			_, err := b.Conflicts(t.Context(), b.project.ID, memory.ConflictQuery{Author: b.member.ID, Limit: 5})
			return err
		},
		"one": func(i int) error {
			_, err := b.Conflict(t.Context(), b.project.ID, memory.ConflictID(fmt.Sprint("cnf_", i+1)))
			return err
		},
	} {
		before := b.rowsRead(t)
		for i := range rounds {
			must(t, call(i))
		}
		if got := (b.rowsRead(t) - before) / rounds; got > most {
			t.Errorf("%s reads %d rows a call, want at most %d", name, got, most)
		}
	}
}
