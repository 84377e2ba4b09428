package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/internal/golden"
	"github.com/teammem/teammem/memory"
)

// uncalled are the files of the calls that only others make: browsers, scripts
// and monitors.
func uncalled() map[string]bool {
	left := map[string]bool{}
	for _, file := range []string{
		"get_auth_jwks", "get_healthz", "get_readyz", "get_projects_p", "get_projects_p_entries", "get_projects_p_entry", "put_projects_p_entry",
		"delete_projects_p_entry", "post_projects_p_restore", "post_projects_p_check", "post_check", "get_projects_p_proposals_id",
		"post_projects_p_proposals_id_decision", "get_projects_p_quarantine", "post_projects_p_quarantine", "get_projects_p_quarantine_id",
		"post_projects_p_quarantine_id_release", "post_projects_p_purge",
		"post_projects_p_findings_id_decision",
	} {
		left[file+".http"] = true
	}
	return left
}

// goldenCalls are all calls that the client makes.
func goldenCalls(t *testing.T) []goldenCall {
	t.Helper()
	calls := append(loginCalls(), feedCalls()...)
	for name, want := range map[string]string{
		"published": "published published", "published, sent again": "published published", "same": "same", "an edit where nothing is new": "published",
		"conflict": "conflict", "superseded": "superseded", "a move and a delete": "published published", "deleted": "deleted", "refused": "refused refused",
		"waiting": "prp_1", "another push with a used key": "invalid", "another history": "epoch_changed", "something is new": "changed",
		"too many deletes": "delete_guard", "deletes that a person said yes to": "published published published published published published",
	} {
		calls = append(calls, goldenCall{"POST /api/v1/projects/{p}/push", name, pushAgain, want})
	}
	return slices.Concat(calls, conflictCalls(), findingCalls())
}

func findingCalls() []goldenCall {
	const findings = "/api/v1/projects/{p}/findings"
	state := func(f memory.Finding, err error) (string, error) {
		return fmt.Sprint(f.ID, " ", f.State, " ", f.Path, " ", f.Excerpt), err
	}
	report := memory.FindingReport{Path: "a.md", RuleSet: "marks-1", Excerpt: "the key is ********"}
	report.Rule, report.Severity, report.Line, report.Column = "generic-api-key", "soft", 3, 5
	report.Fingerprint, _ = memory.ParseFingerprint(strings.Repeat("00112233445566778899aabbccddeeff", 2))
	return []goldenCall{
		{"POST " + findings, "refused here", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return state(s.ReportFinding(ctx, "prj_1", report))
		}, "fnd_1 open a.md the key is ********"},
		{"GET " + findings, "stored ones", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			all, err := s.Leaks(ctx, "prj_1")
			return counted(all, "", err)
		}, "1"},
		{"GET " + findings + "/{id}", "one that is stored", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			v, r, err := s.FindingView(ctx, "prj_1", "fnd_1")
			got := v.Receivers[0]
			return fmt.Sprint(v.ID, " ", v.State, " ", v.Stored.Rev, " ", got.Device.Name, " of ", got.Owner.Name, ": ", r.Where), err
		}, "fnd_1 denied 1 laptop of contributor: where it was made"},
		{"POST " + findings + "/{id}/allow", "asked for", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return state(s.Allow(ctx, "prj_1", "fnd_1", wire.AllowAction{Action: "request", Reason: "test-value", Note: "of the tutorial"}))
		}, "fnd_1 requested a.md the key is ********"},
		{"DELETE " + findings + "/{id}", "one's own", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return state(s.ResolveFinding(ctx, "prj_1", "fnd_1"))
		}, "fnd_1 resolved a.md the key is ********"},
		{"GET /api/v1/projects/{p}/allow-rules", "in force", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			rules, err := s.AllowRules(ctx, "prj_1")
			return counted(rules, "", err)
		}, "1"},
		{"DELETE /api/v1/projects/{p}/allow-rules/{id}", "one that is in force", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return nameless(nil, s.RevokeAllow(ctx, "prj_1", "alw_1"))
		}, "read"},
	}
}

