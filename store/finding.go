package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type findingRow struct {
	ProjectID    string
	FindingID    string
	State        string
	Path         string
	Rule         string
	Severity     string
	RuleSet      string
	Line         int
	Col          int
	Fingerprint  []byte
	Excerpt      string
	Author       string
	AuthorName   string
	DeviceID     string
	FirstAt      time.Time
	At           time.Time
	EntryID      string
	Rev          int64
	Held         string
	Withheld     string
	Reason       string
	Note         string
	Glob         string
	AskedAt      *time.Time
	AskEndsAt    *time.Time
	DecidedBy    *string
	DeciderName  *string
	DecidedAt    *time.Time
	DecisionNote string
	AllowID      *string
	AllowedAt    *time.Time
	AllowedTill  *time.Time
	RevokedAt    *time.Time
}

func (r findingRow) finding() memory.Finding {
	f := memory.Finding{
		ID: memory.FindingID(r.FindingID), Project: memory.ProjectID(r.ProjectID), State: memory.FindingState(r.State),
		Path: memory.StoredPath(r.Path), RuleSet: r.RuleSet, Excerpt: r.Excerpt,
		Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, Device: memory.DeviceID(r.DeviceID),
		FirstAt: r.FirstAt.UTC(), At: r.At.UTC(), Stored: memory.RevisionRef{EntryID: memory.EntryID(r.EntryID), Rev: r.Rev},
		Held: r.Held, Withheld: r.Withheld,
	}
	f.Rule, f.Severity, f.Line, f.Column, f.Fingerprint = r.Rule, memory.Severity(r.Severity), r.Line, r.Col, memory.Fingerprint(r.Fingerprint)
	if r.AskedAt == nil {
		return f
	}
	ask := &memory.AllowRequest{
		Reason: memory.AllowReason(r.Reason), Note: r.Note, Glob: r.Glob, At: r.AskedAt.UTC(), ExpiresAt: value(r.AskEndsAt).UTC(),
	}
	if r.DecidedBy != nil {
		by := memory.Author{Member: memory.MemberID(*r.DecidedBy), Name: value(r.DeciderName)}
		ask.Decision = &memory.AllowDecision{By: by, At: value(r.DecidedAt).UTC(), Note: r.DecisionNote}
		if r.AllowID != nil {
			ask.Rule = &memory.AllowRule{
				ID: memory.AllowID(*r.AllowID), Finding: f.ID, Fingerprint: f.Fingerprint, Rule: f.Rule, Glob: ask.Glob, Reason: ask.Reason,
				Author: f.Author, By: by, At: value(r.AllowedAt).UTC(), ExpiresAt: value(r.AllowedTill).UTC(), RevokedAt: value(r.RevokedAt).UTC(),
			}
		}
	}
	f.Request = ask
	return f
}

// KeepFindings keeps findings, and tells the instance's chain in the same
// transaction. It does not wait for the project's row: refusals never do.
func (s *Store) KeepFindings(
	ctx context.Context, project memory.ProjectID, all []memory.Finding, most int, rows ...memory.AuditRow,
) (kept []memory.Finding, err error) {
	err = retried(ctx, func() error {
		return s.inTx(ctx, func(tx pgx.Tx) error {
			kept, err = keepFindings(ctx, tx, project, all, most)
			if err != nil {
				return err
			}
			return appendInstance(ctx, tx, aboutKept(rows, all, kept)...)
		})
	})
	return kept, s.fault(ctx, "keep findings", err)
}

// aboutKept lets rows about new findings name those that were there already.
func aboutKept(rows []memory.AuditRow, all, kept []memory.Finding) []memory.AuditRow {
	rows = slices.Clone(rows)
	for i := range rows {
		if n := slices.IndexFunc(all, func(f memory.Finding) bool { return rows[i].Object == string(f.ID) }); n >= 0 {
			rows[i].Object = string(kept[n].ID)
		}
	}
	return rows
}

