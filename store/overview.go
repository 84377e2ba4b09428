package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type overviewRow struct {
	projectRow

	Role      *string // that was given to the member
	Live      int
	Pending   int
	Mine      int
	Found     int
	FoundMine int
	Requested int
	Asked     int
	ChangedAt *time.Time
}

func (r overviewRow) numbers() memory.ProjectNumbers {
	n := memory.ProjectNumbers{
		Project: r.project(), Given: r.Role != nil, Entries: r.Live, Pending: r.Pending, Mine: r.Mine,
		Findings: memory.FindingNumbers{Open: r.Found, Mine: r.FoundMine, Requested: r.Requested, Asked: r.Asked},
	}
	if n.Given {
		// The schema knows the same roles, so the name is one of them.
		n.Role, _ = memory.ParseRole(*r.Role)
	}
	if r.ChangedAt != nil {
		n.ChangedAt = r.ChangedAt.UTC()
	}
	return n
}

// Overviews returns all projects, by slug, with their numbers as they are for
// the member at a time. Proposals are counted from the index of those that wait,
// findings from that of those that are not settled.
func (s *Store) Overviews(ctx context.Context, member memory.MemberID, now time.Time) ([]memory.ProjectNumbers, error) {
	found, err := list(ctx, s.pool, overviewRow.numbers, `
		select p.project_id, p.slug, p.review, p.default_role, p.epoch, p.seq, p.floor_seq, p.rewrites, p.digest, p.created_at, array(
				select remote
				from project_remotes
				where project_id = p.project_id
				order by remote
			) as remotes,
			r.role, p.live, waiting.pending, waiting.mine, findings.found, findings.found_mine, findings.requested, findings.asked, (
				select v.at
				from changes c,
					lateral (
						select at
						from revisions
						where project_id = c.project_id and entry_id = c.entry_id and rev = c.rev
						offset 0
					) as v
				where c.project_id = p.project_id and c.seq = p.seq
			) as changed_at
		from projects p
		left join project_roles r on r.project_id = p.project_id and r.member_id = @member
		cross join lateral (
			select count(*) filter (where author <> @member) as pending, count(*) filter (where author = @member) as mine
			from proposals
			where project_id = p.project_id and state = 'pending'
		) as waiting
		cross join lateral (
			select count(*) filter (where part = 'open') as found, count(*) filter (where part = 'open' and author = @member) as found_mine,
				count(*) filter (where part = 'requested') as requested,
				count(*) filter (where part = 'requested' and author = @member) as asked
			from (
				select f.author, `+findingPart+` as part
				from secret_findings f
				left join allow_rules a on a.project_id = f.project_id and a.allow_id = f.allow_id
				where f.project_id = p.project_id and f.state in ('open', 'requested', 'allowed', 'denied')
			) as unsettled
		) as findings
		order by p.slug`,
		pgx.StrictNamedArgs{"member": member, "now": now})
	return found, s.fault(ctx, "read overviews", err)
}

type recentRow struct {
	changeRow

	ProjectID string
	Creates   bool
}

func (r recentRow) change() memory.ProjectChange {
	return memory.ProjectChange{Project: memory.ProjectID(r.ProjectID), Creates: r.Creates, Change: r.changeRow.change()}
}

// Recent returns the newest changes of the projects, newest first and without
// contents: the end of each feed, put together by time.
func (s *Store) Recent(ctx context.Context, projects []memory.ProjectID, limit int) ([]memory.ProjectChange, error) {
	found, err := list(ctx, s.pool, recentRow.change, `
		select c.project_id, c.seq, c.entry_id, c.op, r.path, c.previous_path, c.rev, r.op as rev_op, r.sha256, r.size, r.kind,
			null::bytea as content, false as inline, r.at, r.author, m.name as author_name,
			r.device_id, r.agent, r.agent_version, r.agent_session, r.agent_model, r.base_rev = 0 as creates
		from unnest(@projects::text[]) as wanted (project_id)
		cross join lateral (
			select project_id, seq, entry_id, rev, op, previous_path
			from changes
			where project_id = wanted.project_id
			order by seq desc
			limit @limit
		) as c
		cross join lateral (
			select op, path, sha256, size, kind, at, author, device_id, agent, agent_version, agent_session, agent_model, base_rev
			from revisions
			where project_id = c.project_id and entry_id = c.entry_id and rev = c.rev
			offset 0
		) as r
		join members m on m.member_id = r.author
		order by r.at desc, c.project_id, c.seq desc
		limit @limit`,
		pgx.StrictNamedArgs{"projects": ids(projects), "limit": limit})
	return found, s.fault(ctx, "read recent changes", err)
}
