package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Queue returns a page of a part of the queue, in the part's order. Of the
// branches that were not asked for, nothing is read.
func (s *Store) Queue(
	ctx context.Context, projects []memory.ProjectID, member memory.MemberID, q memory.QueueQuery,
) ([]memory.Proposal, error) {
	found, err := list(ctx, s.pool, proposalRow.proposal, `
		with page as (
			(
				select project_id, proposal_id, at as place
				from proposals
				where @part = 'pending' and project_id = any (@projects) and state = 'pending' and author <> @member
					and (@after_id = '' or (at, proposal_id) > (@after_at, @after_id))
				order by at, proposal_id
				limit @limit
			) union all (
				select project_id, proposal_id, at as place
				from proposals
				where @part = 'mine' and project_id = any (@projects) and author = @member
					and (@after_id = '' or (at, proposal_id) < (@after_at, @after_id))
				order by at desc, proposal_id desc
				limit @limit
			) union all (
				select project_id, proposal_id, decided_at as place
				from proposals
				where @part = 'done' and project_id = any (@projects) and state <> 'pending'
					and (@after_id = '' or (decided_at, proposal_id) < (@after_at, @after_id))
				order by decided_at desc, proposal_id desc
				limit @limit
			)
		)
		select p.project_id, p.proposal_id, p.state, p.op, p.path, p.previous_path, p.entry_id, p.creates, p.base_rev, p.base_sha256,
			p.kind, p.name, p.description, null::bytea as content, p.sha256, p.size, p.author, m.name as author_name,
			p.device_id, p.agent, p.agent_version, p.agent_session, p.agent_model, p.note, p.rule_set, p.risks, p.at,
			p.decided_by, d.name as decider_name, p.decided_at, p.reason, p.decision_note, p.published_rev, p.successor, p.purged
		from page
		join proposals p on p.project_id = page.project_id and p.proposal_id = page.proposal_id
		join members m on m.member_id = p.author
		left join members d on d.member_id = p.decided_by
		order by case when @part = 'pending' then page.place end, case when @part = 'pending' then p.proposal_id end,
			page.place desc, p.proposal_id desc`,
		pgx.StrictNamedArgs{
			"part": q.Part, "projects": ids(projects), "member": member, "after_at": q.After.At, "after_id": q.After.ID, "limit": q.Limit,
		})
	return found, s.fault(ctx, "read queue", err)
}
