package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// lose keeps a text of the member's that lost to an entry.
func (b *bundle) lose(t testing.TB, by memory.Member, p memory.Project, path, text string, over memory.Verdict) memory.ConflictID {
	t.Helper()
	c, err := b.service.KeepConflict(t.Context(), principal(by), p.ID, memory.Draft{
		ID: memory.NewConflictID(), Path: path, EntryID: over.EntryID, BaseRev: over.Rev, Content: []byte(text), KeptAt: time.Now(),
	})
	must(t, err)
	return c.ID
}

func TestConflict_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	project, by := string(b.open.ID), b.members[memory.RoleContributor]
	list := view.ConflictsURL(project, "")
	first := b.put(t, by, b.open, "notes/plan.md", "The plan.\n")
	second := b.edit(t, b.second, b.open, "notes/plan.md", "The plan <i>of others</i>.\n", first)
	author, reviewer, viewer := b.as(t, memory.RoleContributor), b.as(t, memory.RoleReviewer), b.as(t, memory.RoleViewer)
	author.get(list).want(t, http.StatusOK).shows(t, "No text waits")
	author.get(view.EntriesURL(project)).want(t, http.StatusOK).hides(t, list)

	one := b.lose(t, by, b.open, "notes/plan.md", "The plan <b>of mine</b>.\n", first)
	page := view.ConflictURL(project, string(one))
	for _, br := range []*browser{author, reviewer} {
		br.get(view.EntriesURL(project)).want(t, http.StatusOK).shows(t, "1 conflict", list)
		br.get(list).want(t, http.StatusOK).shows(t, "notes/plan.md", page)
		br.get(page).want(t, http.StatusOK).shows(t, "&lt;", "others", "mine", "Keep both").hides(t, "<b>of mine")
	}
	if got := author.get(page+"/raw").want(t, http.StatusOK); got.body != "The plan <b>of mine</b>.\n" {
		t.Errorf("download %q", got.body)
	}
	viewer.get(list).want(t, http.StatusOK).shows(t, "Only your own")
	viewer.get(page).want(t, http.StatusNotFound)
	viewer.get(page+"/raw").want(t, http.StatusNotFound)

	resolve := func(br *browser, id memory.ConflictID, how string, rev int64) reply {
		t.Helper()
		return br.post(view.ResolveURL(project, string(id)), "how", how, "base_rev", fmt.Sprint(rev))
	}
	resolve(author, one, "merged", second.Rev).want(t, http.StatusBadRequest)
	resolve(author, one, "ours", first.Rev).want(t, http.StatusConflict).shows(t, "not what was looked at")
	resolve(author, one, "ours", second.Rev).leads(t, list+"?done=resolved")
	author.get(list+"?done=resolved").want(t, http.StatusOK).shows(t, "Resolved", "No text waits")
	author.get(page).want(t, http.StatusOK).shows(t, "this text was taken", "contributor").hides(t, "Keep both")
	resolve(reviewer, one, "theirs", 0).want(t, http.StatusConflict).shows(t, "Already resolved")
	entry, now, err := b.service.Entry(t.Context(), principal(by), b.open.ID, "notes/plan.md")
	if err != nil || string(now.Content) != "The plan <b>of mine</b>.\n" {
		t.Errorf("entry %q, %v", now.Content, err)
	}

	// Where everything waits, so does this, under the name that the entry has by then.
	two := b.lose(t, by, b.open, "notes/plan.md", "Another plan.\n", first)
	b.push(t, by, b.open, memory.Op{Action: memory.ActionMove, Path: "notes/moved.md", Previous: "notes/plan.md", EntryID: entry.ID, BaseRev: now.Rev})
	author.get(view.ConflictURL(project, string(two))).want(t, http.StatusOK).shows(t, "notes/plan.md", "notes/moved.md")
	b.sql(t, "update projects set review = 'strict' where project_id = $1", b.open.ID)
	both := resolve(author, two, "both", 0)
	if both.status != http.StatusSeeOther || both.header.Get("Location") == list {
		t.Errorf("status %d, to %q", both.status, both.header.Get("Location"))
	}
	author.get(view.ConflictURL(project, string(two))).want(t, http.StatusOK).shows(t, "goes to a reviewer first", "The text waits for review").hides(t, "both texts are kept")
}

// The list goes on where the page before ended.
func TestConflicts_More(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	first := b.put(t, by, b.open, "a.md", "x\n")
	b.lose(t, by, b.open, "a.md", "y\n", first)
	b.sql(t, `insert into conflicts (project_id, conflict_id, path, entry_id, base_rev, server_rev, content, sha256, size, author, device_id, rule_set, kept_at, at)
		select project_id, 'cnf_' || n, 'n' || n || '.md', '', 0, 0, content, sha256, size, author, '', '', at, at - n * interval '1 s'
		from conflicts, generate_series(1, 120) n`)
	br, list := b.as(t, memory.RoleReviewer), view.ConflictsURL(string(b.open.ID), "")
	page := br.get(list).want(t, http.StatusOK).shows(t, "n99.md", "More conflicts").hides(t, "n100.md")
	br.get(view.EntriesURL(string(b.open.ID))).shows(t, "many conflicts")
	_, after, _ := strings.Cut(page.body, list+"?after=")
	after, _, _ = strings.Cut(after, `"`)
	br.get(list+"?after="+after).want(t, http.StatusOK).shows(t, "n100.md", "n120.md").hides(t, "n99.md", "More")
	br.get(list+"?after=x").want(t, http.StatusBadRequest)
}
