package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// report is the body that keeps a text.
func report(t testing.TB, id, path, text string, change func(*wire.ConflictKeep)) string {
	t.Helper()
	k := wire.ConflictKeep{ID: id, Path: path, Content: &text, KeptAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	if change != nil {
		change(&k)
	}
	body, err := wire.Encode(k)
	must(t, err)
	return string(body)
}

// lose makes a conflict of the client's, over an entry.
func (b *bundle) lose(t testing.TB, c *client, id, text string, e wire.Result) wire.Conflict {
	t.Helper()
	return read[wire.Conflict](t, c.post(b.in("/conflicts"), report(t, id, "a.md", text, func(k *wire.ConflictKeep) {
		k.EntryID, k.BaseRev, k.ServerRev = e.EntryID, e.Rev, e.Rev+1
	})))
}

func (b *bundle) standoff(t testing.TB, c *client, id string) wire.ConflictView {
	t.Helper()
	return read[wire.ConflictView](t, c.get(b.in("/conflicts/"+id)))
}

// contested makes a.md, which two have changed; the server has "theirs".
func (b *bundle) contested(t testing.TB) (author *client, made wire.Result) {
	t.Helper()
	author = b.as(t, memory.RoleContributor)
	made = b.put(t, author, "a.md", "base")
	read[wire.Result](t, b.as(t, memory.RoleMaintainer).do(http.MethodPut, b.in("/entry?path=a.md"), `{"content":"theirs"}`, "If-Match", fmt.Sprintf("%q", fmt.Sprint(made.Rev))))
	return author, made
}

// A text that lost is kept once, read by its author and by reviewers, and by
// nobody else; the feed knows nothing of it.
func TestConflicts_Visible(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author, made := b.contested(t)
	rea, mate := b.as(t, memory.RoleReviewer), b.as(t, memory.RoleViewer)
	tag := mate.get(b.in("/changes")).header.Get("Etag")
	for range 2 {
		if c := b.lose(t, author, "cnf_one", "mine", made); c.State != "open" || c.Author.Name != "contributor" || c.Content != nil || c.Size != 4 {
			t.Errorf("kept %+v", c)
		}
	}
	mate.get(b.in("/changes"), "If-None-Match", tag).want(t, http.StatusNotModified, "")
	for name, c := range map[string]*client{"author": author, "reviewer": rea} {
		v := b.standoff(t, c, "cnf_one")
		if *v.Conflict.Content != "mine" || *v.Base.Content != "base" || *v.Theirs.Content != "theirs" || v.Head.Rev != 2 {
			t.Errorf("%s sees %+v", name, v)
		}
		if list := read[wire.Page[wire.Conflict]](t, c.get(b.in("/conflicts?state=open"))); len(list.Items) != 1 || list.Items[0].Content != nil {
			t.Errorf("%s lists %+v", name, list)
		}
	}
	mate.get(b.in("/conflicts/cnf_one")).want(t, http.StatusNotFound, memory.CodeNotFound)
	if list := read[wire.Page[wire.Conflict]](t, mate.get(b.in("/conflicts"))); len(list.Items) != 0 {
		t.Errorf("a viewer lists %+v", list)
	}
	// The id of another's conflict is not taken over, and tells nothing.
	other := b.as(t, memory.RoleMaintainer).post(b.in("/conflicts"), report(t, "cnf_one", "a.md", "mine", nil))
	other.want(t, http.StatusConflict, memory.CodeConflict)
	author.post(b.in("/conflicts"), report(t, "cnf_one", "a.md", "another", nil)).want(t, http.StatusConflict, memory.CodeConflict)
}

// What a push would not take is not kept either.
func TestConflicts_Gate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author := b.as(t, memory.RoleContributor)
	for name, tt := range map[string]struct {
		path, text string
		change     func(*wire.ConflictKeep)
		code       memory.Code
	}{
		"secret":       {"a.md", "a " + mark, nil, memory.CodeSecretFound},
		"hidden text":  {"a.md", "a\x00b", nil, memory.CodeTextRejected},
		"path":         {"../a.md", "a", nil, memory.CodePathRejected},
		"too large":    {"a.md", string(make([]byte, memory.MaxEntryBytes+1)), nil, memory.CodeTooLarge},
		"no id":        {"a.md", "a", func(k *wire.ConflictKeep) { k.ID = "" }, memory.CodeInvalid},
		"odd id":       {"a.md", "a", func(k *wire.ConflictKeep) { k.ID = "cnf_../a" }, memory.CodeInvalid},
		"other hash":   {"a.md", "a", func(k *wire.ConflictKeep) { k.SHA256 = memory.Sum(nil).String() }, memory.CodeInvalid},
		"no time":      {"a.md", "a", func(k *wire.ConflictKeep) { k.KeptAt = time.Time{} }, memory.CodeInvalid},
		"other device": {"a.md", "a", func(k *wire.ConflictKeep) { k.Device = "dev_theirs" }, memory.CodeForbidden},
	} {
		author.post(b.in("/conflicts"), report(t, "cnf_one", tt.path, tt.text, tt.change)).wantCode(t, name, tt.code)
	}
	if list := read[wire.Page[wire.Conflict]](t, author.get(b.in("/conflicts"))); len(list.Items) != 0 {
		t.Errorf("kept %+v", list)
	}
}

