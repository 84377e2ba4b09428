package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type allowRow struct {
	AllowID      string
	FindingID    string
	Fingerprint  []byte
	Rule         string
	Glob         string
	Reason       string
	Author       string
	AuthorName   string
	ApprovedBy   string
	ApproverName string
	At           time.Time
	ExpiresAt    time.Time
}

func (r allowRow) rule() memory.AllowRule {
	return memory.AllowRule{
		ID: memory.AllowID(r.AllowID), Finding: memory.FindingID(r.FindingID), Fingerprint: memory.Fingerprint(r.Fingerprint),
		Rule: r.Rule, Glob: r.Glob, Reason: memory.AllowReason(r.Reason),
		Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName},
		By:     memory.Author{Member: memory.MemberID(r.ApprovedBy), Name: r.ApproverName}, At: r.At.UTC(), ExpiresAt: r.ExpiresAt.UTC(),
	}
}

type exceptionsRow struct {
	FindingKey []byte
	Made       bool
}

func (r exceptionsRow) exceptions() memory.Exceptions {
	return memory.Exceptions{Key: memory.NewFindingKey(r.FindingKey), Made: r.Made}
}

// Exceptions returns the project's key and all rules that were not revoked, and
// whether there ever were any.
func (s *Store) Exceptions(ctx context.Context, project memory.ProjectID) (x memory.Exceptions, err error) {
	x, err = one(ctx, s.pool, "project", exceptionsRow.exceptions, `
		select p.finding_key, exists (select from allow_rules r where r.project_id = p.project_id) as made
		from projects p
		where p.project_id = @project`,
		pgx.StrictNamedArgs{"project": project})
	if err != nil {
		return memory.Exceptions{}, s.fault(ctx, "read exceptions", err)
	}
	x.Rules, err = list(ctx, s.pool, allowRow.rule, `
		select r.allow_id, r.finding_id, r.fingerprint, r.rule, r.glob, r.reason, r.author, m.name as author_name,
			r.approved_by, a.name as approver_name, r.at, r.expires_at
		from allow_rules r
		join members m on m.member_id = r.author
		join members a on a.member_id = r.approved_by
		where r.project_id = @project and r.revoked_at is null
		order by r.glob, r.allow_id`,
		pgx.StrictNamedArgs{"project": project})
	return x, s.fault(ctx, "read exceptions", err)
}

func addAllowRule(ctx context.Context, tx pgx.Tx, project memory.ProjectID, r memory.AllowRule) error {
	_, err := tx.Exec(ctx, `
		insert into allow_rules (
			project_id, allow_id, finding_id, fingerprint, rule, glob, reason, author, approved_by, at, expires_at
		) values (@project, @allow, @finding, @fingerprint, @rule, @glob, @reason, @author, @by, @at, @expires)`,
		pgx.StrictNamedArgs{
			"project": project, "allow": r.ID, "finding": r.Finding, "fingerprint": r.Fingerprint[:], "rule": r.Rule, "glob": r.Glob,
			"reason": r.Reason, "author": r.Author.Member, "by": r.By.Member, "at": r.At, "expires": r.ExpiresAt,
		})
	return err
}

// RevokeAllow ends a rule.
func (s *Store) RevokeAllow(
	ctx context.Context, project memory.ProjectID, id memory.AllowID, by memory.MemberID, at time.Time, row memory.AuditRow,
) error {
	return s.fault(ctx, "revoke exception", s.inProject(ctx, project, func(tx pgx.Tx, chain link) error {
		done, err := tx.Exec(ctx, `
			update allow_rules
			set revoked_by = @by, revoked_at = @at
			where project_id = @project and allow_id = @allow and revoked_at is null`,
			pgx.StrictNamedArgs{"project": project, "allow": id, "by": by, "at": at})
		if err != nil {
			return err
		}
		if done.RowsAffected() == 0 {
			return memory.NotFound("rule")
		}
		return appendProject(ctx, tx, project, chain, row)
	}))
}
