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
func (s *Store) Purge(
	ctx context.Context, project memory.ProjectID, p memory.Purge, by memory.Principal, own bool, at time.Time, row memory.AuditRow,
) (done memory.Purged, err error) {
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
		revs, sums, err := p.Condemn(heads[0], all, by.Member, own)
		if err != nil {
			return err
		}
		if done.Sums = sums; len(revs) == 0 {
			return nil // it was purged before
		}
		w := purgeWriter{tx: tx, project: project, entry: heads[0], all: p.Rev == 0, revs: revs, sums: sums, at: at, row: row, note: p.Reason}
		if own {
			w.author = by.Member
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

// write returns where the project stands afterwards. The change that tells of
// the purge says what the entry is from then on, which is what it was unless all
// of it goes.
func (w purgeWriter) write(ctx context.Context, k known, past []memory.Remnant) (memory.Head, error) {
	head, live, wasLive := k.heads.Head, k.heads.Live, w.entry.DeletedRev == 0
	head.Seq++
	if w.all && wasLive {
		live--
		head.Digest.Remove(w.entry.Path, w.entry.Sum)
	}
	batch := &pgx.Batch{}
	w.queueRevision(batch, head.Seq, w.all || !wasLive)
	queueChanges(batch, memory.Batch{Project: w.project}, []memory.Stored{{
		Action: memory.ActionPurge, EntryID: w.entry.ID, Rev: head.Seq, Digest: head.Digest,
	}})
	w.queueTexts(batch, head.Seq)
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

// queueRevision writes what the entry is after the purge, and forgets what its
// texts said of themselves if there is none any more.
func (w purgeWriter) queueRevision(batch *pgx.Batch, rev int64, gone bool) {
	args := pgx.StrictNamedArgs{
		"project": w.project, "entry": w.entry.ID, "rev": rev, "base": w.entry.Rev, "gone": gone, "author": w.row.Actor,
		"device": w.row.Device, "note": w.note, "at": w.at,
	}
	batch.Queue(`
		insert into revisions (
			project_id, entry_id, rev, op, path, kind, content, sha256, size, base_rev,
			author, device_id, agent, agent_version, agent_session, agent_model, note, rule_set, at
		)
		select project_id, entry_id, @rev::bigint, case when @gone then 'delete' else 'put' end, path, kind,
			case when not @gone then content end, sha256, size, @base::bigint, @author, @device, '', '', '', '', @note, rule_set, @at
		from revisions
		where project_id = @project and entry_id = @entry and rev = @base::bigint`, args)
	batch.Queue(`
		update entries
		set head_rev = @rev, deleted_rev = case when @gone then @rev::bigint end, author = @author, updated_at = @at,
			name = case when @gone then '' else name end, description = case when @gone then '' else description end
		where project_id = @project and entry_id = @entry`,
		pgx.StrictNamedArgs{
			"project": w.project, "entry": w.entry.ID, "rev": rev, "gone": gone, "author": w.row.Actor, "at": w.at,
		})
}

func (w purgeWriter) queueTexts(batch *pgx.Batch, rev int64) {
	batch.Queue(`
		update revisions
		set content = null, withdrawn_rev = @rev
		where project_id = @project and entry_id = @entry and rev = any(@revs)`,
		pgx.StrictNamedArgs{"project": w.project, "entry": w.entry.ID, "rev": rev, "revs": w.revs})
}

// queueCertificates remembers each text under each name that the entry had.
func (w purgeWriter) queueCertificates(batch *pgx.Batch, rev int64, past []memory.Remnant) {
	var keys []string
	for _, r := range past {
		keys = append(keys, r.Path.Skeleton())
	}
	slices.Sort(keys)
	batch.Queue(`
		insert into death_certificates (project_id, sha256, entry_id, path_key, seq)
		select @project, s.sum, @entry, k.key, @rev
		from unnest(@sums::bytea[]) as s (sum), unnest(@keys::text[]) as k (key)
		on conflict (project_id, sha256, entry_id, path_key) do nothing`,
		pgx.StrictNamedArgs{
			"project": w.project, "entry": w.entry.ID, "rev": rev, "sums": sums(w.sums), "keys": slices.Compact(keys),
		})
}

type copyRow struct {
	ID   string
	Open bool
}

// takeCopies removes the texts from conflicts and proposals: the purged ones
// wherever they are, and with the entry all that is about it.
func (w purgeWriter) takeCopies(ctx context.Context) ([]memory.AuditRow, error) {
	args := pgx.StrictNamedArgs{
		"project": w.project, "entry": w.entry.ID, "sums": sums(w.sums), "all": w.all, "author": w.author, "by": w.row.Actor, "at": w.at,
	}
	proposals, err := list(ctx, w.tx, func(r copyRow) copyRow { return r }, `
		update proposals p
		set purged = true, content = null, name = '', description = '',
			state = case when p.state = 'pending' then 'withdrawn' else p.state end,
			decided_by = coalesce(p.decided_by, @by), decided_at = coalesce(p.decided_at, @at)
		from proposals o
		where p.project_id = @project and not p.purged
			and (p.sha256 = any(@sums) or @all and p.entry_id = @entry and (@author = '' or p.author = @author))
			and o.project_id = p.project_id and o.proposal_id = p.proposal_id
		returning p.proposal_id as id, o.state = 'pending' as open`, args)
	if err != nil {
		return nil, err
	}
	conflicts, err := list(ctx, w.tx, func(r copyRow) copyRow { return r }, `
		update conflicts c
		set purged = true, content = null, closed_by = coalesce(c.closed_by, @by), closed_at = coalesce(c.closed_at, @at),
			how = case when c.how = '' then 'theirs' else c.how end
		from conflicts o
		where c.project_id = @project and not c.purged
			and (c.sha256 = any(@sums) or @all and c.entry_id = @entry and (@author = '' or c.author = @author))
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
	return rows, nil
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
