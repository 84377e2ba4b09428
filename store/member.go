package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type memberRow struct {
	MemberID     string
	Name         string
	Admin        bool
	Disabled     bool
	SessionEpoch int64
	CreatedAt    time.Time
}

func (r memberRow) member() memory.Member {
	return memory.Member{
		ID: memory.MemberID(r.MemberID), Name: r.Name, Admin: r.Admin, Disabled: r.Disabled,
		SessionEpoch: r.SessionEpoch, CreatedAt: r.CreatedAt.UTC(),
	}
}

// Member returns one member.
func (s *Store) Member(ctx context.Context, id memory.MemberID) (memory.Member, error) {
	member, err := one(ctx, s.pool, "member", memberRow.member, `
		select member_id, name, admin, disabled, session_epoch, created_at
		from members
		where member_id = @member`,
		pgx.StrictNamedArgs{"member": id})
	return member, s.fault(ctx, "read member", err)
}

// MemberByName returns the member with exactly this name.
func (s *Store) MemberByName(ctx context.Context, name string) (memory.Member, error) {
	member, err := one(ctx, s.pool, "member", memberRow.member, `
		select member_id, name, admin, disabled, session_epoch, created_at
		from members
		where name = @name`,
		pgx.StrictNamedArgs{"name": name})
	return member, s.fault(ctx, "read member", err)
}

// AddMember adds a person. A name that is in use is a CodeConflict error.
func (s *Store) AddMember(ctx context.Context, m memory.Member, row memory.AuditRow) error {
	return s.fault(ctx, "add member", s.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into members (member_id, name, admin, disabled, session_epoch, created_at)
			values (@member, @name, @admin, @disabled, @session_epoch, @at)`,
			pgx.StrictNamedArgs{
				"member": m.ID, "name": m.Name, "admin": m.Admin, "disabled": m.Disabled,
				"session_epoch": m.SessionEpoch, "at": m.CreatedAt,
			})
		if err != nil {
			return taken(err, "members_name_key", "name", "another member has this name")
		}
		return appendInstance(ctx, tx, row)
	}))
}
