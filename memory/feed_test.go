package memory

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The rows of PROTOCOL section 2, and what surrounds them. The project is at
// change 7 of epoch e1, and up to 2 was purged.
func TestChanges_Joins(t *testing.T) {
	t.Parallel()
	at := func(seq int64, text string) string { return Head{Epoch: "e1", Seq: seq, Digest: digestOf(text)}.Tag() }
	for _, tt := range []struct {
		name      string
		since     Cursor
		have      string
		unchanged bool
		want      Code
	}{
		{name: "at the head, nothing said of it", since: Cursor{"e1", 7}},
		{name: "at the head", since: Cursor{"e1", 7}, have: at(7, "seven"), unchanged: true},
		{name: "at the head, another tree", since: Cursor{"e1", 7}, have: at(7, "other"), want: CodeHistoryForked},
		{name: "behind", since: Cursor{"e1", 5}, have: at(5, "five")},
		{name: "behind, nothing said", since: Cursor{"e1", 5}},
		{name: "behind, another tree", since: Cursor{"e1", 5}, have: at(5, "other"), want: CodeHistoryForked},
		{name: "behind, but the tree is the newest", since: Cursor{"e1", 5}, have: at(7, "seven"), unchanged: true},
		{name: "behind, a tag of another place", since: Cursor{"e1", 5}, have: at(6, "five"), want: CodeHistoryForked},
		{name: "behind, not a tag", since: Cursor{"e1", 5}, have: "x", want: CodeHistoryForked},
		{name: "at the floor", since: Cursor{"e1", 2}},
		{name: "below the floor", since: Cursor{"e1", 1}, want: CodeCursorTooOld},
		{name: "from the start, of which some is purged", want: CodeCursorTooOld},
		{name: "ahead", since: Cursor{"e1", 8}, want: CodeCursorAhead},
		{name: "another epoch", since: Cursor{"e0", 5}, want: CodeEpochChanged},
		{name: "another epoch, ahead", since: Cursor{"e0", 50}, have: at(50, "x"), want: CodeEpochChanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			head := Head{Epoch: "e1", Seq: 7, Floor: 2, Digest: digestOf("seven")}
			b.store.advance(head)
			b.store.digests = map[int64]Digest{5: digestOf("five"), 7: digestOf("seven")}
			feed, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{Since: tt.since, Have: tt.have})
			if tt.want != "" {
				if e := problemOf(t, err, tt.want); e.Head == nil || *e.Head != head || e.Hint == "" {
					t.Errorf("the error does not tell the head and what to do: %+v", e)
				}
				return
			}
			must(t, err)
			if feed.Unchanged != tt.unchanged || feed.Head != head {
				t.Errorf("got %+v, want unchanged %v", feed, tt.unchanged)
			}
			if !tt.unchanged && (b.store.asked.Since != tt.since.Seq || feed.Page.Head != 7) {
				t.Errorf("asked the store for %+v and got %+v", b.store.asked, feed.Page)
			}
		})
	}
}

func digestOf(text string) (d Digest) {
	d.Add(StoredPath("a.md"), Sum([]byte(text)))
	return d
}

func TestChanges_FromTheStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	feed, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{})
	if err != nil || feed.Unchanged || b.store.asked.Since != 0 {
		t.Errorf("got %+v, %v", feed, err)
	}
}

func TestChanges_Pages(t *testing.T) {
	t.Parallel()
	limits := Limits{FeedPage: 10, InlineBytes: 20, PageBytes: 30}
	for _, tt := range []struct {
		name string
		q    ChangesQuery
		want FeedQuery
	}{
		{"default", ChangesQuery{}, FeedQuery{Limit: 10}},
		{"less", ChangesQuery{Limit: 3}, FeedQuery{Limit: 3}},
		{"more than there is", ChangesQuery{Limit: 11}, FeedQuery{Limit: 10}},
		{"negative", ChangesQuery{Limit: -1}, FeedQuery{Limit: 10}},
		{"inline", ChangesQuery{Inline: true}, FeedQuery{Limit: 10, InlineMax: 20, PageMax: 30}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setupWith(t, limits)
			tt.want.PurgedMax = purgedPerPage
			_, err := b.Changes(t.Context(), b.who, "prj_a", tt.q)
			if err != nil || b.store.asked != tt.want {
				t.Errorf("asked for %+v, want %+v (%v)", b.store.asked, tt.want, err)
			}
		})
	}
}

