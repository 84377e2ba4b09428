package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type healthRow struct {
	deviceRow

	OfProject    string
	OwnerName    string
	Client       string
	SeenAt       time.Time
	Behind       int64
	Tree         *string // null: there is no report
	Mode         *string
	Holds        []storedHold
	Refused      []storedFile
	Blocked      []storedFile
	RefusedTotal *int
	BlockedTotal *int
	Conflicts    *int
	Waiting      *int
	ReportedAt   *time.Time
	Troubled     bool
}

func (r healthRow) health() memory.DeviceHealth {
	d := r.device()
	h := memory.DeviceHealth{
		Project: memory.ProjectID(r.OfProject), Device: d, Owner: memory.Author{Member: d.Member, Name: r.OwnerName}, Client: r.Client,
		LastSeen: r.SeenAt.UTC(), Behind: r.Behind, Troubled: r.Troubled,
	}
	if r.Tree == nil {
		return h
	}
	h.Reported = value(r.ReportedAt).UTC()
	h.Report = &memory.DeviceReport{
		Device: d.ID, Tree: *r.Tree, Flow: memory.Flow(value(r.Mode)), Refused: reportedFiles(r.Refused), Blocked: reportedFiles(r.Blocked),
		RefusedTotal: value(r.RefusedTotal), BlockedTotal: value(r.BlockedTotal), Conflicts: value(r.Conflicts), Waiting: value(r.Waiting),
	}
	for _, hold := range r.Holds {
		h.Report.Holds = append(h.Report.Holds, memory.ReportedHold(hold))
	}
	return h
}

func reportedFiles(kept []storedFile) (files []memory.ReportedFile) {
	for _, f := range kept {
		files = append(files, memory.ReportedFile{Path: memory.StoredPath(f.Path), Code: f.Code, Layer: f.Layer})
	}
	return files
}

// DeviceHealth returns a page of the trees on computers that are logged in, in
// the order of [memory.HealthQuery].
func (s *Store) DeviceHealth(
	ctx context.Context, projects, everybody []memory.ProjectID, member memory.MemberID, q memory.HealthQuery,
) ([]memory.DeviceHealth, error) {
	found, err := list(ctx, s.pool, healthRow.health, `
		with known as (
			select project_id, device_id
			from device_cursors
			where project_id = any (@projects)
			union
			select project_id, device_id
			from device_reports
			where project_id = any (@projects)
		), tree as (
			select k.project_id as of_project, `+deviceColumns+`, m.name as owner_name,
				case when c.at >= r.at or r.at is null then c.client else r.client end as client,
				greatest(d.created_at, d.last_seen_at, c.at, r.at) as seen_at,
				case when c.epoch = p.epoch then greatest(p.seq - c.seq, 0) else -1 end as behind,
				r.tree, r.mode, r.holds, r.refused, r.blocked, r.refused_total, r.blocked_total, r.conflicts, r.waiting, r.at as reported_at,
				coalesce(r.holds <> '[]' or r.refused_total + r.blocked_total + r.conflicts > 0, false) as troubled
			from known k
			join projects p on p.project_id = k.project_id
			join devices d on d.device_id = k.device_id and d.revoked_at is null
			join members m on m.member_id = d.member_id and not m.disabled
			left join device_cursors c on c.project_id = k.project_id and c.device_id = k.device_id
			left join device_reports r on r.project_id = k.project_id and r.device_id = k.device_id
			where k.project_id = any (@everybody) or d.member_id = @member
		)
		select of_project, device_id, member_id, name, os, created_at, project_id, scopes, token_id, login, login_ends_at, device_epoch,
			last_seen_at, revoked_at, revoked_for, owner_name, client, seen_at, behind, tree, mode, holds, refused, blocked, refused_total,
			blocked_total, conflicts, waiting, reported_at, troubled
		from tree
		where @after_device = '' or (troubled, seen_at, of_project, device_id, coalesce(tree, ''))
			< (@after_troubled, @after_seen, @after_project, @after_device, @after_tree)
		order by troubled desc, seen_at desc, of_project desc, device_id desc, coalesce(tree, '') desc
		limit @limit`,
		pgx.StrictNamedArgs{
			"projects": ids(projects), "everybody": ids(everybody), "member": member, "after_troubled": q.After.Troubled,
			"after_seen": q.After.LastSeen, "after_project": q.After.Project, "after_device": q.After.Device, "after_tree": q.After.Tree,
			"limit": q.Limit,
		})
	return found, s.fault(ctx, "read how devices are", err)
}
