package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type feedRow struct {
	First int64
	Last  int64
	Count int64
	Live  int

	// The head, as every schema has it: a backup is made of older ones, too.
	Seq      int64
	FloorSeq int64
	Digest   []byte
}

// Check recomputes what must always hold of a project: its seq is that of the
// last change, no change is missing above the floor, and digest and number of
// live entries are those of the entries. The error says what does not hold.
func (s *Store) Check(ctx context.Context, project memory.ProjectID) error {
	return s.fault(ctx, "check project", s.inSnapshot(ctx, func(tx pgx.Tx) error { return checkProject(ctx, tx, project) }))
}

func checkProject(ctx context.Context, tx pgx.Tx, project memory.ProjectID) error {
	feed, err := one(ctx, tx, "project", func(r feedRow) feedRow { return r }, `
		select coalesce(min(c.seq), p.floor_seq + 1) as first, coalesce(max(c.seq), p.floor_seq) as last, count(c.seq) as count, p.live,
			p.seq, p.floor_seq, p.digest
		from projects p
		left join changes c on c.project_id = p.project_id and c.seq > p.floor_seq
		where p.project_id = @project
		group by p.project_id`,
		pgx.StrictNamedArgs{"project": project})
	if err != nil {
		return err
	}
	digest, live, err := addUp(ctx, tx, project)
	switch {
	case err != nil:
		return err
	case feed.Last != feed.Seq:
		return inconsistent(fmt.Sprintf("the feed ends at %d, the project at %d", feed.Last, feed.Seq))
	case feed.First != feed.FloorSeq+1, feed.Count != feed.Seq-feed.FloorSeq:
		return inconsistent(fmt.Sprintf("the feed has %d changes from %d to %d", feed.Count, feed.First, feed.Last))
	case feed.Live != live:
		return inconsistent(fmt.Sprintf("the project counts %d live entries, there are %d", feed.Live, live))
	case digest != memory.Digest(feed.Digest):
		return inconsistent("the project's digest is not that of its entries")
	}
	return nil
}

type liveRow struct {
	Path   string
	SHA256 []byte
}

// addUp computes digest and number of the live entries from their newest
// texts.
func addUp(ctx context.Context, tx pgx.Tx, project memory.ProjectID) (memory.Digest, int, error) {
	var digest memory.Digest
	rows, err := list(ctx, tx, func(r liveRow) liveRow { return r }, `
		select e.path, coalesce(sha256(r.content), decode(repeat('00', 32), 'hex')) as sha256
		from entries e
		cross join lateral (
			select content
			from revisions
			where project_id = e.project_id and entry_id = e.entry_id and rev = e.head_rev
			offset 0
		) as r
		where e.project_id = @project and e.deleted_rev is null`,
		pgx.StrictNamedArgs{"project": project})
	for _, r := range rows {
		digest.Add(memory.StoredPath(r.Path), memory.Hash(r.SHA256))
	}
	return digest, len(rows), err
}

func inconsistent(message string) error {
	return &memory.Error{Code: memory.CodeInternal, Message: message, Hint: "restore a backup into a new instance: teammem admin restore"}
}