// Between the look at the head and the page another process may have replaced
// the history: its changes must not be taken for those after the cursor.
func TestChanges_EpochChangesMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.page = FeedPage{Epoch: "e9", Head: 30, To: 30}
	_, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{Since: Cursor{"e1", 5}})
	if e := problemOf(t, err, CodeEpochChanged); e.Head.Epoch != "e9" {
		t.Errorf("head %+v", e.Head)
	}
}

func TestChanges_DigestIsNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{Since: Cursor{"e1", 5}, Have: "e1:5:x"})
	if !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}

func TestChanges_PageCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.pageErr = errFake
	if _, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{}); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}

// longPoll asks for changes after 7 and returns the answer with how long it
// took. What happens meanwhile is the test's.
func longPoll(t *testing.T, b *bundle, wait time.Duration, meanwhile func()) (Feed, time.Duration, error) {
	t.Helper()
	if meanwhile != nil {
		go meanwhile()
	}
	began := time.Now()
	feed, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{Since: Cursor{"e1", 7}, Wait: wait})
	return feed, time.Since(began), err
}

func TestChanges_Wait(t *testing.T) {
	t.Parallel()
	next := Head{Epoch: "e1", Seq: 8}
	for _, tt := range []struct {
		name      string
		wait      time.Duration
		at        time.Duration // of the change
		hint      bool
		head      Head
		want      time.Duration
		unchanged bool
	}{
		{name: "nothing happens", wait: 5 * time.Second, want: 5 * time.Second, unchanged: true},
		{name: "longer than allowed", wait: time.Hour, want: 25 * time.Second, unchanged: true},
		{name: "a hint", wait: 20 * time.Second, at: 3 * time.Second, hint: true, head: next, want: 3 * time.Second},
		{name: "a hint that was missed", wait: 20 * time.Second, at: 3 * time.Second, head: next, want: 4 * time.Second},
		{name: "a change at the last moment", wait: 5 * time.Second, at: 4500 * time.Millisecond, head: next, want: 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t)
				var meanwhile func()
				if tt.at > 0 {
					meanwhile = func() {
						time.Sleep(tt.at)
						b.store.advance(tt.head)
						if tt.hint {
							b.notify.Notify("prj_a", tt.head.Cursor())
						}
					}
				}
				feed, took, err := longPoll(t, b, tt.wait, meanwhile)
				must(t, err)
				if took != tt.want || feed.Unchanged != tt.unchanged {
					t.Errorf("took %s, unchanged %v; want %s, %v", took, feed.Unchanged, tt.want, tt.unchanged)
				}
			})
		})
	}
}

// A hint without a change (of a process that has seen another database) ends
// the wait early at worst, and never spins.
func TestChanges_WaitWithFalseHints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		done := make(chan struct{})
		go func() {
			for {
				select {
				case b.notify.wake <- struct{}{}:
				case <-done:
					return
				}
			}
		}()
		feed, _, err := longPoll(t, b, 25*time.Second, nil)
		close(done)
		must(t, err)
		if !feed.Unchanged || b.store.lookups > 13 {
			t.Errorf("unchanged %v after %d lookups", feed.Unchanged, b.store.lookups)
		}
	})
}

// Who asks for the feed of an empty project without a cursor waits like others.
func TestChanges_WaitFromTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.store.advance(Head{Epoch: "e1"})
		began := time.Now()
		feed, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{Wait: 10 * time.Second})
		must(t, err)
		if took := time.Since(began); took != 10*time.Second || !feed.Unchanged {
			t.Errorf("took %s, unchanged %v", took, feed.Unchanged)
		}
	})
}

func TestChanges_NoWaitWithNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		began := time.Now()
		feed, err := b.Changes(t.Context(), b.who, "prj_a", ChangesQuery{Since: Cursor{"e1", 6}, Wait: time.Minute})
		if err != nil || time.Since(began) > 0 || feed.Unchanged {
			t.Errorf("took %s: %+v, %v", time.Since(began), feed, err)
		}
	})
}

func TestChanges_EpochChangesInTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.store.page = FeedPage{Epoch: "e2", To: 3, Head: 3}
		_, took, err := longPoll(t, b, 20*time.Second, func() {
			time.Sleep(time.Second)
			b.store.advance(Head{Epoch: "e2", Seq: 3})
		})
		wantCode(t, err, CodeEpochChanged)
		if took != 2*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestChanges_WaitEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			b.store.fail(context.Canceled) // what a database says to a caller who has gone
			cancel()
		}()
		began := time.Now()
		_, err := b.Changes(ctx, b.who, "prj_a", ChangesQuery{Since: Cursor{"e1", 7}, Wait: 20 * time.Second})
		if took := time.Since(began); took != time.Second || !errors.Is(err, context.Canceled) {
			t.Errorf("took %s: %v", took, err)
		}
	})
}
