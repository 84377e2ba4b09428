package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// PreviewQuarantine tells what a quarantine would take back.
func (s *Store) PreviewQuarantine(ctx context.Context, q memory.Quarantine) (memory.Quarantine, error) {
	err := s.inSnapshot(ctx, func(tx pgx.Tx) error {
		head, err := readHead(ctx, tx, q.Project)
		if err != nil {
			return err
		}
		if _, err := findSuspects(ctx, tx, head, bury, &q); err != nil {
			return err
		}
		for i := range q.Entries {
			q.Entries[i].Rev = 0
		}
		suspect, err := suspectProposals(ctx, tx, q)
		q.Proposals = len(suspect)
		return err
	})
	return q, s.fault(ctx, "preview quarantine", err)
}

// AddQuarantine takes back what is suspect, in one transaction, and brings
// nothing back that the gate refuses. If there is nothing to take, nothing is
// written, and it returns the same quarantine of shortly before; without one, the
// identity is "". If something would come back that was not screened the error is
// a [*memory.Unscreened].
func (s *Store) AddQuarantine(
	ctx context.Context, q memory.Quarantine, done memory.Screened, row memory.AuditRow,
) (memory.Quarantine, error) {
	asked := q
	err := s.inLocked(ctx, asked.Project, func(tx pgx.Tx, k known) (err error) {
		q, err = addQuarantine(ctx, tx, k, asked, done, row) // a transaction can be begun again
		return err
	})
	return q, s.fault(ctx, "add quarantine", err)
}

func addQuarantine(
	ctx context.Context, tx pgx.Tx, k known, q memory.Quarantine, done memory.Screened, row memory.AuditRow,
) (memory.Quarantine, error) {
	if err := manyRows(ctx, tx); err != nil {
		return q, err
	}
	brought, err := findSuspects(ctx, tx, k.heads.Head, sift(done), &q)
	if err != nil {
		return q, err
	}
	closed, err := closeSuspectProposals(ctx, tx, &q, row)
	if err != nil {
		return q, err
	}
	q.Head = brought.Head
	if len(q.Entries) == 0 && q.Proposals == 0 {
		return readAgain(ctx, tx, q)
	}
	w := returnWriter{tx: tx, project: q.Project, by: q.By.Member, device: row.Device, at: q.At, note: q.Reason, text: memory.ActionWithdraw}
	if err := w.write(ctx, brought); err != nil {
		return q, err
	}
	if err := writeQuarantine(ctx, tx, q); err != nil {
		return q, err
	}
	if err := hideWithdrawn(ctx, tx, q.Project, brought.Done); err != nil {
		return q, err
	}
	row.Decision = "withdrawn"
	rows := slices.Concat([]memory.AuditRow{row}, returnRows(row, "entry.withdraw", brought), closed)
	return q, appendProject(ctx, tx, q.Project, k.chain, rows...)
}

