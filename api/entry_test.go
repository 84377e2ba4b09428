package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

func TestEntry_Life(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	const text = "---\nname: db\ntype: feedback\n---\nuse \u201cPostgres\u201d\r\n"
	at := b.in("/entry?path=" + escape("testing/100% done.md"))
	made := b.put(t, c, "testing/100% done.md", text)

	r := c.get(at)
	entry := read[wire.Entry](t, r)
	if *entry.Content != text || entry.EntryID != made.EntryID || entry.Kind != "feedback" || r.header.Get("Etag") != `"1"` {
		t.Errorf("got %+v, etag %s", entry, r.header.Get("Etag"))
	}
	raw := c.get(at, "Accept", "text/html, text/markdown;q=0.9")
	if string(raw.body) != text || !strings.HasPrefix(raw.header.Get("Content-Type"), "text/markdown") || raw.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("got %q as %s", raw.body, raw.header)
	}
	c.get(at, "If-None-Match", `"1"`).want(t, http.StatusNotModified, "")

	put := func(content string, headers ...string) reply {
		return c.do(http.MethodPut, at, fmt.Sprintf(`{"content":%q}`, content), headers...)
	}
	put("new").want(t, http.StatusBadRequest, memory.CodeInvalid)
	put("new", "If-Match", `"1"`, "If-None-Match", "*").want(t, http.StatusBadRequest, memory.CodeInvalid)
	put("new", "If-Match", `"x"`).want(t, http.StatusBadRequest, memory.CodeInvalid)
	put("new", "If-Match", `*`).want(t, http.StatusBadRequest, memory.CodeInvalid)
	put("new", "If-Match", `"7"`).want(t, http.StatusConflict, memory.CodeConflict)
	put("new", "If-None-Match", "*").want(t, http.StatusConflict, memory.CodeConflict)
	put("", "If-Match", `"1"`).want(t, http.StatusUnprocessableEntity, memory.CodeSuspectEmpty)
	put(mark, "If-Match", `"1"`).want(t, http.StatusUnprocessableEntity, memory.CodeSecretFound)
	if got := put("new", "If-Match", `"1"`); got.header.Get("Etag") != `"2"` || read[wire.Result](t, got).Rev != 2 {
		t.Errorf("got %s %s", got.header, got.body)
	}

	del := func(rev string) reply { return c.do(http.MethodDelete, at, "", "If-Match", rev) }
	del(`"1"`).want(t, http.StatusConflict, memory.CodeConflict)
	if got := read[wire.Result](t, del(`"2"`)); got.Verdict != "published" || got.Rev != 3 {
		t.Errorf("got %+v", got)
	}
	c.get(at).want(t, http.StatusNotFound, memory.CodeNotFound)
	if list := read[wire.Page[wire.Entry]](t, c.get(b.in("/entries"))); len(list.Items) != 0 || list.Next != "" {
		t.Errorf("got %+v", list)
	}
	// Who says that nothing is there knows of the delete, so the text may come back.
	if got := read[wire.Result](t, put("new", "If-None-Match", "*")); got.Verdict != "published" {
		t.Errorf("got %+v", got)
	}
}

