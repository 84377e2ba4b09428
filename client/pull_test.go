package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// alter lets a test change the answers to one call.
func alter[T any](t testing.TB, call string, change func(answer *T)) func(w http.ResponseWriter, r *http.Request, next http.Handler) {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/"+call) {
			next.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		raw := rec.Body.Bytes()
		if rec.Code == http.StatusOK {
			var answer T
			if err := json.Unmarshal(raw, &answer); err != nil {
				t.Error(err)
			}
			change(&answer)
			var err error
			if raw, err = json.Marshal(answer); err != nil {
				t.Error(err)
			}
		}
		for name, values := range rec.Header() {
			if name != "Content-Encoding" && name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(raw)
	}
}

// One page of the feed can free a name and give it to another entry, in either
// order: that is no twin.
func TestPull_NamesPassedOn(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "Plan.md", "first\n")
	a.write(t, "todo.md", "second\n")
	a.write(t, "Del.md", "third\n")
	a.sync(t)
	b.sync(t)
	a.rename(t, "Plan.md", "old-plan.md")
	a.sync(t)
	a.rename(t, "todo.md", "plan.md")
	a.remove(t, "Del.md")
	a.sync(t)
	a.write(t, "old-plan.md", "first, edited\n") // now its newest change comes last
	a.write(t, "del.md", "fourth\n")
	a.sync(t)
	if r := b.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing", refused(r))
	}
	tm.equal(t, a, b)
}

// A feed that leaves something out is noticed by its digest, and what is known
// is compared with the manifest. Nothing is deleted but what the server lacks.
func TestPull_Drift(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 30 {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	a.sync(t)
	b.sync(t)
	for n := range 10 {
		a.remove(t, numbered(n))
	}
	a.write(t, numbered(15), "edited by ann\n")
	a.write(t, "new.md", "new\n")
	a.allow(t, 10)
	b.write(t, numbered(3), "edited by ben\n")
	tm.between(alter(t, "changes", func(f *wire.Feed) { f.Changes = f.Changes[:0] }))
	r := b.allow(t, 9)
	tm.between(nil)
	if len(r.Notices) == 0 {
		t.Error("the member is not told that the state had drifted")
	}
	if tm.served(t)[numbered(3)] != "edited by ben\n" {
		t.Error("an edit of a deleted entry was lost")
	}
	a.sync(t)
	tm.equal(t, a, b)
	for n := range 10 {
		if n != 3 && b.kept(t, numbered(n)+"\n") != "trash" {
			t.Errorf("%s is in %q, want the trash", numbered(n), b.kept(t, numbered(n)+"\n"))
		}
	}
}

// goneFeed says that the changes since the client's last sync were purged.
func goneFeed(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if !strings.HasSuffix(r.URL.Path, "/changes") {
		next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", wire.ProblemType)
	w.Header().Set("Teammem-Instance", instance)
	w.WriteHeader(http.StatusGone)
	_, _ = io.WriteString(w, `{"type":"about:blank","title":"gone","status":410,"code":"cursor_too_old","detail":"too old"}`)
}

// A client that was away for too long compares with the manifest.
func TestPull_CursorTooOld(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "gone.md", "gone\n")
	a.write(t, "stays.md", "stays\n")
	a.write(t, "Name.md", "1\n")
	a.sync(t)
	b.sync(t)
	a.remove(t, "gone.md")
	a.remove(t, "Name.md")
	a.write(t, "name.md", "2\n")
	if r := a.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want the new name to be taken once the old one is free", refused(r))
	}
	b.write(t, "mine.md", "mine\n")
	tm.between(goneFeed)
	r := b.sync(t)
	tm.between(nil)
	if len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing: the old name is free", refused(r))
	}
	a.sync(t)
	tm.equal(t, a, b)
}

// What an intermediary answers is no proof.
func TestPull_NotModifiedByAnother(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a.md", "a\n")
	a.sync(t)
	tm.between(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusNotModified) })
	if r, err := a.try(t.Context()); err == nil || r.Proven {
		t.Errorf("proven %t, %v; want an error", r.Proven, err)
	}
}

