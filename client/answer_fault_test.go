package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// badAnswer is what some server, or something on the way to it, may answer.
type badAnswer struct {
	name string
	call string // that is answered so
	hook hook
	done bool  // the run may end well all the same
	err  error // that it must end with, if a certain one
}

type hook func(w http.ResponseWriter, r *http.Request, next http.Handler)

// Whatever is answered, the run ends, says why, and has written nothing but
// what the team has; with the next good answer everything is in its place.
func TestSync_WrongAnswers(t *testing.T) { //nolint:tparallel // each begins where the one before ended
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tests := append(foreignAnswers(), wrongAnswers(t)...)
	for i, tt := range tests {
		t.Run(tt.name+" to "+tt.call, func(t *testing.T) { tm.answerWrong(t, a, b, i, tt) })
		if t.Failed() {
			return
		}
	}
}

// answerWrong gives both sides something to do, and lets one call of ben's go wrong.
func (tm *team) answerWrong(t *testing.T, a, b *member, n int, tt badAnswer) {
	t.Helper()
	a.write(t, "shared.md", fmt.Sprintf("version %d by ann\n", n))
	a.write(t, fmt.Sprintf("ann/%d.md", n%2), fmt.Sprintf("new %d\n", n))
	if tt.call == "contents" { // which is asked for what is too large for the feed
		a.write(t, "large.md", fmt.Sprintf("%d %s\n", n, strings.Repeat("x", 70<<10)))
	}
	a.sync(t)
	b.write(t, fmt.Sprintf("ben/%d.md", n%2), fmt.Sprintf("new %d\n", n))
	b.write(t, "ben.md", fmt.Sprintf("edited %d\n", n))
	before, served := b.files(t), tm.served(t)
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/"+tt.call) {
			tt.hook(w, r, next)
			return
		}
		if tt.call == "manifest" && strings.HasSuffix(r.URL.Path, "/changes") {
			answerWith(w, http.StatusGone, wire.ProblemType, `{"code":"cursor_too_old","status":410,"title":"x","detail":"x"}`)
			return
		}
		next.ServeHTTP(w, r)
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := b.try(ctx)
	tm.between(nil)
	switch {
	case ctx.Err() != nil:
		t.Fatalf("the run does not end: %v", err)
	case err == nil && !tt.done:
		t.Error("the run ended well")
	case tt.err != nil && !errors.Is(err, tt.err):
		t.Errorf("got %v, want %v", err, tt.err)
	case err != nil && (strings.ContainsAny(err.Error(), "\x1b\x00\a") || len(err.Error()) > 2000):
		t.Errorf("the message is not for people: %q", err)
	}
	after := b.files(t)
	for path, text := range after {
		if text != before[path] && text != served[path] {
			t.Errorf("%s has the text %.100q, which nobody wrote", path, text)
		}
	}
	for path := range before {
		if _, there := after[path]; !there && served[path] != "" {
			t.Errorf("%s is gone", path)
		}
	}
	b.sync(t)
	tm.equal(t, b)
	edit, now := fmt.Sprintf("edited %d\n", n), b.files(t)["ben.md"]
	if now != edit && b.kept(t, edit) != "conflicts" {
		t.Errorf("the edit is lost, ben.md is %q", now)
	}
}

