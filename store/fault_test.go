package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// A push whose connection dies between its writes and its commit leaves
// nothing behind, and is answered as if for the first time when it comes again.
func TestPush_KilledBeforeCommit(t *testing.T) {
	t.Parallel()
	b := open(t, store.Options{MaxConns: 1, Log: testLog(t)})
	first := b.push(t, put(t, "a.md", "one"))
	gate := b.gateCommits(t)

	batch := b.batch(edit(t, "a.md", "two", first.Verdicts[0]), put(t, "b.md", "three"))
	batch.Key, batch.Body = "key", memory.Sum([]byte("body"))
	failed := make(chan error, 1)
	go func() {
		_, err := b.Push(context.WithoutCancel(t.Context()), batch)
		failed <- err
	}()
	waiting := `
		select count(*)
		from pg_locks
		join pg_database d on d.oid = database
		where datname = current_database() and locktype = 'advisory' and not granted`
	for b.count(t, waiting) == 0 { // asks until the push is at the gate
	}
	b.exec(t, `
		select pg_terminate_backend(pid)
		from pg_stat_activity
		where application_name = 'teammem' and datname = current_database()`)
	wantCode(t, <-failed, memory.CodeUnavailable)
	must(t, gate.Rollback(t.Context()))

	head, err := b.Head(t.Context(), b.project.ID)
	must(t, err)
	if head != first.Head {
		t.Errorf("head = %v, want that of before", head)
	}
	if n := b.count(t, `select (select count(*) from revisions) + (select count(*) from changes) + (select count(*) from push_keys)`); n != 2 {
		t.Errorf("%d rows of history, feed and keys, want 2", n)
	}
	b.check(t)
	r, err := b.Push(t.Context(), batch)
	must(t, err)
	if r.Head.Seq != 3 {
		t.Errorf("the push came to %d, want 3", r.Head.Seq)
	}
	b.check(t)
}

// gateCommits makes every commit of a push wait until the returned transaction
// ends.
func (b *bundle) gateCommits(t *testing.T) pgx.Tx {
	t.Helper()
	b.exec(t, `
		create function wait_at_gate() returns trigger language plpgsql as $$
		begin
			perform pg_advisory_xact_lock(4711);
			return null;
		end
		$$`)
	b.exec(t, `
		create constraint trigger gate after insert on changes
		deferrable initially deferred
		for each row execute function wait_at_gate()`)
	tx, err := b.owner.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), `select pg_advisory_xact_lock(4711)`)
	must(t, err)
	return tx
}

// Batches that fight for the same names and entries all come out whole: none
// fails, and what is stored is what was promised.
func TestPush_ConcurrentSwaps(t *testing.T) {
	t.Parallel()
	const entries, workers, rounds = 6, 8, 15
	b := setup(t)
	var writes []memory.Write
	for i := range entries {
		writes = append(writes, put(t, pathOf(i), fmt.Sprint("text ", i)))
	}
	b.push(t, writes...)

	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for round := range rounds {
				if err := b.rotate(t, w+round); err != nil {
					t.Errorf("rotate: %v", err)
					return
				}
			}
		})
	}
	group.Wait()
	b.check(t)
	_, live, err := b.Manifest(t.Context(), b.project.ID)
	must(t, err)
	for i, e := range live {
		if e.Path.String() != pathOf(i) {
			t.Errorf("entry %d is at %s", i, e.Path)
		}
	}
}

// rotate hands the names of three entries on, if nobody else was faster.
func (b *bundle) rotate(t *testing.T, from int) error {
	t.Helper()
	_, all, err := b.Manifest(t.Context(), b.project.ID)
	if err != nil {
		return err
	}
	var writes []memory.Write
	for i := range 3 {
		e, next := all[(from+i)%len(all)], all[(from+(i+1)%3)%len(all)]
		v := memory.Verdict{EntryID: e.ID, Rev: e.Rev, Sum: e.Sum}
		writes = append(writes, move(t, e.Path.String(), next.Path.String(), v))
	}
	r, err := b.Push(t.Context(), b.batch(writes...))
	if err != nil {
		return err
	}
	stored := 0
	for _, v := range r.Verdicts {
		if v.Ruling == memory.RulingPublished {
			stored++
		}
	}
	if stored != 0 && stored != len(writes) {
		return fmt.Errorf("%d moves of a rotation were stored", stored)
	}
	return nil
}

