package store

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// known is what a push is judged and written by while it holds the project's
// lock: all but the texts was read under it.
type known struct {
	texts    texts
	heads    memory.Heads
	review   memory.Preset
	chain    link
	answered *answer              // to an earlier push with the same key
	approved memory.ProposalState // how the proposal stands that the batch approves
}

// lockAndRead takes the project's row and reads what the batch is judged by,
// in one round trip. At READ COMMITTED each statement sees what was committed
// when it began, and all of them begin after the lock was taken.
func (s *Store) lockAndRead(ctx context.Context, tx pgx.Tx, b memory.Batch) (known, error) {
	var k known
	laidOut := textsOf(b)
	batch := &pgx.Batch{}
	s.queueLock(batch, b.Project, &k)
	queueAnswer(batch, b, &k.answered)
	queueLookups(batch, b.Project, b.Lookups(), &k.heads)
	if id := b.Approves.Proposal; id != "" {
		queueState(batch, b.Project, id, &k.approved)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return known{}, err
	}
	k.texts = laidOut
	if head := k.heads.Head; head.Epoch != b.Epoch {
		return known{}, &memory.Error{
			Code: memory.CodeEpochChanged, Message: "the project's history was replaced since you last synced", Head: &head,
			Hint: "run teammem sync to join the new history; nothing of yours is removed",
		}
	}
	if head := k.heads.Head; b.Only != "" && b.Only != head.Tag() && k.answered == nil {
		return known{}, &memory.Error{
			Code: memory.CodeChanged, Message: "the project has changed since you last synced", Head: &head, Hint: "sync, and push again",
		}
	}
	if b.Review != "" && b.Review != k.review {
		return known{}, &memory.Error{
			Code: memory.CodeUnavailable, Message: "the project's review preset was changed meanwhile", Hint: "push again",
		}
	}
	return k, nil
}

// queueLock takes the project's row, and reads from it and from the end of the
// project's chain. It sets how the transaction is planned: a table that looks
// tiny to the planner need not be, and what is queried says nothing to it but
// how long an array is, so that a plan for each would only cost time.
func (s *Store) queueLock(batch *pgx.Batch, project memory.ProjectID, k *known) {
	batch.Queue(`
		select set_config('lock_timeout', @lock, true),
			set_config('statement_timeout', '10s', true),
			set_config('idle_in_transaction_session_timeout', '10s', true),
			set_config('enable_seqscan', 'off', true),
			set_config('plan_cache_mode', 'force_generic_plan', true)`,
		pgx.StrictNamedArgs{"lock": milliseconds(s.lockTimeout)})
	queueOne(batch, "project", k, projectHeadRow.known, `
		select epoch, seq, floor_seq, rewrites, digest, live, review
		from projects
		where project_id = @project
		for update`,
		pgx.StrictNamedArgs{"project": project})
	queueLink(batch, string(project), &k.chain)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }

// Heads reads, without a lock, what a push would be judged by.
func (s *Store) Heads(ctx context.Context, project memory.ProjectID, l memory.Lookups) (memory.Heads, error) {
	var h memory.Heads
	err := s.inSnapshot(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		queueOne(batch, "project", &h, projectHeadRow.heads, `
			select epoch, seq, floor_seq, rewrites, digest, live, review
			from projects
			where project_id = @project`,
			pgx.StrictNamedArgs{"project": project})
		queueLookups(batch, project, l, &h)
		return tx.SendBatch(ctx, batch).Close()
	})
	return h, s.fault(ctx, "read heads", err)
}

type projectHeadRow struct {
	Epoch    string
	Seq      int64
	FloorSeq int64
	Rewrites int64
	Digest   []byte
	Live     int
	Review   string
}

func (r projectHeadRow) known() known {
	return known{heads: r.heads(), review: memory.Preset(r.Review)}
}

func (r projectHeadRow) heads() memory.Heads {
	return memory.Heads{Live: r.Live, Head: memory.Head{
		Epoch: r.Epoch, Seq: r.Seq, Floor: r.FloorSeq, Rewrites: r.Rewrites, Digest: memory.Digest(r.Digest),
	}}
}

// queueLookups queues the reads of everything but the project's row.
//
// A table that was never analysed looks tiny to the planner, and then every
// index that starts with project_id looks as good as any other: the first
// upload to a new server would read the whole project for each key. So each
// key is looked up by itself, in a lateral part that is not dissolved, and path
// keys as a range in the order that only their own index has.
func queueLookups(batch *pgx.Batch, project memory.ProjectID, l memory.Lookups, h *memory.Heads) {
	queueEntryHeads(batch, project, l, h)
	queueFolders(batch, project, l, &h.Folders)
	queuePending(batch, project, l, &h.Pending)
	if len(l.Sums) > 0 || l.Moves {
		queueCertificates(batch, project, l, &h.Purged)
	}
	if l.Proposals {
		queueProposalNumbers(batch, project, l, &h.Queued)
	}
	if !l.Since.IsZero() {
		queueDeleted(batch, project, l, &h.Deleted)
	}
}

