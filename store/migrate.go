package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/migrations"
)

// grantsFile runs after the migrations, every time.
const grantsFile = "grants.sql"

// Migrate brings the database to this program's schema, as the URL's role,
// which then owns it; what is up to date already is left alone. It also makes
// the serving role, which [Open] acts as. Processes that migrate at the same
// time wait for one another. A database that is newer than the program, or in
// which a migration ran that was edited since, is refused.
//
// The URL must lead to Postgres itself or to a pooler in session mode, since
// the lock belongs to the session.
func Migrate(ctx context.Context, url string) error {
	return alone(ctx, url, func(conn *pgx.Conn) error { return migrate(ctx, conn) })
}

// alone connects as the URL's role, and runs f while nobody else changes the
// schema.
func alone(ctx context.Context, url string, f func(*pgx.Conn) error) error {
	conn, err := connectOwner(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := checkEncoding(ctx, conn); err != nil {
		return err
	}
	// The lock ends with the connection.
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1)`, migrationLock); err != nil {
		return migrationFault("wait for other migrations", err)
	}
	return f(conn)
}

// connectOwner connects as the role that the URL names.
func connectOwner(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, badURL()
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, unreachable(err)
	}
	return conn, nil
}

// migrationLock is an arbitrary number that nothing else of ours locks.
const migrationLock = 0x7465616d6d656d01

func checkEncoding(ctx context.Context, conn *pgx.Conn) error {
	var encoding string
	if err := conn.QueryRow(ctx, `show server_encoding`).Scan(&encoding); err != nil {
		return migrationFault("read the database's encoding", err)
	}
	if encoding != "UTF8" {
		return &memory.Error{
			Code: memory.CodeInvalid, Field: "database-url", Message: "the database's encoding is " + encoding + "; it must be UTF8",
			Hint: "make a new one: create database teammem encoding 'UTF8' template template0",
		}
	}
	return nil
}

func migrate(ctx context.Context, conn *pgx.Conn) error {
	files, err := readMigrations()
	if err != nil {
		return err
	}
	if err := ensureServingRole(ctx, conn); err != nil {
		return err
	}
	if err := migrateTo(ctx, conn, files); err != nil {
		return err
	}
	return migrationFault("grant the serving role its rights", finish(ctx, conn))
}

// session is a connection or a transaction on one.
type session interface {
	querier
	Begin(ctx context.Context) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// migrateTo runs those of the files that did not run yet.
func migrateTo(ctx context.Context, db session, files []migration) error {
	_, err := db.Exec(ctx, `
		create table if not exists schema_migrations (
			version  integer primary key,
			name     text not null,
			checksum bytea not null
		)`)
	if err != nil {
		return migrationFault("make the table of migrations", err)
	}
	applied, err := appliedMigrations(ctx, db)
	if err != nil {
		return migrationFault("read applied migrations", err)
	}
	pending, err := pendingMigrations(files, applied)
	if err != nil {
		return err
	}
	for _, m := range pending {
		if err := apply(ctx, db, m); err != nil {
			return migrationFault("migration "+m.name, err)
		}
	}
	return nil
}

// migration is one file.
type migration struct {
	version int
	name    string // of the file
	sql     string
	sum     [sha256.Size]byte
}

// readMigrations returns the files in order. That they are numbered without a
// gap is a fact of the build.
func readMigrations() ([]migration, error) {
	names, err := fs.Glob(migrations.FS, "[0-9]*.sql")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	slices.Sort(names)
	var files []migration
	for i, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if version, err := strconv.Atoi(number); err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", name, i+1)
		}
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		files = append(files, migration{version: i + 1, name: name, sql: string(text), sum: sha256.Sum256(text)})
	}
	return files, nil
}

type migrationRow struct {
	Version  int
	Name     string
	Checksum []byte
}

// appliedMigrations returns what ran in the database; nothing in a new one.
func appliedMigrations(ctx context.Context, q querier) ([]migrationRow, error) {
	applied, err := list(ctx, q, func(r migrationRow) migrationRow { return r }, `
		select version, name, checksum
		from schema_migrations
		order by version`, nil)
	if sqlState(err) == undefinedTable {
		return nil, nil
	}
	return applied, err
}

// pendingMigrations compares what ran with what there is.
func pendingMigrations(files []migration, applied []migrationRow) ([]migration, error) {
	for i, row := range applied {
		if i >= len(files) {
			return nil, &memory.Error{
				Code: memory.CodeUnavailable, Message: fmt.Sprintf("the database is newer than this program: it has schema %d (%s), this build knows %d",
					applied[len(applied)-1].Version, row.Name, len(files)),
				Hint: "start a release of teammem at least as new as the one that ran last, or restore the backup from before it",
			}
		}
		m := files[i]
		if row.Version != m.version || string(row.Checksum) != string(m.sum[:]) {
			return nil, &memory.Error{
				Code: memory.CodeUnavailable, Message: "the migration " + m.name + " is not the one that ran in this database",
				Hint: "run an unchanged release of teammem; a change of the schema is a new migration, never an edit",
			}
		}
	}
	return files[len(applied):], nil
}

func apply(ctx context.Context, db session, m migration) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		// Several statements in one string need the simple protocol.
		if _, err := tx.Exec(ctx, m.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			insert into schema_migrations (version, name, checksum)
			values (@version, @name, @checksum)`,
			pgx.StrictNamedArgs{"version": m.version, "name": m.name, "checksum": m.sum[:]})
		return err
	})
}

// finish gives the serving role its rights and a new instance its identity.
func finish(ctx context.Context, db session) error {
	grants, err := fs.ReadFile(migrations.FS, grantsFile)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, string(grants), pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			insert into instance (instance_id)
			values (@id)
			on conflict do nothing`,
			pgx.StrictNamedArgs{"id": memory.NewInstanceID()})
		return err
	})
}

// migrationFault reports what the operator has to solve. No values of rows
// are in it, only names of the schema.
func migrationFault(op string, err error) error {
	if err == nil {
		return nil
	}
	safe := redact(op, err)
	e := &memory.Error{Code: codeOf(safe.state, err), Message: safe.Error(), Err: safe}
	if safe.state == insufficientPrivilege {
		e.Hint = "this works as the role of the database URL, which must own the database"
	}
	return e
}