// wantCode is want, which says of which case.
func (r reply) wantCode(t testing.TB, name string, code memory.Code) {
	t.Helper()
	if r.problem.Code != string(code) {
		t.Errorf("%s: status %d %s, want %s", name, r.status, r.body, code)
	}
}

// Each way to resolve does what it says, once, and deletes nothing.
func TestConflicts_Resolve(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		want map[string]string
	}{
		"theirs": {`{"how":"theirs"}`, map[string]string{"a.md": "theirs"}},
		"ours":   {`{"how":"ours","base_rev":2}`, map[string]string{"a.md": "mine"}},
		"both":   {`{"how":"both"}`, map[string]string{"a.md": "theirs", "a-2.md": "taken", "a-3.md": "mine"}},
		"merged": {`{"how":"merged","base_rev":2,"content":"of both"}`, map[string]string{"a.md": "of both"}},
		"local":  {`{"how":"local"}`, map[string]string{"a.md": "theirs"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			author, made := b.contested(t)
			if name == "both" {
				b.put(t, author, "a-2.md", "taken")
			}
			b.lose(t, author, "cnf_one", "mine", made)
			var done wire.Conflict
			for range 2 { // whose answer is lost asks again
				done = read[wire.Conflict](t, author.post(b.in("/conflicts/cnf_one/resolve"), tt.body))
			}
			if r := done.Resolution; done.State != "closed" || r.How != name || r.By.Name != "contributor" || (r.Rev > 0) != (r.EntryID != "") {
				t.Errorf("resolved %+v", done)
			}
			for path, want := range tt.want {
				if got := read[wire.Entry](t, author.get(b.in("/entry?path="+path))); *got.Content != want {
					t.Errorf("%s has %q, want %q", path, *got.Content, want)
				}
			}
			if again := b.lose(t, author, "cnf_one", "mine", made); again.State != "closed" {
				t.Errorf("reported again: %+v", again)
			}
			b.reviewer(t, memory.RoleReviewer).post(b.in("/conflicts/cnf_one/resolve"), `{"how":"merged","base_rev":2,"content":"late"}`).
				want(t, http.StatusConflict, memory.CodeConflict)
			if list := read[wire.Page[wire.Conflict]](t, author.get(b.in("/conflicts?state=open"))); len(list.Items) != 0 {
				t.Errorf("open %+v", list)
			}
		})
	}
}

