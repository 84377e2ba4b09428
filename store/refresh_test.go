package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// refresh offers a token for a successor that the text names.
func (b *bundle) refresh(tb testing.TB, presented memory.Hash, next, attempt string, at time.Time) (memory.Refreshed, memory.RefreshRuling) {
	tb.Helper()
	got, ruling, err := b.Refresh(tb.Context(), offer(presented, next, attempt, at), memory.Principal{Remote: "192.0.2.5"}.Row(at, "device.refresh", ""))
	must(tb, err)
	return got, ruling
}

func offer(presented memory.Hash, next, attempt string, at time.Time) memory.Refresh {
	r := memory.Refresh{Presented: presented, Next: refreshOf(next, at), Sealed: []byte("sealed " + next), At: at}
	if attempt != "" {
		r.Attempt = memory.Sum([]byte(attempt))
	}
	return r
}

// step is one offer of a story: which token, when and what becomes of it.
type step struct {
	token   string // "first" is that of the login; else what the successor was called
	next    string
	attempt string
	after   time.Duration // since the login
	want    memory.RefreshRuling
	gets    string // the successor
}

func TestRefresh_Stories(t *testing.T) {
	t.Parallel()
	const (
		goesOn, repeats, refused, reused = memory.RefreshGoesOn, memory.RefreshRepeats, memory.RefreshRefused, memory.RefreshReused

		second, minute, day, year = time.Second, time.Minute, 24 * time.Hour, 365 * 24 * time.Hour
	)
	b := setup(t)
	token := b.apiToken(t, b.project.ID, memory.ScopeRead)
	for _, tt := range []struct {
		name  string
		steps []step
		ended memory.EndReason
	}{
		{"a chain", []step{{"first", "a", "", minute, goesOn, "a"}, {"a", "b", "", day, goesOn, "b"}, {"b", "c", "", 20 * day, goesOn, "c"}}, ""},
		{"unknown", []step{{"never", "a", "", minute, refused, ""}, {"first", "b", "", minute, goesOn, "b"}}, ""},
		{"lost answer, soon", []step{{"first", "a", "", 0, goesOn, "a"}, {"first", "b", "", 29 * second, repeats, "a"}, {"a", "c", "", minute, goesOn, "c"}}, ""},
		{"replay after grace", []step{{"first", "a", "", 0, goesOn, "a"}, {"first", "b", "", 30 * second, reused, ""}, {"a", "c", "", 31 * second, refused, ""}}, memory.EndRefreshReused},
		{"lost answer, days ago", []step{{"first", "a", "n1", 0, goesOn, "a"}, {"first", "b", "n1", 29 * day, repeats, "a"}, {"a", "c", "n2", 29 * day, goesOn, "c"}}, ""},
		{"lost answers, again and again", []step{{"first", "a", "n1", 0, goesOn, "a"}, {"first", "b", "n1", day, repeats, "a"}, {"first", "c", "n1", 2 * day, repeats, "a"}}, ""},
		{"replay with another attempt", []step{{"first", "a", "n1", 0, goesOn, "a"}, {"first", "b", "n2", minute, reused, ""}}, memory.EndRefreshReused},
		{"replay without the attempt", []step{{"first", "a", "n1", 0, goesOn, "a"}, {"first", "b", "", minute, reused, ""}}, memory.EndRefreshReused},
		{"attempt where there was none", []step{{"first", "a", "", 0, goesOn, "a"}, {"first", "b", "n1", minute, reused, ""}}, memory.EndRefreshReused},
		{
			"replay of one whose successor was used",
			[]step{{"first", "a", "n1", 0, goesOn, "a"}, {"a", "b", "n2", second, goesOn, "b"}, {"first", "c", "n1", 2 * second, reused, ""}},
			memory.EndRefreshReused,
		},
		{"the thief was first", []step{{"first", "a", "thief", 0, goesOn, "a"}, {"first", "b", "owner", day, reused, ""}, {"a", "c", "thief", day, refused, ""}}, memory.EndRefreshReused},
		{"another attempt in the grace", []step{{"first", "a", "n1", 0, goesOn, "a"}, {"first", "b", "n2", second, repeats, "a"}}, ""},
		{"idle for too long", []step{{"first", "a", "", memory.RefreshIdle, refused, ""}}, ""},
		{"idle, to the last second", []step{{"first", "a", "", memory.RefreshIdle - second, goesOn, "a"}}, ""},
		{"a successor that ended unused", []step{{"first", "a", "n1", 0, goesOn, "a"}, {"first", "b", "n1", memory.RefreshIdle, refused, ""}}, ""},
		{"the clock goes back by years", []step{{"first", "a", "", -3 * year, goesOn, "a"}, {"a", "b", "", -2 * year, goesOn, "b"}, {"b", "c", "", 29 * day, goesOn, "c"}}, ""},
		{"the clock is ahead for a while", []step{{"first", "a", "", 29 * day, goesOn, "a"}, {"a", "b", "", 0, goesOn, "b"}, {"b", "c", "", 58 * day, goesOn, "c"}}, ""},
		{"the clock is ahead by years", []step{{"first", "a", "", 3 * year, refused, ""}, {"first", "a", "", day, goesOn, "a"}}, ""},
		{
			"lost answers, and a clock that jumps",
			[]step{
				{"first", "a", "n1", 0, goesOn, "a"},
				{"first", "b", "n1", -3 * year, repeats, "a"},
				{"first", "b", "n1", 3 * year, refused, ""},
				{"first", "b", "n1", day, repeats, "a"},
				{"a", "b", "n2", day, goesOn, "b"},
			},
			"",
		},
		{
			"the end of the login",
			[]step{
				{"first", "a", "", 29 * day, goesOn, "a"},
				{"a", "b", "", 58 * day, goesOn, "b"},
				{"b", "c", "", 87 * day, goesOn, "c"},
				{"c", "d", "", memory.RefreshLife - second, goesOn, "d"},
				{"d", "e", "", memory.RefreshLife, refused, ""},
			},
			"",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, own := b.logIn(t, token), tt.name+": " // hashes are of the whole database
			for i, s := range tt.steps {
				presented := memory.Sum([]byte(own + s.token))
				if s.token == "first" {
					presented = l.refresh
				}
				at := start().Add(s.after)
				got, ruling := b.refresh(t, presented, own+s.next, s.attempt, at)
				if ruling != s.want {
					t.Fatalf("step %d: ruling %d, want %d", i, ruling, s.want)
				}
				if s.gets == "" {
					continue
				}
				if got.Successor != memory.Sum([]byte(own+s.gets)) || got.Device.ID != l.Device.ID || got.Device.Project != b.project.ID || got.Member.ID != b.member.ID {
					t.Errorf("step %d: got %+v", i, got)
				}
				if ruling == repeats && string(got.Sealed) != "sealed "+own+s.gets || ruling == goesOn && got.Sealed != nil {
					t.Errorf("step %d: sealed %q", i, got.Sealed)
				}
				if !got.RefreshEnds.After(at) || got.RefreshEnds.After(l.Device.LoginEnds) {
					t.Errorf("step %d: the successor ends at %v", i, got.RefreshEnds)
				}
			}
			b.checkEnd(t, l, tt.ended)
		})
	}
}

