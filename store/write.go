package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// write writes what was decided about a batch in one round trip. New texts,
// of which a first upload has thousands, are fed to one statement a table as
// arrays; moves and deletes are single statements by their key. More rows of
// the audit can go with it.
func write(ctx context.Context, tx pgx.Tx, b memory.Batch, k known, j memory.Judgement, more ...memory.AuditRow) error {
	batch := &pgx.Batch{}
	queueProposals(batch, b, j)
	queueSettled(batch, b, j)
	if len(j.Stored) > 0 {
		names := map[memory.EntryID]memory.EntryHead{}
		for _, h := range k.heads.Entries {
			names[h.ID] = h
		}
		queueEntries(batch, b, names, j.Stored)
		queueTexts(batch, b, k.texts, j.Stored)
		queueCopies(batch, b, names, j.Stored)
		queueChanges(batch, b, j.Stored)
		batch.Queue(`
			update projects
			set seq = @seq, digest = @digest, live = @live
			where project_id = @project`,
			pgx.StrictNamedArgs{"project": b.Project, "seq": j.Head.Seq, "digest": j.Head.Digest[:], "live": j.Live})
	}
	if rows := slices.Concat(auditRows(b, j.Stored), proposalRows(b, j), more); len(rows) > 0 {
		if err := queueAudit(batch, string(b.Project), k.chain, rows); err != nil {
			return err
		}
	}
	if err := queuePushKey(batch, b, receiptOf(b, j)); err != nil {
		return err
	}
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}

// entryState is an entry after the batch, which may have changed it several
// times.
type entryState struct {
	memory.EntryHead
	meta *memory.Frontmatter // of the last text; nil: as it was
}

// finalStates folds the stored ops of each entry into one state.
func finalStates(heads map[memory.EntryID]memory.EntryHead, stored []memory.Stored) []*entryState {
	var order []*entryState
	states := map[memory.EntryID]*entryState{}
	for _, op := range stored {
		e := states[op.EntryID]
		if e == nil {
			e = &entryState{EntryHead: heads[op.EntryID]}
			states[op.EntryID], order = e, append(order, e)
		}
		e.ID, e.Path, e.Rev, e.Sum, e.DeletedRev = op.EntryID, op.Path, op.Rev, op.Sum, 0
		switch op.Action {
		case memory.ActionPut:
			e.Size, e.meta = op.Write.Content.Size(), &op.Write.Meta
		case memory.ActionDelete:
			e.DeletedRev = op.Rev
		default: // a move has its path already
		}
	}
	return order
}

// queueEntries brings the entries to their final states. Names that change
// hands are given up first, so that two entries can swap theirs.
func queueEntries(batch *pgx.Batch, b memory.Batch, heads map[memory.EntryID]memory.EntryHead, stored []memory.Stored) {
	states := finalStates(heads, stored)
	var made, put entryArrays
	for _, e := range states {
		was, existed := heads[e.ID]
		if existed && was.DeletedRev == 0 && (was.Path != e.Path || e.DeletedRev > 0) {
			batch.Queue(`
				update entries
				set path_key = null
				where project_id = @project and entry_id = @entry`,
				pgx.StrictNamedArgs{"project": b.Project, "entry": e.ID})
		}
		switch {
		case !existed:
			made.add(e)
		case e.meta != nil:
			put.add(e)
		}
	}
	if len(put.ids) > 0 {
		queuePutEntries(batch, b, put)
	}
	if len(made.ids) > 0 {
		queueNewEntries(batch, b, made)
	}
	for _, e := range states {
		if e.meta == nil {
			queueKeptEntry(batch, b, e)
		}
	}
}

// entryArrays are columns of entries.
type entryArrays struct {
	ids, paths, keys           []string
	kinds, names, descriptions []string
	revs                       []int64
	sums                       [][]byte
	sizes                      []int
	deletedRevs                []*int64
}

func (a *entryArrays) add(e *entryState) {
	a.ids = append(a.ids, string(e.ID))
	a.paths = append(a.paths, e.Path.String())
	a.keys = append(a.keys, e.Path.Skeleton())
	a.revs = append(a.revs, e.Rev)
	a.sums = append(a.sums, e.Sum[:])
	a.sizes = append(a.sizes, e.Size)
	a.deletedRevs = append(a.deletedRevs, nonZero(e.DeletedRev))
	a.kinds = append(a.kinds, string(e.meta.Kind))
	a.names = append(a.names, e.meta.Name)
	a.descriptions = append(a.descriptions, e.meta.Description)
}

