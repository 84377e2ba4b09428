package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// kept adds a finding in a state as it may be stored: asked for and, if lasts is
// not 0, allowed for a while. It returns its path.
func (o *office) kept(t *testing.T, project memory.ProjectID, by memory.Principal, state memory.FindingState, asked, lasts time.Duration) string {
	t.Helper()
	n := o.count(t, "select count(*) from secret_findings")
	id, path, at := memory.NewFindingID(), "n"+strconv.Itoa(n)+".md", start().Add(time.Duration(n)*time.Minute)
	sum := memory.Sum([]byte(path))
	o.exec(t, `
		insert into secret_findings (
			project_id, finding_id, state, path, rule, severity, rule_set, line, col, fingerprint, excerpt, author, device_id, first_at, at,
			reason, asked_at, ask_ends_at
		)
		select $1, $2, $3, $4, 'word', 'soft', 'soft-1', 1, 1, $5, '', $6, '', $7::timestamptz, $7, case when $8 then 'test-value' else '' end,
			case when $8 then $9::timestamptz end, case when $8 then $9 + interval '7 days' end`,
		project, id, state, path, sum[:], by.Member, at, asked >= 0, start().Add(asked))
	if lasts == 0 {
		return path
	}
	decider := o.mia.Member
	if by.Member == decider {
		decider = o.mara.Member
	}
	o.exec(t, `
		insert into allow_rules (project_id, allow_id, finding_id, fingerprint, rule, glob, reason, author, approved_by, at, expires_at)
		values ($1, 'alw_' || $2, $2, $3, 'word', '**', 'test-value', $4, $5, $6::timestamptz, $6 + make_interval(secs => $7))`,
		project, id, sum[:], by.Member, decider, start().Add(asked), lasts.Seconds())
	o.exec(t, `update secret_findings set decided_by = $3, decided_at = at, allow_id = 'alw_' || finding_id where project_id = $1 and finding_id = $2`,
		project, id, decider)
	return path
}

const (
	never = -time.Hour
	day   = 24 * time.Hour
)

// everyState adds a finding for each way in which one can be, ten days later.
func (o *office) everyState(t *testing.T, project memory.ProjectID, by memory.Principal) {
	t.Helper()
	o.kept(t, project, by, memory.FindingOpen, never, 0)
	o.kept(t, project, by, memory.FindingOpen, 0, 0) // which was taken back, or shared and found again
	o.kept(t, project, by, memory.FindingRequested, 9*day, 0)
	o.kept(t, project, by, memory.FindingRequested, 3*day, 0) // until now
	o.kept(t, project, by, memory.FindingDenied, 0, 0)
	o.kept(t, project, by, memory.FindingAllowed, 0, 11*day)
	o.kept(t, project, by, memory.FindingAllowed, 0, 10*day) // until now
	revoked := o.kept(t, project, by, memory.FindingAllowed, 0, 11*day)
	o.exec(t, `
		update allow_rules r
		set revoked_by = r.approved_by, revoked_at = r.at
		from secret_findings f
		where f.project_id = r.project_id and f.finding_id = r.finding_id and f.path = $1`, revoked)
	o.kept(t, project, by, memory.FindingCompleted, 0, day)
	o.kept(t, project, by, memory.FindingResolved, never, 0)
}

