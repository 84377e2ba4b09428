package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// returnWriter writes entries that were brought back to earlier revisions, under
// the project's lock.
type returnWriter struct {
	tx      pgx.Tx
	project memory.ProjectID
	by      memory.MemberID
	device  memory.DeviceID
	at      time.Time
	note    string
	text    memory.Action // of the change that brings a text; what takes one is a withdrawal
}

func (w returnWriter) write(ctx context.Context, b memory.Brought) error {
	if len(b.Done) == 0 {
		return nil
	}
	meta, err := w.meta(ctx, b.Done)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	w.queueEntries(batch, b.Done, meta)
	w.queueRevisions(batch, b.Done)
	w.queueChanges(batch, b.Done)
	batch.Queue(`
		update projects
		set seq = @seq, digest = @digest, live = @live, rewrites = rewrites + 1
		where project_id = @project`,
		pgx.StrictNamedArgs{"project": w.project, "seq": b.Head.Seq, "digest": b.Head.Digest[:], "live": b.Live})
	return w.tx.SendBatch(ctx, batch).Close()
}

type textRow struct {
	EntryID string
	Path    string
	Content []byte
}

// meta reads what the texts that return say of themselves, some at a time.
func (w returnWriter) meta(ctx context.Context, done []memory.Returned) (map[memory.EntryID]memory.Frontmatter, error) {
	const some = 500
	meta := map[memory.EntryID]memory.Frontmatter{}
	for len(done) > 0 {
		n := min(some, len(done))
		var entries []string
		var revs []int64
		for _, d := range done[:n] {
			if !d.Gone {
				entries, revs = append(entries, string(d.Head.ID)), append(revs, d.To.Rev)
			}
		}
		done = done[n:]
		texts, err := list(ctx, w.tx, func(r textRow) textRow { return r }, `
			select r.entry_id, r.path, r.content
			from unnest(@entries::text[], @revs::bigint[]) as wanted (id, rev),
				lateral (
					select entry_id, path, content
					from revisions
					where project_id = @project and entry_id = wanted.id and rev = wanted.rev
					offset 0
				) as r`,
			pgx.StrictNamedArgs{"project": w.project, "entries": entries, "revs": revs})
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			meta[memory.EntryID(t.EntryID)] = memory.ReadFrontmatter(memory.StoredPath(t.Path), string(t.Content))
		}
	}
	return meta, nil
}

// queueEntries brings the entries to their states. All names are given up first,
// so that entries can swap theirs.
func (w returnWriter) queueEntries(batch *pgx.Batch, done []memory.Returned, meta map[memory.EntryID]memory.Frontmatter) {
	var gone, back entryArrays
	var leaving []string
	for _, d := range done {
		e := &entryState{EntryHead: d.Head}
		if d.Head.DeletedRev == 0 {
			leaving = append(leaving, string(d.Head.ID))
		}
		e.Path, e.Rev, e.Sum, e.DeletedRev = d.Path, d.Rev, d.Sum, 0
		if d.Gone {
			e.DeletedRev, e.meta = d.Rev, &memory.Frontmatter{}
			gone.add(e)
			continue
		}
		m := meta[d.Head.ID]
		e.Size, e.meta = d.To.Size, &m
		back.add(e)
	}
	batch.Queue(`
		update entries e
		set path_key = null
		from unnest(@leaving::text[]) as u (entry_id)
		where e.project_id = @project and e.entry_id = u.entry_id`,
		pgx.StrictNamedArgs{"project": w.project, "leaving": leaving})
	batch.Queue(`
		update entries e
		set path_key = u.path_key, head_rev = u.rev, deleted_rev = u.rev, name = '', description = '', author = @author, updated_at = @at
		from unnest(@ids::text[], @keys::text[], @revs::bigint[]) as u (entry_id, path_key, rev)
		where e.project_id = @project and e.entry_id = u.entry_id`,
		pgx.StrictNamedArgs{"project": w.project, "ids": gone.ids, "keys": gone.keys, "revs": gone.revs, "author": w.by, "at": w.at})
	batch.Queue(`
		update entries e
		set path = u.path, path_key = u.path_key, kind = u.kind, name = u.name, description = u.description, head_rev = u.rev,
			sha256 = u.sum, size = u.size, deleted_rev = null, author = @author, updated_at = @at
		from unnest(
			@ids::text[], @paths::text[], @keys::text[], @kinds::text[], @names::text[], @descriptions::text[],
			@revs::bigint[], @sums::bytea[], @sizes::int[]
		) as u (entry_id, path, path_key, kind, name, description, rev, sum, size)
		where e.project_id = @project and e.entry_id = u.entry_id`,
		pgx.StrictNamedArgs{
			"project": w.project, "ids": back.ids, "paths": back.paths, "keys": back.keys, "kinds": back.kinds, "names": back.names,
			"descriptions": back.descriptions, "revs": back.revs, "sums": back.sums, "sizes": back.sizes, "author": w.by, "at": w.at,
		})
}