func (a *entryArrays) args(b memory.Batch) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"project": b.Project, "ids": a.ids, "paths": a.paths, "keys": a.keys, "kinds": a.kinds, "names": a.names,
		"descriptions": a.descriptions, "revs": a.revs, "sums": a.sums, "sizes": a.sizes, "deleted_revs": a.deletedRevs,
		"author": b.Author(), "at": b.At,
	}
}

// queueNewEntries writes entries that there were not. That is all that a first
// upload does, and looking for each in vain would cost a third more.
func queueNewEntries(batch *pgx.Batch, b memory.Batch, a entryArrays) {
	batch.Queue(`
		insert into entries (
			project_id, entry_id, path, path_key, kind, name, description, head_rev, sha256, size, deleted_rev, author, updated_at
		)
		select @project, u.entry_id, u.path, u.path_key, u.kind, u.name, u.description, u.rev, u.sum, u.size, u.deleted_rev, @author, @at
		from unnest(
			@ids::text[], @paths::text[], @keys::text[], @kinds::text[], @names::text[], @descriptions::text[],
			@revs::bigint[], @sums::bytea[], @sizes::int[], @deleted_revs::bigint[]
		) as u (entry_id, path, path_key, kind, name, description, rev, sum, size, deleted_rev)`,
		a.args(b))
}

// queuePutEntries writes entries that have a new text.
func queuePutEntries(batch *pgx.Batch, b memory.Batch, a entryArrays) {
	batch.Queue(`
		insert into entries (
			project_id, entry_id, path, path_key, kind, name, description, head_rev, sha256, size, deleted_rev, author, updated_at
		)
		select @project, u.entry_id, u.path, u.path_key, u.kind, u.name, u.description, u.rev, u.sum, u.size, u.deleted_rev, @author, @at
		from unnest(
			@ids::text[], @paths::text[], @keys::text[], @kinds::text[], @names::text[], @descriptions::text[],
			@revs::bigint[], @sums::bytea[], @sizes::int[], @deleted_revs::bigint[]
		) as u (entry_id, path, path_key, kind, name, description, rev, sum, size, deleted_rev)
		on conflict (project_id, entry_id) do update
		set path = excluded.path, path_key = excluded.path_key, kind = excluded.kind, name = excluded.name,
			description = excluded.description, head_rev = excluded.head_rev, sha256 = excluded.sha256, size = excluded.size,
			deleted_rev = excluded.deleted_rev, author = excluded.author, updated_at = excluded.updated_at`,
		a.args(b))
}

// queueKeptEntry writes an entry that moved or was deleted with its text as it
// was.
func queueKeptEntry(batch *pgx.Batch, b memory.Batch, e *entryState) {
	batch.Queue(`
		update entries
		set path = @path, path_key = @key, head_rev = @rev, deleted_rev = @deleted_rev, author = @author, updated_at = @at
		where project_id = @project and entry_id = @entry`,
		pgx.StrictNamedArgs{
			"project": b.Project, "entry": e.ID, "path": e.Path.String(), "key": e.Path.Skeleton(), "rev": e.Rev,
			"deleted_rev": nonZero(e.DeletedRev), "author": b.Author(), "at": b.At,
		})
}

// authorship returns the arguments that all revisions of a batch share.
func authorship(b memory.Batch) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"project": b.Project, "author": b.Author(), "device": b.Device, "at": b.At,
		"agent": b.Agent.Name, "agent_version": b.Agent.Version, "agent_session": b.Agent.Session, "agent_model": b.Agent.Model,
	}
}

