package store

import (
	"context"
	"encoding/json"
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
	return s.fault(ctx, "write audit", s.inTx(ctx, func(tx pgx.Tx) error {
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
	if err := queueAudit(batch, instanceChain, last, rows); err != nil {
		return err
	}
	return tx.SendBatch(ctx, batch).Close()
}

// inProject runs f in a transaction that holds the project's row, under which
// the project's chain grows. The chain ends at the link.
func (s *Store) inProject(ctx context.Context, project memory.ProjectID, f func(pgx.Tx, link) error) error {
	return s.inLocked(ctx, project, func(tx pgx.Tx, k known) error { return f(tx, k.chain) })
}

// inLocked is inProject for those who go on with the project's feed.
func (s *Store) inLocked(ctx context.Context, project memory.ProjectID, f func(pgx.Tx, known) error) error {
	return retried(ctx, func() error {
		return s.inTx(ctx, func(tx pgx.Tx) error {
			var k known
			batch := &pgx.Batch{}
			s.queueLock(batch, project, &k)
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
			return f(tx, k)
		})
	})
}

// appendProject appends rows to the project's chain.
func appendProject(ctx context.Context, tx pgx.Tx, project memory.ProjectID, last link, rows ...memory.AuditRow) error {
	batch := &pgx.Batch{}
	if err := queueAudit(batch, string(project), last, rows); err != nil {
		return err
	}
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
func queueAudit(batch *pgx.Batch, chain string, last link, rows []memory.AuditRow) error {
	var a auditArrays
	for _, row := range rows {
		row = storable(row)
		last = link{Number: last.Number + 1, Hash: row.Chain(last.Hash)}
		if err := a.add(row, last); err != nil {
			return err
		}
	}
	batch.Queue(`
		insert into audit (
			project_id, number, at, actor, token_id, device_id, remote, client,
			action, object, before_hash, after_hash, decision, rules, hash
		)
		select @chain, u.number, u.at, u.actor, u.token, u.device, u.remote, u.client,
			u.action, u.object, u.before, u.after, u.decision, array(select jsonb_array_elements_text(u.rules)), u.hash
		from unnest(
			@numbers::bigint[], @ats::timestamptz[], @actors::text[], @tokens::text[], @devices::text[], @remotes::text[],
			@clients::text[], @actions::text[], @objects::text[], @befores::bytea[], @afters::bytea[], @decisions::text[],
			@rules::jsonb[], @hashes::bytea[]
		) as u (number, at, actor, token, device, remote, client, action, object, before, after, decision, rules, hash)`,
		pgx.StrictNamedArgs{
			"chain": chain, "numbers": a.numbers, "ats": a.ats, "actors": a.actors, "tokens": a.tokens, "devices": a.devices,
			"remotes": a.remotes, "clients": a.clients, "actions": a.actions, "objects": a.objects, "befores": a.befores,
			"afters": a.afters, "decisions": a.decisions, "rules": a.rules, "hashes": a.hashes,
		})
	return nil
}

// auditArrays are columns of audit.
type auditArrays struct {
	numbers                                                     []int64
	ats                                                         []time.Time
	actors, tokens, devices, remotes, clients, actions, objects []string
	befores, afters                                             [][]byte
	decisions                                                   []string
	rules                                                       []string // a JSON list each: arrays in an array must be of one length
	hashes                                                      [][]byte
}

func (a *auditArrays) add(row memory.AuditRow, l link) error {
	rules, err := json.Marshal(append([]string{}, row.Rules...))
	if err != nil {
		return err
	}
	a.numbers, a.ats = append(a.numbers, l.Number), append(a.ats, row.At)
	a.actors, a.tokens = append(a.actors, string(row.Actor)), append(a.tokens, string(row.Token))
	a.devices, a.remotes = append(a.devices, string(row.Device)), append(a.remotes, row.Remote)
	a.clients, a.actions = append(a.clients, row.Client), append(a.actions, row.Action)
	a.objects, a.decisions = append(a.objects, row.Object), append(a.decisions, row.Decision)
	a.befores, a.afters = append(a.befores, nullable(row.Before)), append(a.afters, nullable(row.After))
	a.rules, a.hashes = append(a.rules, string(rules)), append(a.hashes, l.Hash[:])
	return nil
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
	rows, last, err = verifyAudit(ctx, s.pool, project)
	return rows, last, s.fault(ctx, "read audit", err)
}

func verifyAudit(ctx context.Context, q querier, project memory.ProjectID) (rows int64, last memory.Hash, err error) {
	found, err := q.Query(ctx, `
		select number, at, actor, token_id, device_id, remote, client, action, object, before_hash, after_hash, decision, rules, hash
		from audit
		where project_id = @chain
		order by number`,
		pgx.StrictNamedArgs{"chain": project})
	if err != nil {
		return 0, memory.Hash{}, err
	}
	defer found.Close()
	for found.Next() {
		row, err := pgx.RowToStructByName[auditRow](found)
		if err != nil {
			return 0, memory.Hash{}, err
		}
		rows++
		if row.Number != rows {
			return 0, memory.Hash{}, brokenChain(fmt.Sprintf("row %d of the audit is missing", rows))
		}
		if last = row.row().Chain(last); last != memory.Hash(row.Hash) {
			return 0, memory.Hash{}, brokenChain(fmt.Sprintf("row %d of the audit is not as it was written", rows))
		}
	}
	return rows, last, found.Err()
}

func brokenChain(message string) error {
	return &memory.Error{
		Code: memory.CodeInternal, Message: message,
		Hint: "somebody with more than the serving role's rights changed the table: compare it with a backup",
	}
}
