package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// ReleaseQuarantine makes the newest again what was before the quarantine, where
// nothing came after it and nothing is in the way. One transaction releases all
// that it can.
func (s *Store) ReleaseQuarantine(
	ctx context.Context, asked memory.Releasing, row memory.AuditRow,
) (q memory.Quarantine, err error) {
	project := asked.Project
	err = s.inLocked(ctx, project, func(tx pgx.Tx, k known) error {
		if err := manyRows(ctx, tx); err != nil {
			return err
		}
		if q, err = readQuarantine(ctx, tx, project, asked.Quarantine); err != nil {
			return err
		}
		r, stuck, err := readReturns(ctx, tx, k.heads.Head, asked.Screened, q, row.Actor)
		if err != nil {
			return err
		}
		brought := r.Bring()
		for _, b := range brought.Stuck {
			stuck[b.Head.ID] = memory.StuckTaken
		}
		q.Head = brought.Head
		if len(brought.Done) == 0 {
			released(&q, nil, stuck)
			return nil
		}
		w := returnWriter{tx: tx, project: project, by: row.Actor, device: row.Device, at: asked.At, note: asked.Reason, text: memory.ActionPut}
		if err := w.write(ctx, brought); err != nil {
			return err
		}
		revs := map[memory.EntryID]int64{}
		for _, d := range brought.Done {
			revs[d.Head.ID] = d.Rev
		}
		released(&q, revs, stuck)
		if err := writeReleased(ctx, tx, q, revs); err != nil {
			return err
		}
		row.Decision = "released"
		rows := append([]memory.AuditRow{row}, returnRows(row, "entry.release", brought)...)
		return appendProject(ctx, tx, project, k.chain, rows...)
	})
	return q, s.fault(ctx, "release quarantine", err)
}

// readReturns finds what each entry returns to, and which cannot when a member
// releases.
func readReturns(
	ctx context.Context, tx pgx.Tx, head memory.Head, done memory.Screened, q memory.Quarantine, by memory.MemberID,
) (memory.Returns, map[memory.EntryID]memory.Stuck, error) {
	r, stuck := memory.Returns{Head: head, Whole: true}, map[memory.EntryID]memory.Stuck{}
	var entries []memory.EntryID
	was := map[memory.EntryID]memory.Quarantined{}
	for _, e := range q.Entries {
		if e.Released == 0 {
			entries, was[e.EntryID] = append(entries, e.EntryID), e
		}
	}
	heads, err := readHeadsOf(ctx, tx, q.Project, entries)
	if err != nil {
		return r, nil, err
	}
	past, err := readPast(ctx, tx, q.Project, entries)
	if err != nil {
		return r, nil, err
	}
	var items []memory.Return
	stands := map[memory.EntryID]bool{}
	for _, h := range heads {
		item := memory.Return{Head: h}
		var revisions []memory.Past
		for _, r := range past[h.ID] {
			p := r.past()
			if revisions = append(revisions, p); p.Rev == was[h.ID].Was {
				item.To = p
			}
		}
		stands[h.ID] = memory.Stems(revisions, was[h.ID].Rev)
		items = append(items, item)
	}
	if err := sift(done)(ctx, tx, q.Project, items); err != nil {
		return r, nil, err
	}
	for _, item := range items {
		switch h := item.Head; {
		case item.To.Purged:
			stuck[h.ID] = memory.StuckPurged
		case !stands[h.ID]:
			stuck[h.ID] = memory.StuckChanged
		case item.To.Unfit:
			stuck[h.ID] = memory.StuckRefused
		case q.Own(was[h.ID], by):
			stuck[h.ID] = memory.StuckOwn
		default:
			r.Items = append(r.Items, item)
		}
	}
	return r, stuck, readStanding(ctx, tx, q.Project, &r)
}

// released notes in the quarantine what became of its entries.
func released(q *memory.Quarantine, revs map[memory.EntryID]int64, stuck map[memory.EntryID]memory.Stuck) {
	for i := range q.Entries {
		e := &q.Entries[i]
		if rev := revs[e.EntryID]; rev > 0 {
			e.Released = rev
			q.Released++
		}
		e.Stuck = stuck[e.EntryID]
	}
}

// writeReleased notes what was released, and lets it be seen again.
func writeReleased(ctx context.Context, tx pgx.Tx, q memory.Quarantine, revs map[memory.EntryID]int64) error {
	var entries []string
	var withdrawn, back []int64
	for _, e := range q.Entries {
		if revs[e.EntryID] > 0 {
			entries, withdrawn, back = append(entries, string(e.EntryID)), append(withdrawn, e.Rev), append(back, e.Released)
		}
	}
	args := pgx.StrictNamedArgs{
		"project": q.Project, "quarantine": q.ID, "entries": entries, "revs": back, "withdrawn": withdrawn,
	}
	batch := &pgx.Batch{}
	batch.Queue(`
		update quarantined q
		set released_rev = u.rev
		from unnest(@entries::text[], @revs::bigint[], @withdrawn::bigint[]) as u (entry_id, rev, withdrawn)
		where q.project_id = @project and q.quarantine_id = @quarantine and q.entry_id = u.entry_id and q.rev = u.withdrawn`, args)
	batch.Queue(`
		update revisions r
		set withdrawn_rev = null
		from unnest(@entries::text[], @withdrawn::bigint[]) as u (entry_id, withdrawn)
		where r.project_id = @project and r.entry_id = u.entry_id and r.withdrawn_rev = u.withdrawn and r.content is not null`,
		pgx.StrictNamedArgs{"project": q.Project, "entries": entries, "withdrawn": withdrawn})
	return tx.SendBatch(ctx, batch).Close()
}