func keepFindings(ctx context.Context, tx pgx.Tx, project memory.ProjectID, all []memory.Finding, most int) ([]memory.Finding, error) {
	var kept []memory.Finding
	for _, f := range all {
		if f.Fingerprint.IsZero() {
			return nil, &memory.Error{Code: memory.CodeInternal, Message: "a finding without a fingerprint is not kept"}
		}
		id, err := one(ctx, tx, "finding", func(r struct{ FindingID string }) memory.FindingID { return memory.FindingID(r.FindingID) }, `
			insert into secret_findings (
				project_id, finding_id, state, path, rule, severity, rule_set, line, col, fingerprint, excerpt, author, device_id,
				first_at, at, entry_id, rev
			) values (
				@project, @finding, @state, @path, @rule, @severity, @rules, @line, @column, @fingerprint, @excerpt, @author, @device,
				@at, @at, @entry, @rev
			)
			on conflict (project_id, author, fingerprint, path, rule, severity) do update
			set rule_set = excluded.rule_set, line = excluded.line, col = excluded.col, device_id = excluded.device_id,
				excerpt = case
					when excluded.excerpt = '' then secret_findings.excerpt
					when secret_findings.excerpt = '' then excluded.excerpt
					when secret_findings.state = 'requested' and secret_findings.ask_ends_at > excluded.at then secret_findings.excerpt
					when secret_findings.state = 'allowed' then secret_findings.excerpt
					else excluded.excerpt
				end,
				at = greatest(secret_findings.at, excluded.at),
				entry_id = case when excluded.rev > secret_findings.rev then excluded.entry_id else secret_findings.entry_id end,
				rev = greatest(secret_findings.rev, excluded.rev),
				state = case when secret_findings.state in ('completed', 'resolved') then 'open' else secret_findings.state end
			returning finding_id`,
			pgx.StrictNamedArgs{
				"project": project, "finding": f.ID, "state": f.State, "path": f.Path.String(), "rule": f.Rule, "severity": f.Severity,
				"rules": f.RuleSet, "line": f.Line, "column": f.Column, "fingerprint": f.Fingerprint[:], "excerpt": f.Excerpt,
				"author": f.Author.Member, "device": f.Device, "at": f.At, "entry": f.Stored.EntryID, "rev": f.Stored.Rev,
			})
		if err != nil {
			return nil, err
		}
		if err := roomForFinding(ctx, tx, f, most); err != nil {
			return nil, err
		}
		stored, err := readFinding(ctx, tx, project, id)
		if err != nil {
			return nil, err
		}
		kept = append(kept, stored)
	}
	return kept, nil
}

// roomForFinding refuses more unsettled findings of one author than may be.
func roomForFinding(ctx context.Context, tx pgx.Tx, f memory.Finding, most int) error {
	var unsettled int
	err := tx.QueryRow(ctx, `
		select count(*)
		from secret_findings
		where project_id = @project and author = @author and state in ('open', 'requested', 'allowed', 'denied')`,
		pgx.StrictNamedArgs{"project": f.Project, "author": f.Author.Member}).Scan(&unsettled)
	if err == nil && most > 0 && unsettled > most {
		return &memory.Error{
			Code: memory.CodeQuota, Message: fmt.Sprintf("%d findings of yours are open, which is the limit", most),
			Hint: "take the secrets out of the files, or say with teammem findings resolve which are settled",
		}
	}
	return err
}

const findingColumns = `
	f.project_id, f.finding_id, f.state, f.path, f.rule, f.severity, f.rule_set, f.line, f.col, f.fingerprint, f.excerpt,
	f.author, m.name as author_name, f.device_id, f.first_at, f.at, f.entry_id, f.rev, f.held, f.withheld, f.reason, f.note, f.glob, f.asked_at,
	f.ask_ends_at, f.decided_by, d.name as decider_name, f.decided_at, f.decision_note,
	a.allow_id, a.at as allowed_at, a.expires_at as allowed_till, a.revoked_at`

const findingJoins = `
	join members m on m.member_id = f.author
	left join members d on d.member_id = f.decided_by
	left join allow_rules a on a.project_id = f.project_id and a.allow_id = f.allow_id`

func readFinding(ctx context.Context, q querier, project memory.ProjectID, id memory.FindingID) (memory.Finding, error) {
	return one(ctx, q, "finding", findingRow.finding, `
		select `+findingColumns+`
		from secret_findings f`+findingJoins+`
		where f.project_id = @project and f.finding_id = @finding`,
		pgx.StrictNamedArgs{"project": project, "finding": id})
}

// Finding returns one finding.
func (s *Store) Finding(ctx context.Context, project memory.ProjectID, id memory.FindingID) (memory.Finding, error) {
	found, err := readFinding(ctx, s.pool, project, id)
	return found, s.fault(ctx, "read finding", err)
}

// HasOtherMaintainer reports whether somebody else than the member could decide
// in the project: a maintainer there, or an admin, who is not disabled.
func (s *Store) HasOtherMaintainer(ctx context.Context, project memory.ProjectID, member memory.MemberID) (has bool, err error) {
	err = s.pool.QueryRow(ctx, `
		select exists (
			select
			from projects p
			cross join members m
			left join project_roles r on r.project_id = p.project_id and r.member_id = m.member_id
			where p.project_id = @project and m.member_id <> @member and not m.disabled
				and (m.admin or coalesce(r.role, p.default_role) = 'maintainer')
		)`,
		pgx.StrictNamedArgs{"project": project, "member": member}).Scan(&has)
	return has, s.fault(ctx, "look for maintainers", err)
}

