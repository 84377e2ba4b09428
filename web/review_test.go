package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// proposed makes a proposal in the strict project and returns its page, and
// what a form that was sent from there says.
func (b *bundle) proposed(t testing.TB, by memory.Member, path, text string) (page string, form []string) {
	t.Helper()
	v := b.put(t, by, b.strict, path, text)
	if v.Ruling != memory.RulingWaiting {
		t.Fatalf("put %s: %s", path, v.Ruling)
	}
	return view.ProposalURL(string(b.strict.ID), string(v.Proposal)), []string{"sha256", memory.Sum([]byte(text)).String(), "base_rev", "0"}
}

// state returns what became of the proposals.
func (b *bundle) states(t testing.TB, state memory.ProposalState) int {
	t.Helper()
	return b.count(t, "select count(*) from proposals where state = $1", state)
}

func TestApprove(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author := b.members[memory.RoleContributor]
	page, form := b.proposed(t, author, "a.md", "A fact.\n")
	reviewer := b.as(t, memory.RoleReviewer)
	reviewer.get("/review").want(t, http.StatusOK).shows(t, "a.md")
	reviewer.get(page).want(t, http.StatusOK).shows(t, "A fact.", form[1])
	reviewer.post(page+"/approve", form...).leads(t, "/review?done=approved")
	reviewer.post(page+"/approve", form...).leads(t, "/review?done=approved") // a lost answer, sent again
	reviewer.get(page).want(t, http.StatusOK)
	if b.states(t, memory.ProposalPublished) != 1 || b.count(t, "select count(*) from revisions where author = $1", author.ID) != 1 {
		t.Error("it was not published once, as the author's")
	}
	if b.count(t, "select count(*) from audit where action = 'proposal.approve' and actor = $1 and client = 'console'", b.members[memory.RoleReviewer].ID) != 1 {
		t.Error("the audit does not say who approved")
	}
}

// The API bounds what a token writes; a script with a session's cookie is no
// way around it. Who has to wait can still read, and sign out.
func TestApprove_RateLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.console.writes = auth.NewLimiter(2, time.Hour)
	page, form := b.proposed(t, b.members[memory.RoleContributor], "a.md", "A fact.\n")
	reviewer, maintainer := b.as(t, memory.RoleReviewer), b.as(t, memory.RoleMaintainer)
	for range 2 {
		reviewer.post(page+"/approve", append(form, "sha256", memory.Sum(nil).String())...).want(t, http.StatusConflict)
	}
	limited := reviewer.post(page+"/approve", form...).want(t, http.StatusTooManyRequests)
	if got := limited.header.Get("Retry-After"); got != "1800" || b.states(t, memory.ProposalPublished) != 0 {
		t.Errorf("Retry-After is %q", got)
	}
	reviewer.get(page).want(t, http.StatusOK)
	reviewer.post("/logout").leads(t, "/login?out=1")
	maintainer.post(page+"/approve", form...).leads(t, "/review?done=approved")
}

func TestReject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author := b.as(t, memory.RoleContributor)
	page, form := b.proposed(t, b.members[memory.RoleContributor], "a.md", "A fact.\n")
	reviewer := b.as(t, memory.RoleReviewer)
	for _, tt := range []struct {
		reason, note string
		status       int
	}{
		{"", "", http.StatusBadRequest},
		{"because", "", http.StatusBadRequest},
		{"other", "", http.StatusBadRequest},
		{"wrong", strings.Repeat("x", 501), http.StatusBadRequest},
		{"wrong", "the key is " + mark, http.StatusUnprocessableEntity},
		{"wrong", "hidden\u200btext \x00", http.StatusUnprocessableEntity},
	} {
		reviewer.post(page+"/reject", append(form, "reason", tt.reason, "note", tt.note)...).want(t, tt.status).shows(t, "A fact.").hides(t, mark)
	}
	if b.states(t, memory.ProposalPending) != 1 {
		t.Fatal("it was decided")
	}
	reviewer.post(page+"/reject", append(form, "reason", "other", "note", "ask finance <b>first</b>")...).leads(t, "/review?done=rejected")
	author.get(page).want(t, http.StatusOK).hides(t, "<b>first")
	author.get("/review?tab=mine").want(t, http.StatusOK).shows(t, "a.md")
	if b.count(t, "select count(*) from proposals where reason = 'other' and decision_note like 'ask finance%'") != 1 {
		t.Error("the reason was not kept")
	}
}