// What is refused, or was not looked at, leaves the conflict open.
func TestConflicts_StayOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author, made := b.contested(t)
	b.lose(t, author, "cnf_one", "mine", made)
	mate, rea := b.as(t, memory.RoleMaintainer), b.reviewer(t, memory.RoleReviewer)
	for name, tt := range map[string]struct {
		client *client
		body   string
		code   memory.Code
	}{
		"stale":         {author, `{"how":"ours","base_rev":1}`, memory.CodeChanged},
		"not looked at": {author, `{"how":"ours"}`, memory.CodeInvalid},
		"no text":       {author, `{"how":"merged","base_rev":2}`, memory.CodeInvalid},
		"a text":        {author, `{"how":"theirs","content":"x"}`, memory.CodeInvalid},
		"a base":        {author, `{"how":"both","base_rev":2}`, memory.CodeInvalid},
		"no way":        {author, `{"how":"delete"}`, memory.CodeInvalid},
		"emptied":       {author, `{"how":"merged","base_rev":2,"content":" "}`, memory.CodeSuspectEmpty},
		"secret":        {author, `{"how":"merged","base_rev":2,"content":"` + mark + `"}`, memory.CodeSecretFound},
		"of another":    {rea, `{"how":"local"}`, memory.CodeForbidden},
		"a sync token":  {b.as(t, memory.RoleReviewer), `{"how":"theirs"}`, memory.CodeForbidden},
		"unknown":       {mate, `{"how":"theirs","device":"dev_theirs!"}`, memory.CodeInvalid},
	} {
		tt.client.post(b.in("/conflicts/cnf_one/resolve"), tt.body).wantCode(t, name, tt.code)
	}
	if v := b.standoff(t, author, "cnf_one"); v.Conflict.State != "open" || *v.Theirs.Content != "theirs" {
		t.Errorf("now %+v", v)
	}
	// A reviewer resolves what is another's, in their own name.
	done := read[wire.Conflict](t, rea.post(b.in("/conflicts/cnf_one/resolve"), `{"how":"ours","base_rev":2}`))
	if got := read[wire.Entry](t, rea.get(b.in("/entry?path=a.md"))); *got.Content != "mine" || got.Author.Name != "reviewer" || done.Resolution.Rev != got.Rev {
		t.Errorf("resolved %+v, entry %+v", done, got)
	}
}

// A conflict outlives its entry, and brings it back.
func TestConflicts_EntryGone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author, made := b.contested(t)
	b.lose(t, author, "cnf_one", "mine", made)
	author.do(http.MethodDelete, b.in("/entry?path=a.md"), "", "If-Match", `"2"`).want(t, http.StatusOK, "")
	if v := b.standoff(t, author, "cnf_one"); v.Theirs != nil || v.Head == nil || v.Head.Rev != 3 {
		t.Errorf("now %+v", v)
	}
	read[wire.Conflict](t, author.post(b.in("/conflicts/cnf_one/resolve"), `{"how":"ours","base_rev":3}`))
	if got := read[wire.Entry](t, author.get(b.in("/entry?path=a.md"))); *got.Content != "mine" || got.EntryID != made.EntryID {
		t.Errorf("entry %+v", got)
	}
}

// What a conflict is listed as is what it is about: an entry counts by a name
// that it has, or had when the text was written.
func TestConflicts_OfAnotherEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author, made := b.contested(t)
	author.post(b.in("/push"), b.pushBody(t, `{"op":"move","path":"now.md","previous_path":"a.md","base_rev":2}`)).want(t, http.StatusOK, "")
	for name, tt := range map[string]struct{ path, entry, want string }{
		"by its old name": {"a.md", made.EntryID, made.EntryID},
		"by its new name": {"now.md", made.EntryID, made.EntryID},
		"by no name":      {"notes/harmless.md", made.EntryID, ""},
		"of none":         {"b.md", "ent_unknown", ""},
	} {
		id := string(memory.NewConflictID())
		author.post(b.in("/conflicts"), report(t, id, tt.path, "mine", func(k *wire.ConflictKeep) {
			k.EntryID, k.BaseRev, k.ServerRev = tt.entry, made.Rev, 2
		})).want(t, http.StatusOK, "")
		v := b.standoff(t, author, id)
		if v.Conflict.EntryID != tt.want || (v.Theirs != nil) != (tt.want != "") || (v.Base != nil) != (tt.want != "") {
			t.Errorf("%s: %+v is against %+v", name, v.Conflict, v.Head)
		}
	}
}

// Where every change waits, so does what resolves a conflict.
func TestConflicts_Review(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author, made := b.contested(t)
	b.lose(t, author, "cnf_one", "mine", made)
	b.sql(t, "update projects set review = 'strict'")
	done := read[wire.Conflict](t, author.post(b.in("/conflicts/cnf_one/resolve"), `{"how":"ours","base_rev":2}`))
	if r := done.Resolution; r.Proposal == "" || r.Rev != 0 || r.EntryID != "" {
		t.Errorf("resolved %+v", r)
	}
	if p := b.show(t, author, done.Resolution.Proposal); *p.Proposal.Content != "mine" || p.Proposal.State != "pending" {
		t.Errorf("proposal %+v", p)
	}
}
