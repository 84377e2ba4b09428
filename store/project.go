package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type projectRow struct {
	ProjectID   string
	Slug        string
	Remotes     []string
	Review      string
	DefaultRole string
	Epoch       string
	Seq         int64
	FloorSeq    int64
	Rewrites    int64
	Digest      []byte
	CreatedAt   time.Time
}

func (r projectRow) project() memory.Project {
	// The schema knows the same roles, so the name is one of them.
	role, _ := memory.ParseRole(r.DefaultRole)
	return memory.Project{
		ID: memory.ProjectID(r.ProjectID), Slug: r.Slug, Remotes: r.Remotes, Review: memory.Preset(r.Review), DefaultRole: role,
		Head:      memory.Head{Epoch: r.Epoch, Seq: r.Seq, Floor: r.FloorSeq, Rewrites: r.Rewrites, Digest: memory.Digest(r.Digest)},
		CreatedAt: r.CreatedAt.UTC(),
	}
}

// Project returns one project.
func (s *Store) Project(ctx context.Context, id memory.ProjectID) (memory.Project, error) {
	project, err := one(ctx, s.pool, "project", projectRow.project, `
		select project_id, slug, review, default_role, epoch, seq, floor_seq, rewrites, digest, created_at, array(
				select remote
				from project_remotes r
				where r.project_id = p.project_id
				order by remote
			) as remotes
		from projects p
		where project_id = @project`,
		pgx.StrictNamedArgs{"project": id})
	return project, s.fault(ctx, "read project", err)
}

// Projects returns all projects, or those with the slug or remote, by slug.
func (s *Store) Projects(ctx context.Context, slug, remote string) ([]memory.Project, error) {
	projects, err := list(ctx, s.pool, projectRow.project, `
		select project_id, slug, review, default_role, epoch, seq, floor_seq, rewrites, digest, created_at, array(
				select remote
				from project_remotes r
				where r.project_id = p.project_id
				order by remote
			) as remotes
		from projects p
		where (@slug = '' and @remote = '')
			or slug = @slug
			or project_id in (
				select project_id
				from project_remotes
				where remote = @remote
			)
		order by slug`,
		pgx.StrictNamedArgs{"slug": slug, "remote": remote})
	return projects, s.fault(ctx, "read projects", err)
}

// AddProject starts a project with an empty feed. A slug that is in use is a
// CodeConflict error.
func (s *Store) AddProject(ctx context.Context, p memory.Project, row memory.AuditRow) error {
	return s.fault(ctx, "add project", s.inTx(ctx, func(tx pgx.Tx) error {
		if err := addProject(ctx, tx, p); err != nil {
			return taken(err, "projects_slug_key", "slug", "another project has this slug")
		}
		return appendInstance(ctx, tx, row)
	}))
}

func addProject(ctx context.Context, tx pgx.Tx, p memory.Project) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		insert into projects (
			project_id, slug, epoch, seq, floor_seq, digest, live, review, default_role, created_at
		)
		values (@project, @slug, @epoch, 0, 0, @digest, 0, @review, @default_role, @at)`,
		pgx.StrictNamedArgs{
			"project": p.ID, "slug": p.Slug, "epoch": p.Head.Epoch, "digest": make([]byte, len(memory.Digest{})),
			"review": p.Review, "default_role": p.DefaultRole.String(), "at": p.CreatedAt,
		})
	batch.Queue(`
		insert into project_remotes (project_id, remote)
		select @project, remote
		from unnest(@remotes::text[]) as u (remote)
		on conflict do nothing`,
		pgx.StrictNamedArgs{"project": p.ID, "remotes": p.Remotes})
	return tx.SendBatch(ctx, batch).Close()
}

// SetReview gives the project another preset. It waits for the project's row,
// under which pushes compare the preset that they were decided by.
func (s *Store) SetReview(ctx context.Context, id memory.ProjectID, p memory.Preset, row memory.AuditRow) error {
	return s.fault(ctx, "set preset", s.inProject(ctx, id, func(tx pgx.Tx, chain link) error {
		_, err := tx.Exec(ctx, `
			update projects
			set review = @review
			where project_id = @project`,
			pgx.StrictNamedArgs{"project": id, "review": p})
		if err != nil {
			return err
		}
		return appendProject(ctx, tx, id, chain, row)
	}))
}

type roleRow struct{ Role string }

// Role returns the role that was given to the member in the project; RoleNone
// and false if none was.
func (s *Store) Role(ctx context.Context, project memory.ProjectID, member memory.MemberID) (memory.Role, bool, error) {
	roles, err := list(ctx, s.pool, func(r roleRow) string { return r.Role }, `
		select role
		from project_roles
		where project_id = @project and member_id = @member`,
		pgx.StrictNamedArgs{"project": project, "member": member})
	if err != nil || len(roles) == 0 {
		return memory.RoleNone, false, s.fault(ctx, "read role", err)
	}
	role, err := memory.ParseRole(roles[0])
	return role, err == nil, err
}

// SetRole gives the member a role in the project, in place of the one before.
func (s *Store) SetRole(
	ctx context.Context, project memory.ProjectID, member memory.MemberID, r memory.Role, row memory.AuditRow,
) error {
	return s.fault(ctx, "set role", s.inProject(ctx, project, func(tx pgx.Tx, chain link) error {
		_, err := tx.Exec(ctx, `
			insert into project_roles (project_id, member_id, role)
			values (@project, @member, @role)
			on conflict (project_id, member_id) do update
			set role = excluded.role`,
			pgx.StrictNamedArgs{"project": project, "member": member, "role": r.String()})
		if err != nil {
			return err
		}
		return appendProject(ctx, tx, project, chain, row)
	}))
}
