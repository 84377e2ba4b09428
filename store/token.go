package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type tokenRow struct {
	TokenID      string
	Hash         []byte
	Last4        string
	ProjectID    *string
	Scopes       []string
	CreatedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    *time.Time
	MemberID     string
	Name         string
	Admin        bool
	Disabled     bool
	SessionEpoch int64
	MemberSince  time.Time
}

func (r tokenRow) owned() ownedToken {
	t := memory.APIToken{
		ID: memory.TokenID(r.TokenID), Hash: memory.Hash(r.Hash), Last4: r.Last4, Member: memory.MemberID(r.MemberID),
		Project: memory.ProjectID(value(r.ProjectID)), CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(),
	}
	for _, scope := range r.Scopes {
		t.Scopes = append(t.Scopes, memory.Scope(scope))
	}
	if r.RevokedAt != nil {
		t.RevokedAt = r.RevokedAt.UTC()
	}
	m := memberRow{r.MemberID, r.Name, r.Admin, r.Disabled, r.SessionEpoch, r.MemberSince}
	return ownedToken{t, m.member()}
}

type ownedToken struct {
	token  memory.APIToken
	member memory.Member
}

// APIToken finds a token by its hash, in force or not, together with its
// member.
func (s *Store) APIToken(ctx context.Context, hash memory.Hash) (memory.APIToken, memory.Member, error) {
	found, err := one(ctx, s.pool, "token", tokenRow.owned, `
		select t.token_id, t.hash, t.last4, t.project_id, t.scopes, t.created_at, t.expires_at, t.revoked_at,
			m.member_id, m.name, m.admin, m.disabled, m.session_epoch, m.created_at as member_since
		from api_tokens t
		join members m on m.member_id = t.member_id
		where t.hash = @hash`,
		pgx.StrictNamedArgs{"hash": hash[:]})
	return found.token, found.member, s.fault(ctx, "read token", err)
}

// AddAPIToken keeps a token that was just minted.
func (s *Store) AddAPIToken(ctx context.Context, t memory.APIToken, row memory.AuditRow) error {
	return s.fault(ctx, "add token", s.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into api_tokens (
				token_id, hash, last4, member_id, project_id, scopes, created_at, expires_at, revoked_at
			)
			values (@token, @hash, @last4, @member, nullif(@project, ''), @scopes, @created_at, @expires_at, @revoked_at)`,
			pgx.StrictNamedArgs{
				"token": t.ID, "hash": t.Hash[:], "last4": t.Last4, "member": t.Member, "project": t.Project, "scopes": ids(t.Scopes),
				"created_at": t.CreatedAt, "expires_at": t.ExpiresAt, "revoked_at": when(t.RevokedAt),
			})
		if err != nil {
			return err
		}
		return appendInstance(ctx, tx, row)
	}))
}