func answerWith(w http.ResponseWriter, status int, mediaType, body string) {
	w.Header().Set("Teammem-Instance", instance)
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func always(status int, mediaType, body string) hook {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { answerWith(w, status, mediaType, body) }
}

// foreignAnswers come from no teammem server, or look as if.
func foreignAnswers() []badAnswer {
	const page = "<!doctype html><title>Welcome to the hotel</title><script>alert(1)</script>"
	plain := func(status int, headers ...string) hook {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(page))
		}
	}
	escapes := `{"code":"invalid","status":400,"title":"x","detail":"\u001b[2J\u001b]0;owned\u0007 gone\u0000","hint":"\u001b[31mred"}`
	var all []badAnswer
	for _, call := range []string{"changes", "push"} {
		for _, tt := range []badAnswer{
			{name: "a hotel's page", hook: plain(200, "Content-Type", "text/html")},
			{name: "a page for the instance", hook: always(200, "text/html", page)},
			{name: "a redirect", hook: plain(302, "Location", "http://127.0.0.1:1/login")},
			{name: "a redirect to itself", hook: plain(301, "Location", "")},
			{name: "a redirect of the instance", hook: always(307, "text/html", page)},
			{name: "another instance", hook: plain(200, "Teammem-Instance", "ins_other"), err: client.ErrOtherServer},
			{name: "nothing", hook: always(200, "application/json", "")},
			{name: "no content", hook: always(204, "application/json", "")},
			{name: "null", hook: always(200, "application/json", "null")},
			{name: "a list", hook: always(200, "application/json", "[]")},
			{name: "an empty object", hook: always(200, "application/json", "{}")},
			{name: "half an answer", hook: always(200, "application/json", `{"epoch":"e`)},
			{name: "two answers", hook: always(200, "application/json", `{"epoch":"e"}{"epoch":"e"}`)},
			{name: "names twice", hook: always(200, "application/json", `{"epoch":"e","epoch":"f"}`)},
			{name: "wrong types", hook: always(200, "application/json", `{"epoch":1,"changes":{},"results":1,"digest":[]}`)},
			{name: "numbers beyond numbers", hook: always(200, "application/json", `{"to":1e400,"head":99999999999999999999}`)},
			{name: "no UTF-8", hook: always(200, "application/json", "{\"epoch\":\"\xff\"}")},
			{name: "half a surrogate", hook: always(200, "application/json", `{"epoch":"\ud800"}`)},
			{name: "deep nesting", hook: always(200, "application/json", strings.Repeat("[", 200_000))},
			{name: "escapes for a terminal", hook: always(400, wire.ProblemType, escapes)},
			{name: "a problem of no sense", hook: always(418, wire.ProblemType, `{"code":"\u001b[2J","status":"x"}`)},
			{name: "an error page", hook: plain(500, "Content-Type", "text/html")},
			{name: "a gateway's page", hook: plain(502, "Content-Type", "text/html")},
			{name: "no gzip", hook: packed("gzip", []byte(page))},
			{name: "half a gzip", hook: packed("gzip", squeezed(1)[:200])},
			{name: "no zstd", hook: packed("zstd", []byte(page))},
			{name: "half a zstd", hook: packed("zstd", squashed(1)[:20])},
			{name: "packed in another way", hook: packed("br", []byte("{}"))},
			{name: "a broken length", hook: cutAnswer},
			{name: "not signed in", hook: always(401, wire.ProblemType, `{"code":"unauthenticated","status":401,"title":"x","detail":"x"}`)},
			{name: "forbidden", hook: always(403, wire.ProblemType, `{"code":"forbidden","status":403,"title":"x","detail":"x"}`)},
			{name: "gone", hook: always(404, wire.ProblemType, `{"code":"not_found","status":404,"title":"x","detail":"x"}`)},
			{name: "a code of another time", hook: always(409, wire.ProblemType, `{"code":"invented","status":409,"title":"x","detail":"x"}`)},
		} {
			tt.call = call
			if odd := call == "push" && strings.Contains("a list null nothing two answers deep nesting", tt.name); !odd {
				all = append(all, tt)
			}
		}
	}
	return append(all,
		badAnswer{name: "unchanged", call: "push", hook: always(304, "application/json", "")},
	)
}

// packed answers with a body in some encoding.
func packed(encoding string, body []byte) hook {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Encoding", encoding)
		answerWith(w, http.StatusOK, "application/json", string(body))
	}
}

// squeezed is so many megabytes of spaces, as gzip: one after another, which
// is one to whoever reads it.
func squeezed(megabytes int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<20)) // a buffer takes everything
	_ = w.Close()
	return bytes.Repeat(b.Bytes(), megabytes)
}

// squashed is the same as zstd.
func squashed(megabytes int) []byte {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return bytes.Repeat(z.EncodeAll(bytes.Repeat([]byte(" "), 1<<20), nil), megabytes)
}

// cutAnswer promises more than it sends. The server did what was asked.
func cutAnswer(w http.ResponseWriter, r *http.Request, next http.Handler) {
	rec := httptest.NewRecorder()
	r.Header.Del("Accept-Encoding")
	next.ServeHTTP(rec, r)
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
}

