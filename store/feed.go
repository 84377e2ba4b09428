package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Head returns where the project's feed stands. It is what a sync without news
// costs: one row by its key.
func (s *Store) Head(ctx context.Context, project memory.ProjectID) (memory.Head, error) {
	head, err := readHead(ctx, s.pool, project)
	return head, s.fault(ctx, "read head", err)
}

type headRow struct {
	Epoch    string
	Seq      int64
	FloorSeq int64
	Rewrites int64
	Digest   []byte
}

func (r headRow) head() memory.Head {
	return memory.Head{Epoch: r.Epoch, Seq: r.Seq, Floor: r.FloorSeq, Rewrites: r.Rewrites, Digest: memory.Digest(r.Digest)}
}

func readHead(ctx context.Context, q querier, project memory.ProjectID) (memory.Head, error) {
	return one(ctx, q, "project", headRow.head, `
		select epoch, seq, floor_seq, rewrites, digest
		from projects
		where project_id = @project`,
		pgx.StrictNamedArgs{"project": project})
}

// DigestAt returns the digest that was recorded at seq; the empty digest at 0.
func (s *Store) DigestAt(ctx context.Context, project memory.ProjectID, seq int64) (memory.Digest, error) {
	digest, err := readDigest(ctx, s.pool, project, seq)
	return digest, s.fault(ctx, "read digest", err)
}

type digestRow struct{ DigestAfter []byte }

func (r digestRow) digest() memory.Digest { return memory.Digest(r.DigestAfter) }

func readDigest(ctx context.Context, q querier, project memory.ProjectID, seq int64) (memory.Digest, error) {
	if seq == 0 {
		return memory.Digest{}, nil
	}
	return one(ctx, q, "change", digestRow.digest, `
		select digest_after
		from changes
		where project_id = @project and seq = @seq`,
		pgx.StrictNamedArgs{"project": project, "seq": seq})
}

// Changes returns the page (since, since+limit] of the feed: the latest change
// of each entry in it, in order. Contents are inline until the page is full.
func (s *Store) Changes(ctx context.Context, project memory.ProjectID, q memory.FeedQuery) (memory.FeedPage, error) {
	var page memory.FeedPage
	err := s.inSnapshot(ctx, func(tx pgx.Tx) error {
		head, err := readHead(ctx, tx, project)
		if err != nil {
			return err
		}
		page = memory.FeedPage{
			Epoch: head.Epoch, From: q.Since, To: head.Seq, Head: head.Seq, Floor: head.Floor, Rewrites: head.Rewrites, Digest: head.Digest,
		}
		page.To = min(q.Since+int64(q.Limit), head.Seq)
		if head.Rewrites > 0 {
			if page.Purged, page.To, err = readPurged(ctx, tx, project, page.From, page.To, q.PurgedMax); err != nil {
				return err
			}
		}
		if page.To < head.Seq {
			if page.Digest, err = readDigest(ctx, tx, project, page.To); err != nil {
				return err
			}
		}
		page.Changes, err = readChanges(ctx, tx, project, page, q)
		return err
	})
	return page, s.fault(ctx, "read changes", err)
}

type changeRow struct {
	Seq          int64
	EntryID      string
	Op           string
	Path         string
	PreviousPath string
	Rev          int64
	RevOp        string
	SHA256       []byte
	Size         int
	Kind         string
	Content      []byte
	Inline       bool
	At           time.Time
	Author       string
	AuthorName   string
	DeviceID     string
	Agent        string
	AgentVersion string
	AgentSession string
	AgentModel   string
}

