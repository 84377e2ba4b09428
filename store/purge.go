package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Purge removes texts of an entry for good, in one transaction. What is left of
// them are their hashes.
func (s *Store) Purge(ctx context.Context, p memory.Purging, row memory.AuditRow) (done memory.Purged, err error) {
	project := p.Project
	err = s.inLocked(ctx, project, func(tx pgx.Tx, k known) error {
		done = memory.Purged{Head: k.heads.Head}
		heads, err := readHeadsOf(ctx, tx, project, []memory.EntryID{p.EntryID})
		if err != nil {
			return err
		}
		if len(heads) == 0 {
			return memory.NotFound("entry")
		}
		past, err := readPast(ctx, tx, project, []memory.EntryID{p.EntryID})
		if err != nil {
			return err
		}
		var all []memory.Remnant
		for _, r := range slices.Backward(past[p.EntryID]) {
			all = append(all, memory.Remnant{Past: r.past(), Author: memory.MemberID(r.Author)})
		}
		jailed, err := one(ctx, tx, "quarantine", jailedRow.jailed, `
			select exists (
				select
				from quarantined
				where project_id = @project and entry_id = @entry and released_rev is null
			) as jailed`,
			pgx.StrictNamedArgs{"project": project, "entry": p.EntryID})
		if err != nil {
			return err
		}
		revs, sums, err := p.Condemn(heads[0], all, jailed)
		if err != nil {
			return err
		}
		if done.Sums = sums; len(revs) == 0 {
			return nil // it was purged before
		}
		w := purgeWriter{
			tx: tx, project: project, entry: heads[0], all: p.Rev == 0, revs: revs, sums: sums, at: p.At, row: row, note: p.Reason,
		}
		if p.Own {
			w.author = p.By.Member
		}
		if w.goes() {
			if err := guardPurge(ctx, tx, k, p); err != nil {
				return err
			}
		}
		if done.Head, err = w.write(ctx, k, all); err != nil {
			return err
		}
		done.Rev, done.Revisions = done.Head.Seq, len(revs)
		done.Elsewhere, err = readElsewhere(ctx, tx, project, sums)
		return err
	})
	return done, s.fault(ctx, "purge", err)
}

type jailedRow struct{ Jailed bool }

func (r jailedRow) jailed() bool { return r.Jailed }

// guardPurge holds a purge of an entry that is there to what may be deleted.
func guardPurge(ctx context.Context, tx pgx.Tx, k known, p memory.Purging) error {
	var lately memory.Deletes
	batch := &pgx.Batch{}
	queueDeleted(batch, p.Project, memory.Lookups{Author: p.By.Member, Device: p.By.Device, Since: p.Since}, &lately)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	return p.Guard(k.heads.Live, lately)
}

// purgeWriter writes one purge, under the project's lock.
type purgeWriter struct {
	tx      pgx.Tx
	project memory.ProjectID
	entry   memory.EntryHead
	all     bool            // of its texts go, and so does the entry
	author  memory.MemberID // whose conflicts and proposals about the entry go with it; "" for everybody's
	revs    []int64
	sums    []memory.Hash
	at      time.Time
	row     memory.AuditRow
	note    string
}

// goes reports whether an entry that is there goes with its texts.
func (w purgeWriter) goes() bool { return w.all && w.entry.DeletedRev == 0 }

// write returns where the project stands afterwards. The change that tells of
// the purge is of the newest revision: if the entry does not go, that stays as
// somebody wrote it, and what is based on it stays so, too.
func (w purgeWriter) write(ctx context.Context, k known, past []memory.Remnant) (memory.Head, error) {
	head, live, newest := k.heads.Head, k.heads.Live, w.entry.Rev
	head.Seq++
	batch := &pgx.Batch{}
	if w.goes() {
		live--
		newest = head.Seq
		head.Digest.Remove(w.entry.Path, w.entry.Sum)
		w.queueRevision(batch, head.Seq)
	}
	if w.all {
		w.queueForget(batch)
	}
	batch.Queue(`
		insert into changes (project_id, seq, entry_id, rev, op, previous_path, digest_after)
		values (@project, @seq, @entry, @rev, 'purge', '', @digest)`,
		pgx.StrictNamedArgs{
			"project": w.project, "seq": head.Seq, "entry": w.entry.ID, "rev": newest, "digest": head.Digest[:],
		})
	w.queueTexts(batch, head.Seq)
	w.queueFindings(batch)
	w.queueCertificates(batch, head.Seq, past)
	batch.Queue(`
		update projects
		set seq = @seq, digest = @digest, live = @live, rewrites = rewrites + 1
		where project_id = @project`,
		pgx.StrictNamedArgs{"project": w.project, "seq": head.Seq, "digest": head.Digest[:], "live": live})
	if err := w.tx.SendBatch(ctx, batch).Close(); err != nil {
		return memory.Head{}, err
	}
	rows, err := w.takeCopies(ctx)
	if err != nil {
		return memory.Head{}, err
	}
	w.row.Before, w.row.Decision = w.entry.Sum, "purged"
	return head, appendProject(ctx, w.tx, w.project, k.chain, append([]memory.AuditRow{w.row}, rows...)...)
}

