package api

import (
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// jumpy is a clock that somebody sets.
type jumpy struct{ by atomic.Int64 }

func (j *jumpy) now() time.Time        { return time.Now().Add(time.Duration(j.by.Load())) }
func (j *jumpy) jump(by time.Duration) { j.by.Store(int64(by)) }

// clocked puts a server with a clock of its own in the place of the bundle's.
// Only deadlines keep the system's: time.Now counts them by a clock that never
// jumps, and a made-up one cannot.
func (b *bundle) clocked(t *testing.T) *jumpy {
	t.Helper()
	j := &jumpy{}
	b.serve(t, j.now)
	return j
}

// serve puts a server that goes by the clock in the place of the bundle's.
func (b *bundle) serve(t *testing.T, clock memory.Clock) {
	t.Helper()
	keys, err := auth.NewKeyring(signingKey(1))
	must(t, err)
	b.access = auth.NewAccessTokens(keys, instance, clock)
	service := memory.NewService(b.store, markScanner{}, b.hub, clock, memory.Limits{})
	b.api = New(service, auth.NewAuthenticator(b.store, b.access, clock), time.Now, Options{
		Version: "1.2.3", Instance: instance, Ready: b.store.Ready, Log: jsonLog(b.log),
	})
	b.url = listen(t, b.api)
}

// The server's clock jumps between writes: revisions, feed and audit are in the
// order of what happened, whatever times they bear, and every text is there.
func TestClock_OrderIsByRevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	clock := b.clocked(t)
	c := b.as(t, memory.RoleContributor)
	const path = "/entry?path=jumps.md"
	texts := []string{"first\n", "an hour before\n", "ten years before\n", "now\n", "back again\n"}
	for i, by := range []time.Duration{0, -time.Hour, -3650 * 24 * time.Hour, 10 * time.Minute, -time.Minute} {
		clock.jump(by)
		on := []string{"If-Match", `"` + strconv.Itoa(i) + `"`}
		if i == 0 {
			on = []string{"If-None-Match", "*"}
		}
		r := read[wire.Result](t, c.do(http.MethodPut, b.in(path), `{"content":"`+texts[i][:len(texts[i])-1]+`\n"}`, on...))
		if r.Rev != int64(i+1) {
			t.Errorf("text %d became revision %d", i, r.Rev)
		}
	}
	now := read[wire.Entry](t, c.get(b.in(path)))
	if now.Content == nil || *now.Content != "back again\n" {
		t.Errorf("the entry is %+v", now)
	}
	var revs []int64
	for _, r := range read[wire.Page[wire.Revision]](t, c.get(b.in("/revisions?entry_id="+now.EntryID))).Items {
		revs = append(revs, r.Rev)
		one := read[wire.Revision](t, c.get(b.in("/revision?entry_id="+now.EntryID+"&rev="+strconv.FormatInt(r.Rev, 10))))
		if one.Content == nil || *one.Content != texts[r.Rev-1] {
			t.Errorf("revision %d is %+v", r.Rev, one)
		}
	}
	if diff := cmp.Diff([]int64{5, 4, 3, 2, 1}, revs); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
	feed := read[wire.Feed](t, c.get(b.in("/changes?content=inline")))
	if len(feed.Changes) != 1 || feed.Changes[0].Rev != 5 || feed.Head != 5 {
		t.Errorf("the feed is %+v", feed)
	}
	var written []string
	b.row(t, &written, `
		select array_agg(encode(after_hash, 'hex') order by number)
		from audit
		where project_id = $1 and object = $2 and after_hash is not null`, b.project.ID, now.EntryID)
	var want []string
	for _, text := range texts {
		want = append(want, memory.Sum([]byte(text)).String())
	}
	if !slices.Equal(written, want) {
		t.Errorf("the audit has %q, want %q", written, want)
	}
}

// The server's clock jumps between login and refresh, by hours or years and
// back: nobody is logged out. An access token from what is now the future is
// refused, and the client gets another, once.
func TestClock_LoginsGoOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	clock := b.clocked(t)
	token := b.token(t, b.members[memory.RoleContributor].ID, "", memory.ScopeRead, memory.ScopeWrite)
	const day = 24 * time.Hour
	for name, by := range map[string]time.Duration{"an hour": -time.Hour, "20 days": -20 * day, "100 days": -100 * day, "ten years": -3650 * day} {
		clock.jump(0)
		d, idle := b.logIn(t, token), b.logIn(t, token)
		me := func() reply { return d.client.get(base + "/me") }
		clock.jump(by)
		me().want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
		lost := d.refresh("attempt-attempt-attempt")
		lost.want(t, http.StatusOK, "")
		if again := d.refresh("attempt-attempt-attempt"); again.status != http.StatusOK {
			t.Errorf("%s back: a lost answer is not repeated: %s", name, again.body)
		}
		d = b.device(t, lost)
		dated, err := http.ParseTime(lost.header.Get("Date"))
		if life := d.ExpiresAt.Sub(dated); err != nil || (life-auth.SyncLife).Abs() > time.Minute {
			t.Errorf("%s back: the answer is dated %v before the token's end, %v", name, life, err)
		}
		me().want(t, http.StatusOK, "")
		clock.jump(0)
		if by == -time.Hour {
			me().want(t, http.StatusOK, "")
		}
		d = b.device(t, d.refresh(""))
		me().want(t, http.StatusOK, "")

		// Ahead it has ended, but was not used up, nor is it forgotten when others
		// log in: back in its time it is good.
		for _, ahead := range []time.Duration{60 * day, 3650 * day} {
			clock.jump(ahead)
			d.refresh("").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
			b.sql(t, "update api_tokens set expires_at = expires_at + interval '20 years'")
			b.logIn(t, token)
		}
		clock.jump(0)
		idle.refresh("").want(t, http.StatusOK, "")
		d = b.device(t, d.refresh(""))
		me().want(t, http.StatusOK, "")
	}
}

// Two servers whose machines are hours apart go by the database's clock: each
// takes the tokens that the other signed and what the other used up.
func TestClock_ServersAgree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.token(t, b.members[memory.RoleContributor].ID, "", memory.ScopeRead, memory.ScopeWrite)
	var urls []string
	for _, off := range []time.Duration{-3 * time.Hour, 5 * time.Hour} {
		clock, err := b.store.Clock(t.Context(), func() time.Time { return time.Now().Add(off) })
		must(t, err)
		b.serve(t, clock.Now)
		urls = append(urls, b.url)
	}
	for i, first := range urls {
		second := urls[1-i]
		b.url = first
		d := b.logIn(t, token)
		d.client.url = second
		d.client.get(base+"/me").want(t, http.StatusOK, "")
		next := b.device(t, d.refresh("")) // at the second
		d.client.url = first
		if again := b.device(t, d.refresh("")); again.RefreshToken != next.RefreshToken { // at the first, within the grace
			t.Error("the two servers gave two successors")
		}
		next.client.url = first
		next.client.get(base+"/me").want(t, http.StatusOK, "")
	}
}
