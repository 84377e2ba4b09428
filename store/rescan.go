package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// rescanLock is the number of the advisory lock of the one server that looks at
// stored texts again.
const rescanLock = 0x7465616d6d656d05

// unlockPatience is how long the end of a re-scan waits for Postgres.
const unlockPatience = time.Second

type roundRow struct {
	RuleSet string
	Round   int64
	Whole   bool
	At      time.Time
}

func (r roundRow) rescan() memory.Rescan {
	return memory.Rescan{RuleSet: r.RuleSet, Round: r.Round, Whole: r.Whole, At: r.At.UTC()}
}

// WantRescan says by which rules everything is to be looked at.
func (s *Store) WantRescan(ctx context.Context, rules string, at time.Time) (memory.Rescan, error) {
	r, err := one(ctx, s.pool, "rescan", roundRow.rescan, `
		insert into rescan (rule_set, round, whole, at)
		values (@rules, 1, false, @at)
		on conflict (single) do update
		set rule_set = excluded.rule_set,
			round = rescan.round + case when rescan.rule_set = excluded.rule_set then 0 else 1 end,
			whole = rescan.whole and rescan.rule_set = excluded.rule_set,
			at = case when rescan.rule_set = excluded.rule_set then rescan.at else excluded.at end
		returning rule_set, round, whole, at`,
		pgx.StrictNamedArgs{"rules": rules, "at": at})
	return r, s.fault(ctx, "want a re-scan", err)
}

// ForceRescan begins a round by the same rules.
func (s *Store) ForceRescan(ctx context.Context, at time.Time, row memory.AuditRow) error {
	return s.fault(ctx, "force a re-scan", s.inTx(ctx, func(tx pgx.Tx) error {
		r, err := one(ctx, tx, "server that ever scanned", roundRow.rescan, `
			update rescan
			set round = round + 1, whole = true, at = @at
			returning rule_set, round, whole, at`,
			pgx.StrictNamedArgs{"at": at})
		if err != nil {
			return err
		}
		row.Object = r.RuleSet
		return appendInstance(ctx, tx, row)
	}))
}

// Rescan returns the round.
func (s *Store) Rescan(ctx context.Context) (memory.Rescan, error) {
	r, err := one(ctx, s.pool, "server that ever scanned", roundRow.rescan, `
		select rule_set, round, whole, at
		from rescan`, nil)
	return r, s.fault(ctx, "read re-scan", err)
}

// RescanAlone holds the lock on a connection of its own, as what is done takes
// long and needs the pool's. The lock ends with the connection at the latest.
func (s *Store) RescanAlone(ctx context.Context, do func(context.Context) error) (alone bool, err error) {
	config := s.pool.Config().ConnConfig
	config.RuntimeParams["application_name"] += ": re-scan"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, unreachable(err)
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockPatience)
		defer cancel()
		_ = conn.Close(last)
	}()
	if err := s.use(ctx, conn); err != nil {
		return false, s.fault(ctx, "begin a re-scan", err)
	}
	err = conn.QueryRow(ctx, `select pg_try_advisory_lock(@lock)`, pgx.StrictNamedArgs{"lock": rescanLock}).Scan(&alone)
	if err != nil || !alone {
		return false, s.fault(ctx, "begin a re-scan", err)
	}
	defer func() {
		// Whoever is next would else find it locked until Postgres sees the connection's end.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockPatience)
		defer cancel()
		_, _ = conn.Exec(last, `select pg_advisory_unlock(@lock)`, pgx.StrictNamedArgs{"lock": rescanLock})
	}()
	return true, do(ctx)
}

type rescanRow struct {
	ProjectID     string
	Slug          string
	Head          int64
	Round         int64
	RuleSet       string
	Goal          int64
	Seq           int64
	ProposalID    string
	ConflictID    string
	Texts         int
	Findings      int
	Rejected      int
	Withdrawn     int
	Hidden        int
	Unscanned     int
	UnscannedSome []string
	BeganAt       *time.Time
	EndedAt       *time.Time
	Late          bool
}

func (r rescanRow) progress() memory.RescanProgress {
	return memory.RescanProgress{
		Project: memory.ProjectID(r.ProjectID), Slug: r.Slug, Head: r.Head, Round: r.Round, RuleSet: r.RuleSet, Goal: r.Goal, Seq: r.Seq,
		Proposal: memory.ProposalID(r.ProposalID), Conflict: memory.ConflictID(r.ConflictID),
		Texts: r.Texts, Findings: r.Findings, Rejected: r.Rejected, Withdrawn: r.Withdrawn, Hidden: r.Hidden,
		Unscanned: r.Unscanned, UnscannedSome: r.UnscannedSome, BeganAt: value(r.BeganAt).UTC(), EndedAt: value(r.EndedAt).UTC(), Late: r.Late,
	}
}