func (r changeRow) change() memory.Change {
	c := memory.Change{
		Seq: r.Seq, EntryID: memory.EntryID(r.EntryID), Action: memory.Action(r.Op),
		Path: memory.StoredPath(r.Path), Previous: memory.StoredPath(r.PreviousPath), Rev: r.Rev,
		Sum: memory.Hash(r.SHA256), Size: r.Size, Kind: memory.Kind(r.Kind), Content: r.Content, Inline: r.Inline, At: r.At.UTC(),
		Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, Device: memory.DeviceID(r.DeviceID),
		Agent: memory.Agent{Name: r.Agent, Version: r.AgentVersion, Session: r.AgentSession, Model: r.AgentModel},
	}
	if c.Action != memory.ActionDelete && r.RevOp == string(memory.ActionDelete) {
		c.Sum, c.Size = memory.Hash{}, 0 // the row has them of the text that went
	}
	return c
}

// readChanges adds up the sizes of what is small enough to be inline, and
// leaves out the contents from where the sum exceeds the page. What was taken
// back is left out as a whole: a later change of its entry says what is there.
func readChanges(ctx context.Context, tx pgx.Tx, project memory.ProjectID, page memory.FeedPage, q memory.FeedQuery) ([]memory.Change, error) {
	if page.From >= page.To {
		return nil, nil
	}
	return list(ctx, tx, changeRow.change, `
		with latest as (
			select distinct on (entry_id) seq, entry_id, rev, op, previous_path
			from changes
			where project_id = @project and seq > @from and seq <= @to
			order by entry_id, seq desc
		), page as (
			select c.seq, c.entry_id, c.op, r.path, c.previous_path, c.rev, r.op as rev_op, r.sha256, r.size, r.kind, r.content,
				r.at, r.author, r.device_id, r.agent, r.agent_version, r.agent_session, r.agent_model,
				r.op <> 'delete' and r.size <= @inline_max as small,
				sum(r.size) filter (where r.op <> 'delete' and r.size <= @inline_max) over (order by c.seq) as total
			from latest c,
				lateral (
					select op, path, sha256, size, kind, content, withdrawn_rev, at, author, device_id, agent, agent_version, agent_session, agent_model
					from revisions
					where project_id = @project and entry_id = c.entry_id and rev = c.rev
					offset 0
				) as r
			where r.withdrawn_rev is null
		)
		select p.seq, p.entry_id, p.op, p.path, p.previous_path, p.rev, p.rev_op, p.sha256, p.size, p.kind,
			case when p.small and p.total <= @page_max and @inline_max > 0 then p.content end as content,
			p.small and p.total <= @page_max and @inline_max > 0 as inline,
			p.at, p.author, m.name as author_name, p.device_id, p.agent, p.agent_version, p.agent_session, p.agent_model
		from page p
		join members m on m.member_id = p.author
		order by p.seq`,
		pgx.StrictNamedArgs{
			"project": project, "from": page.From, "to": page.To, "inline_max": q.InlineMax, "page_max": q.PageMax,
		})
}

type purgedRow struct {
	Seq    int64
	SHA256 []byte
}

func (r purgedRow) text() memory.PurgedText {
	return memory.PurgedText{Seq: r.Seq, Sum: memory.Hash(r.SHA256)}
}

// Purged returns the hashes of the texts that were purged after one change, up to
// another, or to an earlier one if they are more than most; 0 for all of them. The
// latest change of their entry need not tell of it.
func (s *Store) Purged(ctx context.Context, project memory.ProjectID, from, to int64, most int) ([]memory.Hash, int64, error) {
	found, end, err := readPurged(ctx, s.pool, project, from, to, most)
	return found, end, s.fault(ctx, "read what was purged", err)
}

func readPurged(ctx context.Context, q querier, project memory.ProjectID, from, to int64, most int) ([]memory.Hash, int64, error) {
	found, err := list(ctx, q, purgedRow.text, `
		select distinct seq, sha256
		from death_certificates
		where project_id = @project and seq > @from and seq <= @to and told
		order by seq, sha256`,
		pgx.StrictNamedArgs{"project": project, "from": from, "to": to})
	sums, end := memory.CutPurged(found, to, most)
	return sums, end, err
}
