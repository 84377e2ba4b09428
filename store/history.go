package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type revisionRow struct {
	EntryID      string
	Rev          int64
	Op           string
	Path         string
	Content      []byte
	SHA256       []byte
	Size         int
	BaseRev      int64
	Author       string
	AuthorName   string
	DeviceID     string
	Agent        string
	AgentVersion string
	AgentSession string
	AgentModel   string
	Note         string
	RuleSet      string
	Risks        []storedRisk
	At           time.Time
	WithdrawnRev *int64
	Purged       bool
}

func (r revisionRow) revision() memory.Revision {
	return memory.Revision{
		EntryID: memory.EntryID(r.EntryID), Rev: r.Rev, Action: memory.Action(r.Op), Path: memory.StoredPath(r.Path),
		Content: r.Content, Sum: memory.Hash(r.SHA256), Size: r.Size, BaseRev: r.BaseRev,
		Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, Device: memory.DeviceID(r.DeviceID),
		Agent: memory.Agent{Name: r.Agent, Version: r.AgentVersion, Session: r.AgentSession, Model: r.AgentModel},
		Note:  r.Note, RuleSet: r.RuleSet, Risks: risksOf(r.Risks), At: r.At.UTC(), WithdrawnRev: value(r.WithdrawnRev), Purged: r.Purged,
	}
}

// Revisions returns the stored revisions that were asked for, in that order;
// unknown ones are left out. It stops after the one that brings the sum of
// sizes above maxBytes, and the contents behind it are never read.
func (s *Store) Revisions(ctx context.Context, project memory.ProjectID, refs []memory.RevisionRef, maxBytes int) ([]memory.Revision, error) {
	entries, revs := make([]string, len(refs)), make([]int64, len(refs))
	for i, ref := range refs {
		entries[i], revs[i] = string(ref.EntryID), ref.Rev
	}
	found, err := list(ctx, s.pool, revisionRow.revision, `
		select r.entry_id, r.rev, r.op, r.path, r.content, r.sha256, r.size, r.base_rev, r.author, m.name as author_name,
			r.device_id, r.agent, r.agent_version, r.agent_session, r.agent_model, r.note, r.rule_set, r.risks, r.at, r.withdrawn_rev,
			r.purged
		from (
			select found.*, wanted.place, sum(found.size) over (order by wanted.place) - found.size as before
			from unnest(@entries::text[], @revs::bigint[]) with ordinality as wanted (entry_id, rev, place),
				lateral (
					select entry_id, rev, op, path, content, sha256, size, base_rev, author,
						device_id, agent, agent_version, agent_session, agent_model, note, rule_set, risks, at, withdrawn_rev, purged
					from revisions
					where project_id = @project and entry_id = wanted.entry_id and rev = wanted.rev
					offset 0
				) as found
		) as r
		join members m on m.member_id = r.author
		where r.before <= @max_bytes
		order by r.place`,
		pgx.StrictNamedArgs{"project": project, "entries": entries, "revs": revs, "max_bytes": maxBytes})
	return found, s.fault(ctx, "read revisions", err)
}

// History returns the revisions of an entry without contents, newest first,
// below the given rev (0: from the newest).
func (s *Store) History(
	ctx context.Context, project memory.ProjectID, id memory.EntryID, below int64, limit int,
) ([]memory.Revision, error) {
	found, err := list(ctx, s.pool, revisionRow.revision, `
		select r.entry_id, r.rev, r.op, r.path, null::bytea as content, r.sha256, r.size, r.base_rev, r.author, m.name as author_name,
			r.device_id, r.agent, r.agent_version, r.agent_session, r.agent_model, r.note, r.rule_set, r.risks, r.at, r.withdrawn_rev,
			r.purged
		from revisions r
		join members m on m.member_id = r.author
		where r.project_id = @project and r.entry_id = @entry and (@below::bigint = 0 or r.rev < @below)
		order by r.rev desc
		limit @limit`,
		pgx.StrictNamedArgs{"project": project, "entry": id, "below": below, "limit": limit})
	return found, s.fault(ctx, "read history", err)
}

type exportRow struct {
	revisionRow

	Live bool
}

// Export calls write with the newest revision of each live entry, or with
// every revision, in the order in which they were written, and returns the
// head that they belong to. All is read at one point in time.
func (s *Store) Export(
	ctx context.Context, project memory.ProjectID, history bool, write func(r memory.Revision, live bool) error,
) (head memory.Head, err error) {
	var stopped error // by write, whose errors are its own
	err = s.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		if head, err = readHead(ctx, tx, project); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			select r.entry_id, r.rev, r.op, r.path, r.content, r.sha256, r.size, r.base_rev, r.author, m.name as author_name,
				r.device_id, r.agent, r.agent_version, r.agent_session, r.agent_model, r.note, r.rule_set, r.risks, r.at, r.withdrawn_rev,
				r.purged, e.head_rev = r.rev and e.deleted_rev is null as live
			from revisions r
			join entries e on e.project_id = r.project_id and e.entry_id = r.entry_id
			join members m on m.member_id = r.author
			where r.project_id = @project and (@history or (e.head_rev = r.rev and e.deleted_rev is null))
			order by r.rev`,
			pgx.StrictNamedArgs{"project": project, "history": history})
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() && stopped == nil {
			row, err := pgx.RowToStructByName[exportRow](rows)
			if err != nil {
				return err
			}
			stopped = write(row.revision(), row.Live)
		}
		return rows.Err()
	})
	if stopped != nil {
		return memory.Head{}, stopped
	}
	return head, s.fault(ctx, "export", err)
}