// RescanProgress returns how far the round is in each project, by slug.
func (s *Store) RescanProgress(ctx context.Context, r memory.Rescan) ([]memory.RescanProgress, error) {
	all, err := list(ctx, s.pool, rescanRow.progress, `
		select p.project_id, p.slug, p.seq as head, @round::bigint as round, @rules::text as rule_set,
			coalesce(w.goal, p.seq) as goal, coalesce(w.seq, 0) as seq, coalesce(w.proposal_id, '') as proposal_id,
			coalesce(w.conflict_id, '') as conflict_id, coalesce(w.texts, 0) as texts, coalesce(w.findings, 0) as findings,
			coalesce(w.rejected, 0) as rejected,
			coalesce(w.withdrawn, 0) as withdrawn, coalesce(w.hidden, 0) as hidden, coalesce(w.unscanned, 0) as unscanned,
			coalesce(w.unscanned_some, '{}') as unscanned_some, w.began_at, w.ended_at,
			exists (
				select from proposals t
				where t.project_id = p.project_id and t.content is not null and t.rule_set <> @rules and t.at > greatest(w.began_at, w.ended_at - @late::interval)
			) or exists (
				select from conflicts t
				where t.project_id = p.project_id and t.content is not null and t.rule_set <> @rules and t.at > greatest(w.began_at, w.ended_at - @late::interval)
			) as late
		from projects p
		left join project_rescans w on w.project_id = p.project_id and w.round = @round
		order by p.slug`,
		pgx.StrictNamedArgs{"round": r.Round, "rules": r.RuleSet, "late": memory.LateMost})
	return all, s.fault(ctx, "read how far re-scans are", err)
}

// KeepRescan moves the progress on, if it is where it was.
func (s *Store) KeepRescan(ctx context.Context, from, to memory.RescanProgress) (bool, error) {
	if to.UnscannedSome == nil {
		to.UnscannedSome = []string{}
	}
	kept, err := s.pool.Exec(ctx, `
		insert into project_rescans as w (
			project_id, round, rule_set, goal, seq, proposal_id, conflict_id, texts, findings, rejected, withdrawn, hidden,
			unscanned, unscanned_some, began_at, ended_at
		)
		select @project, @round, @rules, @goal, @seq, @proposal, @conflict, @texts, @findings, @rejected, @withdrawn, @hidden,
			@unscanned, @some, @began, @ended
		from rescan
		where round = @round
		on conflict (project_id) do update
		set round = excluded.round, rule_set = excluded.rule_set, goal = excluded.goal, seq = excluded.seq,
			proposal_id = excluded.proposal_id, conflict_id = excluded.conflict_id, texts = excluded.texts, findings = excluded.findings,
			rejected = excluded.rejected, withdrawn = excluded.withdrawn, hidden = excluded.hidden, unscanned = excluded.unscanned,
			unscanned_some = excluded.unscanned_some, began_at = excluded.began_at, ended_at = excluded.ended_at
		where w.round < excluded.round
			or w.round = excluded.round and (w.seq, w.proposal_id, w.conflict_id) = (@from_seq, @from_proposal, @from_conflict)`,
		pgx.StrictNamedArgs{
			"project": to.Project, "round": to.Round, "rules": to.RuleSet, "goal": to.Goal, "seq": to.Seq, "proposal": to.Proposal,
			"conflict": to.Conflict, "texts": to.Texts, "findings": to.Findings, "rejected": to.Rejected, "withdrawn": to.Withdrawn, "hidden": to.Hidden,
			"unscanned": to.Unscanned, "some": to.UnscannedSome, "began": to.BeganAt, "ended": when(to.EndedAt),
			"from_seq": from.Seq, "from_proposal": from.Proposal, "from_conflict": from.Conflict,
		})
	return kept.RowsAffected() == 1, s.fault(ctx, "keep how far a re-scan is", err)
}

// scanRow is a text, or only its place if it need not be looked at.
type scanRow struct {
	Seq        int64
	ID         string
	Path       string
	Content    []byte
	SHA256     []byte
	Author     string
	AuthorName string
	DeviceID   string
	Pending    bool
}

func (r scanRow) text() memory.StoredText {
	return memory.StoredText{
		Path: memory.StoredPath(r.Path), Content: r.Content, Sum: memory.Hash(r.SHA256), Device: memory.DeviceID(r.DeviceID),
		Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, Pending: r.Pending,
	}
}