// wrongAnswers are well-formed and contradict themselves or the request.
func wrongAnswers(t *testing.T) []badAnswer {
	t.Helper()
	feed := func(name string, change func(f *wire.Feed)) badAnswer {
		return badAnswer{name: name, call: "changes", hook: alter(t, "changes", change)}
	}
	first := func(name string, change func(c *wire.Change)) badAnswer {
		return feed(name, func(f *wire.Feed) { change(&f.Changes[0]) })
	}
	receipt := func(name string, change func(r *wire.Receipt)) badAnswer {
		return badAnswer{name: name, call: "push", hook: alter(t, "push", change)}
	}
	contents := func(name string, change func(c *wire.Contents)) badAnswer {
		return badAnswer{name: name, call: "contents", hook: alter(t, "contents", change)}
	}
	manifest := func(name string, change func(m *wire.Manifest)) badAnswer {
		return badAnswer{name: name, call: "manifest", hook: alter(t, "manifest", change)}
	}
	planted, hostile := "planted\n", wire.Text("planted\n")
	all := []badAnswer{
		feed("a page from before", func(f *wire.Feed) { f.From = 0 }),
		feed("a page that ends before it starts", func(f *wire.Feed) { f.To = f.From - 1 }),
		feed("a negative page", func(f *wire.Feed) { f.From, f.To, f.Head = -3, -2, -1 }),
		feed("a page beyond numbers", func(f *wire.Feed) { f.Head, f.More = 1<<63-1, true; f.To = f.From }),
		feed("more of nothing", func(f *wire.Feed) { f.More = true }),
		feed("another epoch", func(f *wire.Feed) { f.Epoch = "eother" }),
		feed("no epoch", func(f *wire.Feed) { f.Epoch = "" }),
		feed("a digest that is none", func(f *wire.Feed) { f.Digest = "planted" }),
		feed("changes out of order", func(f *wire.Feed) { f.Changes[0], f.Changes[1] = f.Changes[1], f.Changes[0] }),
		feed("a change twice", func(f *wire.Feed) { f.Changes = append(f.Changes[:1:1], f.Changes...) }),
		feed("a change of tomorrow", func(f *wire.Feed) { f.Changes[len(f.Changes)-1].Seq = f.To + 1 }),
		first("no entry", func(c *wire.Change) { c.EntryID = "" }),
		first("an entry of two lines", func(c *wire.Change) { c.EntryID += "\n1 planted" }),
		first("an entry without an end", func(c *wire.Change) { c.EntryID = "ent_" + strings.Repeat("x", 1<<20) }),
		feed("an epoch of two lines", func(f *wire.Feed) { f.Epoch += "\r\nplanted: 1" }),
		first("a negative revision", func(c *wire.Change) { c.Rev = -1 }),
		first("no revision", func(c *wire.Change) { c.Rev = 0 }),
		first("a revision of tomorrow", func(c *wire.Change) { c.Rev += 1000 }),
		receipt("a negative revision", func(r *wire.Receipt) { r.Results[0].Rev = -1 }),
		receipt("an entry of two lines", func(r *wire.Receipt) { r.Results[0].EntryID = "ent_a\nplanted" }),
		receipt("no results", func(r *wire.Receipt) { r.Results = nil }),
		receipt("a result too few", func(r *wire.Receipt) { r.Results = r.Results[1:] }),
		receipt("an unknown verdict", func(r *wire.Receipt) { r.Results[0].Verdict = "planted" }),
		receipt("a refusal without a reason", func(r *wire.Receipt) { r.Results[0].Verdict, r.Results[0].Problem = "refused", nil }),
		receipt("no digest", func(r *wire.Receipt) { r.Digest = "" }),
		receipt("a hash that is none", func(r *wire.Receipt) { r.Results[0].SHA256 = "planted" }),
		contents("nothing", func(c *wire.Contents) { c.Items = nil }),
		contents("more than was asked for", func(c *wire.Contents) { c.Items = append(c.Items, c.Items...) }),
		contents("another text", func(c *wire.Contents) { c.Items[0].Content = &planted }),
		contents("another text with its hash", func(c *wire.Contents) {
			c.Items[0].Content, c.Items[0].SHA256 = &planted, memory.Sum([]byte(planted)).String()
		}),
		contents("another entry", func(c *wire.Contents) { c.Items[0].EntryID = "ent_other" }),
		contents("another revision", func(c *wire.Contents) { c.Items[0].Rev++ }),
		contents("a problem", func(c *wire.Contents) {
			c.Items[0] = wire.Content{EntryID: c.Items[0].EntryID, Rev: c.Items[0].Rev, Problem: &wire.Problem{Code: "internal"}}
		}),
		manifest("no count", func(m *wire.Manifest) { m.Count = nil }),
		manifest("one too few", func(m *wire.Manifest) { m.Entries = m.Entries[1:] }),
		manifest("one too few, counted", func(m *wire.Manifest) { m.Entries, *m.Count = m.Entries[1:], *m.Count-1 }),
		manifest("one twice", func(m *wire.Manifest) { m.Entries, *m.Count = append(m.Entries, m.Entries[0]), *m.Count+1 }),
		manifest("an entry of two lines", func(m *wire.Manifest) { m.Entries[0].EntryID += "\nplanted" }),
		manifest("no revision", func(m *wire.Manifest) { m.Entries[0].Rev = 0 }),
		manifest("a revision of tomorrow", func(m *wire.Manifest) { m.Entries[0].Rev += 1000 }),
		manifest("another digest", func(m *wire.Manifest) { m.Digest = memory.Digest{}.String() }),
	}
	// What lies about one text is found out by the digest, or when the text comes.
	for _, tt := range []badAnswer{
		feed("another digest", func(f *wire.Feed) { f.Digest = memory.Digest{}.String() }),
		first("another text", func(c *wire.Change) { c.Content = &hostile }),
		first("another text with its hash", func(c *wire.Change) {
			c.Content, c.SHA256, c.Size = &hostile, memory.Sum([]byte(planted)).String(), len(planted)
		}),
		first("a negative size", func(c *wire.Change) { c.Size = -1 }),
		first("an unknown op", func(c *wire.Change) { c.Op = "planted" }),
		first("no hash", func(c *wire.Change) { c.SHA256 = "" }),
		receipt("another revision", func(r *wire.Receipt) { r.Results[0].Rev += 1000 }),
		receipt("another hash", func(r *wire.Receipt) { r.Results[0].SHA256 = memory.Sum([]byte(planted)).String() }),
		receipt("another digest", func(r *wire.Receipt) { r.Digest = memory.Digest{}.String() }),
		receipt("a head of long ago", func(r *wire.Receipt) { r.Head = 0 }),
		receipt("a head beyond numbers", func(r *wire.Receipt) { r.Head = 1<<63 - 1 }),
		receipt("verdicts in another order", func(r *wire.Receipt) { r.Results[0], r.Results[1] = r.Results[1], r.Results[0] }),
	} {
		tt.done = true
		all = append(all, tt)
	}
	return all
}

// The answer to a push is lost after the server took it, and a proxy may send
// one twice: nothing is lost or there twice.
func TestSync_PushTwice(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	for n := range 5 {
		a.write(t, numbered(n), "first\n")
	}
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/push") {
			var body bytes.Buffer
			if _, err := body.ReadFrom(r.Body); err != nil {
				t.Error(err)
			}
			twin := r.Clone(r.Context())
			twin.Body = readCloser{bytes.NewReader(body.Bytes())}
			next.ServeHTTP(httptest.NewRecorder(), twin) // whose answer is lost
			r.Body = readCloser{bytes.NewReader(body.Bytes())}
		}
		next.ServeHTTP(w, r)
	})
	a.sync(t)
	a.write(t, numbered(1), "second\n")
	a.remove(t, numbered(2))
	a.rename(t, numbered(3), "moved.md")
	a.sync(t)
	tm.between(nil)
	b.sync(t)
	tm.equal(t, a, b)
	head, err := tm.store.Head(t.Context(), tm.project.ID)
	must(t, err)
	if want := int64(5 + 3); head.Seq != want {
		t.Errorf("the history has %d changes, want %d", head.Seq, want)
	}
	if diff := cmp.Diff(4, len(b.files(t))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }
