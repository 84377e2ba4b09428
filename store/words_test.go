package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// wordless are the columns of text in which nobody can write what they like: what
// they hold is judged when it is read, or it is the server's and its operator's
// own; with what is in each.
func wordless() map[string]string {
	columns := map[string]string{}
	for about, names := range map[string]string{
		"ids": `instance.instance_id members.member_id devices.device_id devices.member_id devices.project_id devices.token_id
			projects.project_id project_remotes.project_id project_roles.project_id project_roles.member_id api_tokens.token_id
			api_tokens.member_id api_tokens.project_id entries.project_id entries.entry_id entries.author revisions.project_id
			revisions.entry_id revisions.author revisions.device_id changes.project_id changes.entry_id push_keys.project_id
			push_keys.member_id proposals.project_id proposals.proposal_id proposals.entry_id proposals.author proposals.device_id
			proposals.decided_by proposals.successor proposals.purged_by console_links.member_id console_sessions.session_id
			console_sessions.member_id refresh_tokens.device_id conflicts.project_id conflicts.conflict_id conflicts.entry_id
			conflicts.author conflicts.device_id conflicts.closed_by conflicts.closed_into conflicts.proposal conflicts.purged_by
			quarantines.project_id quarantines.quarantine_id quarantines.member_id quarantines.device_id quarantines.token_id
			quarantines.author quarantined.project_id quarantined.quarantine_id quarantined.entry_id death_certificates.project_id
			death_certificates.entry_id device_cursors.project_id device_cursors.device_id device_reports.project_id
			device_reports.device_id secret_findings.project_id secret_findings.finding_id secret_findings.author
			secret_findings.device_id secret_findings.entry_id secret_findings.decided_by secret_findings.allow_id
			secret_findings.held secret_findings.withheld allow_rules.project_id allow_rules.allow_id allow_rules.finding_id allow_rules.author
			allow_rules.approved_by allow_rules.revoked_by project_rescans.project_id project_rescans.proposal_id
			project_rescans.conflict_id audit.project_id audit.actor audit.token_id audit.device_id audit.object signing_keys.kid`,
		"one of a few words": `devices.revoked_for devices.scopes projects.review projects.default_role project_roles.role
			api_tokens.scopes api_tokens.last4 entries.kind revisions.op revisions.kind changes.op proposals.state proposals.op
			proposals.kind proposals.reason conflicts.how device_reports.mode secret_findings.state secret_findings.severity
			secret_findings.reason allow_rules.reason audit.action audit.decision`,
		"made by programs of ours": `projects.epoch device_cursors.epoch push_keys.key push_keys.answer audit.rules audit.remote
			audit.client device_cursors.client device_reports.client device_reports.tree device_reports.holds secret_findings.rule
			secret_findings.rule_set allow_rules.rule revisions.rule_set proposals.rule_set conflicts.rule_set rescan.rule_set
			project_rescans.rule_set project_rescans.unscanned_some revisions.risks proposals.risks schema_migrations.name`,
		"the operator's": `instance.url members.name projects.slug project_remotes.remote`,
		"parts of a text, which is scanned with them": `entries.path entries.path_key entries.name entries.description revisions.path
			changes.previous_path proposals.path proposals.path_key proposals.previous_path proposals.name proposals.description
			conflicts.path death_certificates.path_key`,
		"names of files that are told anew": `device_reports.refused device_reports.blocked`,
		"kept only if it is harmless":       `secret_findings.path`,
	} {
		for _, name := range strings.Fields(names) {
			columns[name] = about
		}
	}
	return columns
}

// Whoever adds a column of text says whether it holds foreign words: then a
// re-scan looks at it.
func TestWords_EveryColumn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rows, err := b.owner.Query(t.Context(), `
		select table_name || '.' || column_name
		from information_schema.columns
		where table_schema = current_schema() and data_type in ('text', 'jsonb', 'ARRAY', 'character varying')`)
	must(t, err)
	var name string
	known := wordless()
	for _, c := range store.WordColumns() {
		known[c] = "words"
	}
	found := map[string]string{}
	for rows.Next() {
		must(t, rows.Scan(&name))
		if found[name] = known[name]; found[name] == "" {
			found[name] = "nobody says what is in it"
		}
	}
	must(t, rows.Err())
	if diff := cmp.Diff(known, found); diff != "" {
		t.Errorf("columns (-known +in the schema):\n%s", diff)
	}
}

