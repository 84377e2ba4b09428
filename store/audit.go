package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// instanceChain is the project id under which the instance's own chain is
// kept.
const instanceChain = ""

// instanceLock is the number of the advisory lock under which the instance's
// chain grows. A project's chain grows under the project's row.
const instanceLock = 0x7465616d6d656d02

// Audit appends rows to the instance's chain.
func (s *Store) Audit(ctx context.Context, rows ...memory.AuditRow) error {
	if len(rows) == 0 {
		return nil
	}
	return s.fault("write audit", s.inTx(ctx, func(tx pgx.Tx) error {
		return appendInstance(ctx, tx, rows...)
	}))
}

// appendInstance appends rows to the instance's chain. It comes last in a
// transaction, because the next writer waits from here to the commit.
func appendInstance(ctx context.Context, tx pgx.Tx, rows ...memory.AuditRow) error {
	var last link
	batch := &pgx.Batch{}
	batch.Queue(`select pg_advisory_xact_lock(@lock)`, pgx.StrictNamedArgs{"lock": instanceLock})
	queueLink(batch, instanceChain, &last)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	batch = &pgx.Batch{}
	queueAudit(batch, instanceChain, last, rows)
	return tx.SendBatch(ctx, batch).Close()
}

// link is where a chain ends. The zero link starts one.
type link struct {
	Number int64
	Hash   memory.Hash
}

func queueLink(batch *pgx.Batch, chain string, to *link) {
	batch.Queue(`
		select number, hash
		from audit
		where project_id = @chain
		order by number desc
		limit 1`,
		pgx.StrictNamedArgs{"chain": chain}).
		Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, converted(linkRow.link))
			if len(found) > 0 {
				*to = found[0]
			}
			return err
		})
}

type linkRow struct {
	Number int64
	Hash   []byte
}

func (r linkRow) link() link { return link{Number: r.Number, Hash: memory.Hash(r.Hash)} }

// queueAudit chains the rows to the last link and queues their insert.
func queueAudit(batch *pgx.Batch, chain string, last link, rows []memory.AuditRow) {
	for _, row := range rows {
		row = storable(row)
		last = link{Number: last.Number + 1, Hash: row.Chain(last.Hash)}
		rules := row.Rules
		if rules == nil {
			rules = []string{}
		}
		batch.Queue(`
			insert into audit (
				project_id, number, at, actor, token_id, device_id, remote, client,
				action, object, before_hash, after_hash, decision, rules, hash
			)
			values (
				@chain, @number, @at, @actor, @token, @device, @remote, @client,
				@action, @object, @before, @after, @decision, @rules, @hash
			)`,
			pgx.StrictNamedArgs{
				"chain": chain, "number": last.Number, "at": row.At, "actor": row.Actor, "token": row.Token, "device": row.Device,
				"remote": row.Remote, "client": row.Client, "action": row.Action, "object": row.Object,
				"before": nullable(row.Before), "after": nullable(row.After), "decision": row.Decision, "rules": rules,
				"hash": last.Hash[:],
			})
	}
}

// storable replaces what Postgres cannot keep in a text, so that no client can
// avoid the audit by what it calls itself.
func storable(row memory.AuditRow) memory.AuditRow {
	for _, s := range []*string{&row.Remote, &row.Client, &row.Action, &row.Object, &row.Decision} {
		*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "\uFFFD")
	}
	return row
}

// auditRow has its columns in the order in which [memory.AuditRow] hashes
// them.
type auditRow struct {
	Number     int64
	At         time.Time
	Actor      string
	TokenID    string
	DeviceID   string
	Remote     string
	Client     string
	Action     string
	Object     string
	BeforeHash []byte
	AfterHash  []byte
	Decision   string
	Rules      []string
	Hash       []byte
}

func (r auditRow) row() memory.AuditRow {
	return memory.AuditRow{
		At: r.At, Actor: memory.MemberID(r.Actor), Token: memory.TokenID(r.TokenID), Device: memory.DeviceID(r.DeviceID),
		Remote: r.Remote, Client: r.Client, Action: r.Action, Object: r.Object,
		Before: hash(r.BeforeHash), After: hash(r.AfterHash), Decision: r.Decision, Rules: r.Rules,
	}
}

// VerifyAudit recomputes the chain of a project, or with "" the instance's
// own, and returns how many rows it has and its last hash, for keeping outside
// the database: who owns the database can rewrite a whole chain, and only such
// a copy shows it. The error names the first row that is not as it was written.
func (s *Store) VerifyAudit(ctx context.Context, project memory.ProjectID) (rows int64, last memory.Hash, err error) {
	found, err := s.pool.Query(ctx, `
		select number, at, actor, token_id, device_id, remote, client, action, object, before_hash, after_hash, decision, rules, hash
		from audit
		where project_id = @chain
		order by number`,
		pgx.StrictNamedArgs{"chain": project})
	if err != nil {
		return 0, memory.Hash{}, s.fault("read audit", err)
	}
	defer found.Close()
	for found.Next() {
		row, err := pgx.RowToStructByName[auditRow](found)
		if err != nil {
			return 0, memory.Hash{}, s.fault("read audit", err)
		}
		rows++
		if row.Number != rows {
			return 0, memory.Hash{}, brokenChain(fmt.Sprintf("row %d of the audit is missing", rows))
		}
		if last = row.row().Chain(last); last != memory.Hash(row.Hash) {
			return 0, memory.Hash{}, brokenChain(fmt.Sprintf("row %d of the audit is not as it was written", rows))
		}
	}
	return rows, last, s.fault("read audit", found.Err())
}

func brokenChain(message string) error {
	return &memory.Error{
		Code: memory.CodeInternal, Message: message,
		Hint: "somebody with more than the serving role's rights changed the table: compare it with a backup",
	}
}
