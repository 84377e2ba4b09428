package client_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// calls counts the requests that reach the server from now on, by the last part
// of their path.
func (tm *team) calls() (seen func() map[string]int) {
	var mu sync.Mutex
	counts := map[string]int{}
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !strings.HasPrefix(r.URL.Path, "/api/v1/auth/") { // when a login is renewed is no matter of a sync
			mu.Lock()
			counts[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]++
			mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
	return func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(counts)
	}
}

// pair is a team of two who have the same entries.
func pair(t *testing.T) (tm *team, a, b *member) {
	t.Helper()
	tm = newTeam(t, memory.Limits{})
	a, b = tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "one.md", "1\n")
	a.write(t, "two.md", "2\n")
	a.sync(t)
	b.sync(t)
	return tm, a, b
}

// One edit is one request for whoever made it, and one for everybody else.
func TestAhead_OneRequest(t *testing.T) {
	t.Parallel()
	tm, a, b := pair(t)
	for _, change := range []struct{ name, file string }{{"an edit", "one.md"}, {"a new entry", "new.md"}} {
		a.write(t, change.file, change.name+"\n")
		for _, m := range []struct {
			*member
			want map[string]int
		}{{a, map[string]int{"push": 1}}, {b, map[string]int{"changes": 1}}} {
			calls := tm.calls()
			r := m.sync(t)
			if diff := cmp.Diff(m.want, calls()); diff != "" || r.Requests != 1 || len(r.Done) != 1 {
				t.Errorf("%s, as %s: %d requests, did %v (-want +got):\n%s", change.name, m.id.Name, r.Requests, r.Done, diff)
			}
		}
	}
	tm.between(nil)
	tm.equal(t, a, b)
}

// Whoever listens to the server knows when there is nothing to ask it. What they
// do not know is asked, and what is new here is sent.
func TestAhead_Current(t *testing.T) {
	t.Parallel()
	tm, a, b := pair(t)
	before := a.sync(t).Cursor
	for _, c := range []struct {
		name  string
		do    func()
		knows bool
		want  map[string]int
		moved int64
	}{
		{"nothing is new", func() {}, true, map[string]int{}, 0},
		{"it may be elsewhere", func() {}, false, map[string]int{"changes": 1}, 0},
		{"an edit", func() { a.write(t, "one.md", "edited\n") }, true, map[string]int{"push": 1}, 1},
		{"another's edit", func() { b.sync(t); b.write(t, "two.md", "edited\n"); b.sync(t) }, false, map[string]int{"changes": 1}, 2},
	} {
		c.do()
		calls := tm.calls()
		var asked []memory.Cursor
		r := a.syncAllowing(t, client.SyncOptions{Current: func(at memory.Cursor) bool {
			asked = append(asked, at)
			return c.knows
		}})
		if diff := cmp.Diff(c.want, calls()); diff != "" || r.Cursor.Seq != before.Seq+c.moved {
			t.Errorf("%s: at %v (-want +got):\n%s", c.name, r.Cursor, diff)
		}
		if len(c.want) == 0 && !slices.Equal(asked, []memory.Cursor{before}) {
			t.Errorf("%s: asked whether the server is at %v, want %v", c.name, asked, before)
		}
	}
	tm.between(nil)
	tm.equal(t, a, b)
}

// The word that there is nothing to ask says nothing of what was sent when no
// answer came: the text that the member put back is their newest.
func TestAhead_CurrentInDoubt(t *testing.T) {
	t.Parallel()
	tm, a, _ := pair(t)
	a.write(t, "one.md", "2\n")
	tm.loseAnswers()
	a.cutOff(t)
	tm.between(nil)
	if got := tm.served(t)["one.md"]; got != "2\n" {
		t.Fatalf("the server has %q", got)
	}
	a.write(t, "one.md", "1\n")
	a.syncAllowing(t, client.SyncOptions{Current: func(memory.Cursor) bool { return true }})
	a.sync(t)
	if got, here := tm.served(t)["one.md"], a.files(t)["one.md"]; got != "1\n" || here != "1\n" {
		t.Errorf("the server has %q, ann has %q", got, here)
	}
}

// What somebody else did meanwhile is taken in before anything is judged, as if
// nothing had been sent: nobody's text is lost.
func TestAhead_Outrun(t *testing.T) {
	t.Parallel()
	for name, theirs := range map[string]string{"another entry": "two.md", "the same entry": "one.md", "a new entry": "new.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm, a, b := pair(t)
			b.write(t, theirs, "ben's\n")
			b.sync(t)
			a.write(t, "one.md", "ann's\n")
			calls := tm.calls()
			r := a.sync(t)
			if seen := calls(); seen["push"] < 1 || seen["changes"] < 1 {
				t.Errorf("asked %v", seen)
			}
			if conflict := theirs == "one.md"; conflict != (len(r.Conflicts) == 1) || conflict != (a.kept(t, "ann's\n") == "conflicts") {
				t.Errorf("conflicts %v, ann's text in %q", r.Conflicts, a.kept(t, "ann's\n"))
			}
			tm.between(nil)
			b.sync(t)
			tm.equal(t, a, b)
		})
	}
}

// A server that does not know the condition judges at once. The receipt shows
// that more has happened, and the client asks what.
func TestAhead_ServerWithoutCondition(t *testing.T) {
	t.Parallel()
	tm, a, b := pair(t)
	b.write(t, "two.md", "ben's\n")
	b.sync(t)
	a.write(t, "one.md", "ann's\n")
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		r.Header.Del("If-Match")
		next.ServeHTTP(w, r)
	})
	a.sync(t)
	tm.between(nil)
	b.sync(t)
	tm.equal(t, a, b)
	if got := tm.served(t); got["one.md"] != "ann's\n" || got["two.md"] != "ben's\n" {
		t.Errorf("the server has %q", got)
	}
}

// Nothing reaches a server that is not the one of before: its history ends
// elsewhere under the same number.
func TestAhead_HistoryReplaced(t *testing.T) {
	t.Parallel()
	tm, a, _ := pair(t)
	a.write(t, "one.md", "ann's\n")
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		for _, condition := range []string{"If-Match", "If-None-Match"} {
			if tag := r.Header.Get(condition); tag != "" {
				r.Header.Set(condition, tag[:strings.LastIndex(tag, ":")+1]+memory.Digest(memory.Sum(nil)).String()+`"`)
			}
		}
		next.ServeHTTP(w, r)
	})
	if r, err := a.try(t.Context()); !errors.Is(err, client.ErrReset) || r.Proven {
		t.Errorf("proven %t, %v; want that the server was reset", r.Proven, err)
	}
	if got := tm.served(t)["one.md"]; got != "1\n" {
		t.Errorf("the server has %q", got)
	}
	if got := a.files(t)["one.md"]; got != "ann's\n" {
		t.Errorf("ann has %q", got)
	}
}

// A text that may not leave this machine is not sent ahead either, and the
// server is asked as ever.
func TestAhead_Refused(t *testing.T) {
	t.Parallel()
	tm, a, b := pair(t)
	b.write(t, "two.md", "ben's\n")
	b.sync(t)
	a.write(t, "one.md", mark+"\n")
	calls := tm.calls()
	r := a.sync(t)
	if seen := calls(); seen["push"] != 0 || refused(r)["one.md"] != memory.CodeSecretFound || a.files(t)["two.md"] != "ben's\n" {
		t.Errorf("asked %v, refused %v, has %q", seen, refused(r), a.files(t))
	}
}