func loginCalls() []goldenCall {
	const tokens = "POST /api/v1/auth/token"
	exchanged := func(l Login, err error) (string, error) {
		return strings.Join([]string{l.Access, l.Refresh, string(l.Device), string(l.Member), l.Name}, " "), err
	}
	return []goldenCall{
		{"GET /version", "the version", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			v, err := s.Version(ctx)
			return fmt.Sprint(v.Version, " ", v.API, " ", v.Instance, " ", v.MinClient), err
		}, "1.2.3 1 ins_abcdefghijklmnopqrst 1.0.0"},
		{tokens, "a new computer", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return exchanged(s.enrol(ctx, Login{}, "tmp_1", "laptop"))
		}, "access tmr_1 dev_1 mem_1 contributor"},
		{tokens, "a computer of before", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return exchanged(s.enrol(ctx, Login{Device: "dev_1"}, "tmp_1", "laptop"))
		}, "access tmr_3 dev_1 mem_1 contributor"},
		{tokens, "a refresh", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return exchanged(s.refresh(ctx, Login{Refresh: "tmr_1", Attempt: "attempt-attempt-1"}))
		}, "access tmr_2 dev_1 mem_1 contributor"},
		{tokens, "a computer that was ended", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return exchanged(s.refresh(ctx, Login{Refresh: "tmr_3", Attempt: "attempt-attempt-2"}))
		}, "unauthenticated"},
		{"POST /api/v1/auth/revoke", "a computer", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return nameless(nil, s.Revoke(ctx, Login{Refresh: "tmr_3"}))
		}, "read"},
		{"GET /api/v1/me", "by API token", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			m, who, err := s.Me(ctx)
			return fmt.Sprint(m.ID, " ", m.Name, " ", who.Scopes), err
		}, "mem_1 contributor [sync:read sync:write]"},
		{"POST /api/v1/me/devices", "a computer by its name", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			d, err := s.AddDevice(ctx, "desk")
			return fmt.Sprint(d.ID, " ", d.Name), err
		}, "dev_2 desk"},
		{"GET /api/v1/me/devices", "one page", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return counted(s.Devices(ctx, ""))
		}, "2"},
		{"GET /api/v1/me/devices", "the next page", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return counted(s.Devices(ctx, "dev_2"))
		}, "1"},
		{"DELETE /api/v1/me/devices/{id}", "one of mine", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return nameless(nil, s.EndDevice(ctx, "dev_2"))
		}, "read"},
		{"GET /api/v1/projects", "all", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return projectNames(s.Projects(ctx, "", ""))
		}, "prj_1 acme/app"},
		{"GET /api/v1/projects", "by slug", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return projectNames(s.Projects(ctx, "acme/app", ""))
		}, "prj_1 acme/app"},
		{"GET /api/v1/projects", "by remote", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return projectNames(s.Projects(ctx, "", "https://github.com/acme/app.git"))
		}, "prj_1 acme/app"},
	}
}

func projectNames(all []memory.ProjectView, err error) (string, error) {
	var names []string
	for _, p := range all {
		names = append(names, fmt.Sprint(p.ID, " ", p.Slug))
	}
	return strings.Join(names, ", "), err
}