// A server that keeps its numbers but lost what came last is not in sync.
func TestPull_ServerLostOurPush(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a.md", "a\n")
	a.sync(t)
	a.write(t, "b.md", "b\n")
	// The push is answered, and never happened.
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/push") {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Teammem-Instance", instance)
		_, _ = io.WriteString(w, `{"epoch":"`+tm.project.Head.Epoch+`","head":7,"digest":"`+memory.Digest{}.String()+
			`","results":[{"verdict":"published","entry_id":"ent_aaaaaaaaaaaaaaaaaaaaaaaa","rev":2,"sha256":"`+memory.Sum([]byte("b\n")).String()+`"}]}`)
	})
	if r, err := a.try(t.Context()); r.Proven && err == nil {
		t.Error("a push that never happened is proven")
	}
	tm.between(nil)
	a.sync(t)
	tm.equal(t, a)
	if tm.served(t)["b.md"] != "b\n" {
		t.Error("b.md never reached the server")
	}
}

// A feed that never ends, goes back, or changes its past is an error.
func TestPull_Endless(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f *wire.Feed){
		"endless":     func(f *wire.Feed) { f.To, f.Head, f.More, f.Changes = f.From, f.Head+5, true, nil },
		"goes back":   func(f *wire.Feed) { f.From, f.Changes = 0, nil },
		"other epoch": func(f *wire.Feed) { f.Epoch = "another" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			a, b := tm.join(t, "ann"), tm.join(t, "ben")
			a.write(t, "a.md", "a\n")
			a.sync(t)
			b.sync(t)
			b.write(t, "b.md", "b\n")
			b.sync(t)
			before := a.files(t)
			tm.between(alter(t, "changes", change))
			if r, err := a.try(t.Context()); err == nil || r.Proven {
				t.Errorf("proven %t, %v; want an error", r.Proven, err)
			}
			tm.between(nil)
			if len(a.files(t)) != len(before) {
				t.Errorf("the tree changed to %q", a.files(t))
			}
			a.sync(t)
			tm.equal(t, a, b)
		})
	}
}

// Contents that were not asked for, too many, other ones or none are errors,
// and never written.
func TestPull_WrongContents(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a line that is not in the feed itself\n", 4000)
	for name, change := range map[string]func(c *wire.Contents){
		"too many": func(c *wire.Contents) { c.Items = append(c.Items, c.Items...) },
		"none":     func(c *wire.Contents) { c.Items = nil },
		"other": func(c *wire.Contents) {
			other := "other"
			c.Items[0].Content, c.Items[0].SHA256 = &other, memory.Sum([]byte(other)).String()
		},
		"false": func(c *wire.Contents) { other := "other"; c.Items[0].Content = &other },
		"problem": func(c *wire.Contents) {
			c.Items[0].Content, c.Items[0].Problem = nil, &wire.Problem{Code: "not_found", Status: 404}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, memory.Limits{})
			a, b := tm.join(t, "ann"), tm.join(t, "ben")
			a.write(t, "big.md", big)
			a.sync(t)
			b.write(t, "mine.md", "mine\n")
			tm.between(alter(t, "contents", change))
			if r, err := b.try(t.Context()); err == nil || r.Proven {
				t.Errorf("proven %t, %v; want an error", r.Proven, err)
			}
			if _, there := b.files(t)["big.md"]; there {
				t.Error("a wrong text was written")
			}
			tm.between(nil)
			b.sync(t)
			a.sync(t)
			tm.equal(t, a, b)
		})
	}
}

// An entry that may not exist here is listed in each run, is news once, and goes
// when it is deleted or gets a good name.
func TestPull_Foreign(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "good.md", "good\n")
	a.write(t, "evil.md", "evil\n")
	a.sync(t)
	const evil = "../evil.md"
	rename := alter(t, "changes", func(f *wire.Feed) {
		for i := range f.Changes {
			if f.Changes[i].Path == "evil.md" {
				f.Changes[i].Path = evil
			}
		}
	})
	tm.between(rename)
	if r := b.sync(t); !r.NewRefusals() || refused(r)[evil] != memory.CodePathRejected {
		t.Errorf("news %t, refused %v", r.NewRefusals(), refused(r))
	}
	if r := b.sync(t); r.NewRefusals() || refused(r)[evil] != memory.CodePathRejected {
		t.Errorf("second run: news %t, refused %v", r.NewRefusals(), refused(r))
	}
	a.remove(t, "evil.md")
	a.sync(t)
	if r := b.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing after it was deleted", refused(r))
	}
	a.write(t, "evil.md", "evil again\n")
	a.sync(t)
	b.sync(t)
	tm.between(nil)
	a.write(t, "evil.md", "now with a good name\n")
	a.sync(t)
	if r := b.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing with a good name", refused(r))
	}
	tm.equal(t, a, b)

	// An entry that is here and gets a bad name stays as it is.
	a.write(t, "evil.md", "and bad again\n")
	a.sync(t)
	tm.between(rename)
	b.write(t, "evil.md", "edited by ben\n")
	b.sync(t)
	tm.between(nil)
	if got := b.files(t)["evil.md"]; got != "edited by ben\n" {
		t.Errorf("ben's file holds %q", got)
	}
}