// Two pushes with one key at the same time are one push.
func TestPush_SameKeyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	batch := b.batch(put(t, "a.md", "text"))
	batch.Key, batch.Body = "key", memory.Sum([]byte("body"))
	receipts := make([]memory.Receipt, 8)
	var group sync.WaitGroup
	for i := range receipts {
		group.Go(func() {
			var err error
			if receipts[i], err = b.Push(t.Context(), batch); err != nil {
				t.Errorf("push: %v", err)
			}
		})
	}
	group.Wait()
	for _, r := range receipts {
		if r.Head.Seq != 1 || r.Verdicts[0].Ruling != memory.RulingPublished || r.Verdicts[0].EntryID != batch.Items[0].Write.NewID {
			t.Errorf("receipt = %+v", r)
		}
	}
	b.check(t)
}

// What Postgres says about a row stays in the store, in the error as in the log.
func TestErrors_CarryNoContent(t *testing.T) {
	t.Parallel()
	const secret = "the-content-of-a-row"
	for _, tc := range []struct {
		name  string
		spoil string
		write func(*bundle) memory.Batch
		code  memory.Code
		logs  string
	}{
		{
			"check constraint", `alter table revisions add check (note = '')`,
			func(b *bundle) memory.Batch {
				w := put(t, "a.md", secret)
				w.Note = secret
				return b.batch(w)
			}, memory.CodeInternal, "",
		},
		{
			"unique violation", `create unique index one_name on entries (project_id, description)`,
			func(b *bundle) memory.Batch { return b.batch(put(t, "a.md", secret), put(t, "b.md", secret)) },
			memory.CodeUnavailable, "one_name",
		},
		{
			"raised message", `
				create function shout() returns trigger language plpgsql as $$
				begin
					raise exception 'row %', new using detail = new::text, hint = new::text;
				end
				$$;
				create trigger shout before insert on revisions for each row execute function shout()`,
			func(b *bundle) memory.Batch { return b.batch(put(t, "a.md", secret)) }, memory.CodeInternal, "",
		},
		{
			"unstorable character", ``,
			func(b *bundle) memory.Batch {
				w := put(t, "a.md", secret)
				w.Note = secret + "\x00"
				return b.batch(w)
			}, memory.CodeInvalid, "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			b := open(t, store.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			b.exec(t, tc.spoil)
			_, err := b.Push(t.Context(), tc.write(b))
			wantCode(t, err, tc.code)
			if text := everything(err) + log.String(); strings.Contains(text, secret) {
				t.Errorf("the content came out: %s", text)
			}
			if tc.logs == "" && log.Len() > 0 || !strings.Contains(log.String(), tc.logs) {
				t.Errorf("log = %q, want it to name %q", log.String(), tc.logs)
			}
			b.exec(t, `select from projects for update`) // the transaction has ended
		})
	}
}

// everything prints an error in all ways, and all that it wraps.
func everything(err error) string {
	text := ""
	for ; err != nil; err = errors.Unwrap(err) {
		text += fmt.Sprintf("%v\n%+v\n%#v\n", err, err, err)
		if e, ok := err.(*memory.Error); ok { //nolint:errorlint // this very link of the chain
			text += fmt.Sprintf("%+v\n", *e)
		}
	}
	return text
}

func TestErrors_Cancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Push(ctx, b.batch(put(t, "a.md", "text")))
	wantCode(t, err, memory.CodeUnavailable)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v does not tell that it was cancelled", err)
	}
	_, err = b.Head(ctx, b.project.ID)
	wantCode(t, err, memory.CodeUnavailable)
}