// The parts hold every finding once, as its state says, and are counted as they
// are listed: whether somebody sees all of a project, or their own.
func TestFindingQueue(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	mara, mia, otto, login := o.mara, o.mia, o.other, o.mara
	login.Scopes = []memory.Scope{memory.ScopeRead, memory.ScopeWrite} // all that a computer has
	second := o.addProject(t, "acme/second")
	o.exec(t, "update projects set default_role = 'none' where project_id = $1", second.ID)
	o.exec(t, "insert into project_roles (project_id, member_id, role) values ($1, $2, 'contributor')", second.ID, o.mia.Member)
	for _, by := range []memory.Principal{mara, mia, otto} {
		o.everyState(t, o.project.ID, by)
	}
	o.everyState(t, second.ID, mia)
	o.everyState(t, second.ID, mara) // who is in it no more
	o.now = start().Add(10 * day)

	const each = 10
	for _, tt := range []struct {
		who            memory.Principal
		sees, requests int
	}{{mara, 3 * each, 2}, {mia, 4 * each, 2}, {otto, each, 0}, {login, 3 * each, 0}} {
		listed := map[memory.FindingPart]int{}
		for _, part := range []memory.FindingPart{memory.FindingsOpen, memory.FindingsRequested, memory.FindingsDone} {
			listed[part] = len(o.pages(t, tt.who, memory.FindingQueueQuery{Part: part, Limit: 7}))
		}
		var counted memory.FindingNumbers
		requests := 0
		overviews, err := o.Service.Overviews(t.Context(), tt.who)
		must(t, err)
		for _, v := range overviews {
			counted.Open, counted.Requested = counted.Open+v.Findings.Open, counted.Requested+v.Findings.Requested
			requests += v.Requests
		}
		want := map[memory.FindingPart]int{memory.FindingsOpen: tt.sees * 6 / each, memory.FindingsRequested: tt.sees / each, memory.FindingsDone: tt.sees * 3 / each}
		if diff := cmp.Diff(want, listed); diff != "" {
			t.Errorf("%s sees (-want +got):\n%s", tt.who.Name, diff)
		}
		if counted.Open != listed[memory.FindingsOpen] || counted.Requested != listed[memory.FindingsRequested] || requests != tt.requests {
			t.Errorf("%s: counted %+v and %d requests, listed %v", tt.who.Name, counted, requests, listed)
		}
	}
	of := memory.FindingQueueQuery{Part: memory.FindingsOpen, Project: second.ID}
	if n := len(o.pages(t, mia, of)); n != 6 {
		t.Errorf("%d of one project", n)
	}
	if n := len(o.pages(t, mara, of)); n != 0 {
		t.Errorf("%d of a project that she is not in", n)
	}
}

// pages reads a part to its end.
func (o *office) pages(t *testing.T, who memory.Principal, q memory.FindingQueueQuery) (all []memory.Finding) {
	t.Helper()
	for {
		page, err := o.Service.FindingQueue(t.Context(), who, q)
		must(t, err)
		for _, f := range page {
			if f.State.Part() != q.Part || (q.Project != "" && f.Project != q.Project) {
				t.Errorf("%s is listed as %s", f.State, q.Part)
			}
			if n := len(all); n > 0 && all[n-1].At.Before(f.At) {
				t.Error("the pages are not in their order")
			}
			all = append(all, f)
		}
		if len(page) == 0 {
			return all
		}
		last := page[len(page)-1]
		q.After = memory.FindingCursor{At: last.At, ID: last.ID}
	}
}

// Who has findings is told how far the look at what is stored has come, in
// projects of their own.
func TestScanning(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	closed := a.addProject(t, "acme/closed")
	a.exec(t, "update projects set default_role = 'none' where project_id = $1", closed.ID)
	a.write(t, a.other, "a.md", "nothing of note")
	check := func(name string, want ...memory.ProjectID) {
		t.Helper()
		state, err := a.Service.Scanning(t.Context(), a.other)
		must(t, err)
		var got []memory.ProjectID
		for _, p := range state.Rescans {
			got = append(got, p.Project)
		}
		if diff := cmp.Diff(want, got); diff != "" || state.RuleSet != memory.RuleSet("soft-0") {
			t.Errorf("%s: by %s (-want +got):\n%s", name, state.RuleSet, diff)
		}
	}
	check("before any")
	must(t, a.Service.WantRescan(t.Context()))
	check("not begun")
	must(t, a.Service.Rescan(t.Context(), nil))
	check("at its end")
	a.exec(t, `update project_rescans set ended_at = null`)
	check("interrupted", a.project.ID)
	if _, err := a.Service.Scanning(t.Context(), memory.Principal{}); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("without a scope: %v", err)
	}
}
