package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/web/view"
)

// found keeps a finding as the member's computer tells of one: perhaps a secret.
func (b *bundle) found(t testing.TB, by memory.Member, p memory.Project, path string) memory.FindingID {
	t.Helper()
	return b.reported(t, by, p, memory.FindingReport{Path: path, Excerpt: "the line ******** of it", RuleSet: "marks-1"}, sanitize.SeveritySoft)
}

func (b *bundle) reported(t testing.TB, by memory.Member, p memory.Project, r memory.FindingReport, s sanitize.Severity) memory.FindingID {
	t.Helper()
	r.Device = b.computer(t, by, by.Name+"-laptop")
	r.Severity, r.Line, r.Column, r.Fingerprint = s, 7, 12, memory.Fingerprint(memory.Sum([]byte(r.Path)))
	if r.Rule == "" {
		r.Rule = "marker-of-tests"
	}
	f, err := b.service.ReportFinding(t.Context(), principal(by), p.ID, r)
	must(t, err)
	return f.ID
}

// asked has the author ask for an exception.
func (b *bundle) asked(t testing.TB, by memory.Member, p memory.Project, id memory.FindingID, paths string) {
	t.Helper()
	_, err := b.service.RequestAllow(t.Context(), principal(by), p.ID, id, memory.AllowWish{
		Reason: memory.AllowTestValue, Note: "it opens <b>nothing</b>", Glob: paths,
	})
	must(t, err)
}

// excepted has somebody ask for an exception, and stores that another made it.
func (b *bundle) excepted(t testing.TB, by, decider memory.Member, p memory.Project, id memory.FindingID) memory.AllowID {
	t.Helper()
	b.asked(t, by, p, id, "")
	rule := memory.NewAllowID()
	b.sql(t, `
		insert into allow_rules (project_id, allow_id, finding_id, fingerprint, rule, glob, reason, author, approved_by, at, expires_at)
		select project_id, $2, finding_id, fingerprint, rule, glob, reason, author, $3, asked_at, asked_at + interval '30 days'
		from secret_findings
		where finding_id = $1`, id, rule, decider.ID)
	b.sql(t, `update secret_findings set state = 'allowed', decided_by = $3, decided_at = asked_at, allow_id = $2 where finding_id = $1`, id, rule, decider.ID)
	return rule
}

func (b *bundle) findingState(t testing.TB, id memory.FindingID, state memory.FindingState) {
	t.Helper()
	if b.count(t, "select count(*) from secret_findings where finding_id = $1 and state = $2", id, state) != 1 {
		t.Errorf("the finding is not %s", state)
	}
}