// RescanTexts returns what is next: the feed from its beginning, then proposals,
// then conflicts. Each page is read for itself, so that nothing is held while it
// is scanned.
func (s *Store) RescanTexts(
	ctx context.Context, r memory.Rescan, p memory.RescanProgress, most, maxBytes int,
) (texts []memory.StoredText, next memory.RescanProgress, err error) {
	args := pgx.StrictNamedArgs{
		"project": p.Project, "rules": r.RuleSet, "whole": r.Whole, "goal": p.Goal, "limit": most, "max_bytes": maxBytes,
		"after": p.Seq,
	}
	next = p
	rows, err := s.scanRows(ctx, args, revisionTexts)
	for _, row := range rows {
		next.Seq = row.Seq
		if row.Content != nil {
			t := row.text()
			t.Revision = memory.RevisionRef{EntryID: memory.EntryID(row.ID), Rev: row.Seq}
			texts = append(texts, t)
		}
	}
	if err != nil || len(rows) > 0 {
		return texts, next, s.fault(ctx, "read texts of a re-scan", err)
	}
	delete(args, "goal")
	args["after"], args["since"] = p.Proposal, p.Since
	rows, err = s.scanRows(ctx, args, proposalTexts)
	for _, row := range rows {
		next.Proposal = memory.ProposalID(row.ID)
		t := row.text()
		t.Proposal = next.Proposal
		texts = append(texts, t)
	}
	if err != nil || len(rows) > 0 {
		return texts, next, s.fault(ctx, "read texts of a re-scan", err)
	}
	args["after"] = p.Conflict
	rows, err = s.scanRows(ctx, args, conflictTexts)
	for _, row := range rows {
		next.Conflict = memory.ConflictID(row.ID)
		t := row.text()
		t.Conflict = next.Conflict
		texts = append(texts, t)
	}
	return texts, next, s.fault(ctx, "read texts of a re-scan", err)
}

func (s *Store) scanRows(ctx context.Context, args pgx.StrictNamedArgs, sql string) ([]scanRow, error) {
	return list(ctx, s.pool, func(r scanRow) scanRow { return r }, sql, args)
}

// The author is who wrote the text first, not who moved it or brought it back.
// Each revision is looked up by itself, for the reason that queueLookups has.
const revisionTexts = `
	select t.seq, t.entry_id as id, t.path, case when t.wanted then t.content end as content, t.sha256, t.author,
		m.name as author_name, t.device_id, false as pending
	from (
		select c.seq, r.entry_id, r.path, r.content, r.sha256, w.wanted, coalesce(o.author, r.author) as author,
			coalesce(o.device_id, r.device_id) as device_id,
			sum(r.size) filter (where w.wanted) over (order by c.seq) - case when w.wanted then r.size else 0 end as before
		from (
			select seq, entry_id, rev
			from changes
			where project_id = @project and seq > @after
			order by seq
			limit @limit
		) as c
		cross join lateral (
			select entry_id, rev, path, content, sha256, size, author, device_id, rule_set
			from revisions
			where project_id = @project and entry_id = c.entry_id and rev = c.rev
			offset 0
		) as r
		left join lateral (
			select o.author, o.device_id
			from revisions o
			where o.project_id = @project and o.entry_id = r.entry_id and o.sha256 = r.sha256 and o.op <> 'delete' and o.rev < r.rev
			order by o.rev
			limit 1
		) as o on true
		cross join lateral (
			select r.content is not null and (r.rule_set <> @rules or @whole and c.seq <= @goal) as wanted
		) as w
	) as t
	join members m on m.member_id = t.author
	where coalesce(t.before, 0) <= @max_bytes
	order by t.seq`

const proposalTexts = `
	select 0::bigint as seq, t.proposal_id as id, t.path, t.content, t.sha256, t.author, m.name as author_name, t.device_id,
		t.state = 'pending' as pending
	from (
		select p.proposal_id, p.path, p.content, p.sha256, p.author, p.device_id, p.state,
			sum(p.size) over (order by p.proposal_id) - p.size as before
		from proposals p
		where p.project_id = @project and p.proposal_id > @after and p.at >= @since and p.content is not null and (p.rule_set <> @rules or @whole)
		order by p.proposal_id
		limit @limit
	) as t
	join members m on m.member_id = t.author
	where t.before <= @max_bytes
	order by t.proposal_id`

const conflictTexts = `
	select 0::bigint as seq, t.conflict_id as id, t.path, t.content, t.sha256, t.author, m.name as author_name, t.device_id,
		false as pending
	from (
		select k.conflict_id, k.path, k.content, k.sha256, k.author, k.device_id,
			sum(k.size) over (order by k.conflict_id) - k.size as before
		from conflicts k
		where k.project_id = @project and k.conflict_id > @after and k.at >= @since and k.content is not null and (k.rule_set <> @rules or @whole)
		order by k.conflict_id
		limit @limit
	) as t
	join members m on m.member_id = t.author
	where t.before <= @max_bytes
	order by t.conflict_id`