// manyRows tells the planner, who takes every array for a short one, to join
// rows that are named in one by hash.
func manyRows(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select set_config('enable_nestloop', 'off', true)`)
	return err
}

// findSuspects reads what is suspect, decides what becomes of it, and describes
// that in the quarantine.
func findSuspects(
	ctx context.Context, tx pgx.Tx, head memory.Head, judge judgeReturns, q *memory.Quarantine,
) (memory.Brought, error) {
	suspected, err := readSuspected(ctx, tx, q.Project, q.Suspects)
	if err != nil {
		return memory.Brought{}, err
	}
	items, kept := memory.Suspicious(suspected)
	if err := judge(ctx, tx, q.Project, items); err != nil {
		return memory.Brought{}, err
	}
	r := memory.Returns{Head: head, Items: items}
	if err := readStanding(ctx, tx, q.Project, &r); err != nil {
		return memory.Brought{}, err
	}
	brought := r.Bring()
	q.Kept, q.Withdrawn, q.Entries = kept, len(brought.Done), nil
	for _, d := range brought.Done {
		e := memory.Quarantined{EntryID: d.Head.ID, Path: d.Head.Path, Rev: d.Rev, Was: d.Head.Rev}
		switch {
		case !d.Gone:
			e.Back = d.To.Rev
		case d.To.Unfit:
			e.Stuck = memory.StuckRefused
		}
		q.Entries = append(q.Entries, e)
	}
	return brought, nil
}

// judgeReturns marks what must not come back.
type judgeReturns func(ctx context.Context, q querier, project memory.ProjectID, items []memory.Return) error

// sift marks what was purged since, and what the gate refuses today.
func sift(done memory.Screened) judgeReturns {
	return func(ctx context.Context, q querier, project memory.ProjectID, items []memory.Return) error {
		return cmp.Or(bury(ctx, q, project, items), done.Sift(items))
	}
}

// bury marks what was purged since.
func bury(ctx context.Context, q querier, project memory.ProjectID, items []memory.Return) error {
	texts := make([]memory.Hash, 0, len(items))
	for _, it := range items {
		texts = append(texts, it.To.Sum)
	}
	purged, err := readCertificates(ctx, q, project, texts)
	memory.Bury(items, purged)
	return err
}

// readCertificates finds which of the texts were purged, wherever.
func readCertificates(
	ctx context.Context, q querier, project memory.ProjectID, texts []memory.Hash,
) ([]memory.Certificate, error) {
	return list(ctx, q, certificateRow.certificate, `
		select entry_id, path_key, sha256, seq
		from death_certificates
		where project_id = @project and sha256 = any(@sums)`,
		pgx.StrictNamedArgs{"project": project, "sums": sums(texts)})
}

// readStanding reads the names that entries meet on their way back, and how many
// there are.
func readStanding(ctx context.Context, q querier, project memory.ProjectID, r *memory.Returns) (err error) {
	r.Names, err = list(ctx, q, pathRow.path, `
		select path
		from entries
		where project_id = @project and deleted_rev is null`,
		pgx.StrictNamedArgs{"project": project})
	r.Live = len(r.Names)
	return err
}

type pathRow struct{ Path string }

func (r pathRow) path() memory.Path { return memory.StoredPath(r.Path) }

// suspectRow is a revision that is suspect.
type suspectRow struct {
	EntryID string
	Rev     int64
}

func (r suspectRow) ref() memory.RevisionRef {
	return memory.RevisionRef{EntryID: memory.EntryID(r.EntryID), Rev: r.Rev}
}

// readSuspected returns the entries that have a suspect revision.
func readSuspected(ctx context.Context, q querier, project memory.ProjectID, s memory.Suspects) ([]memory.Suspected, error) {
	entries := s.Entries
	suspect := func(r pastRow) bool { return r.SourceRev == nil && !r.At.Before(s.Since) }
	if len(entries) == 0 {
		refs, err := readSuspects(ctx, q, project, s)
		if err != nil {
			return nil, err
		}
		found := make(map[memory.RevisionRef]bool, len(refs))
		for _, ref := range refs {
			found[ref] = true
			entries = append(entries, ref.EntryID)
		}
		slices.Sort(entries)
		entries = slices.Compact(entries)
		suspect = func(r pastRow) bool { return found[memory.RevisionRef{EntryID: memory.EntryID(r.EntryID), Rev: r.Rev}] }
	}
	heads, err := readHeadsOf(ctx, q, project, entries)
	if err != nil {
		return nil, err
	}
	if len(heads) < len(entries) {
		return nil, memory.NotFound("entry")
	}
	past, err := readPast(ctx, q, project, entries)
	if err != nil {
		return nil, err
	}
	var all []memory.Suspected
	for _, h := range heads {
		e := memory.Suspected{Head: h}
		any := false
		for _, r := range past[h.ID] {
			p := r.past()
			p.Suspect = suspect(r)
			any = any || p.Suspect
			e.Revisions = append(e.Revisions, p)
		}
		if any {
			all = append(all, e)
		}
	}
	return all, nil
}

// readSuspects finds the revisions of a member, computer, token or session.
func readSuspects(ctx context.Context, q querier, project memory.ProjectID, s memory.Suspects) ([]memory.RevisionRef, error) {
	return list(ctx, q, suspectRow.ref, `
		with written as materialized (
			select object, at
			from audit
			where @token <> '' and project_id = @project and token_id = @token
				and action in ('entry.put', 'entry.move', 'entry.delete', 'proposal.put', 'proposal.move', 'proposal.delete')
		), approved as materialized (
			select p.entry_id, p.published_rev
			from written w
			join proposals p on p.project_id = @project and p.proposal_id = w.object and p.published_rev is not null
		)
		select r.entry_id, r.rev
		from revisions r
		where r.project_id = @project
			and (@member = '' or r.author = @member)
			and (@device = '' or r.device_id = @device)
			and (@session = '' or r.agent_session = @session)
			and (@since::timestamptz is null or r.at >= @since)
			and (
				@token = '' or (r.entry_id, r.at) in (select object, at from written)
				or (r.entry_id, r.rev) in (select entry_id, published_rev from approved)
			)
			and r.source_rev is null`,
		suspectArgs(project, s))
}

func suspectArgs(project memory.ProjectID, s memory.Suspects) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"project": project, "member": s.Member, "device": s.Device, "session": s.Session, "token": s.Token, "since": when(s.Since),
	}
}

// readHeadsOf returns the entries as they are.
func readHeadsOf(ctx context.Context, q querier, project memory.ProjectID, entries []memory.EntryID) ([]memory.EntryHead, error) {
	return list(ctx, q, entryHeadRow.head, `
		select found.entry_id, found.path, found.head_rev, found.sha256, found.size, found.deleted_rev,
			null::bigint[] as revs, null::bytea[] as sums
		from unnest(@entries::text[]) as wanted (id),
			lateral (
				select entry_id, path, head_rev, sha256, size, deleted_rev
				from entries
				where project_id = @project and entry_id = wanted.id
				offset 0
			) as found
		order by found.path, found.entry_id`,
		pgx.StrictNamedArgs{"project": project, "entries": ids(entries)})
}

// pastRow is a revision without its text.
type pastRow struct {
	EntryID string
	Rev     int64
	Op      string
	Path    string
	SHA256  []byte
	Size    int
	Author  string
	At      time.Time
	Purged  bool

	WithdrawnRev *int64
	SourceRev    *int64
}

func (r pastRow) past() memory.Past {
	return memory.Past{
		Rev: r.Rev, Action: memory.Action(r.Op), Path: memory.StoredPath(r.Path), Sum: memory.Hash(r.SHA256), Size: r.Size, Purged: r.Purged,
		Withdrawn: value(r.WithdrawnRev), Returned: r.SourceRev != nil, Source: value(r.SourceRev),
	}
}

// readPast returns all revisions of the entries, newest first.
func readPast(
	ctx context.Context, q querier, project memory.ProjectID, entries []memory.EntryID,
) (map[memory.EntryID][]pastRow, error) {
	rows, err := list(ctx, q, func(r pastRow) pastRow { return r }, `
		select r.entry_id, r.rev, r.op, r.path, r.sha256, r.size, r.author, r.at, r.purged, r.withdrawn_rev, r.source_rev
		from unnest(@entries::text[]) as wanted (id),
			lateral (
				select entry_id, rev, op, path, sha256, size, author, at, purged, withdrawn_rev, source_rev
				from revisions
				where project_id = @project and entry_id = wanted.id
				offset 0
			) as r
		order by r.rev desc`,
		pgx.StrictNamedArgs{"project": project, "entries": ids(entries)})
	past := make(map[memory.EntryID][]pastRow, len(entries))
	for _, r := range rows {
		id := memory.EntryID(r.EntryID)
		past[id] = append(past[id], r)
	}
	return past, err
}

// suspectProposals finds what would be closed. Where entries are named nobody is
// suspect: what others propose for them is for reviewers to see.
func suspectProposals(ctx context.Context, q querier, x memory.Quarantine) ([]string, error) {
	args := suspectArgs(x.Project, x.Suspects)
	args["entries"] = ids(x.Suspects.Entries)
	return list(ctx, q, proposalIDRow.id, `
		select p.proposal_id
		from proposals p
		where p.project_id = @project and p.state = 'pending'
			and (@member = '' or p.author = @member)
			and (@device = '' or p.device_id = @device)
			and (@session = '' or p.agent_session = @session)
			and (@since::timestamptz is null or p.at >= @since)
			and cardinality(@entries::text[]) = 0
			and (@token = '' or exists (
				select
				from audit a
				where a.project_id = @project and a.token_id = @token and a.object = p.proposal_id
			))`,
		args)
}

type proposalIDRow struct{ ProposalID string }

func (r proposalIDRow) id() string { return r.ProposalID }

// closeSuspectProposals takes what is suspect out of the queue, but for what was
// decided meanwhile.
func closeSuspectProposals(ctx context.Context, tx pgx.Tx, q *memory.Quarantine, whole memory.AuditRow) ([]memory.AuditRow, error) {
	suspect, err := suspectProposals(ctx, tx, *q)
	if err != nil {
		return nil, err
	}
	closed, err := list(ctx, tx, func(r closedRow) closedRow { return r }, `
		update proposals
		set state = 'withdrawn', decided_by = @by, decided_at = @at
		where project_id = @project and proposal_id = any(@suspect) and state = 'pending'
		returning proposal_id, sha256`,
		pgx.StrictNamedArgs{"project": q.Project, "suspect": suspect, "by": q.By.Member, "at": q.At})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(closed, func(a, b closedRow) int { return strings.Compare(a.ProposalID, b.ProposalID) })
	var rows []memory.AuditRow
	for _, c := range closed {
		row := whole
		row.Action, row.Object, row.After = "proposal.withdraw", c.ProposalID, memory.Hash(c.SHA256)
		row.Decision = string(memory.ProposalWithdrawn)
		rows = append(rows, row)
	}
	q.Proposals = len(closed)
	return rows, nil
}

type closedRow struct {
	ProposalID string
	SHA256     []byte
}

// writeQuarantine writes what was taken back.
func writeQuarantine(ctx context.Context, tx pgx.Tx, q memory.Quarantine) error {
	s := q.Suspects
	batch := &pgx.Batch{}
	batch.Queue(`
		insert into quarantines (
			project_id, quarantine_id, member_id, device_id, token_id, agent_session, since, reason, author, at, kept, proposals
		) values (
			@project, @quarantine, @member, @device, @token, @session, @since, @reason, @author, @at, @kept, @proposals
		)`,
		pgx.StrictNamedArgs{
			"project": q.Project, "quarantine": q.ID, "member": s.Member, "device": s.Device, "token": s.Token, "session": s.Session,
			"since": when(s.Since), "reason": q.Reason, "author": q.By.Member, "at": q.At, "kept": q.Kept, "proposals": q.Proposals,
		})
	entries, revs, was, back := quarantinedArrays(q.Entries)
	batch.Queue(`
		insert into quarantined (project_id, quarantine_id, entry_id, rev, was_rev, back_rev)
		select @project, @quarantine, u.entry_id, u.rev, u.was, u.back
		from unnest(@entries::text[], @revs::bigint[], @was::bigint[], @back::bigint[]) as u (entry_id, rev, was, back)`,
		pgx.StrictNamedArgs{
			"project": q.Project, "quarantine": q.ID, "entries": entries, "revs": revs, "was": was, "back": back,
		})
	return tx.SendBatch(ctx, batch).Close()
}

func quarantinedArrays(list []memory.Quarantined) (entries []string, revs, was, back []int64) {
	for _, e := range list {
		entries, revs = append(entries, string(e.EntryID)), append(revs, e.Rev)
		was, back = append(was, e.Was), append(back, e.Back)
	}
	return entries, revs, was, back
}

// hideWithdrawn marks the revisions that were taken back.
func hideWithdrawn(ctx context.Context, tx pgx.Tx, project memory.ProjectID, done []memory.Returned) error {
	var entries []string
	var suspects, revs []int64
	for _, d := range done {
		for _, rev := range d.Suspects {
			entries, suspects, revs = append(entries, string(d.Head.ID)), append(suspects, rev), append(revs, d.Rev)
		}
	}
	_, err := tx.Exec(ctx, `
		update revisions r
		set withdrawn_rev = u.rev
		from unnest(@entries::text[], @suspects::bigint[], @revs::bigint[]) as u (entry_id, suspect, rev)
		where r.project_id = @project and r.entry_id = u.entry_id and r.rev = u.suspect and r.withdrawn_rev is null`,
		pgx.StrictNamedArgs{"project": project, "entries": entries, "suspects": suspects, "revs": revs})
	return err
}

// readAgain finds what somebody took back who asks for it again: the same, as far
// as it was there to be taken.
func readAgain(ctx context.Context, tx pgx.Tx, q memory.Quarantine) (memory.Quarantine, error) {
	args := suspectArgs(q.Project, q.Suspects)
	args["author"], args["reason"], args["after"] = q.By.Member, q.Reason, q.At.Add(-memory.AgainWithin)
	args["entries"] = ids(q.Suspects.Entries)
	found, err := one(ctx, tx, "quarantine", quarantineIDRow.id, `
		select q.quarantine_id
		from quarantines q
		where q.project_id = @project and q.at > @after and q.author = @author and q.reason = @reason
			and q.member_id = @member and q.device_id = @device and q.token_id = @token and q.agent_session = @session
			and q.since is not distinct from @since::timestamptz
			and (cardinality(@entries::text[]) = 0 or exists (
				select
				from quarantined e
				where e.project_id = q.project_id and e.quarantine_id = q.quarantine_id and e.entry_id = any(@entries)
			))
		order by q.at desc, q.quarantine_id desc
		limit 1`,
		args)
	if memory.CodeOf(err) == memory.CodeNotFound {
		q.ID = ""
		return q, nil
	}
	if err != nil {
		return q, err
	}
	again, err := readQuarantine(ctx, tx, q.Project, found)
	again.Head = q.Head
	return again, err
}

type quarantineIDRow struct{ QuarantineID string }

func (r quarantineIDRow) id() memory.QuarantineID { return memory.QuarantineID(r.QuarantineID) }
