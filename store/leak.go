package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// KeepStored keeps findings in texts that are stored, and tells the instance's
// chain.
func (s *Store) KeepStored(ctx context.Context, project memory.ProjectID, all []memory.Finding, row memory.AuditRow) error {
	return s.fault(ctx, "keep findings in stored texts", retried(ctx, func() error {
		return s.inTx(ctx, func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			queueServerMember(batch, row.At)
			for _, f := range all {
				queueStored(batch, project, f)
			}
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
			return appendInstance(ctx, tx, row)
		})
	}))
}

// queueServerMember adds the member that the server acts as. It is disabled, so
// nobody is it; and whoever has its name keeps that.
func queueServerMember(batch *pgx.Batch, at time.Time) {
	batch.Queue(`
		insert into members (member_id, name, admin, disabled, session_epoch, created_at)
		select @id, 'teammem server' || case when exists (select from members where name = 'teammem server') then ' ' || @id else '' end,
			false, true, 0, @at
		where not exists (select from members where member_id = @id)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"id": string(memory.ServerMember), "at": at})
}

func queueStored(batch *pgx.Batch, project memory.ProjectID, f memory.Finding) {
	batch.Queue(`
		insert into secret_findings (
			project_id, finding_id, state, path, rule, severity, rule_set, line, col, fingerprint, excerpt, author, device_id,
			first_at, at, entry_id, rev, first_rev, held, withheld
		) values (
			@project, @finding, 'open', @path, @rule, @severity, @rules, @line, @column, @fingerprint, '', @author, @device,
			@at, @at, @entry, @rev, @rev, @held, @withheld
		)
		on conflict (project_id, author, fingerprint, path, rule, severity) do update
		set rule_set = excluded.rule_set, at = greatest(secret_findings.at, excluded.at),
			line = case when excluded.rev >= secret_findings.rev then excluded.line else secret_findings.line end,
			col = case when excluded.rev >= secret_findings.rev then excluded.col else secret_findings.col end,
			entry_id = case when excluded.rev > secret_findings.rev then excluded.entry_id else secret_findings.entry_id end,
			rev = greatest(secret_findings.rev, excluded.rev),
			first_rev = coalesce(least(nullif(secret_findings.first_rev, 0), nullif(excluded.first_rev, 0)), 0),
			held = case when excluded.held = '' then secret_findings.held else excluded.held end,
			withheld = case when excluded.withheld = '' then secret_findings.withheld else excluded.withheld end,
			state = case
				when secret_findings.state not in ('completed', 'resolved') then secret_findings.state
				when excluded.rev > secret_findings.rev or excluded.withheld <> '' then 'open'
				when excluded.held <> '' and secret_findings.rev = 0 and secret_findings.held = '' then 'open'
				else secret_findings.state
			end`,
		pgx.StrictNamedArgs{
			"project": project, "finding": f.ID, "path": f.Path.String(), "rule": f.Rule, "severity": f.Severity, "rules": f.RuleSet,
			"line": max(f.Line, 1), "column": max(f.Column, 1), "fingerprint": f.Fingerprint[:], "author": f.Author.Member,
			"device": f.Device, "at": f.At, "entry": f.Stored.EntryID, "rev": f.Stored.Rev, "held": f.Held, "withheld": f.Withheld,
		})
}

// TakeBack quarantines the entry if the text is what it says, whatever it is
// called by now, and else hides the text in the entry's past. Both are decided
// under the project's lock: the entry may have been edited or purged since the
// text was read.
func (s *Store) TakeBack(
	ctx context.Context, asked memory.Quarantine, text memory.StoredText, row memory.AuditRow,
) (q memory.Quarantine, hidden int, err error) {
	err = s.inLocked(ctx, asked.Project, func(tx pgx.Tx, k known) error {
		q, hidden = memory.Quarantine{}, 0
		heads, err := readHeadsOf(ctx, tx, asked.Project, asked.Suspects.Entries)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if h.DeletedRev == 0 && h.Sum == text.Sum {
				q, err = addQuarantine(ctx, tx, k, asked, memory.Screened{}, row)
				return err
			}
		}
		if hidden, err = hidePast(ctx, tx, asked.Project, text); err != nil || hidden == 0 {
			return err
		}
		row.Action, row.Object, row.Before, row.Decision = "revision.withdraw", text.String(), text.Sum, "withdrawn"
		return appendProject(ctx, tx, asked.Project, k.chain, row)
	})
	return q, hidden, s.fault(ctx, "take a text back", err)
}

// hidePast marks the older revisions that have the text as taken back by what
// came after each. The feed needs none of them.
func hidePast(ctx context.Context, tx pgx.Tx, project memory.ProjectID, text memory.StoredText) (int, error) {
	done, err := tx.Exec(ctx, `
		update revisions r
		set withdrawn_rev = (
			select min(n.rev)
			from revisions n
			where n.project_id = r.project_id and n.entry_id = r.entry_id and n.rev > r.rev
		)
		from entries e
		where r.project_id = @project and r.entry_id = @entry and r.sha256 = @sum and r.content is not null and r.withdrawn_rev is null
			and e.project_id = r.project_id and e.entry_id = r.entry_id and r.rev < e.head_rev`,
		pgx.StrictNamedArgs{"project": project, "entry": text.Revision.EntryID, "sum": text.Sum[:]})
	if err != nil || done.RowsAffected() == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `
		update projects
		set rewrites = rewrites + 1
		where project_id = @project`,
		pgx.StrictNamedArgs{"project": project})
	return int(done.RowsAffected()), err
}

type leakRow struct {
	findingRow

	Slug       string
	RestoredAt *time.Time
}

func (r leakRow) leak() memory.Leak {
	return memory.Leak{Finding: r.finding(), Slug: r.Slug, Restored: value(r.RestoredAt).UTC()}
}

type receiverRow struct {
	deviceRow

	OfProject string
	OfFinding string
	OwnerName string
	ToldAt    time.Time
}

func (r receiverRow) receiver() memory.Receiver {
	d := r.device()
	return memory.Receiver{Device: d, Owner: memory.Author{Member: d.Member, Name: r.OwnerName}, At: r.ToldAt.UTC()}
}

// receivers are the computers that asked for news behind the oldest text that has
// a finding, and that were there before the newest one went. One that came back
// from another history may have got it, too.
const receivers = `
	select f.project_id as of_project, f.finding_id as of_finding, ` + deviceColumns + `, m.name as owner_name, c.at as told_at
	from secret_findings f
	join projects p on p.project_id = f.project_id
	join device_cursors c on c.project_id = f.project_id and (c.seq >= f.first_rev or c.epoch <> p.epoch)
	join devices d on d.device_id = c.device_id
	join members m on m.member_id = d.member_id
	cross join lateral (
		select min(n.at) as at
		from revisions n
		where n.project_id = f.project_id and n.entry_id = f.entry_id and n.rev > f.rev
	) as went
	where f.rev > 0 and (went.at is null or d.created_at <= went.at)`

// Receivers returns the computers that may have got the stored text of a finding.
func (s *Store) Receivers(ctx context.Context, project memory.ProjectID, id memory.FindingID) ([]memory.Receiver, error) {
	found, err := list(ctx, s.pool, receiverRow.receiver, receivers+`
			and f.project_id = @project and f.finding_id = @finding
		order by m.name, d.name, d.device_id`,
		pgx.StrictNamedArgs{"project": project, "finding": id})
	return found, s.fault(ctx, "read who got a text", err)
}

// restored is when the instance was restored last, if the oldest text that has a
// finding is older than that.
const restored = `(
		select max(a.at)
		from audit a
		join changes c on c.project_id = f.project_id and c.seq = f.first_rev
		cross join lateral (
			select at
			from revisions
			where project_id = c.project_id and entry_id = c.entry_id and rev = c.rev
			offset 0
		) as r
		where a.action = 'instance.restore' and a.at > r.at
	)`

// RestoredSince returns when the instance was restored last, zero if that was
// before the stored text of a finding, or never.
func (s *Store) RestoredSince(ctx context.Context, project memory.ProjectID, id memory.FindingID) (time.Time, error) {
	var at *time.Time
	err := s.pool.QueryRow(ctx, `
		select `+restored+`
		from secret_findings f
		where f.project_id = @project and f.finding_id = @finding`,
		pgx.StrictNamedArgs{"project": project, "finding": id}).Scan(&at)
	return value(at).UTC(), s.fault(ctx, "read when it was restored", err)
}

// Leaks returns the findings in stored texts that nobody has settled, newest
// first, with the computers that may have got them.
func (s *Store) Leaks(ctx context.Context) (all []memory.Leak, err error) {
	var got []receiverRow
	err = s.inSnapshot(ctx, func(tx pgx.Tx) error {
		all, err = list(ctx, tx, leakRow.leak, `
			select `+findingColumns+`, p.slug, `+restored+` as restored_at
			from secret_findings f`+findingJoins+`
			join projects p on p.project_id = f.project_id
			where (f.rev > 0 or f.held <> '' or f.withheld <> '') and f.state in ('open', 'requested', 'denied', 'allowed')
			order by f.at desc, f.finding_id desc`, nil)
		if err != nil {
			return err
		}
		got, err = list(ctx, tx, func(r receiverRow) receiverRow { return r }, receivers+`
				and f.state in ('open', 'requested', 'denied', 'allowed')
			order by m.name, d.name, d.device_id`, nil)
		return err
	})
	told := map[string][]memory.Receiver{}
	for _, r := range got {
		told[r.OfProject+r.OfFinding] = append(told[r.OfProject+r.OfFinding], r.receiver())
	}
	for i := range all {
		all[i].Receivers = told[string(all[i].Project)+string(all[i].ID)]
	}
	return all, s.fault(ctx, "read leaks", err)
}
