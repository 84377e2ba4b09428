package web

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

func TestEntry_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	first := b.put(t, by, b.open, "testing/db.md", "---\nname: The database\ndescription: how tests get one\n---\nOne each.\n")
	second := b.edit(t, by, b.open, "testing/db.md", "---\nname: The database\ndescription: how tests get one\n---\nOne each, copied.\n", first)
	b.put(t, by, b.open, "testing/ci.md", "Runs at night.\n")
	br := b.as(t, memory.RoleViewer)
	project, entry := string(b.open.ID), view.EntryURL(string(b.open.ID), string(first.EntryID))

	br.get("/projects").want(t, http.StatusOK).shows(t, "acme/app", "acme/vault").hides(t, "acme/other")
	br.get("/").want(t, http.StatusOK)
	br.get(view.EntriesURL(project)).want(t, http.StatusOK).shows(t, "testing/db.md", "testing/ci.md")
	br.get(view.FilteredURL(project, view.EntryFilter{Prefix: "testing/d"}, "")).want(t, http.StatusOK).shows(t, "testing/db.md")
	br.get(entry).want(t, http.StatusOK).shows(t, "The database", "One each, copied.")
	br.get(entry+"?view=rendered").want(t, http.StatusOK).shows(t, "One each, copied.")
	br.get(view.RevisionURL(project, string(first.EntryID), first.Rev)).want(t, http.StatusOK).shows(t, "One each.").hides(t, "copied")
	br.get(entry+"/history").want(t, http.StatusOK).shows(t, fmt.Sprint(first.Rev), fmt.Sprint(second.Rev))
	br.get(entry+"/diff").want(t, http.StatusOK).shows(t, "copied")
	br.get(view.DiffURL(project, string(first.EntryID), first.Rev, second.Rev)).want(t, http.StatusOK).shows(t, "copied")
	br.get("/go?project=acme/app&path=testing/db.md").leads(t, entry)
	br.get("/go?project=acme/app").leads(t, view.EntriesURL(project))

	b.push(t, by, b.open, memory.Op{Action: memory.ActionDelete, Path: "testing/db.md", EntryID: first.EntryID, BaseRev: second.Rev})
	br.get(entry).want(t, http.StatusOK).shows(t, "The database")
	br.get(entry+"/raw").want(t, http.StatusNotFound)
	br.get(entry+"/diff").want(t, http.StatusOK)
	br.get("/go?project=acme/app&path=testing/db.md").want(t, http.StatusNotFound)
	br.get(view.EntriesURL(project)).hides(t, "testing/db.md")
}

// The list goes on where the page before ended, and counts what the filter
// leaves.
func TestEntries_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ops []memory.Op
	for i := range entriesPage + 3 {
		ops = append(ops, memory.Op{Action: memory.ActionPut, Path: fmt.Sprintf("notes/n%03d.md", i), Content: []byte("x\n")})
	}
	ops = append(ops, memory.Op{Action: memory.ActionPut, Path: "zebra.md", Content: []byte("---\ntype: user\n---\nx\n")})
	who := principal(b.members[memory.RoleContributor])
	_, err := b.service.Push(t.Context(), who, b.open.ID, memory.Push{Epoch: b.open.Head.Epoch, Ops: ops})
	must(t, err)
	br := b.as(t, memory.RoleViewer)
	list := view.EntriesURL(string(b.open.ID))
	br.get(list).want(t, http.StatusOK).shows(t, "n000.md", "n099.md").hides(t, "n100.md")
	last := "bm90ZXMvbjA5OS5tZA" // notes/n099.md
	br.get(list+"?after="+last).want(t, http.StatusOK).shows(t, "n100.md", "zebra.md").hides(t, "n099.md")
	br.get(list+"?kind=user").want(t, http.StatusOK).shows(t, "zebra.md").hides(t, "n000.md")
	br.get(list+"?kind=nonsense").want(t, http.StatusOK).hides(t, "zebra.md")
}

// A large folder beside an entry is cut to what is around it.
func TestEntry_LargeFolder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ops []memory.Op
	for i := range 199 {
		ops = append(ops, memory.Op{Action: memory.ActionPut, Path: fmt.Sprintf("notes/n%03d.md", i), Content: []byte("x\n")})
	}
	ops = append(ops, memory.Op{Action: memory.ActionPut, Path: "notes/below/a.md", Content: []byte("x\n")})
	who := principal(b.members[memory.RoleContributor])
	_, err := b.service.Push(t.Context(), who, b.open.ID, memory.Push{Epoch: b.open.Head.Epoch, Ops: ops})
	must(t, err)
	br := b.as(t, memory.RoleViewer)
	for path, want := range map[string]struct{ first, last int }{"n000": {0, 59}, "n100": {70, 129}, "n198": {139, 198}} {
		entry, _, err := b.service.Entry(t.Context(), who, b.open.ID, "notes/"+path+".md")
		must(t, err)
		r := br.get(view.EntryURL(string(b.open.ID), string(entry.ID))).want(t, http.StatusOK)
		r.shows(t, `aria-current="page"`, fmt.Sprintf("n%03d.md", want.first), fmt.Sprintf("n%03d.md", want.last), "All 200 entries")
		r.hides(t, fmt.Sprintf("n%03d.md", want.first-1), fmt.Sprintf("n%03d.md", want.last+1), "below/a.md")
		if len(r.body) > 60_000 {
			t.Errorf("%s: the page has %d bytes", path, len(r.body))
		}
	}
}

