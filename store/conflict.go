package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type conflictRow struct {
	ProjectID  string
	ConflictID string
	Path       string
	EntryID    string
	BaseRev    int64
	ServerRev  int64
	Content    []byte
	SHA256     []byte
	Size       int
	Author     string
	AuthorName string
	DeviceID   string
	RuleSet    string
	KeptAt     time.Time
	At         time.Time
	ClosedBy   *string
	CloserName *string
	ClosedAt   *time.Time
	How        string
	ClosedRev  *int64
	ClosedInto string
	Proposal   string
	Purged     bool
}

func (r conflictRow) conflict() memory.Conflict {
	c := memory.Conflict{
		ID: memory.ConflictID(r.ConflictID), Project: memory.ProjectID(r.ProjectID), Path: memory.StoredPath(r.Path),
		EntryID: memory.EntryID(r.EntryID), BaseRev: r.BaseRev, ServerRev: r.ServerRev, Content: r.Content, Sum: memory.Hash(r.SHA256),
		Size: r.Size, Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, Device: memory.DeviceID(r.DeviceID),
		RuleSet: r.RuleSet, KeptAt: r.KeptAt.UTC(), At: r.At.UTC(), Purged: r.Purged,
	}
	if r.ClosedBy != nil {
		c.Closed = &memory.Resolution{
			By: memory.Author{Member: memory.MemberID(*r.ClosedBy), Name: value(r.CloserName)}, At: value(r.ClosedAt).UTC(),
			How: memory.How(r.How), Rev: value(r.ClosedRev), EntryID: memory.EntryID(r.ClosedInto), Proposal: memory.ProposalID(r.Proposal),
		}
	}
	return c
}