// Nobody decides on their own, however the form is made.
func TestDecide_Own(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, role := range []memory.Role{memory.RoleContributor, memory.RoleReviewer, memory.RoleMaintainer} {
		page, form := b.proposed(t, b.members[role], "by-"+role.String()+".md", "A fact of "+role.String()+".\n")
		br := b.as(t, role)
		br.get(page).want(t, http.StatusOK)
		br.post(page+"/approve", form...).want(t, http.StatusForbidden)
		br.post(page+"/reject", append(form, "reason", "wrong")...).want(t, http.StatusForbidden)
	}
	page, form := b.proposed(t, b.admin, "by-admin.md", "A fact of the admin.\n")
	b.browser(t).signIn(b.link(t, b.admin)).post(page+"/approve", form...).want(t, http.StatusForbidden)
	if b.states(t, memory.ProposalPending) != 4 {
		t.Error("something was decided")
	}
}

// What waits is its author's and the reviewers' to see.
func TestProposal_OfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, form := b.proposed(t, b.members[memory.RoleMaintainer], "a.md", "A fact.\n")
	for _, role := range []memory.Role{memory.RoleViewer, memory.RoleContributor} {
		br := b.as(t, role)
		br.get(page).want(t, http.StatusNotFound).hides(t, "A fact", "a.md")
		br.get("/review").want(t, http.StatusOK).hides(t, "a.md")
		br.get("/").hides(t, "a.md")
		br.post(page+"/approve", form...).want(t, http.StatusForbidden)
	}
	b.as(t, memory.RoleContributor).post(page+"/withdraw").want(t, http.StatusNotFound)
	b.as(t, memory.RoleReviewer).post(page+"/withdraw").want(t, http.StatusForbidden)
}

// A reviewer sees that what is proposed may be a duplicate.
func TestProposal_Duplicate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	b.put(t, by, b.open, "x.md", "A fact.\n")
	reviewer := b.as(t, memory.RoleReviewer)
	const flag = "this may be a duplicate of x.md"
	for path, flagged := range map[string]bool{"x-2.md": true, "y-2.md": false} {
		v := b.push(t, by, b.open, memory.Op{Action: memory.ActionPut, Path: path, Content: []byte("Another.\n"), Review: true})
		page := reviewer.get(view.ProposalURL(string(b.open.ID), string(v.Proposal))).want(t, http.StatusOK)
		if flagged {
			page.shows(t, flag)
		} else {
			page.hides(t, flag)
		}
	}
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, form := b.proposed(t, b.members[memory.RoleContributor], "a.md", "A fact.\n")
	author := b.as(t, memory.RoleContributor)
	author.post(page+"/withdraw").leads(t, "/review?tab=mine&done=withdrawn")
	b.as(t, memory.RoleReviewer).post(page+"/approve", form...).want(t, http.StatusConflict)
	if b.states(t, memory.ProposalWithdrawn) != 1 {
		t.Error("it was not withdrawn")
	}
}

// A decision is about what was on the screen. Anything else is answered with
// what is there now, and nothing is decided.
func TestDecide_Changed(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(t *testing.T, b *bundle){
		"forged": decideForged, "pushed again": decideOld, "somebody was faster": decideLate, "the entry moved on": decideMoved,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			decide(t, b)
			if n := b.states(t, memory.ProposalPublished); n != 0 {
				t.Errorf("%d were published", n)
			}
		})
	}
}

func decideForged(t *testing.T, b *bundle) {
	t.Helper()
	page, form := b.proposed(t, b.members[memory.RoleContributor], "a.md", "A fact.\n")
	reviewer := b.as(t, memory.RoleReviewer)
	for _, other := range [][]string{{"sha256", memory.Sum([]byte("Another.\n")).String(), "base_rev", "0"}, {"sha256", form[1], "base_rev", "1"}} {
		reviewer.post(page+"/approve", other...).want(t, http.StatusConflict).shows(t, "A fact.")
		reviewer.post(page+"/reject", append(other, "reason", "wrong", "note", "kept note")...).want(t, http.StatusConflict).shows(t, "kept note")
	}
}

func decideOld(t *testing.T, b *bundle) {
	t.Helper()
	author, reviewer := b.members[memory.RoleContributor], b.as(t, memory.RoleReviewer)
	page, form := b.proposed(t, author, "a.md", "First.\n")
	next, _ := b.proposed(t, author, "a.md", "Second.\n")
	reviewer.post(page+"/approve", form...).want(t, http.StatusConflict)
	reviewer.get(next).want(t, http.StatusOK).shows(t, "Second.")
}