// A text that was damaged on its way is fetched again.
func TestPull_DamagedText(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, "a.md", "a\n")
	a.sync(t)
	tm.between(alter(t, "changes", func(f *wire.Feed) {
		for i := range f.Changes {
			other := wire.Text("other")
			f.Changes[i].Content = &other
		}
	}))
	r, err := b.try(t.Context())
	must(t, err)
	if len(r.Refused) != 1 {
		t.Errorf("refused %v, want the damaged entry", refused(r))
	}
	tm.between(nil)
	if r := b.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v, want nothing", refused(r))
	}
	tm.equal(t, a, b)
}

// Times that no disk takes, or that lie ahead, do not stop an entry.
func TestPull_StrangeTimes(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{{}, time.Unix(-1e10, 0).UTC(), time.Now().AddDate(3000, 0, 0).UTC()} {
		tm := newTeam(t, memory.Limits{})
		a, b := tm.join(t, "ann"), tm.join(t, "ben")
		a.write(t, "a.md", "a\n")
		a.sync(t)
		tm.between(alter(t, "changes", func(f *wire.Feed) {
			for i := range f.Changes {
				f.Changes[i].At = at
			}
		}))
		b.sync(t)
		tm.between(nil)
		tm.equal(t, a, b)
	}
}

// Many entries, and texts of the largest size, in both directions.
func TestSync_Large(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{FeedPage: 150})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 450 {
		a.write(t, numbered(n), numbered(n)+"\n")
	}
	for n := range 20 {
		a.write(t, "big/"+numbered(n), strings.Repeat("\"\t\\ 0123456789\n", memory.MaxEntryBytes/15)[:memory.MaxEntryBytes-4]+"\n")
	}
	a.sync(t)
	if r := a.sync(t); len(r.Done) != 0 {
		t.Errorf("%d ops in a second run", len(r.Done))
	}
	b.sync(t)
	tm.equal(t, a, b)
	for n := range 300 {
		b.remove(t, numbered(n))
	}
	b.allow(t, 300)
	a.allow(t, 300)
	tm.equal(t, a, b)
}

// Status tells what a sync would do, and does nothing.
func TestStatus(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a := tm.join(t, "ann")
	a.write(t, "a.md", "a\n")
	if _, err := a.syncer("").Status(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	tm.between(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusTeapot) })
	if _, err := a.try(t.Context()); err == nil {
		t.Error("a teapot is a server")
	}
	tm.between(nil)
	st, err := a.syncer("").Status(t.Context(), false)
	must(t, err)
	if st.Pending != 1 || st.Proven || !st.LastSync.IsZero() || len(tm.served(t)) != 0 {
		t.Errorf("pending %d, proven %t, last sync %s", st.Pending, st.Proven, st.LastSync)
	}
	a.sync(t)
	st, err = a.syncer("").Status(t.Context(), true)
	must(t, err)
	if st.Pending != 0 || !st.Proven || st.LastSync.IsZero() || st.Entries != 1 {
		t.Errorf("pending %d, proven %t, last sync %s, %d entries", st.Pending, st.Proven, st.LastSync, st.Entries)
	}
	unreachable, err := client.NewServer("http://127.0.0.1:1", client.ServerOptions{})
	must(t, err)
	a.http = unreachable
	st, err = a.syncer("").Status(t.Context(), false)
	must(t, err)
	if st.Offline == nil || st.Proven {
		t.Errorf("offline %v, proven %t", st.Offline, st.Proven)
	}
}