// withWords is an archive in which each column has words of its own, beside texts
// that are clean.
func withWords(t *testing.T, words string) *olderTexts {
	t.Helper()
	a := storeOlder(t, "once ")
	ctx, id := t.Context(), a.project.ID
	pending, err := a.Service.Proposals(ctx, a.mara, id, memory.ProposalQuery{State: memory.ProposalPending})
	must(t, err)
	_, err = a.Service.Reject(ctx, a.mara, id, pending[0].ID, memory.Seen{Sum: pending[0].Sum, BaseRev: pending[0].BaseRev}, "wrong", "no")
	must(t, err)
	a.use(softScanner{})
	a.share(t, a.other, "soft.md", "soft-one")
	f := a.only(t, a.other)
	_, err = a.Service.RequestAllow(ctx, a.other, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue, Note: "why"})
	must(t, err)
	_, err = a.Service.DecideAllow(ctx, a.mara, id, f.ID, memory.AllowAnswer{Approve: true, Note: "so"})
	must(t, err)
	must(t, a.KeepCursors(ctx, []memory.DeviceCursor{
		{Project: id, Member: a.member.ID, Device: a.device.ID, At: memory.Cursor{Epoch: a.project.Head.Epoch, Seq: 1}},
	}, start()))
	for _, c := range store.WordColumns() {
		table, column, _ := strings.Cut(c, ".")
		a.exec(t, fmt.Sprintf(`update %s set %s = $1`, table, column), words+table+"-"+column+" beside it")
	}
	return a
}

// stored is everything that the database has, row by row.
func (a *archive) stored(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, table := range backUp(t, a.url).Manifest().Tables {
		rows, err := a.owner.Query(t.Context(), `select x::text from `+table.Name+` as x`)
		must(t, err)
		var row string
		for rows.Next() {
			must(t, rows.Scan(&row))
			all.WriteString(row + "\n")
		}
		must(t, rows.Err())
	}
	return all.String()
}

// Words beside texts, and the names of computers and agents, are looked at like
// texts: what cannot stay is nowhere any more, in no answer and no backup, and
// whoever wrote it is told of each secret, where it stood.
func TestRescan_Words(t *testing.T) {
	t.Parallel()
	a := withWords(t, "hard-")
	p := a.rescan(t, watched{rules: "soft-2", before: func(string) error { return nil }})
	all := a.stored(t)
	if strings.Contains(all, "hard-") {
		t.Errorf("it is still stored: %s", all)
	}
	if n, whole := strings.Count(all, "beside it"), strings.Count(all, memory.WithheldSecret); n == 0 || whole == 0 {
		t.Errorf("words beside it stand %d times, and a pattern went %d times: %s", n, whole, all)
	}
	places := map[string]bool{}
	for _, l := range a.leaks(t) {
		kind, _, _ := strings.Cut(l.Withheld, "_")
		places[kind] = true
		if !l.Path.IsZero() || !l.Kept() || !l.Hard() || l.Author.Member == "" {
			t.Errorf("finding %+v", l.Finding)
		}
	}
	if len(places) != len(store.WordColumns()) || p.EndedAt.IsZero() {
		t.Errorf("told of %d places, want %d: %v", len(places), len(store.WordColumns()), places)
	}
	own, err := a.Service.Findings(t.Context(), a.other, a.project.ID, memory.FindingQuery{Leaked: true})
	must(t, err)
	told := slices.ContainsFunc(own, func(f memory.Finding) bool { return strings.HasPrefix(f.Withheld, "note of ent_") })
	foreign := slices.ContainsFunc(own, func(f memory.Finding) bool { return f.Author.Member != a.other.Member })
	if !told || foreign {
		t.Errorf("its author is told of %+v", own)
	}
	a.check(t)

	before := len(a.leaks(t))
	must(t, a.Service.ForceRescan(t.Context(), admin()))
	a.rescan(t, watched{rules: "soft-2", before: func(string) error { return nil }})
	if after := len(a.leaks(t)); after != before {
		t.Errorf("another round finds %d, was %d", after, before)
	}
}

// Hidden text in words is taken back, too, and clean words stay.
func TestRescan_HiddenWords(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	clean, hidden := a.write(t, a.other, "clean.md", "one"), a.write(t, a.other, "hidden.md", "two")
	a.exec(t, `update revisions set note = case rev when $1 then 'plain' else $2 end`, clean.Rev, "so\u202eso, said Ann")
	p := a.rescan(t, softScanner{})
	for v, want := range map[memory.EntryID]string{clean.EntryID: "plain", hidden.EntryID: "so[U+202E]so, said Ann"} {
		past, err := a.Service.History(t.Context(), a.mara, a.project.ID, v, 0, 1)
		if err != nil || past[0].Note != want {
			t.Errorf("note %q, want %q (%v)", past[0].Note, want, err)
		}
	}
	if p.Rejected != 1 || p.Withdrawn != 0 || len(a.leaks(t)) != 0 {
		t.Errorf("%+v", p)
	}
}