// From the refused text to the exception and its end, each step by its form.
func TestFinding_Life(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by, project := b.members[memory.RoleContributor], string(b.open.ID)
	author, maintainer, viewer := b.as(t, memory.RoleContributor), b.as(t, memory.RoleMaintainer), b.as(t, memory.RoleViewer)
	author.get("/findings").want(t, http.StatusOK).shows(t, "No secret is in", "marks-1", "Only your own")
	id := b.found(t, by, b.open, "deploy/keys.md")
	page := view.FindingURL(project, string(id))

	author.get("/").shows(t, "1 finding of yours is open")
	author.get(view.EntriesURL(project)).shows(t, ">1 finding</a>")
	viewer.get(view.EntriesURL(project)).hides(t, ">1 finding</a>")
	maintainer.get("/").hides(t, "finding of yours", "request for an exception")
	author.get("/findings").shows(t, "deploy/keys.md", "marker-of-tests", page)
	viewer.get("/findings").hides(t, "deploy/keys.md")
	author.get(page).want(t, http.StatusOK).shows(t, "never stored", "the line ******** of it", "line 7, column 12", "contributor-laptop", page+"/ask", page+"/care").
		hides(t, page+"/allow", page+"/cancel", page+"/deny", "revoke")
	maintainer.get(page).want(t, http.StatusOK).shows(t, page+"/care").hides(t, page+"/ask", page+"/allow")

	author.post(page+"/ask", "reason", "test-value", "note", "of the <i>tutorial</i>", "paths", " deploy/*.md ").leads(t, page+"?done=asked")
	author.get(page+"?done=asked").shows(t, "Asked", page+"/cancel").hides(t, page+"/ask", page+"/allow", "<i>tutorial")
	maintainer.get("/").shows(t, "1 request for an exception waits", `<span class="figure">1`)
	maintainer.get("/findings?tab=requested").shows(t, "deploy/keys.md", "exception asked for")
	maintainer.get(page).shows(t, page+"/allow", page+"/deny", "deploy/*.md", "Test value").hides(t, page+"/cancel")
	maintainer.post(page+"/allow", "paths", "deploy/*.md", "days", "7", "note", "until the demo").leads(t, page+"?done=allowed")
	b.findingState(t, id, memory.FindingAllowed)

	list := view.ExceptionsURL(project)
	shown := viewer.get(list).want(t, http.StatusOK).shows(t, "deploy/*.md", "contributor", "maintainer", "in 7 days").hides(t, "/revoke", page)
	if strings.Contains(shown.body, "<form method=\"post\" action=\"/p/") {
		t.Error("a viewer has a form there")
	}
	rule := string(b.rule(t, id))
	maintainer.get(list).shows(t, view.RevokeURL(project, rule), page)
	maintainer.get(page).shows(t, "Allowed until", "until the demo", view.RevokeURL(project, rule)).hides(t, page+"/allow")
	author.post(view.RevokeURL(project, rule)).want(t, http.StatusForbidden)
	maintainer.post(view.RevokeURL(project, rule)).leads(t, list+"?done=revoked")
	maintainer.post(view.RevokeURL(project, rule)).want(t, http.StatusNotFound)
	maintainer.get(list+"?done=revoked").shows(t, "Revoked", "Nothing that looks like a secret")
	author.get(page).shows(t, "expired", "The exception was revoked", page+"/ask")

	author.post(page+"/care").leads(t, page+"?done=cared")
	author.get("/findings?tab=done").shows(t, "deploy/keys.md", "taken care of")
	author.get("/").hides(t, "finding of yours")
}

// What was found in a text that waits for a decision was not refused.
func TestFinding_Held(t *testing.T) {
	t.Parallel()
	b := setup(t)
	project, id := string(b.open.ID), b.found(t, b.members[memory.RoleContributor], b.open, "a.md")
	for held, page := range map[string]string{
		"prp_a": view.ProposalURL(project, "prp_a"), "cnf_a": view.ConflictURL(project, "cnf_a"),
	} {
		b.sql(t, `update secret_findings set held = $2 where finding_id = $1`, id, held)
		b.as(t, memory.RoleContributor).get(view.FindingURL(project, string(id))).want(t, http.StatusOK).
			shows(t, "others may have read it", `href="`+page+`"`, "is kept", "Rotate it").hides(t, "never stored")
	}
}

// rule is the exception of a finding.
func (b *bundle) rule(t testing.TB, id memory.FindingID) memory.AllowID {
	t.Helper()
	rules, err := b.service.AllowRules(t.Context(), principal(b.members[memory.RoleMaintainer]), b.open.ID)
	must(t, err)
	for _, r := range rules {
		if r.Finding == id {
			return r.ID
		}
	}
	t.Fatal("there is no exception")
	return ""
}

// Nobody decides about their own, however the form is made, and nobody allows
// what is always a secret.
func TestFinding_NobodyAllowsTheirOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	project := string(b.open.ID)
	id := b.found(t, b.members[memory.RoleMaintainer], b.open, "a.md")
	b.asked(t, b.members[memory.RoleMaintainer], b.open, id, "")
	page, own := view.FindingURL(project, string(id)), b.as(t, memory.RoleMaintainer)
	own.get(page).want(t, http.StatusOK).shows(t, `aria-disabled="true"`, "Another maintainer has to decide").hides(t, page+"/allow")
	own.post(page+"/allow", "paths", "a.md", "days", "90").want(t, http.StatusForbidden)
	own.post(page+"/deny").want(t, http.StatusForbidden)
	b.findingState(t, id, memory.FindingRequested)

	hard := b.reported(t, b.members[memory.RoleContributor], b.open, memory.FindingReport{Path: "b.md", RuleSet: "marks-1"}, sanitize.SeverityHard)
	page = view.FindingURL(project, string(hard))
	author := b.as(t, memory.RoleContributor)
	author.get(page).shows(t, "nobody can allow it", "always a secret").hides(t, page+"/ask")
	author.post(page+"/ask", "reason", "test-value").want(t, http.StatusForbidden)
	own.post(page+"/allow", "paths", "b.md", "days", "90").want(t, http.StatusForbidden)
	b.findingState(t, hard, memory.FindingOpen)
}