// KeepConflict stores a conflict, unless its id is there, and returns what is
// stored under it. The project's row is held, so two reports of one conflict
// and the count of its author's are one after the other.
func (s *Store) KeepConflict(
	ctx context.Context, c memory.Conflict, text memory.Clean, most int, row memory.AuditRow,
) (kept memory.Conflict, err error) {
	if c.Path.IsZero() || text.IsZero() {
		return kept, &memory.Error{Code: memory.CodeInternal, Message: "a text that was never screened is not stored"}
	}
	err = s.inProject(ctx, c.Project, func(tx pgx.Tx, chain link) error {
		kept, err = readConflict(ctx, tx, c.Project, c.ID)
		if memory.CodeOf(err) != memory.CodeNotFound {
			return err
		}
		if err := roomForConflict(ctx, tx, c, most); err != nil {
			return err
		}
		purged, err := readCertificates(ctx, tx, c.Project, []memory.Hash{c.Sum})
		if err != nil {
			return err
		}
		if err := c.Refuse(purged); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			insert into conflicts (
				project_id, conflict_id, path, entry_id, base_rev, server_rev, content, sha256, size, author, device_id, rule_set, kept_at, at
			) values (
				@project, @conflict, @path, @entry, @base, @server, @content, @sum, @size, @author, @device, @rules, @kept, @at
			)`,
			pgx.StrictNamedArgs{
				"project": c.Project, "conflict": c.ID, "path": c.Path.String(), "entry": c.EntryID, "base": c.BaseRev, "server": c.ServerRev,
				"content": text.Bytes(), "sum": c.Sum[:], "size": c.Size, "author": c.Author.Member, "device": c.Device, "rules": c.RuleSet,
				"kept": c.KeptAt, "at": c.At,
			})
		if err != nil {
			return err
		}
		if err := appendProject(ctx, tx, c.Project, chain, row); err != nil {
			return err
		}
		kept, err = readConflict(ctx, tx, c.Project, c.ID)
		return err
	})
	return kept, s.fault(ctx, "keep conflict", err)
}

// roomForConflict refuses more open conflicts of one author than may be.
func roomForConflict(ctx context.Context, tx pgx.Tx, c memory.Conflict, most int) error {
	var open int
	err := tx.QueryRow(ctx, `
		select count(*)
		from conflicts
		where project_id = @project and author = @author and closed_at is null`,
		pgx.StrictNamedArgs{"project": c.Project, "author": c.Author.Member}).Scan(&open)
	if err == nil && open >= most {
		return &memory.Error{
			Code: memory.CodeQuota, Message: fmt.Sprintf("%d conflicts of yours are open, which is the limit", open),
			Hint: "resolve some of them",
		}
	}
	return err
}

// readConflict reads one conflict with its content.
func readConflict(ctx context.Context, q querier, project memory.ProjectID, id memory.ConflictID) (memory.Conflict, error) {
	return one(ctx, q, "conflict", conflictRow.conflict, `
		select c.project_id, c.conflict_id, c.path, c.entry_id, c.base_rev, c.server_rev, c.content, c.sha256, c.size,
			c.author, m.name as author_name, c.device_id, c.rule_set, c.kept_at, c.at,
			c.closed_by, d.name as closer_name, c.closed_at, c.how, c.closed_rev, c.closed_into, c.proposal, c.purged
		from conflicts c
		join members m on m.member_id = c.author
		left join members d on d.member_id = c.closed_by
		where c.project_id = @project and c.conflict_id = @conflict`,
		pgx.StrictNamedArgs{"project": project, "conflict": id})
}

// Conflict returns one conflict with its content.
func (s *Store) Conflict(ctx context.Context, project memory.ProjectID, id memory.ConflictID) (memory.Conflict, error) {
	found, err := readConflict(ctx, s.pool, project, id)
	return found, s.fault(ctx, "read conflict", err)
}

// Conflicts returns a page of conflicts without contents, newest first. Each of
// the four ways to ask has an index of its own; of the branches that were not
// asked for, nothing is read.
func (s *Store) Conflicts(ctx context.Context, project memory.ProjectID, q memory.ConflictQuery) ([]memory.Conflict, error) {
	found, err := list(ctx, s.pool, conflictRow.conflict, `
		with page as (
			(
				select conflict_id, at
				from conflicts
				where @open and @author = '' and project_id = @project and closed_at is null
					and (@after_id = '' or (at, conflict_id) < (@after_at, @after_id))
				order by at desc, conflict_id desc
				limit @limit
			) union all (
				select conflict_id, at
				from conflicts
				where @open and @author <> '' and project_id = @project and author = @author and closed_at is null
					and (@after_id = '' or (at, conflict_id) < (@after_at, @after_id))
				order by at desc, conflict_id desc
				limit @limit
			) union all (
				select conflict_id, at
				from conflicts
				where not @open and @author = '' and project_id = @project
					and (@after_id = '' or (at, conflict_id) < (@after_at, @after_id))
				order by at desc, conflict_id desc
				limit @limit
			) union all (
				select conflict_id, at
				from conflicts
				where not @open and @author <> '' and project_id = @project and author = @author
					and (@after_id = '' or (at, conflict_id) < (@after_at, @after_id))
				order by at desc, conflict_id desc
				limit @limit
			)
		)
		select c.project_id, c.conflict_id, c.path, c.entry_id, c.base_rev, c.server_rev, null::bytea as content, c.sha256, c.size,
			c.author, m.name as author_name, c.device_id, c.rule_set, c.kept_at, c.at,
			c.closed_by, d.name as closer_name, c.closed_at, c.how, c.closed_rev, c.closed_into, c.proposal, c.purged
		from page,
			lateral (
				select project_id, conflict_id, path, entry_id, base_rev, server_rev, sha256, size, author, device_id, rule_set,
					kept_at, at, closed_by, closed_at, how, closed_rev, closed_into, proposal, purged
				from conflicts
				where project_id = @project and conflict_id = page.conflict_id
				offset 0
			) as c
		join members m on m.member_id = c.author
		left join members d on d.member_id = c.closed_by
		order by c.at desc, c.conflict_id desc`,
		pgx.StrictNamedArgs{
			"project": project, "open": q.Open, "author": q.Author, "after_at": q.After.At, "after_id": q.After.ID, "limit": q.Limit,
		})
	return found, s.fault(ctx, "read conflicts", err)
}

// CloseConflict closes an open conflict, and reports whether it was open.
func (s *Store) CloseConflict(
	ctx context.Context, project memory.ProjectID, id memory.ConflictID, r memory.Resolution, row memory.AuditRow,
) (open bool, err error) {
	err = s.inProject(ctx, project, func(tx pgx.Tx, chain link) error {
		done, err := tx.Exec(ctx, `
			update conflicts
			set closed_by = @by, closed_at = @at, how = @how, closed_rev = @rev, closed_into = @into, proposal = @proposal
			where project_id = @project and conflict_id = @conflict and closed_at is null`,
			pgx.StrictNamedArgs{
				"project": project, "conflict": id, "by": r.By.Member, "at": r.At, "how": r.How, "rev": nonZero(r.Rev), "into": r.EntryID,
				"proposal": r.Proposal,
			})
		if err != nil {
			return err
		}
		if open = done.RowsAffected() == 1; !open {
			return nil
		}
		return appendProject(ctx, tx, project, chain, row)
	})
	return open, s.fault(ctx, "close conflict", err)
}
