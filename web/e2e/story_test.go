package e2e

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// story is a team some weeks into its shared memory: the example's entries,
// written by three members and their agents over time, with changes that wait.
type story struct {
	*site

	mara, jo, ines *member
	verdicts       map[string]map[string]any // of the newest push, by path
	firsts         map[string]any            // the number of the first revision, by path
	waiting        []map[string]any          // proposals: an edit, a new entry, a delete, Ines' own, one that was overtaken
}

const (
	payments = "acme/payments"
	platform = "acme/platform"
)

func newStory(t testing.TB) *story {
	t.Helper()
	s := &story{site: newSite(t), verdicts: map[string]map[string]any{}, firsts: map[string]any{}}
	s.admin("project", "add", payments, "--remote", "git@github.com:acme/payments.git")
	s.admin("project", "add", platform, "--review", "strict", "--remote", "git@github.com:acme/platform.git")
	s.mara, s.jo, s.ines = s.join("Mara Lindqvist"), s.join("Jo Abara"), s.join("Inês Rocha")
	s.jo.agent = map[string]string{"name": "claude-code", "version": "2.1.330", "model": "claude-sonnet-5", "session": "c07b44de"}
	s.ines.agent = map[string]string{} // at a keyboard
	for _, project := range []string{payments, platform} {
		for _, m := range []*member{s.jo, s.ines} {
			s.admin("role", "set", "--project", project, "--member", m.name, "--role", "reviewer")
		}
	}
	s.write()
	s.change()
	s.propose()
	s.age()
	return s
}

// write pushes the example's entries, a third by each member.
func (s *story) write() {
	s.t.Helper()
	dir := filepath.Join(root, "examples", "team")
	ops := map[*member][]op{}
	authors := []*member{s.mara, s.jo, s.mara, s.ines}
	i := 0
	must(s.t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		must(s.t, err)
		key, err := filepath.Rel(dir, path)
		must(s.t, err)
		author := authors[i%len(authors)]
		i++
		ops[author] = append(ops[author], put(filepath.ToSlash(key), string(text)))
		return nil
	}))
	for _, author := range []*member{s.mara, s.jo, s.ines} {
		for j, v := range author.push(payments, ops[author]...) {
			path := ops[author][j]["path"].(string)
			s.verdicts[path], s.firsts[path] = v, v["rev"]
		}
	}
}

// change edits some of them, as time goes by.
func (s *story) change() {
	s.t.Helper()
	refunds := "refunds-after-90-days.md"
	text := s.text(refunds)
	s.edit(s.jo, refunds, strings.Replace(text, "From day 85 the support tool offers", "From day 80 on (85 was too late for two shoppers in June) the support tool offers", 1))
	s.edit(s.mara, refunds, strings.Replace(text, "From day 85 the support tool offers", "From day 80 on (85 was too late for two shoppers in June) the support tool offers", 1)+
		"\nNorthpay plans to lift the limit to 120 days in the first quarter of 2027. Until the contract says so, 90 it is.\n")
	s.edit(s.ines, "dashboards.md", s.text("dashboards.md")+"\nThe board \"Payouts (old)\" is gone since 2026-11-02.\n")
}

// propose switches review on and pushes what then waits.
func (s *story) propose() {
	s.t.Helper()
	s.admin("project", "set", payments, "--review", "strict")
	sca := "sca-exemptions.md"
	edited := op{
		"op": "put", "path": sca, "base_rev": s.verdicts[sca]["rev"], "entry_id": s.verdicts[sca]["entry_id"],
		"content": strings.Replace(s.text(sca), "2027-01-31", "2027-03-31", 1), "note": "The issuer moved the date in its mail of 27 November.",
	}
	s.waiting = append(s.waiting, s.mara.push(payments, edited)...)
	s.waiting = append(s.waiting, s.mara.push(payments, put("testing/clock-skew.md",
		"---\nname: Clock skew in the sandbox\ndescription: The sandbox signs webhooks up to 90 seconds in the future; accept 120.\nmetadata:\n  type: feedback\n---\n"+
			"Northpay's sandbox signs webhooks with a clock that runs up to 90 seconds ahead. Tests that check the timestamp\nwith the production limit of 30 seconds fail about once an hour.\n\n"+
			"**Why:** Two people lost an afternoon each to a \"flaky\" signature test.\n\n**How to apply:** Use `webhook.SandboxTolerance` (120 s) in tests, never raise the production limit.\n"))...)
	gone := "providers/fee-negotiation-2026.md"
	s.waiting = append(s.waiting, s.jo.push(payments, op{
		"op": "delete", "path": gone, "base_rev": s.verdicts[gone]["rev"], "entry_id": s.verdicts[gone]["entry_id"],
	})...)
	s.waiting = append(s.waiting, s.ines.push(payments, put("release/rollback-needs-two.md",
		"---\nname: A rollback needs two people\ndescription: One reads the runbook aloud, the other types.\nmetadata:\n  type: project\n---\nSince the double payout, nobody rolls back alone.\n"))...)
	s.overtake()
	s.mara.push(platform, put("deploys.md", "---\nname: Deploys stop at four\ndescription: No deploy after 16:00 Berlin time\n---\nThe people who know the cluster leave at five.\n"))
}