// queueTexts writes the revisions that bring a text.
func queueTexts(batch *pgx.Batch, b memory.Batch, t texts, stored []memory.Stored) {
	var ids, paths, kinds, notes, ruleSets []string
	var risks []*string
	var revs, bases []int64
	var starts, sizes []int
	var hashes [][]byte
	for _, op := range stored {
		if op.Action != memory.ActionPut {
			continue
		}
		ids, paths = append(ids, string(op.EntryID)), append(paths, op.Path.String())
		kinds, notes = append(kinds, string(op.Write.Meta.Kind)), append(notes, op.Write.Note)
		revs, bases = append(revs, op.Rev), append(bases, op.BaseRev)
		starts, sizes = append(starts, t.starts[op.Item]), append(sizes, op.Write.Content.Size())
		hashes, ruleSets = append(hashes, op.Sum[:]), append(ruleSets, op.Write.Content.RuleSet())
		risks = append(risks, storedRisks(op.Write.Risks))
	}
	if len(ids) == 0 {
		return
	}
	args := authorship(b)
	args["ids"], args["revs"], args["paths"], args["kinds"], args["starts"], args["sizes"] = ids, revs, paths, kinds, starts, sizes
	args["sums"], args["bases"], args["notes"], args["rule_sets"], args["texts"] = hashes, bases, notes, ruleSets, t.row
	args["risks"] = risks
	batch.Queue(`
		insert into revisions (
			project_id, entry_id, rev, op, path, kind, content, sha256, size, base_rev,
			author, device_id, agent, agent_version, agent_session, agent_model, note, rule_set, risks, at
		)
		select @project, u.entry_id, u.rev, 'put', u.path, u.kind, substring(t.texts from u.start for u.size), u.sum, u.size, u.base,
			@author, @device, @agent, @agent_version, @agent_session, @agent_model, u.note, u.rule_set, u.risks::jsonb, @at
		from unnest(
			@ids::text[], @revs::bigint[], @paths::text[], @kinds::text[], @starts::int[], @sizes::int[], @sums::bytea[],
			@bases::bigint[], @notes::text[], @rule_sets::text[], @risks::text[]
		) as u (entry_id, rev, path, kind, start, size, sum, base, note, rule_set, risks),
			(select @texts::bytea as texts) as t`,
		args)
}

// queueCopies writes the revisions that bring no text: they take over what the
// newest revision with a text says. It may be one of this very batch, so they
// are written after those.
func queueCopies(batch *pgx.Batch, b memory.Batch, heads map[memory.EntryID]memory.EntryHead, stored []memory.Stored) {
	source := map[memory.EntryID]int64{}
	for _, op := range stored {
		if op.Action == memory.ActionPut {
			source[op.EntryID] = op.Rev
			continue
		}
		if source[op.EntryID] == 0 {
			source[op.EntryID] = heads[op.EntryID].Rev
		}
		args := authorship(b)
		args["entry"], args["rev"], args["op"], args["path"] = op.EntryID, op.Rev, op.Action, op.Path.String()
		args["base"], args["source"], args["note"] = op.BaseRev, source[op.EntryID], op.Write.Note
		batch.Queue(`
			insert into revisions (
				project_id, entry_id, rev, op, path, kind, content, sha256, size, base_rev,
				author, device_id, agent, agent_version, agent_session, agent_model, note, rule_set, risks, at
			)
			select @project, entry_id, @rev, @op, @path, kind, case when @op <> 'delete' then content end, sha256, size, @base,
				@author, @device, @agent, @agent_version, @agent_session, @agent_model, @note, rule_set, case when @op <> 'delete' then risks end, @at
			from revisions
			where project_id = @project and entry_id = @entry and rev = @source`,
			args)
	}
}

func queueChanges(batch *pgx.Batch, b memory.Batch, stored []memory.Stored) {
	var ids, ops, previous []string
	var seqs []int64
	var digests [][]byte
	for _, op := range stored {
		ids, ops = append(ids, string(op.EntryID)), append(ops, string(op.Action))
		previous, seqs = append(previous, op.Previous.String()), append(seqs, op.Rev)
		digests = append(digests, op.Digest[:])
	}
	batch.Queue(`
		insert into changes (project_id, seq, entry_id, rev, op, previous_path, digest_after)
		select @project, u.seq, u.entry_id, u.seq, u.op, u.previous, u.digest
		from unnest(
			@seqs::bigint[], @ids::text[], @ops::text[], @previous::text[], @digests::bytea[]
		) as u (seq, entry_id, op, previous, digest)`,
		pgx.StrictNamedArgs{
			"project": b.Project, "seqs": seqs, "ids": ids, "ops": ops, "previous": previous, "digests": digests,
		})
}

// auditRows tells what the batch did, a row an op.
func auditRows(b memory.Batch, stored []memory.Stored) []memory.AuditRow {
	var rows []memory.AuditRow
	for _, op := range stored {
		row := actor(b, "entry."+string(op.Action), string(op.EntryID))
		row.Decision = string(memory.RulingPublished)
		row.Before = op.Before
		if op.Action != memory.ActionDelete {
			row.After = op.Sum
		}
		rows = append(rows, row)
	}
	return rows
}

// actor starts a row about something that the batch did: its author from the
// author's computer, or the reviewer who approved it.
func actor(b memory.Batch, action, object string) memory.AuditRow {
	row := b.By.Row(b.At, action, object)
	if b.Approves.Proposal == "" {
		row.Device = b.Device
	}
	return row
}