// checkEnd requires that the device is in force, or ended for the reason, which
// the audit names once and for the member.
func (b *bundle) checkEnd(t *testing.T, l login, why memory.EndReason) {
	t.Helper()
	d, err := b.Device(t.Context(), b.member.ID, l.Device.ID)
	must(t, err)
	if d.RevokedFor != why || d.RevokedAt.IsZero() != (why == "") {
		t.Errorf("the device ended for %q, want %q", d.RevokedFor, why)
	}
	want := 0
	if why != "" {
		want = 1
	}
	n := b.count(t, `
		select count(*)
		from audit
		where action = 'device.revoke' and decision = 'refresh_reused' and actor = $1 and device_id = $2 and object = $2 and remote = '192.0.2.5'`,
		b.member.ID, d.ID)
	if n != want {
		t.Errorf("%d rows about reuse, want %d", n, want)
	}
	b.check(t)
}

// Who may not act any more gets no tokens, and a replay then ends nothing anew.
func TestRefresh_Ended(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"disabled member":        `update members set disabled = true`,
		"sessions were ended":    `update members set session_epoch = session_epoch + 1`,
		"device was logged out":  `update devices set revoked_at = now(), revoked_for = 'logout' where login > 0`,
		"device was logged anew": `update devices set login = login + 1 where login > 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			token := b.apiToken(t, "", memory.ScopeRead)
			fresh, used := b.logIn(t, token), b.logIn(t, token)
			if _, ruling := b.refresh(t, used.refresh, "next", "n", start()); ruling != memory.RefreshGoesOn {
				t.Fatalf("ruling %d", ruling)
			}
			b.exec(t, sql)
			for _, try := range []struct {
				token memory.Hash
				after time.Duration
			}{{fresh.refresh, 0}, {used.refresh, 0}, {used.refresh, time.Hour}, {memory.Sum([]byte("next")), time.Hour}} {
				if _, ruling := b.refresh(t, try.token, "x", "n", start().Add(try.after)); ruling != memory.RefreshRefused {
					t.Errorf("ruling %d", ruling)
				}
			}
			if n := b.audited(t, "device.revoke", "refresh_reused"); n != 0 {
				t.Errorf("%d rows about reuse", n)
			}
			b.check(t)
		})
	}
}

// Of many who offer one token at the same time, one uses it, and all get the
// same successor.
func TestRefresh_AtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := b.logIn(t, b.apiToken(t, "", memory.ScopeRead))
	const many = 16
	rulings, successors := map[memory.RefreshRuling]int{}, map[memory.Hash]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			got, ruling, err := b.Refresh(t.Context(), offer(l.refresh, fmt.Sprint("next ", i), "", start()), memory.AuditRow{At: start(), Action: "device.refresh"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			rulings[ruling]++
			successors[got.Successor]++
		})
	}
	group.Wait()
	if rulings[memory.RefreshGoesOn] != 1 || rulings[memory.RefreshRepeats] != many-1 || len(successors) != 1 {
		t.Errorf("rulings %v, %d successors", rulings, len(successors))
	}
	if n := b.count(t, `select count(*) from refresh_tokens`); n != 2 {
		t.Errorf("%d tokens", n)
	}
	b.checkEnd(t, l, "")
}

// Two clients that share a login and refresh it together, over and over, never
// lose it.
func TestRefresh_Thousand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := b.logIn(t, b.apiToken(t, "", memory.ScopeRead))
	token, rounds := l.refresh, 500
	for round := range rounds {
		at := start().Add(time.Duration(round) * time.Second)
		var got [2]memory.Refreshed
		var group sync.WaitGroup
		for client := range got {
			group.Go(func() {
				next := fmt.Sprint(round, " of ", client)
				r, ruling, err := b.Refresh(t.Context(), offer(token, next, next, at), memory.AuditRow{At: at, Action: "device.refresh"})
				if err != nil || ruling != memory.RefreshGoesOn && ruling != memory.RefreshRepeats {
					t.Errorf("round %d: ruling %d, %v", round, ruling, err)
				}
				got[client] = r
			})
		}
		group.Wait()
		if t.Failed() || got[0].Successor != got[1].Successor {
			t.Fatalf("round %d: two successors", round)
		}
		token = got[0].Successor
	}
	if n := b.audited(t, "device.refresh", ""); n != rounds {
		t.Errorf("%d rows, want %d", n, rounds)
	}
	b.checkEnd(t, l, "")
}

// What ended long ago is forgotten at the next login, whatever year the clock
// shows then, but nothing by which a device can go on when it is right again.
func TestRefresh_Forgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.apiToken(t, "", memory.ScopeRead)
	idle, lost, busy, out := b.logIn(t, token), b.logIn(t, token), b.logIn(t, token), b.logIn(t, token)
	b.refresh(t, lost.refresh, "never arrived", "n", start())
	b.refresh(t, busy.refresh, "second", "", start())
	b.refresh(t, memory.Sum([]byte("second")), "third", "", start())
	must(t, b.EndDevice(t.Context(), out.Device.ID, memory.EndRemoved, start(), memory.AuditRow{At: start(), Action: "device.revoke"}))
	const year = 365 * 24 * time.Hour
	for _, tt := range []struct {
		after     time.Duration
		forgotten []memory.Hash
	}{{2*memory.RefreshIdle - time.Second, nil}, {10 * year, []memory.Hash{busy.refresh, out.refresh}}} {
		before := b.count(t, `select count(*) from refresh_tokens`)
		d, at := deviceOf(token), start().Add(tt.after)
		d.LoginEnds = at.Add(memory.RefreshLife)
		_, err := b.LogIn(t.Context(), d, refreshOf(string(d.ID), at), b.principal().Row(at, "device.login", string(d.ID)))
		must(t, err)
		if n := b.count(t, `select count(*) from refresh_tokens`); n != before+1-len(tt.forgotten) {
			t.Errorf("after %v there are %d tokens, before %d", tt.after, n, before)
		}
		for _, gone := range tt.forgotten {
			if n := b.count(t, `select count(*) from refresh_tokens where hash = $1`, gone[:]); n != 0 {
				t.Errorf("after %v one is still there that is good for nothing", tt.after)
			}
		}
	}
	if _, ruling := b.refresh(t, idle.refresh, "next", "", start().Add(time.Hour)); ruling != memory.RefreshGoesOn {
		t.Errorf("the one that was not used: ruling %d", ruling)
	}
	if _, ruling := b.refresh(t, lost.refresh, "again", "n", start().Add(time.Hour)); ruling != memory.RefreshRepeats {
		t.Errorf("the one whose answer got lost: ruling %d", ruling)
	}
	if _, ruling := b.refresh(t, memory.Sum([]byte("third")), "fourth", "", start().Add(time.Hour)); ruling != memory.RefreshGoesOn {
		t.Errorf("the last of a chain: ruling %d", ruling)
	}
}