func decideLate(t *testing.T, b *bundle) {
	t.Helper()
	page, form := b.proposed(t, b.members[memory.RoleContributor], "a.md", "A fact.\n")
	second := b.browser(t).signIn(b.link(t, b.second))
	second.post(page+"/reject", append(form, "reason", "outdated")...).leads(t, "/review?done=rejected")
	b.as(t, memory.RoleReviewer).post(page+"/approve", form...).want(t, http.StatusConflict).shows(t, "second reviewer")
}

func decideMoved(t *testing.T, b *bundle) {
	t.Helper()
	preset := func(name string) {
		b.sql(t, "update projects set review = $1 where project_id = $2", name, b.strict.ID)
	}
	author := b.members[memory.RoleContributor]
	preset("open")
	old := b.put(t, author, b.strict, "a.md", "One.\n")
	preset("strict")
	v := b.edit(t, author, b.strict, "a.md", "Two, by the author.\n", old)
	preset("open")
	b.edit(t, b.members[memory.RoleMaintainer], b.strict, "a.md", "Two, by another.\n", old)
	preset("strict")
	page, reviewer := view.ProposalURL(string(b.strict.ID), string(v.Proposal)), b.as(t, memory.RoleReviewer)
	changes := view.DiffURL(string(b.strict.ID), string(old.EntryID), old.Rev, old.Rev+1)
	reviewer.get(page).want(t, http.StatusOK).shows(t, strings.ReplaceAll(changes, "&", "&amp;"))
	form := []string{"sha256", memory.Sum([]byte("Two, by the author.\n")).String(), "base_rev", fmt.Sprint(old.Rev)}
	reviewer.post(page+"/approve", form...).want(t, http.StatusConflict).shows(t, "Two, by the author.")
}

// An approval passes the gate of today: what it refuses is not published, and
// the page says why.
func TestApprove_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page, form := b.proposed(t, b.members[memory.RoleContributor], "a.md", "A fact.\n")
	text := "A key: " + mark + "\n"
	sum := memory.Sum([]byte(text))
	b.sql(t, "update proposals set content = $1, sha256 = $2, size = $3", []byte(text), sum[:], len(text))
	form[1] = sum.String()
	b.as(t, memory.RoleReviewer).post(page+"/approve", form...).want(t, http.StatusUnprocessableEntity)
	if b.states(t, memory.ProposalPending) != 1 {
		t.Error("it was decided")
	}
}

// The text of a proposal can be kept as a file, byte for byte, by whoever sees it.
func TestProposal_Raw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := "\u200b\u3164<script>\r\nno end"
	page, _ := b.proposed(t, b.members[memory.RoleContributor], "a.md", text)
	for _, role := range []memory.Role{memory.RoleReviewer, memory.RoleContributor} {
		r := b.as(t, role).get(page+"/raw").want(t, http.StatusOK)
		if got := r.header.Get("Content-Disposition"); r.body != text || got != "attachment; filename=a.md" || r.header.Get("Content-Security-Policy") != sandbox {
			t.Errorf("%s: %q as %q", role, r.body, got)
		}
	}
	b.as(t, memory.RoleViewer).get(page+"/raw").want(t, http.StatusNotFound)
}

// The queue's pages join, whatever is decided in between.
func TestQueue_Pages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range queuePage + 5 {
		b.proposed(t, b.members[memory.RoleContributor], fmt.Sprintf("fact-%03d.md", i), fmt.Sprintf("Fact %d.\n", i))
		b.clock.advance(time.Millisecond)
	}
	c := b.console
	v := &visit{console: c, who: principal(b.members[memory.RoleReviewer])}
	v.who.Scopes = append(v.who.Scopes, memory.ScopeReview)
	v.Context = c.echo.NewContext(mustRequest(t), nil)
	var err error
	v.projects, err = b.service.Overviews(t.Context(), v.who)
	must(t, err)
	first, err := c.queue(v, view.TabPending, "", "")
	must(t, err)
	if len(first.Rows) != queuePage || first.Pending != queuePage+5 || first.After == "" || first.Rows[0].Path != "fact-000.md" {
		t.Fatalf("%d rows of %d, then %q", len(first.Rows), first.Pending, first.After)
	}
	second, err := c.queue(v, view.TabPending, string(b.strict.ID), first.After)
	must(t, err)
	if len(second.Rows) != 5 || second.After != "" || second.Rows[0].Path != fmt.Sprintf("fact-%03d.md", queuePage) || second.Project.Slug != "acme/vault" {
		t.Fatalf("%d rows, then %q", len(second.Rows), second.After)
	}
}

func mustRequest(t testing.TB) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	must(t, err)
	return r
}
