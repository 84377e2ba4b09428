package store

import (
	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// queuePending finds what the author waits for already, by the looked-up
// entries and path keys. Most authors wait for nothing, and that is one look.
func queuePending(batch *pgx.Batch, project memory.ProjectID, l memory.Lookups, to *[]memory.Proposal) {
	queueList(batch, to, pendingRow.proposal, `
		with waits as materialized (
			select true
			from proposals
			where project_id = @project and author = @author and state = 'pending'
			order by path_key
			limit 1
		), entry as (
			select wanted.id
			from unnest(@entry_ids::text[]) as wanted (id)
			union
			select found.entry_id
			from unnest(@path_keys::text[]) as wanted (key),
				lateral (
					select entry_id
					from entries
					where project_id = @project and path_key between wanted.key and wanted.key and deleted_rev is null
					order by path_key
				) as found
		)
		select found.proposal_id, found.op, found.path, found.previous_path, found.entry_id, found.creates, found.base_rev,
			found.base_sha256, found.sha256
		from entry,
			lateral (
				select proposal_id, op, path, previous_path, entry_id, creates, base_rev, base_sha256, sha256
				from proposals
				where project_id = @project and author = @author and entry_id between entry.id and entry.id and state = 'pending'
				order by entry_id
			) as found
		where exists (select from waits)
		union
		select found.proposal_id, found.op, found.path, found.previous_path, found.entry_id, found.creates, found.base_rev,
			found.base_sha256, found.sha256
		from unnest(@path_keys::text[]) as wanted (key),
			lateral (
				select proposal_id, op, path, previous_path, entry_id, creates, base_rev, base_sha256, sha256
				from proposals
				where project_id = @project and author = @author and path_key between wanted.key and wanted.key and state = 'pending'
				order by path_key
			) as found
		where exists (select from waits)`,
		pgx.StrictNamedArgs{
			"project": project, "author": l.Author, "entry_ids": ids(l.EntryIDs), "path_keys": l.PathKeys,
		})
}

type pendingRow struct {
	ProposalID   string
	Op           string
	Path         string
	PreviousPath string
	EntryID      string
	Creates      bool
	BaseRev      int64
	BaseSHA256   []byte
	SHA256       []byte
}

func (r pendingRow) proposal() memory.Proposal {
	return memory.Proposal{
		ID: memory.ProposalID(r.ProposalID), State: memory.ProposalPending, Action: memory.Action(r.Op), Path: memory.StoredPath(r.Path),
		Previous: memory.StoredPath(r.PreviousPath), EntryID: memory.EntryID(r.EntryID), Creates: r.Creates, BaseRev: r.BaseRev,
		BaseSum: hash(r.BaseSHA256), Sum: memory.Hash(r.SHA256),
	}
}

// queueProposalNumbers counts what waits.
func queueProposalNumbers(batch *pgx.Batch, project memory.ProjectID, l memory.Lookups, to *memory.ProposalNumbers) {
	queueOne(batch, "project", to, proposalNumbersRow.numbers, `
		select count(*) as total, count(*) filter (where author = @author) as own
		from proposals
		where project_id = @project and state = 'pending'`,
		pgx.StrictNamedArgs{"project": project, "author": l.Author})
}

type proposalNumbersRow struct {
	Total int
	Own   int
}

func (r proposalNumbersRow) numbers() memory.ProposalNumbers {
	return memory.ProposalNumbers{All: r.Total, Own: r.Own}
}

// queueDeleted counts what was deleted lately, for good or not. What a maintainer
// took back was not.
func queueDeleted(batch *pgx.Batch, project memory.ProjectID, l memory.Lookups, to *memory.Deletes) {
	queueOne(batch, "project", to, deletedRow.deletes, `
		select count(*) as total, count(*) filter (where author = @author and device_id = @device) as own
		from revisions r
		where project_id = @project and op = 'delete' and at > @since and not exists (
			select
			from changes c
			where c.project_id = @project and c.seq = r.rev and c.op = 'withdraw'
		)`,
		pgx.StrictNamedArgs{"project": project, "author": l.Author, "device": l.Device, "since": l.Since})
}

type deletedRow struct {
	Total int
	Own   int
}

func (r deletedRow) deletes() memory.Deletes { return memory.Deletes{All: r.Total, Own: r.Own} }

// queueState reads how a proposal stands. Under the project's lock nobody else
// changes it.
func queueState(batch *pgx.Batch, project memory.ProjectID, id memory.ProposalID, to *memory.ProposalState) {
	queueOne(batch, "proposal", to, stateRow.state, `
		select state
		from proposals
		where project_id = @project and proposal_id = @proposal`,
		pgx.StrictNamedArgs{"project": project, "proposal": id})
}

type stateRow struct{ State string }

func (r stateRow) state() memory.ProposalState { return memory.ProposalState(r.State) }

// queueProposals writes what waits. What it takes the place of is closed
// before: nobody waits for two changes of one entry.
func queueProposals(batch *pgx.Batch, b memory.Batch, j memory.Judgement) {
	for _, p := range j.Replaced {
		batch.Queue(`
			update proposals
			set state = 'superseded', decided_by = @author, decided_at = @at, successor = nullif(@successor, '')
			where project_id = @project and proposal_id = @proposal and state = 'pending'`,
			pgx.StrictNamedArgs{
				"project": b.Project, "proposal": p.ID, "author": b.Author(), "at": b.At, "successor": p.Successor,
			})
	}
	if len(j.Proposed) == 0 {
		return
	}
	var a proposalArrays
	for _, p := range j.Proposed {
		a.add(p)
	}
	queueNewProposals(batch, b, a)
}

// proposalArrays are columns of proposals.
type proposalArrays struct {
	ids, states, ops, paths, keys, previous, entries []string
	creates                                          []bool
	bases                                            []int64
	baseSums, contents, sums                         [][]byte
	sizes                                            []int
	kinds, names, descriptions                       []*string // null: as the entry's
	notes, ruleSets, successors                      []string
	risks                                            []*string
}

func (a *proposalArrays) add(proposed memory.Proposed) {
	p, content, meta := proposed.Proposal, []byte(nil), proposed.Write.Meta
	kind, name, description := (*string)(nil), (*string)(nil), (*string)(nil)
	if p.Action == memory.ActionPut {
		content = proposed.Write.Content.Bytes()
		kind, name, description = (*string)(&meta.Kind), &meta.Name, &meta.Description
	}
	a.ids, a.states, a.ops = append(a.ids, string(p.ID)), append(a.states, string(p.State)), append(a.ops, string(p.Action))
	a.paths, a.keys = append(a.paths, p.Path.String()), append(a.keys, p.Path.Skeleton())
	a.previous, a.entries = append(a.previous, p.Previous.String()), append(a.entries, string(p.EntryID))
	a.creates, a.bases = append(a.creates, p.Creates), append(a.bases, p.BaseRev)
	a.baseSums, a.contents, a.sums = append(a.baseSums, nullable(p.BaseSum)), append(a.contents, content), append(a.sums, p.Sum[:])
	a.sizes = append(a.sizes, p.Size)
	a.kinds, a.names, a.descriptions = append(a.kinds, kind), append(a.names, name), append(a.descriptions, description)
	a.notes, a.ruleSets, a.successors = append(a.notes, p.Note), append(a.ruleSets, p.RuleSet), append(a.successors, string(p.Successor))
	a.risks = append(a.risks, storedRisks(p.Risks))
}

// queueNewProposals writes proposals. One that a later op of its batch replaced
// is written as it ended.
func queueNewProposals(batch *pgx.Batch, b memory.Batch, a proposalArrays) {
	args := authorship(b)
	args["ids"], args["states"], args["ops"], args["paths"], args["keys"] = a.ids, a.states, a.ops, a.paths, a.keys
	args["previous"], args["entries"], args["creates"], args["bases"] = a.previous, a.entries, a.creates, a.bases
	args["base_sums"], args["contents"], args["sums"], args["sizes"] = a.baseSums, a.contents, a.sums, a.sizes
	args["kinds"], args["names"], args["descriptions"] = a.kinds, a.names, a.descriptions
	args["notes"], args["rule_sets"], args["successors"] = a.notes, a.ruleSets, a.successors
	args["risks"] = a.risks
	batch.Queue(`
		insert into proposals (
			project_id, proposal_id, state, op, path, path_key, previous_path, entry_id, creates, base_rev, base_sha256,
			kind, name, description, content, sha256, size, author, device_id, agent, agent_version, agent_session, agent_model,
			note, rule_set, risks, at, decided_by, decided_at, successor
		)
		select @project, u.id, u.state, u.op, u.path, u.key, u.previous, u.entry, u.creates, u.base, u.base_sum,
			coalesce(u.kind, e.kind), coalesce(u.name, e.name), coalesce(u.description, e.description), u.content, u.sum, u.size,
			@author, @device, @agent, @agent_version, @agent_session, @agent_model, u.note, u.rule_set, u.risks::jsonb, @at,
			case when u.state <> 'pending' then @author end, case when u.state <> 'pending' then @at::timestamptz end,
			nullif(u.successor, '')
		from unnest(
			@ids::text[], @states::text[], @ops::text[], @paths::text[], @keys::text[], @previous::text[], @entries::text[],
			@creates::boolean[], @bases::bigint[], @base_sums::bytea[], @kinds::text[], @names::text[], @descriptions::text[],
			@contents::bytea[], @sums::bytea[], @sizes::int[], @notes::text[], @rule_sets::text[], @risks::text[], @successors::text[]
		) as u (
			id, state, op, path, key, previous, entry, creates, base, base_sum, kind, name, description, content, sum, size, note,
			rule_set, risks, successor
		)
		left join lateral (
			select kind, name, description
			from entries
			where project_id = @project and entry_id = u.entry and u.op <> 'put'
			offset 0
		) as e on true`,
		args)
}

// proposalRows tells what waits, and what it took the place of.
func proposalRows(b memory.Batch, j memory.Judgement) []memory.AuditRow {
	var rows []memory.AuditRow
	superseded := func(p memory.Proposal) {
		row := actor(b, "proposal.supersede", string(p.ID))
		row.After, row.Decision = p.Sum, string(memory.ProposalSuperseded)
		rows = append(rows, row)
	}
	for _, p := range j.Replaced {
		superseded(p)
	}
	for _, proposed := range j.Proposed {
		p := proposed.Proposal
		row := actor(b, "proposal."+string(p.Action), string(p.ID))
		row.Before, row.Decision = p.BaseSum, string(memory.RulingWaiting)
		if p.Action != memory.ActionDelete {
			row.After = p.Sum
		}
		if rows = append(rows, row); p.State == memory.ProposalSuperseded {
			superseded(p)
		}
	}
	return rows
}