// overtake lets an entry change while a proposal for it waits.
func (s *story) overtake() {
	s.t.Helper()
	path := "who-to-ask.md"
	base := s.verdicts[path]
	s.waiting = append(s.waiting, s.mara.push(payments, edit(path, s.text(path)+"\nFor anything about the Lyon bank, ask Inês first.\n", base))...)
	s.admin("project", "set", payments, "--review", "open")
	s.ines.push(payments, edit(path, s.text(path)+"\nTreasury answers in #treasury-desk now.\n", base))
	s.admin("project", "set", payments, "--review", "strict")
}

func (s *story) edit(by *member, path, text string) {
	s.t.Helper()
	s.verdicts[path] = by.push(payments, edit(path, text, s.verdicts[path]))[0]
}

func (s *story) text(path string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "examples", "team", path))
	must(s.t, err)
	return string(text)
}

// age moves what was written just now into the past, the first entries to weeks
// ago.
func (s *story) age() {
	s.t.Helper()
	s.sql("update revisions set at = at - (40 - rev) * interval '19 hours'")
	s.sql("update entries e set updated_at = r.at from revisions r where r.project_id = e.project_id and r.entry_id = e.entry_id and r.rev = e.head_rev")
	s.sql("with n as (select proposal_id, row_number() over (order by at desc) as n from proposals) update proposals p set at = at - n.n * interval '3 hours' from n where n.proposal_id = p.proposal_id")
}

// page returns the address of a proposal's page.
func (s *story) page(proposal map[string]any) string {
	s.t.Helper()
	return "/p/" + s.mara.project(payments)["id"].(string) + "/review/" + proposal["proposal"].(string)
}

// find has Mara's texts refused, and returns the pages of three findings: what she
// asks an exception for, what was shared before the rules knew it, and what is
// hers to mend. One exception is in force. Jo decides.
func (s *story) find() (asked, leaked, own string) {
	s.t.Helper()
	s.admin("role", "set", "--project", payments, "--member", s.jo.name, "--role", "maintainer")
	base := "/projects/" + s.mara.project(payments)["id"].(string) + "/findings"
	report := func(path, rule, severity, excerpt string) string {
		return s.mara.call(http.MethodPost, base, map[string]any{
			"path": path, "rule": rule, "severity": severity, "rule_set": "secrets-14", "line": 9, "column": 31, "excerpt": excerpt, "device": s.mara.device,
			"fingerprint": fmt.Sprintf("%x", sha256.Sum256([]byte(path))),
		})["id"].(string)
	}
	ask := func(id, paths, note string) {
		s.mara.call(http.MethodPost, base+"/"+id+"/allow", map[string]any{"action": "request", "reason": "test-value", "note": note, "paths": paths})
	}
	login := report("providers/northpay-sandbox.md", "password-prose", "soft", "The sandbox shop opens with password: ******** for everybody at Acme.")
	ask(login, "providers/*.md", "Northpay prints it in the documentation of the sandbox; it opens a shop without goods.")
	done := report("testing/fixture-cards.md", "high-entropy", "soft", "Card tokens of the fixtures: ********, ******** and ********")
	ask(done, "", "They are in the public repository of the fixtures.")
	s.sql(`insert into allow_rules (project_id, allow_id, finding_id, fingerprint, rule, glob, reason, author, approved_by, at, expires_at)
		select f.project_id, 'alw_1', f.finding_id, f.fingerprint, f.rule, f.glob, f.reason, f.author, m.member_id, f.asked_at, f.asked_at + interval '30 days'
		from secret_findings f, members m where f.finding_id = $1 and m.name = 'Inês Rocha'`, done)
	s.sql(`update secret_findings f set state = 'completed', decided_by = r.approved_by, decided_at = r.at, allow_id = r.allow_id from allow_rules r where r.finding_id = f.finding_id`)
	key := report("dashboards.md", "grafana-service-account-token", "hard", "")
	s.sql(`update secret_findings f set entry_id = e.entry_id, rev = e.head_rev, first_rev = e.head_rev from entries e where f.finding_id = $1 and e.path = f.path`, key)
	s.sql(`insert into device_cursors (project_id, device_id, epoch, seq, client, at)
		select p.project_id, d.device_id, p.epoch, p.seq, '', now() - interval '3 hours' from projects p, devices d where p.slug = $1 on conflict do nothing`, payments)
	mine := report("release/signing.md", "generic-api-key", "soft", "export SIGNING_TOKEN=******** before make release")
	page := func(id string) string { return strings.TrimSuffix(s.entries(), "entries") + "findings/" + id }
	return page(login), page(key), page(mine)
}