// What an author asks for after the maintainer looked is not allowed by what the
// maintainer then sends: the page comes again, with the paths of now.
func TestFinding_OtherPathsMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	id := b.found(t, by, b.open, "a.md")
	page, maintainer := view.FindingURL(string(b.open.ID), string(id)), b.as(t, memory.RoleMaintainer)
	b.asked(t, by, b.open, id, "")
	maintainer.get(page).shows(t, `name="paths" value="a.md"`)
	b.asked(t, by, b.open, id, "**/*.md")
	maintainer.get(page).shows(t, `name="asked"`)
	for asked, status := range map[string]int{"1": http.StatusConflict, "x": http.StatusBadRequest} {
		maintainer.post(page+"/allow", "asked", asked, "paths", "**/*.md", "days", "90").want(t, status)
		maintainer.post(page+"/deny", "asked", asked).want(t, status)
	}
	maintainer.post(page+"/allow", "paths", "a.md", "days", "90").want(t, http.StatusConflict).
		shows(t, "Its author asks for other paths", `name="paths" value="**/*.md"`).hides(t, "teammem allow")
	b.findingState(t, id, memory.FindingRequested)
	maintainer.post(page+"/allow", "paths", "**/*.md", "days", "90").leads(t, page+"?done=allowed")
	maintainer.post(page+"/deny").want(t, http.StatusConflict)
	b.findingState(t, id, memory.FindingAllowed)
}

// A form that is not right comes back with what was typed and what is wrong, and
// nothing is done.
func TestFinding_Forms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	id := b.found(t, by, b.open, "a.md")
	page, author, maintainer := view.FindingURL(string(b.open.ID), string(id)), b.as(t, memory.RoleContributor), b.as(t, memory.RoleMaintainer)
	for _, tt := range []struct{ reason, note, paths string }{
		{"", "kept note", ""},
		{"later", "kept note", ""},
		{"test-value", "kept note" + strings.Repeat("x", 500), ""},
		{"test-value", "kept note", "b.md"},
		{"test-value", "kept note", "[a.md"},
	} {
		got := author.post(page+"/ask", "reason", tt.reason, "note", tt.note, "paths", tt.paths)
		if got.status != http.StatusBadRequest && got.status != http.StatusUnprocessableEntity {
			t.Errorf("%+v: status %d", tt, got.status)
		}
		got.shows(t, "kept note", `class="error"`)
	}
	author.post(page+"/ask", "reason", "test-value", "note", "it is "+mark, "paths", mark).want(t, http.StatusUnprocessableEntity).shows(t, `class="error"`).hides(t, mark)
	b.findingState(t, id, memory.FindingOpen)
	b.asked(t, by, b.open, id, "")
	for _, days := range []string{"", "0", "-1", "91", "1e1", "1.5", "99999999999999999999", "213504", fmt.Sprint(uint64(1) << 63)} {
		maintainer.post(page+"/allow", "paths", "a.md", "days", days, "note", "kept note").want(t, http.StatusBadRequest).shows(t, "kept note", "1 to 90 days")
	}
	maintainer.post(page+"/allow", "days", "7").want(t, http.StatusBadRequest)
	maintainer.post(page+"/deny", "note", "it is "+mark).want(t, http.StatusUnprocessableEntity).shows(t, `class="error"`).hides(t, mark)
	b.findingState(t, id, memory.FindingRequested)
	author.post(page+"/cancel").leads(t, page+"?done=unasked")
	author.post(page+"/cancel").want(t, http.StatusConflict)
	b.asked(t, by, b.open, id, "")
	maintainer.post(page+"/deny", "note", "say it <b>in words</b>").leads(t, page+"?done=denied")
	author.get(page).shows(t, "denied", "say it &lt;b&gt;in words", page+"/ask")
}