func TestEntry_History(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	made := b.put(t, c, "a.md", "one")
	for rev, text := range []string{"two", "three"} {
		r := c.do(http.MethodPut, b.in("/entry?path=a.md"), fmt.Sprintf(`{"content":%q,"note":"why"}`, text), "If-Match", fmt.Sprintf("%q", fmt.Sprint(rev+1)))
		read[wire.Result](t, r)
	}
	id := "entry_id=" + made.EntryID
	var revs []int64
	for cursor, page := "", (wire.Page[wire.Revision]{}); ; cursor = "&cursor=" + page.Next {
		page = read[wire.Page[wire.Revision]](t, c.get(b.in("/revisions?limit=2&"+id+cursor)))
		for _, r := range page.Items {
			revs = append(revs, r.Rev)
			if r.Content != nil || r.Author.Name != "contributor" {
				t.Errorf("got %+v", r)
			}
		}
		if page.Next == "" {
			break
		}
	}
	if fmt.Sprint(revs) != "[3 2 1]" {
		t.Errorf("got %v", revs)
	}
	rev := read[wire.Revision](t, c.get(b.in("/revision?rev=2&"+id)))
	if *rev.Content != "two" || rev.Note != "why" || rev.BaseRev != 1 {
		t.Errorf("got %+v", rev)
	}
	restored := read[wire.Result](t, c.post(b.in("/restore"), fmt.Sprintf(`{"entry_id":%q,"rev":1}`, made.EntryID)))
	if restored.Verdict != "published" || restored.Rev != 4 {
		t.Errorf("got %+v", restored)
	}
	if got := c.get(b.in("/entry?path=a.md"), "Accept", "text/markdown"); string(got.body) != "one" {
		t.Errorf("got %q", got.body)
	}
	c.get(b.in("/revision?rev=9&"+id)).want(t, http.StatusNotFound, memory.CodeNotFound)
	c.get(b.in("/revisions?entry_id=ent_unknown")).want(t, http.StatusNotFound, memory.CodeNotFound)
	c.post(b.in("/restore"), `{"entry_id":"ent_unknown","rev":1}`).want(t, http.StatusNotFound, memory.CodeNotFound)
}

func TestEntries_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	for _, path := range []string{"a.md", "sub/b.md", "sub/c.md", "sub/50%.md", "z.md"} {
		b.put(t, c, path, "text of "+path)
	}
	all := func(query string) (paths []string) {
		for cursor := ""; ; {
			page := read[wire.Page[wire.Entry]](t, c.get(b.in("/entries?"+query+cursor)))
			for _, e := range page.Items {
				paths = append(paths, e.Path)
				if e.Content != nil {
					t.Error("a list has contents")
				}
			}
			if page.Next == "" {
				return paths
			}
			cursor = "&cursor=" + page.Next
		}
	}
	for query, want := range map[string]string{
		"limit=2":                              "[a.md sub/50%.md sub/b.md sub/c.md z.md]",
		"limit=1&prefix=sub%2F":                "[sub/50%.md sub/b.md sub/c.md]",
		"prefix=sub/5":                         "[sub/50%.md]",
		"prefix=" + escape("%"):                "[]",
		"prefix=_":                             "[]",
		"kind=user":                            "[]",
		"author=mem_unknown":                   "[]",
		"author=" + string(b.memberID()):       "[a.md sub/50%.md sub/b.md sub/c.md z.md]",
		"prefix=" + escape("' or 1=1 --"):      "[]",
		"prefix=" + escape("\u202e\u0000")[:9]: "[]",
	} {
		if got := fmt.Sprint(all(query)); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

func (b *bundle) memberID() memory.MemberID { return b.members[memory.RoleContributor].ID }

// A path in the query is decoded once and judged as a key: what it says after
// more decoding never counts.
func TestEntry_Queries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	b.put(t, c, "a+b c.md", "x")
	for query, want := range map[string]struct {
		status int
		code   memory.Code
		layer  string
	}{
		"path=a%2Bb+c.md":          {200, "", ""},
		"path=a%2Bb%20c.md":        {200, "", ""},
		"path=a+b+c.md":            {404, memory.CodeNotFound, ""},
		"path=unknown.md":          {404, memory.CodeNotFound, ""},
		"":                         {422, memory.CodePathRejected, "segment"},
		"path=":                    {422, memory.CodePathRejected, "segment"},
		"path=%2e%2e%2fx.md":       {422, memory.CodePathRejected, "traversal"},
		"path=%252e%252e%252fx.md": {422, memory.CodePathRejected, "url_encoded"},
		"path=..%5cx.md":           {422, memory.CodePathRejected, "backslash"},
		"path=%2Fetc%2Fx.md":       {422, memory.CodePathRejected, "absolute"},
		"path=a%00.md":             {422, memory.CodePathRejected, "null_byte"},
		"path=a%FF.md":             {422, memory.CodePathRejected, "encoding"},
		"path=%ED%A0%80.md":        {422, memory.CodePathRejected, "encoding"},
		"path=%C0%AE%C0%AE/x.md":   {422, memory.CodePathRejected, "encoding"},
		"path=a%0a.md":             {422, memory.CodePathRejected, "control"},
		"path=%":                   {400, memory.CodeInvalid, ""},
		"path=a%2.md":              {400, memory.CodeInvalid, ""},
		"path=a%zz.md":             {400, memory.CodeInvalid, ""},
		"path=a.md;path=b.md":      {400, memory.CodeInvalid, ""},
		"path=a.md&path=b.md":      {400, memory.CodeInvalid, ""},
		"path=a.md&%70ath=b.md":    {400, memory.CodeInvalid, ""},
		"path=a.md&CANARY=1":       {400, memory.CodeInvalid, ""},
		"Path=a.md":                {400, memory.CodeInvalid, ""},
		"path=" + strings.Repeat("a", 5000) + ".md": {422, memory.CodePathRejected, "length"},
	} {
		got := c.get(b.in("/entry?" + query))
		if got.status != want.status || got.problem.Code != string(want.code) || got.problem.Layer != want.layer {
			t.Errorf("%.60s: %d %s", query, got.status, got.body)
		}
		if strings.Contains(string(got.body), canary) {
			t.Errorf("%s: the answer quotes the query", query)
		}
	}
	if strings.Contains(b.log.String(), canary) || strings.Contains(b.log.String(), "unknown.md") {
		t.Error("the log holds query values")
	}
}