// The list of projects goes on where the page before ended.
func TestProjects_Pages(t *testing.T) {
	t.Parallel()
	c := offline(t)
	v := &visit{console: c}
	for i := range projectsPage + 3 {
		var o memory.Overview
		o.ID, o.Slug = memory.NewProjectID(), fmt.Sprintf("acme/p%03d", i)
		v.projects = append(v.projects, o)
	}
	for after, want := range map[string]struct {
		first, last string
		more        bool
	}{
		"": {"acme/p000", "acme/p099", true}, "acme/p099": {"acme/p100", "acme/p102", false}, "acme/gone": {"acme/p000", "acme/p099", true},
	} {
		p := v.projectsAfter(after)
		if p.Rows[0].Slug != want.first || p.Rows[len(p.Rows)-1].Slug != want.last || (p.After == want.last) != want.more {
			t.Errorf("after %q: from %s to %s, then %q", after, p.Rows[0].Slug, p.Rows[len(p.Rows)-1].Slug, p.After)
		}
	}
}

// The download is the very bytes, and nothing that a browser would run.
func TestRaw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	text := "\ufeff<script>alert(1)</script>\r\n\tno end"
	v := b.put(t, by, b.open, "straße/a 'b' & naïve.md", "first\n")
	v = b.edit(t, by, b.open, "straße/a 'b' & naïve.md", text, v)
	br := b.as(t, memory.RoleViewer)
	raw := view.RawURL(string(b.open.ID), string(v.EntryID))
	r := br.get(raw).want(t, http.StatusOK)
	if r.body != text {
		t.Errorf("got %q", r.body)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"Content-Disposition": "attachment; filename*=utf-8''a%20%27b%27%20&%20na%C3%AFve.md", "Content-Security-Policy": sandbox,
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if r := br.get(fmt.Sprintf("%s?rev=%d", raw, v.Rev-1)).want(t, http.StatusOK); r.body != "first\n" {
		t.Errorf("got %q", r.body)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	first := b.put(t, by, b.open, "a.md", "One.\n")
	second := b.edit(t, by, b.open, "a.md", "Two.\n", first)
	br := b.as(t, memory.RoleContributor)
	entry := view.EntryURL(string(b.open.ID), string(first.EntryID))
	one, two := fmt.Sprint(first.Rev), fmt.Sprint(second.Rev)

	br.get(entry+"/restore?rev="+one).want(t, http.StatusOK).shows(t, `value="`+two+`"`)
	// Somebody writes in between: what is there now has not been seen.
	third := b.edit(t, by, b.open, "a.md", "Three.\n", second)
	br.post(entry+"/restore", "rev", one, "head", two).want(t, http.StatusConflict).shows(t, "The entry changed", `value="`+fmt.Sprint(third.Rev)+`"`)
	br.post(entry+"/restore", "rev", one, "head", fmt.Sprint(third.Rev)).leads(t, entry+"?done=restored")
	br.get(entry+"?done=restored").want(t, http.StatusOK).shows(t, "One.")
	br.post(entry+"/restore", "rev", one, "head", fmt.Sprint(third.Rev+1)).leads(t, entry+"?done=same")
	br.post(entry+"/restore", "rev", "99", "head", "4").want(t, http.StatusNotFound)

	// A deleted entry comes back.
	b.push(t, by, b.open, memory.Op{Action: memory.ActionDelete, Path: "a.md", EntryID: first.EntryID, BaseRev: third.Rev + 1})
	gone := fmt.Sprint(third.Rev + 2)
	br.get(entry+"/restore?rev="+gone).want(t, http.StatusBadRequest)
	br.post(entry+"/restore", "rev", two, "head", gone).leads(t, entry+"?done=restored")
	br.get(entry).want(t, http.StatusOK).shows(t, "Two.")
}

// Where everything waits, a restored text waits too.
func TestRestore_Strict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	first := b.put(t, by, b.open, "a.md", "One.\n")
	second := b.edit(t, by, b.open, "a.md", "Two.\n", first)
	b.sql(t, "update projects set review = 'strict'")
	br := b.as(t, memory.RoleContributor)
	entry := view.EntryURL(string(b.open.ID), string(first.EntryID))
	r := br.post(entry+"/restore", "rev", fmt.Sprint(first.Rev), "head", fmt.Sprint(second.Rev)).want(t, http.StatusSeeOther)
	br.get(r.header.Get("Location")).want(t, http.StatusOK).shows(t, "One.")
	br.get(entry).shows(t, "Two.")
}

// An old text passes the gate of today.
func TestRestore_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	first := b.put(t, by, b.open, "a.md", "One.\n")
	second := b.edit(t, by, b.open, "a.md", "Two.\n", first)
	text := "One " + mark + ".\n"
	sum := memory.Sum([]byte(text))
	b.sql(t, "update revisions set content = $1, sha256 = $2, size = $3 where rev = $4", []byte(text), sum[:], len(text), first.Rev)
	entry := view.EntryURL(string(b.open.ID), string(first.EntryID))
	b.as(t, memory.RoleContributor).post(entry+"/restore", "rev", fmt.Sprint(first.Rev), "head", fmt.Sprint(second.Rev)).
		want(t, http.StatusUnprocessableEntity)
}

func TestTheme(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	r := br.post("/theme", "theme", "dark", "back", "/login").leads(t, "/login")
	if set := r.header.Get("Set-Cookie"); set != "__Host-tm_theme=dark; Path=/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax" {
		t.Errorf("cookie %q", set)
	}
	br.get("/login").shows(t, `data-theme="dark"`)
	br.post("/theme", "theme", `"><script>`).leads(t, "/")
	br.get("/login").shows(t, `data-theme="system"`)
	br.get("/login", "Cookie", themeCookie+`=dark"onload=x`).shows(t, `data-theme="system"`)
}