// queueRevision writes that the entry is gone.
func (w purgeWriter) queueRevision(batch *pgx.Batch, rev int64) {
	batch.Queue(`
		insert into revisions (
			project_id, entry_id, rev, op, path, kind, content, sha256, size, base_rev,
			author, device_id, agent, agent_version, agent_session, agent_model, note, rule_set, at, source_rev
		)
		select project_id, entry_id, @rev, 'delete', path, kind, null, sha256, size, @base,
			@author, @device, '', '', '', '', @note, rule_set, @at, 0
		from revisions
		where project_id = @project and entry_id = @entry and rev = @base`,
		pgx.StrictNamedArgs{
			"project": w.project, "entry": w.entry.ID, "rev": rev, "base": w.entry.Rev, "author": w.row.Actor, "device": w.row.Device,
			"note": w.note, "at": w.at,
		})
	batch.Queue(`
		update entries
		set head_rev = @rev, deleted_rev = @rev, author = @author, updated_at = @at
		where project_id = @project and entry_id = @entry`,
		pgx.StrictNamedArgs{"project": w.project, "entry": w.entry.ID, "rev": rev, "author": w.row.Actor, "at": w.at})
}

// queueForget removes what the texts said of themselves.
func (w purgeWriter) queueForget(batch *pgx.Batch) {
	batch.Queue(`
		update entries
		set name = '', description = ''
		where project_id = @project and entry_id = @entry`,
		pgx.StrictNamedArgs{"project": w.project, "entry": w.entry.ID})
}

func (w purgeWriter) queueTexts(batch *pgx.Batch, rev int64) {
	batch.Queue(`
		update revisions
		set content = null, risks = null, purged = true, withdrawn_rev = @rev
		where project_id = @project and entry_id = @entry and rev = any(@revs)`,
		pgx.StrictNamedArgs{"project": w.project, "entry": w.entry.ID, "rev": rev, "revs": w.revs})
}

// queueFindings settles what was found in the texts, and forgets how the lines
// read.
func (w purgeWriter) queueFindings(batch *pgx.Batch) {
	batch.Queue(`
		update secret_findings
		set excerpt = '', state = 'resolved'
		where project_id = @project and entry_id = @entry and (@all or rev = any(@revs))`,
		pgx.StrictNamedArgs{"project": w.project, "entry": w.entry.ID, "all": w.all, "revs": w.revs})
}

// queueCertificates remembers each text under the names that the entry had with
// it, and under its last one. What others have written, too, is theirs to keep:
// nobody is told to remove it where a member purges only their own.
func (w purgeWriter) queueCertificates(batch *pgx.Batch, rev int64, past []memory.Remnant) {
	named := map[memory.Hash][]string{}
	for _, sum := range w.sums {
		named[sum] = []string{w.entry.Path.Skeleton()}
	}
	for _, r := range past {
		if keys, condemned := named[r.Sum]; condemned && r.Action != memory.ActionDelete {
			named[r.Sum] = append(keys, r.Path.Skeleton())
		}
	}
	var texts [][]byte
	var keys []string
	for _, sum := range w.sums {
		slices.Sort(named[sum])
		for _, key := range slices.Compact(named[sum]) {
			texts, keys = append(texts, sum[:]), append(keys, key)
		}
	}
	batch.Queue(`
		with others as materialized (
			select sha256
			from revisions
			where project_id = @project and sha256 = any(@sums) and op = 'put' and source_rev is null and author <> @author
			union
			select sha256
			from proposals
			where project_id = @project and sha256 = any(@sums) and op = 'put' and author <> @author
			union
			select sha256
			from conflicts
			where project_id = @project and sha256 = any(@sums) and author <> @author
		)
		insert into death_certificates (project_id, sha256, entry_id, path_key, seq, told)
		select @project, u.sum, @entry, u.key, @rev, @author = '' or not exists (select from others where sha256 = u.sum)
		from unnest(@texts::bytea[], @keys::text[]) as u (sum, key)
		on conflict (project_id, sha256, entry_id, path_key) do update
		set told = true, seq = excluded.seq
		where excluded.told and not death_certificates.told`,
		pgx.StrictNamedArgs{
			"project": w.project, "entry": w.entry.ID, "rev": rev, "sums": sums(w.sums), "author": w.author, "texts": texts, "keys": keys,
		})
}

type copyRow struct {
	ID   string
	Open bool
}