func TestQueries_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	for _, call := range []string{
		"/changes?since=", "/changes?since=e1", "/changes?since=e1:-1", "/changes?since=e1:%2B1", "/changes?since=e%00:1", "/changes?since=e1:9223372036854775808",
		"/changes?limit=0", "/changes?limit=1001", "/changes?limit=-1", "/changes?limit=1.5", "/changes?limit=+5", "/changes?limit=%2B5", "/changes?limit=",
		"/changes?content=all", "/changes?wait=26", "/changes?wait=-1", "/changes?wait=1s", "/changes?stale=1",
		"/entries?limit=201", "/entries?kind=%00", "/entries?prefix=a%00", "/entries?prefix=%FF", "/entries?prefix=" + strings.Repeat("a", 513),
		"/entries?author=mem_%27", "/entries?author=boss", "/entries?cursor=%21", "/entries?cursor=Li4vYS5tZA", "/entries?sort=size",
		"/revisions", "/revisions?entry_id=", "/revisions?entry_id=x", "/revisions?entry_id=ent_%00", "/revisions?entry_id=ent_a&cursor=x",
		"/revision?entry_id=ent_a", "/revision?entry_id=ent_a&rev=0", "/revision?entry_id=ent_a&rev=x", "/revision?rev=1",
		"/manifest?x=1",
	} {
		if got := c.get(b.in(call)); got.status != http.StatusBadRequest || got.problem.Code != string(memory.CodeInvalid) {
			t.Errorf("%s: %d %s", call, got.status, got.body)
		}
	}
	for _, call := range []string{"/projects?slug=Acme", "/projects?slug=%00", "/projects?remote=%00", "/projects?remote=local", "/me?x=1"} {
		if got := c.get(base + call); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", call, got.status, got.body)
		}
	}
	for _, tag := range []string{"x", `"`, `""`, `"a","b"`, `"a`, `W/`, `*`, `"` + strings.Repeat("a", 300) + `"`} {
		if got := c.get(b.in("/changes"), "If-None-Match", tag); got.status != http.StatusBadRequest {
			t.Errorf("tag %s: %d %s", tag, got.status, got.body)
		}
	}
}