// Where nobody else could decide, the page says so instead of a form for nothing.
func TestFinding_OneMaintainer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sql(t, "update members set disabled = true where member_id = $1", b.admin.ID)
	for role, want := range map[memory.Role]string{memory.RoleMaintainer: "the only maintainer here", memory.RoleContributor: ""} {
		page := view.FindingURL(string(b.open.ID), string(b.found(t, b.members[role], b.open, role.String()+".md")))
		got := b.as(t, role).get(page).want(t, http.StatusOK)
		if want == "" {
			got.shows(t, page+"/ask")
		} else {
			got.shows(t, want, `aria-disabled="true"`).hides(t, page+"/ask")
		}
	}
	b.sql(t, "update members set disabled = true where member_id = $1", b.members[memory.RoleMaintainer].ID)
	page := view.FindingURL(string(b.open.ID), string(b.found(t, b.members[memory.RoleContributor], b.open, "x.md")))
	b.as(t, memory.RoleContributor).get(page).shows(t, "There is no maintainer who could allow it").hides(t, page+"/ask")
}

// A secret in a stored text is shown with its revision, and who may have it.
func TestFinding_Stored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	v := b.put(t, by, b.open, "a.md", "The plan.\n")
	id := b.found(t, by, b.open, "a.md")
	b.sql(t, "update secret_findings set entry_id = $2, rev = $3, first_rev = $3 where finding_id = $1", id, v.EntryID, v.Rev)
	reader := b.members[memory.RoleViewer]
	b.sql(t, `insert into device_cursors (project_id, device_id, epoch, seq, client, at) select project_id, $2, epoch, seq, '', created_at from projects where project_id = $1`,
		b.open.ID, b.computer(t, reader, "<b>desk</b>"))
	page, revision := view.FindingURL(string(b.open.ID), string(id)), view.RevisionURL(string(b.open.ID), string(v.EntryID), v.Rev)
	b.as(t, memory.RoleMaintainer).get(page).want(t, http.StatusOK).
		shows(t, "It was stored", revision, "1 computer may have got it", "&lt;b&gt;desk", "viewer", "others may have read it", "end the old one")
	b.as(t, memory.RoleContributor).get(page).want(t, http.StatusOK).shows(t, "reviewers can read it").hides(t, revision)
	b.as(t, memory.RoleViewer).get(page).want(t, http.StatusNotFound).hides(t, "a.md", "desk")

	// The rules for names are others by now.
	old := b.found(t, by, b.open, "old.md")
	b.sql(t, "update secret_findings set path = 'CLAUDE.md' where finding_id = $1", old)
	b.as(t, memory.RoleContributor).get(view.FindingURL(string(b.open.ID), string(old))).want(t, http.StatusOK).shows(t, "CLAUDE.md")
}

// The list goes on where the page before ended, in one project or all.
func TestFindings_More(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.members[memory.RoleContributor]
	b.found(t, by, b.open, "first.md")
	b.sql(t, `
		insert into secret_findings (
			project_id, finding_id, state, path, rule, severity, rule_set, line, col, fingerprint, excerpt, author, device_id, first_at, at
		)
		select project_id, 'fnd_' || n, state, 'n' || n || '.md', rule, severity, rule_set, line, col, fingerprint, excerpt, author, device_id, at,
			at - n * interval '1 s'
		from secret_findings, generate_series(1, 70) n`)
	b.found(t, by, b.strict, "elsewhere.md")
	b.clock.advance(time.Hour)
	br := b.as(t, memory.RoleMaintainer)
	page := br.get("/findings").want(t, http.StatusOK).shows(t, "72 open", "elsewhere.md", "n48.md", "More").hides(t, "n49.md")
	_, after, _ := strings.Cut(page.body, "/findings?after=")
	after, _, _ = strings.Cut(after, `"`)
	br.get("/findings?after="+after).want(t, http.StatusOK).shows(t, "n49.md", "n70.md").hides(t, "n48.md", ">More<")
	br.get("/findings?project="+string(b.strict.ID)).shows(t, "elsewhere.md", view.ExceptionsURL(string(b.strict.ID))).hides(t, "n1.md")
	br.get("/findings?tab=done").hides(t, "n1.md").shows(t, "Nothing was allowed", `<option value="`+string(b.strict.ID)+`">acme/vault`)
	b.sql(t, "delete from secret_findings where project_id = $1", b.strict.ID)
	br.get("/findings").hides(t, "acme/vault") // there is nothing to choose
	br.get("/findings?project="+string(b.strict.ID)).want(t, http.StatusOK).shows(t, "No secret is in", `selected>acme/vault`)
}