func feedCalls() []goldenCall {
	const feed = "GET /api/v1/projects/{p}/changes"
	at := func(seq int64) memory.Cursor { return memory.Cursor{Epoch: "epoch_1", Seq: seq} }
	none := memory.Sum(nil).String()
	asked := func(since memory.Cursor, have string, limit int) func(context.Context, *Server, golden.Call) (string, error) {
		return func(ctx context.Context, s *Server, recorded golden.Call) (string, error) {
			if have == "as recorded" {
				have = tagOf(recorded)
			}
			return pageOf(s.Changes(ctx, "prj_1", since, have, true, limit))
		}
	}
	return []goldenCall{
		{feed, "nothing yet", asked(memory.Cursor{}, "", 0), "to 0"},
		{feed, "from its beginning", asked(memory.Cursor{}, "", 0), "move moved.md, delete b.md to 5"},
		{feed, "nothing new", asked(at(5), "as recorded", 0), "nothing"},
		{feed, "a page", asked(at(2), "", 1), "put a.md to 3, more"},
		{feed, "another history", asked(memory.Cursor{Epoch: "eother", Seq: 2}, "", 0), "epoch_changed"},
		{feed, "taken back", asked(at(22), "", 0), "put c.md, withdraw moved.md to 24"},
		{feed, "removed for good", asked(at(22), "", 0), "put c.md, purge moved.md to 26"},
		{feed, "ahead", asked(at(9), "", 0), "cursor_ahead"},
		{feed, "forked", asked(at(2), "epoch_1:2:"+none, 0), "history_forked"},
		{feed, "too old", asked(at(1), "", 0), "cursor_too_old"},
		{feed, "a patient question", func(ctx context.Context, s *Server, recorded golden.Call) (string, error) {
			digest, err := memory.ParseDigest(strings.TrimPrefix(tagOf(recorded), "epoch_1:2:"))
			if err != nil {
				return "", err
			}
			moved, err := s.Await(ctx, "prj_1", memory.Head{Epoch: "epoch_1", Seq: 2, Digest: digest}, true)
			return fmt.Sprint("moved: ", moved), err
		}, "moved: true"},
		{"GET /api/v1/projects/{p}/manifest", "all entries", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			m, err := s.Manifest(ctx, "prj_1")
			return fmt.Sprint(m.Head.Seq, " with ", len(m.Entries)), err
		}, "5 with 1"},
		{"POST /api/v1/projects/{p}/contents", "texts", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			c, err := s.Contents(ctx, "prj_1", []memory.RevisionRef{{EntryID: "ent_1", Rev: 1}, {EntryID: "ent_1", Rev: 9}})
			if err != nil || len(c.Items) != 2 {
				return "", err
			}
			return fmt.Sprint(len(c.Items[0].Content), " bytes, ", c.Items[1].Problem.Code), nil
		}, "88 bytes, not_found"},
		{"GET /api/v1/projects/{p}/revisions", "a page", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return counted(s.Revisions(ctx, "prj_1", "ent_1", ""))
		}, "3"},
		{"GET /api/v1/projects/{p}/revision", "one version", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			r, err := s.Revision(ctx, "prj_1", "ent_1", 1)
			return fmt.Sprint(r.Action, " ", r.Path, " ", len(r.Content)), err
		}, "put a.md 88"},
		{"GET /api/v1/events", "where the projects stand", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			heard := ""
			err := s.Events(ctx, func(p memory.ProjectID, at memory.Cursor) { heard = fmt.Sprint(p, " ", at.Epoch) }, func() {})
			return heard, err
		}, "prj_1 epoch_1"},
	}
}

// tagOf is the state that the recorded request named.
func tagOf(recorded golden.Call) string {
	for _, h := range recorded.Request.Header {
		if tag, ok := strings.CutPrefix(h, "If-None-Match: "); ok {
			return strings.Trim(tag, `"`)
		}
		if tag, ok := strings.CutPrefix(h, "If-Match: "); ok {
			return strings.Trim(tag, `"`)
		}
	}
	return ""
}

func conflictCalls() []goldenCall {
	const all, one = "GET /api/v1/projects/{p}/conflicts", "GET /api/v1/projects/{p}/conflicts/{id}"
	const proposals, report = "GET /api/v1/projects/{p}/proposals", "POST /api/v1/projects/{p}/report"
	return []goldenCall{
		{proposals, "my own", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return counted(s.OwnProposals(ctx, "prj_1", memory.ProposalPending, ""))
		}, "1"},
		{"DELETE /api/v1/projects/{p}/proposals/{id}", "taken back", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return nameless(nil, s.Withdraw(ctx, "prj_1", "prp_2"))
		}, "read"},
		{"POST /api/v1/projects/{p}/conflicts", "a text that lost", keepAgain, "cnf_1 moved.md"},
		{report, "what is wrong", reportAgain, "read"},
		{report, "all is well", reportAgain, "read"},
		{all, "my own", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return counted(s.openConflicts(ctx, "prj_1", ""))
		}, "1"},
		{one, "with its texts", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			c, err := s.conflict(ctx, "prj_1", "cnf_1")
			return fmt.Sprint(c.ID, " ", c.Path, " ", len(c.Content)), err
		}, "cnf_1 moved.md 107"},
		{one, "no such conflict", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return nameless(s.conflict(ctx, "prj_1", "cnf_none"))
		}, "not_found"},
		{"POST /api/v1/projects/{p}/conflicts/{id}/resolve", "in the tree", func(ctx context.Context, s *Server, _ golden.Call) (string, error) {
			return nameless(nil, s.closeConflict(ctx, "prj_1", "cnf_1"))
		}, "read"},
	}
}

// pageOf tells what is in a page of the feed.
func pageOf(p *memory.FeedPage, refused []wire.Refusal, err error) (string, error) {
	if err != nil || p == nil {
		return "nothing", err
	}
	var all []string
	for _, c := range p.Changes {
		all = append(all, string(c.Action)+" "+c.Path.String())
	}
	s := strings.TrimSpace(fmt.Sprint(strings.Join(all, ", "), " to ", p.To))
	if p.More() {
		s += ", more"
	}
	if len(refused) > 0 {
		s += fmt.Sprint(", refused: ", len(refused))
	}
	return s, nil
}
