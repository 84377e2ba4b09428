package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type entryRow struct {
	EntryID     string
	Path        string
	Kind        string
	Name        string
	Description string
	HeadRev     int64
	SHA256      []byte
	Size        int
	Deleted     bool
	Author      string
	AuthorName  string
	UpdatedAt   time.Time
}

func (r entryRow) entry() memory.Entry {
	return memory.Entry{
		ID: memory.EntryID(r.EntryID), Path: memory.StoredPath(r.Path), Kind: memory.Kind(r.Kind), Name: r.Name,
		Description: r.Description, Rev: r.HeadRev, Sum: memory.Hash(r.SHA256), Size: r.Size, Deleted: r.Deleted,
		Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, UpdatedAt: r.UpdatedAt.UTC(),
	}
}

// Manifest returns every live entry, by path, with the head it belongs to.
func (s *Store) Manifest(ctx context.Context, project memory.ProjectID) (memory.Head, []memory.Entry, error) {
	var head memory.Head
	var entries []memory.Entry
	err := s.inSnapshot(ctx, func(tx pgx.Tx) (err error) {
		if head, err = readHead(ctx, tx, project); err != nil {
			return err
		}
		entries, err = list(ctx, tx, entryRow.entry, `
			select e.entry_id, e.path, e.kind, e.name, e.description, e.head_rev, e.sha256, e.size,
				false as deleted, e.author, m.name as author_name, e.updated_at
			from entries e
			join members m on m.member_id = e.author
			where e.project_id = @project and e.deleted_rev is null
			order by e.path`,
			pgx.StrictNamedArgs{"project": project})
		return err
	})
	return head, entries, s.fault(ctx, "read manifest", err)
}

// Entries returns a page of live entries, by path, after the given one.
func (s *Store) Entries(ctx context.Context, project memory.ProjectID, q memory.EntryQuery) ([]memory.Entry, error) {
	// No path holds U+10FFFF, so the range is exactly the paths that start with the prefix.
	entries, err := list(ctx, s.pool, entryRow.entry, `
		select e.entry_id, e.path, e.kind, e.name, e.description, e.head_rev, e.sha256, e.size,
			false as deleted, e.author, m.name as author_name, e.updated_at
		from entries e
		join members m on m.member_id = e.author
		where e.project_id = @project and e.deleted_rev is null
			and e.path >= @prefix and e.path < @prefix || chr(1114111)
			and e.path > @after
			and (@kind = '' or e.kind = @kind)
			and (@author = '' or e.author = @author)
		order by e.path
		limit @limit`,
		pgx.StrictNamedArgs{
			"project": project, "prefix": q.Prefix, "after": q.After.String(), "kind": q.Kind, "author": q.Author, "limit": q.Limit,
		})
	return entries, s.fault(ctx, "read entries", err)
}

// EntryAt returns the live entry at exactly this path.
func (s *Store) EntryAt(ctx context.Context, project memory.ProjectID, path memory.Path) (memory.Entry, error) {
	entry, err := one(ctx, s.pool, "entry", entryRow.entry, `
		select e.entry_id, e.path, e.kind, e.name, e.description, e.head_rev, e.sha256, e.size,
			false as deleted, e.author, m.name as author_name, e.updated_at
		from entries e
		join members m on m.member_id = e.author
		where e.project_id = @project and e.path between @path and @path and e.deleted_rev is null
		order by e.path`,
		pgx.StrictNamedArgs{"project": project, "path": path.String()})
	return entry, s.fault(ctx, "read entry", err)
}

// Entry returns the entry, deleted or not.
func (s *Store) Entry(ctx context.Context, project memory.ProjectID, id memory.EntryID) (memory.Entry, error) {
	entry, err := one(ctx, s.pool, "entry", entryRow.entry, `
		select e.entry_id, e.path, e.kind, e.name, e.description, e.head_rev, e.sha256, e.size,
			e.deleted_rev is not null as deleted, e.author, m.name as author_name, e.updated_at
		from entries e
		join members m on m.member_id = e.author
		where e.project_id = @project and e.entry_id = @entry`,
		pgx.StrictNamedArgs{"project": project, "entry": id})
	return entry, s.fault(ctx, "read entry", err)
}