// Findings returns a page of findings, newest first. Those that have expired are
// so by the query's time, as no row says it.
func (s *Store) Findings(ctx context.Context, project memory.ProjectID, q memory.FindingQuery) ([]memory.Finding, error) {
	found, err := list(ctx, s.pool, findingRow.finding, `
		select `+findingColumns+`
		from secret_findings f`+findingJoins+`,
			lateral (
				select f.state = 'requested' and f.ask_ends_at <= @now
					or f.state = 'allowed' and (a.revoked_at is not null or a.expires_at <= @now) as expired
			) as x
		where f.project_id = @project and (@author = '' or f.author = @author)
			and (@state = '' or @state = 'expired' and x.expired or @state = f.state and not x.expired)
			and (not @leaked or (f.rev > 0 or f.held <> '' or f.withheld <> '') and f.state in ('open', 'requested', 'denied', 'allowed'))
			and (not @asked or f.state in ('requested', 'denied', 'allowed'))
			and (@after_id = '' or (f.at, f.finding_id) < (@after_at, @after_id))
		order by f.at desc, f.finding_id desc
		limit @limit`,
		pgx.StrictNamedArgs{
			"project": project, "author": q.Author, "state": q.State, "now": q.Now, "leaked": q.Leaked, "asked": q.Asked, "after_at": q.After.At,
			"after_id": q.After.ID, "limit": q.Limit,
		})
	return found, s.fault(ctx, "read findings", err)
}

// findingPart says whose turn it is, at the query's time.
const findingPart = `
	case
		when f.state = 'requested' and f.ask_ends_at > @now then 'requested'
		when f.state in ('completed', 'resolved') or f.state = 'allowed' and a.revoked_at is null and a.expires_at > @now then 'done'
		else 'open'
	end`

// FindingQueue returns a page of a part of the findings, newest first.
func (s *Store) FindingQueue(
	ctx context.Context, all, own []memory.ProjectID, member memory.MemberID, q memory.FindingQueueQuery,
) ([]memory.Finding, error) {
	found, err := list(ctx, s.pool, findingRow.finding, `
		select `+findingColumns+`
		from secret_findings f`+findingJoins+`
		where (f.project_id = any (@all) or f.project_id = any (@own) and f.author = @member) and `+findingPart+` = @part
			and (@after_id = '' or (f.at, f.finding_id) < (@after_at, @after_id))
		order by f.at desc, f.finding_id desc
		limit @limit`,
		pgx.StrictNamedArgs{
			"all": ids(all), "own": ids(own), "member": member, "part": q.Part, "now": q.Now, "after_at": q.After.At,
			"after_id": q.After.ID, "limit": q.Limit,
		})
	return found, s.fault(ctx, "read queue of findings", err)
}

// ChangeFinding moves a finding on, and writes the rule of its request if there
// is one that was not.
func (s *Store) ChangeFinding(ctx context.Context, c memory.FindingChange, row memory.AuditRow) (done bool, err error) {
	err = s.inProject(ctx, c.Project, func(tx pgx.Tx, chain link) error {
		args := pgx.StrictNamedArgs{
			"project": c.Project, "finding": c.Finding, "from": c.From, "to": c.To, "reason": "", "note": "", "glob": "", "asked": nil,
			"ends": nil, "by": nil, "decided": nil, "decision": "", "allow": nil, "was": when(c.Asked),
		}
		if r := c.Request; r != nil {
			args["reason"], args["note"], args["glob"], args["asked"], args["ends"] = r.Reason, r.Note, r.Glob, r.At, r.ExpiresAt
			if d := r.Decision; d != nil {
				args["by"], args["decided"], args["decision"] = d.By.Member, d.At, d.Note
			}
			if r.Rule != nil {
				args["allow"] = r.Rule.ID
			}
		}
		changed, err := tx.Exec(ctx, `
			update secret_findings
			set state = @to, reason = @reason, note = @note, glob = @glob, asked_at = @asked, ask_ends_at = @ends,
				decided_by = @by, decided_at = @decided, decision_note = @decision, allow_id = @allow
			where project_id = @project and finding_id = @finding and state = @from and asked_at is not distinct from @was::timestamptz`, args)
		if err != nil {
			return err
		}
		if done = changed.RowsAffected() == 1; !done {
			return nil
		}
		if r := c.Request; c.To == memory.FindingAllowed && r != nil && r.Rule != nil {
			if err := addAllowRule(ctx, tx, c.Project, *r.Rule); err != nil {
				return err
			}
		}
		return appendProject(ctx, tx, c.Project, chain, row)
	})
	return done, s.fault(ctx, "change finding", err)
}

// queueSettled tells the findings of texts that the author shared now: by an
// exception, or without the secret.
func queueSettled(batch *pgx.Batch, b memory.Batch, j memory.Judgement) {
	var paths, excepted []string
	shared := func(p memory.Path, w memory.Write) {
		if w.Action != memory.ActionPut && w.Action != memory.ActionMove {
			return
		}
		paths = append(paths, p.String())
		if w.Action == memory.ActionMove || w.Content.Allowed() {
			excepted = append(excepted, p.String())
		}
	}
	for _, op := range j.Stored {
		shared(op.Path, op.Write)
	}
	for _, p := range j.Proposed {
		shared(p.Proposal.Path, p.Write)
	}
	if len(paths) == 0 {
		return
	}
	batch.Queue(`
		update secret_findings
		set state = case when state = 'allowed' and path = any(@excepted) then 'completed' else 'resolved' end
		where project_id = @project and author = @author and path = any(@paths) and rev = 0 and held = ''
			and state in ('open', 'requested', 'allowed', 'denied')`,
		pgx.StrictNamedArgs{"project": b.Project, "author": b.Author(), "paths": paths, "excepted": excepted})
}