// queueRevisions copies the texts that return. A delete takes over what the
// newest revision says of the text that went.
func (w returnWriter) queueRevisions(batch *pgx.Batch, done []memory.Returned) {
	var entries, ops, paths []string
	var revs, bases, sources []int64
	for _, d := range done {
		op, source := memory.ActionPut, d.To.Rev
		if d.Gone {
			op, source = memory.ActionDelete, d.Head.Rev
		}
		entries, ops, paths = append(entries, string(d.Head.ID)), append(ops, string(op)), append(paths, d.Path.String())
		revs, bases, sources = append(revs, d.Rev), append(bases, d.Head.Rev), append(sources, source)
	}
	batch.Queue(`
		insert into revisions (
			project_id, entry_id, rev, op, path, kind, content, sha256, size, base_rev,
			author, device_id, agent, agent_version, agent_session, agent_model, note, rule_set, risks, at, source_rev
		)
		select @project, u.entry_id, u.rev, u.op, u.path, r.kind, case when u.op <> 'delete' then r.content end, r.sha256, r.size, u.base,
			@author, @device, '', '', '', '', @note, r.rule_set, case when u.op <> 'delete' then r.risks end, @at, case when u.op <> 'delete' then u.source else 0 end
		from unnest(@entries::text[], @revs::bigint[], @ops::text[], @paths::text[], @bases::bigint[], @sources::bigint[])
				as u (entry_id, rev, op, path, base, source),
			lateral (
				select kind, content, sha256, size, rule_set, risks
				from revisions
				where project_id = @project and entry_id = u.entry_id and rev = u.source
				offset 0
			) as r`,
		pgx.StrictNamedArgs{
			"project": w.project, "entries": entries, "revs": revs, "ops": ops, "paths": paths, "bases": bases, "sources": sources,
			"author": w.by, "device": w.device, "note": w.note, "at": w.at,
		})
}

func (w returnWriter) queueChanges(batch *pgx.Batch, done []memory.Returned) {
	var stored []memory.Stored
	for _, d := range done {
		action := w.text
		if d.Gone {
			action = memory.ActionWithdraw
		}
		stored = append(stored, memory.Stored{Action: action, EntryID: d.Head.ID, Rev: d.Rev, Previous: d.Previous, Digest: d.Digest})
	}
	queueChanges(batch, memory.Batch{Project: w.project}, stored)
}

// returnRows tells the audit of each entry, like the row of the whole.
func returnRows(whole memory.AuditRow, action string, b memory.Brought) []memory.AuditRow {
	rows := make([]memory.AuditRow, len(b.Done))
	for i, d := range b.Done {
		row := whole
		row.Action, row.Object, row.Before = action, string(d.Head.ID), d.Head.Sum
		if !d.Gone {
			row.After = d.Sum
		}
		rows[i] = row
	}
	return rows
}