// takeCopies removes the texts from conflicts and proposals: the purged ones
// wherever they are, and with the entry all that is about it. Who purges only their
// own takes only their own.
func (w purgeWriter) takeCopies(ctx context.Context) ([]memory.AuditRow, error) {
	args := pgx.StrictNamedArgs{
		"project": w.project, "entry": w.entry.ID, "sums": sums(w.sums), "all": w.all, "author": w.author, "by": w.row.Actor, "at": w.at,
		"note": w.note,
	}
	proposals, err := list(ctx, w.tx, func(r copyRow) copyRow { return r }, `
		update proposals p
		set purged = true, purged_by = @by, purged_at = @at, purged_for = @note, content = null, risks = null, name = '', description = '',
			state = case when p.state = 'pending' then 'withdrawn' else p.state end,
			decided_by = coalesce(p.decided_by, @by), decided_at = coalesce(p.decided_at, @at)
		from proposals o
		where p.project_id = @project and not p.purged
			and (p.sha256 = any(@sums) or @all and p.entry_id = @entry) and (@author = '' or p.author = @author)
			and o.project_id = p.project_id and o.proposal_id = p.proposal_id
		returning p.proposal_id as id, o.state = 'pending' as open`, args)
	if err != nil {
		return nil, err
	}
	conflicts, err := list(ctx, w.tx, func(r copyRow) copyRow { return r }, `
		update conflicts c
		set purged = true, purged_by = @by, purged_at = @at, purged_for = @note, content = null, closed_by = coalesce(c.closed_by, @by), closed_at = coalesce(c.closed_at, @at),
			how = case when c.how = '' then 'theirs' else c.how end
		from conflicts o
		where c.project_id = @project and not c.purged
			and (c.sha256 = any(@sums) or @all and c.entry_id = @entry) and (@author = '' or c.author = @author)
			and o.project_id = c.project_id and o.conflict_id = c.conflict_id
		returning c.conflict_id as id, o.closed_at is null as open`, args)
	if err != nil {
		return nil, err
	}
	var rows []memory.AuditRow
	tell := func(noun string, copies []copyRow) {
		slices.SortFunc(copies, func(a, b copyRow) int { return strings.Compare(a.ID, b.ID) })
		for _, c := range copies {
			row := w.row
			row.Action, row.Object, row.Decision = noun+".purge", c.ID, "purged"
			rows = append(rows, row)
		}
	}
	tell("proposal", proposals)
	tell("conflict", conflicts)
	return rows, w.settleHeld(ctx, rows)
}

// settleHeld is queueFindings for texts that were no entry's.
func (w purgeWriter) settleHeld(ctx context.Context, purged []memory.AuditRow) error {
	var held []string
	for _, row := range purged {
		held = append(held, row.Object)
	}
	_, err := w.tx.Exec(ctx, `
		update secret_findings
		set excerpt = '', state = 'resolved'
		where project_id = @project and held = any(@held) and rev = 0`,
		pgx.StrictNamedArgs{"project": w.project, "held": held})
	return err
}

type erasureRow struct {
	PurgedBy  *string
	ByName    *string
	PurgedAt  *time.Time
	PurgedFor string
}

func (r erasureRow) erasure() memory.Erasure {
	return memory.Erasure{
		By: memory.Author{Member: memory.MemberID(value(r.PurgedBy)), Name: value(r.ByName)}, At: value(r.PurgedAt).UTC(), Reason: r.PurgedFor,
	}
}

// Erasure tells how the text of a proposal or conflict was purged.
func (s *Store) Erasure(ctx context.Context, project memory.ProjectID, object string) (memory.Erasure, error) {
	found, err := one(ctx, s.pool, "purged text", erasureRow.erasure, `
		select x.purged_by, m.name as by_name, x.purged_at, x.purged_for
		from (
			select purged_by, purged_at, purged_for
			from proposals
			where project_id = @project and proposal_id = @object and purged
			union all
			select purged_by, purged_at, purged_for
			from conflicts
			where project_id = @project and conflict_id = @object and purged
		) as x
		left join members m on m.member_id = x.purged_by`,
		pgx.StrictNamedArgs{"project": project, "object": object})
	return found, s.fault(ctx, "read purge", err)
}

type entryIDRow struct{ EntryID string }

func (r entryIDRow) id() memory.EntryID { return memory.EntryID(r.EntryID) }

// readElsewhere finds the entries that still have one of the texts.
func readElsewhere(ctx context.Context, q querier, project memory.ProjectID, texts []memory.Hash) ([]memory.EntryID, error) {
	return list(ctx, q, entryIDRow.id, `
		select distinct entry_id
		from revisions
		where project_id = @project and sha256 = any(@sums) and content is not null
		order by entry_id`,
		pgx.StrictNamedArgs{"project": project, "sums": sums(texts)})
}