type quarantineRow struct {
	ProjectID    string
	QuarantineID string
	MemberID     string
	DeviceID     string
	TokenID      string
	AgentSession string
	Since        *time.Time
	Reason       string
	Author       string
	AuthorName   string
	At           time.Time
	Kept         int
	Proposals    int
	Withdrawn    int
	Released     int
}

func (r quarantineRow) quarantine() memory.Quarantine {
	return memory.Quarantine{
		ID: memory.QuarantineID(r.QuarantineID), Project: memory.ProjectID(r.ProjectID), Suspects: memory.Suspects{
			Member: memory.MemberID(r.MemberID), Device: memory.DeviceID(r.DeviceID), Token: memory.TokenID(r.TokenID),
			Session: r.AgentSession, Since: value(r.Since).UTC(),
		},
		Reason: r.Reason, By: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, At: r.At.UTC(),
		Withdrawn: r.Withdrawn, Released: r.Released, Kept: r.Kept, Proposals: r.Proposals,
	}
}

// Quarantine returns one quarantine with its entries.
func (s *Store) Quarantine(ctx context.Context, project memory.ProjectID, id memory.QuarantineID) (q memory.Quarantine, err error) {
	err = s.inSnapshot(ctx, func(tx pgx.Tx) error {
		q, err = readQuarantine(ctx, tx, project, id)
		return err
	})
	return q, s.fault(ctx, "read quarantine", err)
}

func readQuarantine(ctx context.Context, tx pgx.Tx, project memory.ProjectID, id memory.QuarantineID) (memory.Quarantine, error) {
	q, err := one(ctx, tx, "quarantine", quarantineRow.quarantine, `
		select q.project_id, q.quarantine_id, q.member_id, q.device_id, q.token_id, q.agent_session, q.since, q.reason,
			q.author, m.name as author_name, q.at, q.kept, q.proposals, n.withdrawn, n.released
		from quarantines q
		join members m on m.member_id = q.author
		cross join lateral (
			select count(*) as withdrawn, count(e.released_rev) as released
			from quarantined e
			where e.project_id = q.project_id and e.quarantine_id = q.quarantine_id
		) as n
		where q.project_id = @project and q.quarantine_id = @quarantine`,
		pgx.StrictNamedArgs{"project": project, "quarantine": id})
	if err != nil {
		return q, err
	}
	q.Entries, err = list(ctx, tx, quarantinedRow.quarantined, `
		select q.entry_id, r.path, q.rev, q.was_rev, r.author, w.author as writer, q.back_rev, q.released_rev
		from quarantined q
		cross join lateral (
			select path, author, sha256
			from revisions
			where project_id = q.project_id and entry_id = q.entry_id and rev = q.was_rev
			offset 0
		) as r
		left join lateral (
			select author
			from revisions
			where project_id = q.project_id and entry_id = q.entry_id and rev <= q.was_rev
				and op = 'put' and source_rev is null and sha256 = r.sha256
			order by rev desc
			limit 1
		) as w on true
		where q.project_id = @project and q.quarantine_id = @quarantine
		order by r.path, q.entry_id`,
		pgx.StrictNamedArgs{"project": project, "quarantine": id})
	return q, err
}

type quarantinedRow struct {
	EntryID     string
	Path        string
	Rev         int64
	WasRev      int64
	Author      string
	Writer      *string
	BackRev     int64
	ReleasedRev *int64
}

func (r quarantinedRow) quarantined() memory.Quarantined {
	return memory.Quarantined{
		EntryID: memory.EntryID(r.EntryID), Path: memory.StoredPath(r.Path), Rev: r.Rev, Was: r.WasRev,
		Author: memory.MemberID(r.Author), Writer: memory.MemberID(value(r.Writer)), Back: r.BackRev, Released: value(r.ReleasedRev),
	}
}

// Quarantines returns a page of quarantines without their entries, newest first.
func (s *Store) Quarantines(ctx context.Context, project memory.ProjectID, q memory.QuarantineQuery) ([]memory.Quarantine, error) {
	found, err := list(ctx, s.pool, quarantineRow.quarantine, `
		select q.project_id, q.quarantine_id, q.member_id, q.device_id, q.token_id, q.agent_session, q.since, q.reason,
			q.author, m.name as author_name, q.at, q.kept, q.proposals, n.withdrawn, n.released
		from (
			select project_id, quarantine_id, member_id, device_id, token_id, agent_session, since, reason, author, at, kept, proposals
			from quarantines
			where project_id = @project and (@after_id = '' or (at, quarantine_id) < (@after_at, @after_id))
			order by at desc, quarantine_id desc
			limit @limit
		) as q
		join members m on m.member_id = q.author
		cross join lateral (
			select count(*) as withdrawn, count(e.released_rev) as released
			from quarantined e
			where e.project_id = q.project_id and e.quarantine_id = q.quarantine_id
		) as n
		order by q.at desc, q.quarantine_id desc`,
		pgx.StrictNamedArgs{"project": project, "after_at": q.After.At, "after_id": q.After.ID, "limit": q.Limit})
	return found, s.fault(ctx, "read quarantines", err)
}
