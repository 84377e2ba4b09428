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
		Project: memory.ProjectID(value(r.ProjectID)), Scopes: scopes(r.Scopes),
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(), RevokedAt: value(r.RevokedAt).UTC(),
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

// APITokens returns all tokens, or a member's, newest first.
func (s *Store) APITokens(ctx context.Context, member memory.MemberID) ([]memory.APIToken, error) {
	found, err := list(ctx, s.pool, func(r tokenRow) memory.APIToken { return r.owned().token }, `
		select t.token_id, t.hash, t.last4, t.project_id, t.scopes, t.created_at, t.expires_at, t.revoked_at,
			m.member_id, m.name, m.admin, m.disabled, m.session_epoch, m.created_at as member_since
		from api_tokens t
		join members m on m.member_id = t.member_id
		where @member = '' or t.member_id = @member
		order by t.created_at desc, t.token_id desc`,
		pgx.StrictNamedArgs{"member": member})
	return found, s.fault(ctx, "list tokens", err)
}

// RevokeAPIToken ends a token and the devices that it logged in; each of them
// gets a row like the token's. One that was revoked before stays as it is.
func (s *Store) RevokeAPIToken(ctx context.Context, id memory.TokenID, at time.Time, row memory.AuditRow) error {
	return s.fault(ctx, "revoke token", s.inTx(ctx, func(tx pgx.Tx) error {
		before, err := one(ctx, tx, "token", func(r struct{ RevokedAt *time.Time }) *time.Time { return r.RevokedAt }, `
			select revoked_at
			from api_tokens
			where token_id = @token
			for update`,
			pgx.StrictNamedArgs{"token": id})
		if err != nil || before != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			update api_tokens
			set revoked_at = @at
			where token_id = @token`,
			pgx.StrictNamedArgs{"token": id, "at": at}); err != nil {
			return err
		}
		// Who logs in with the token holds its row, so none comes after this.
		ended, err := endDevices(ctx, tx, ending{token: id, why: memory.EndTokenRevoked, at: at})
		if err != nil {
			return err
		}
		rows := []memory.AuditRow{row}
		for _, device := range ended {
			end := row
			end.Action, end.Object, end.Decision = "device.revoke", string(device), string(memory.EndTokenRevoked)
			rows = append(rows, end)
		}
		return appendInstance(ctx, tx, rows...)
	}))
}