// queueEntryHeads finds entries by id and by path key, the tombstones in the order
// of their deletes, and the offered texts among what they once said. It goes by
// entry, not by text: nobody bounds how many entries of a project say the same.
func queueEntryHeads(batch *pgx.Batch, project memory.ProjectID, l memory.Lookups, h *memory.Heads) {
	batch.Queue(`
		with found as materialized (
			select found.*
			from unnest(@entry_ids::text[]) as wanted (id),
				lateral (
					select entry_id, path, head_rev, sha256, size, deleted_rev
					from entries
					where project_id = @project and entry_id = wanted.id
					offset 0
				) as found
			union
			select found.*
			from unnest(@path_keys::text[]) as wanted (key),
				lateral (
					select entry_id, path, head_rev, sha256, size, deleted_rev
					from entries
					where project_id = @project and path_key between wanted.key and wanted.key and deleted_rev is null
					order by path_key
				) as found
			union
			select found.*
			from unnest(@path_keys::text[]) as wanted (key),
				lateral (
					select entry_id, path, head_rev, sha256, size, deleted_rev
					from entries
					where project_id = @project and path_key between wanted.key and wanted.key and deleted_rev is not null
					order by path_key
				) as found
		)
		select found.*, said.revs, said.sums
		from found,
			lateral (
				select array_agg(once.rev) as revs, array_agg(once.sha256) as sums
				from (
					select rev, sha256
					from revisions
					where project_id = @project and entry_id = found.entry_id and op <> 'delete'
					offset 0
				) as once
				where once.sha256 in (select unnest(@sums::bytea[]))
			) as said
		order by found.head_rev`,
		pgx.StrictNamedArgs{
			"project": project, "entry_ids": ids(l.EntryIDs), "path_keys": l.PathKeys, "sums": sums(l.Sums),
		}).
		Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowToStructByName[entryHeadRow])
			for _, r := range found {
				h.Entries = append(h.Entries, r.head())
				h.Earlier = append(h.Earlier, r.earlier()...)
			}
			return err
		})
}

// queueFolders counts the live entries below each folder. A batch cannot empty
// a folder of more entries than it takes names from, so the count stops where
// it cannot matter any more.
func queueFolders(batch *pgx.Batch, project memory.ProjectID, l memory.Lookups, to *[]memory.FolderHead) {
	// '0' follows '/', so the range is all that is below the folder.
	queueList(batch, to, folderRow.head, `
		select wanted.key, min(below.path) as path, count(*)::int as live
		from unnest(@folder_keys::text[]) as wanted (key),
			lateral (
				select path
				from entries
				where project_id = @project and deleted_rev is null
					and path_key > wanted.key || '/' and path_key < wanted.key || '0'
				order by path_key
				limit @enough
			) as below
		group by wanted.key`,
		pgx.StrictNamedArgs{"project": project, "folder_keys": l.FolderKeys, "enough": l.Leaving + 1})
}

// queueCertificates finds which of the offered texts were purged, and which of
// those that move.
func queueCertificates(batch *pgx.Batch, project memory.ProjectID, l memory.Lookups, to *[]memory.Certificate) {
	queueList(batch, to, certificateRow.certificate, `
		select found.entry_id, found.path_key, found.sha256, found.seq
		from (
				select unnest(@sums::bytea[])
				union
				select moving.sha256
				from unnest(@entry_ids::text[]) as wanted (id),
					lateral (
						select sha256
						from entries
						where project_id = @project and entry_id = wanted.id and @moves
						offset 0
					) as moving
				union
				select moving.sha256
				from unnest(@path_keys::text[]) as wanted (key),
					lateral (
						select sha256
						from entries
						where project_id = @project and path_key between wanted.key and wanted.key and deleted_rev is null and @moves
						order by path_key
					) as moving
			) as wanted (sum),
			lateral (
				select entry_id, path_key, sha256, seq
				from death_certificates
				where project_id = @project and sha256 = wanted.sum
				offset 0
			) as found`,
		pgx.StrictNamedArgs{
			"project": project, "sums": sums(l.Sums), "moves": l.Moves, "entry_ids": ids(l.EntryIDs), "path_keys": l.PathKeys,
		})
}

type certificateRow struct {
	EntryID string
	PathKey string
	SHA256  []byte
	Seq     int64
}

func (r certificateRow) certificate() memory.Certificate {
	return memory.Certificate{EntryID: memory.EntryID(r.EntryID), PathKey: r.PathKey, Sum: memory.Hash(r.SHA256), Rev: r.Seq}
}

type entryHeadRow struct {
	EntryID    string
	Path       string
	HeadRev    int64
	SHA256     []byte
	Size       int
	DeletedRev *int64
	Revs       []int64 // at which the entry said one of the looked-up texts
	Sums       [][]byte
}

func (r entryHeadRow) head() memory.EntryHead {
	return memory.EntryHead{
		ID: memory.EntryID(r.EntryID), Path: memory.StoredPath(r.Path), Rev: r.HeadRev,
		Sum: memory.Hash(r.SHA256), Size: r.Size, DeletedRev: value(r.DeletedRev),
	}
}

type folderRow struct {
	Key  string
	Path string
	Live int
}

func (r folderRow) head() memory.FolderHead {
	return memory.FolderHead{Key: r.Key, Path: memory.StoredPath(r.Path), Live: r.Live}
}

func (r entryHeadRow) earlier() []memory.Earlier {
	said := make([]memory.Earlier, len(r.Revs))
	for i, rev := range r.Revs {
		said[i] = memory.Earlier{EntryID: memory.EntryID(r.EntryID), Rev: rev, Sum: memory.Hash(r.Sums[i])}
	}
	return said
}

// queueOne queues a query that returns a row, and where it goes.
func queueOne[Row, T any](batch *pgx.Batch, what string, to *T, convert func(Row) T, sql string, args pgx.StrictNamedArgs) {
	batch.Queue(sql, args).Query(func(rows pgx.Rows) (err error) {
		*to, err = pgx.CollectExactlyOneRow(rows, converted(convert))
		return missing(err, what)
	})
}

// queueList queues a query, and where its rows go.
func queueList[Row, T any](batch *pgx.Batch, to *[]T, convert func(Row) T, sql string, args pgx.StrictNamedArgs) {
	batch.Queue(sql, args).Query(func(rows pgx.Rows) (err error) {
		*to, err = pgx.CollectRows(rows, converted(convert))
		return err
	})
}
