package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Examined is what [Examine] found in a database.
type Examined struct {
	Schema      int   // of the database: how many migrations ran; 0: it is no database of teammem's yet
	Known       int   // to this program
	SchemaErr   error // why this program cannot serve the database as it is, nor migrate it; nothing below is known then
	Instance    string
	Bytes       int64 // of the whole database
	Keys        int   // that sign access tokens; each is sealed under the master key
	Projects    []ProjectState
	Audit       int64 // rows of the instance's own chain
	InstanceErr error // what does not hold of that chain
}

// ProjectState is what was found of one project.
type ProjectState struct {
	memory.Project

	Live      int   // entries that are not deleted
	Revisions int64 // versions of all entries
	Audit     int64 // rows of its chain
	Err       error // what does not hold of it; nil: all that must
}

// Examine recomputes everything that must hold of a database, as the URL's
// role, at one point in time. It changes nothing, and migrates nothing.
func Examine(ctx context.Context, url string) (Examined, error) {
	conn, err := connectOwner(ctx, url)
	if err != nil {
		return Examined{}, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var x Examined
	files, err := readMigrations()
	if err != nil {
		return Examined{}, err
	}
	applied, err := appliedMigrations(ctx, conn)
	if err != nil {
		return Examined{}, ownerFault("read applied migrations", err)
	}
	if x.Known = len(files); len(applied) > 0 {
		x.Schema = applied[len(applied)-1].Version
	}
	if _, x.SchemaErr = pendingMigrations(files, applied); x.SchemaErr != nil || x.Schema == 0 {
		return x, nil
	}
	err = pgx.BeginTxFunc(ctx, conn, snapshot(), func(tx pgx.Tx) error {
		if err := examine(ctx, tx, &x); err != nil {
			return err
		}
		x.Keys, err = countKeys(ctx, tx)
		return err
	})
	return x, ownerFault("examine", err)
}

// countKeys counts the signing keys, which older schemas do not have.
func countKeys(ctx context.Context, tx pgx.Tx) (n int, err error) {
	var known bool
	if err := tx.QueryRow(ctx, `select to_regclass('signing_keys') is not null`).Scan(&known); err != nil || !known {
		return 0, err
	}
	err = tx.QueryRow(ctx, `select count(*) from signing_keys`).Scan(&n)
	return n, err
}

// snapshot is a transaction whose queries all see one and the same state.
func snapshot() pgx.TxOptions {
	return pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
}

func examine(ctx context.Context, tx pgx.Tx, x *Examined) error {
	err := tx.QueryRow(ctx, `
		select instance_id, pg_database_size(current_database())
		from instance`).Scan(&x.Instance, &x.Bytes)
	if err != nil {
		return err
	}
	if x.Projects, err = projectStates(ctx, tx); err != nil {
		return err
	}
	if x.Audit, _, x.InstanceErr = verifyAudit(ctx, tx, instanceChain); !isFinding(x.InstanceErr) {
		return x.InstanceErr
	}
	return nil
}

// projectStates examines all projects.
func projectStates(ctx context.Context, tx pgx.Tx) ([]ProjectState, error) {
	projects, err := list(ctx, tx, examinedRow.state, `
		select p.project_id, p.slug, p.review, p.default_role, p.epoch, p.seq, p.floor_seq, 0::bigint as rewrites, p.digest, p.created_at, '{}'::text[] as remotes,
			p.live, count(r.rev) as revisions, count(*) filter (
				where r.content is not null and (sha256(r.content) <> r.sha256 or length(r.content) <> r.size)
			) as damaged
		from projects p
		left join revisions r on r.project_id = p.project_id
		group by p.project_id
		order by p.slug`, nil)
	if err != nil {
		return nil, err
	}
	for i := range projects {
		p := &projects[i]
		if p.Err == nil {
			p.Err = checkProject(ctx, tx, p.ID)
		}
		rows, _, err := verifyAudit(ctx, tx, p.ID)
		if p.Audit = rows; p.Err == nil {
			p.Err = err
		}
		if !isFinding(p.Err) {
			return nil, p.Err
		}
	}
	return projects, nil
}

type examinedRow struct {
	projectRow

	Live      int
	Revisions int64
	Damaged   int64
}

func (r examinedRow) state() ProjectState {
	s := ProjectState{Project: r.project(), Live: r.Live, Revisions: r.Revisions}
	if r.Damaged > 0 {
		s.Err = inconsistent(fmt.Sprintf("%d of its %d texts are not those that were written", r.Damaged, r.Revisions))
	}
	return s
}

// isFinding tells what was found of a project from a failure to look.
func isFinding(err error) bool { return err == nil || asDomain(err) != nil }
