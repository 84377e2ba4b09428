package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type cursorRow struct {
	ProjectID   string
	Epoch       string
	Seq         int64
	DefaultRole string
	Role        *string // that was given to the member
}

func (r cursorRow) cursor() memory.ProjectCursor {
	c := memory.ProjectCursor{Project: memory.ProjectID(r.ProjectID), At: memory.Cursor{Epoch: r.Epoch, Seq: r.Seq}, Given: r.Role != nil}
	// The schema knows the same roles, so the names are some of them.
	c.DefaultRole, _ = memory.ParseRole(r.DefaultRole)
	if c.Given {
		c.Role, _ = memory.ParseRole(*r.Role)
	}
	return c
}

// Cursors returns where the feeds of all projects stand, with the role that was
// given to the member in each.
func (s *Store) Cursors(ctx context.Context, member memory.MemberID) ([]memory.ProjectCursor, error) {
	found, err := readCursors(ctx, s.pool, member)
	return found, s.fault(ctx, "read cursors", err)
}

func readCursors(ctx context.Context, q querier, member memory.MemberID) ([]memory.ProjectCursor, error) {
	return list(ctx, q, cursorRow.cursor, `
		select p.project_id, p.epoch, p.seq, p.default_role, r.role
		from projects p
		left join project_roles r on r.project_id = p.project_id and r.member_id = @member
		order by p.project_id`,
		pgx.StrictNamedArgs{"member": member})
}
