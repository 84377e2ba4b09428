package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store/backup"
)

// BackupOptions of [Backup].
type BackupOptions struct {
	Program  string // the release that writes
	At       time.Time
	Progress func(table string, done, total int64) // told about rows; may be nil
}

// leftOut lists the tables that a backup has no rows of, with the reasons.
// Every other table that a migration made is in it.
func leftOut() map[string]string {
	return map[string]string{
		"schema_migrations": "restoring runs the migrations that the manifest names",
		"signing_keys":      "a backup holds no key; a restored server makes a new one",
		"console_links":     "they live ten minutes",
		"console_sessions":  "browsers sign in again",
		"device_reports":    "computers report again, as a restored history is another one",
		"push_keys":         "answers of the last day; without one, a push is compared with what is stored",
	}
}

// Backup writes everything that an instance is, as it was at one point in time,
// while others go on reading and writing. It works as the URL's role, needs no
// program of Postgres', and neither changes nor migrates the database. A
// database in which something does not hold that must is refused: its backup
// would take the place of a sound one.
func Backup(ctx context.Context, url string, out io.Writer, o BackupOptions) (backup.Manifest, error) {
	conn, err := connectOwner(ctx, url)
	if err != nil {
		return backup.Manifest{}, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	files, err := readMigrations()
	if err != nil {
		return backup.Manifest{}, err
	}
	before, err := readTables(ctx, conn)
	if err != nil {
		return backup.Manifest{}, ownerFault("read the schema", err)
	}
	d := &dump{files: files, tables: before, out: &rememberingWriter{to: out}, o: o}
	err = pgx.BeginTxFunc(ctx, conn, snapshot(), func(tx pgx.Tx) error { return d.run(ctx, tx) })
	if d.out.err != nil {
		return backup.Manifest{}, fmt.Errorf("write backup: %w", d.out.err)
	}
	return d.manifest, ownerFault("back up", err)
}

// dump is a backup in the making.
type dump struct {
	files    []migration
	tables   []tableRow
	out      *rememberingWriter
	o        BackupOptions
	manifest backup.Manifest
}

func (d *dump) run(ctx context.Context, tx pgx.Tx) error {
	if err := d.lock(ctx, tx); err != nil {
		return err
	}
	if err := d.describe(ctx, tx); err != nil {
		return err
	}
	w, err := backup.NewWriter(d.out, d.manifest)
	if err != nil {
		return err
	}
	for _, t := range d.manifest.Tables {
		if err := d.table(ctx, tx, w, t); err != nil {
			return err
		}
	}
	return w.Close()
}

// lock keeps the schema as it is until the transaction ends. It comes before
// the first query, which decides what the snapshot shows: rows of a table that
// is altered after that would not be those of the snapshot.
func (d *dump) lock(ctx context.Context, tx pgx.Tx) error {
	if err := plainText(ctx, tx); err != nil {
		return err
	}
	if !slices.ContainsFunc(d.tables, func(t tableRow) bool { return t.Name == "schema_migrations" }) {
		return memory.NotFound("a database of teammem's behind the URL")
	}
	for _, t := range d.tables {
		if _, err := tx.Exec(ctx, `lock table `+t.sql()+` in access share mode`); err != nil {
			return err
		}
	}
	now, err := readTables(ctx, tx)
	if err == nil && !reflect.DeepEqual(now, d.tables) {
		err = &memory.Error{Code: memory.CodeUnavailable, Message: "the schema is being changed", Hint: "run it again when the server has started"}
	}
	return err
}

// plainText makes COPY write and read values alike on every server, and every
// row: a role of the database may have settings of its own.
func plainText(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
		set local row_security = off;
		set local timezone = 'UTC';
		set local datestyle = 'ISO';
		set local bytea_output = 'hex';
		set local client_encoding = 'UTF8';
		set local extra_float_digits = 1;
		set local statement_timeout = 0;
		set local idle_in_transaction_session_timeout = 0`, pgx.QueryExecModeSimpleProtocol)
	return err
}

// describe fills the manifest, and refuses what no backup should be made of.
func (d *dump) describe(ctx context.Context, tx pgx.Tx) error {
	applied, err := appliedMigrations(ctx, tx)
	if err != nil {
		return err
	}
	if _, err := pendingMigrations(d.files, applied); err != nil {
		return err
	}
	d.manifest = backup.Manifest{Format: backup.Format, Program: d.o.Program, MadeAt: d.o.At.UTC()}
	for _, m := range applied {
		d.manifest.Schema = append(d.manifest.Schema, backup.Schema{Name: m.Name, Checksum: hex.EncodeToString(m.Checksum)})
	}
	var x Examined
	if err := examine(ctx, tx, &x); err != nil {
		return err
	}
	if x.InstanceErr != nil {
		return damaged("the instance", x.InstanceErr)
	}
	d.manifest.Instance = x.Instance
	for _, p := range x.Projects {
		if p.Err != nil {
			return damaged("project "+p.Slug, p.Err)
		}
		d.manifest.Projects = append(d.manifest.Projects, manifestOf(p))
	}
	return d.choose()
}

func manifestOf(p ProjectState) backup.Project {
	return backup.Project{
		ID: string(p.ID), Slug: p.Slug, Epoch: p.Head.Epoch, Seq: p.Head.Seq, FloorSeq: p.Head.Floor,
		Digest: p.Head.Digest.String(), Live: p.Live,
	}
}

func damaged(what string, err error) error {
	return &memory.Error{
		Code: memory.CodeInternal, Message: what + " is damaged, and no backup is made of it: " + err.Error(),
		Hint: "keep the last backup; teammem admin export saves the texts, pg_dump everything as it is",
	}
}

// choose takes the tables that our migrations made, in an order in which rows
// can be put back.
func (d *dump) choose() error {
	reasons := leftOut()
	var taken []tableRow
	for _, t := range d.tables {
		reason, known := reasons[t.Name]
		if !known && !made(d.files, t.Name) {
			reason, known = "no migration of teammem's made it", true
		}
		if known {
			d.manifest.LeftOut = append(d.manifest.LeftOut, backup.LeftOut{Name: t.Name, Reason: reason})
			continue
		}
		taken = append(taken, t)
	}
	ordered, err := inOrder(taken)
	for _, t := range ordered {
		d.manifest.Tables = append(d.manifest.Tables, backup.Table{Name: t.Name, Columns: t.Columns})
	}
	return err
}

// made reports whether a migration makes the table.
func made(files []migration, table string) bool {
	statement := regexp.MustCompile(`(?im)^\s*create\s+table\s+` + regexp.QuoteMeta(table) + `\s*\(`)
	return slices.ContainsFunc(files, func(m migration) bool { return statement.MatchString(m.sql) })
}

// inOrder puts each table behind those that its rows refer to.
func inOrder(tables []tableRow) ([]tableRow, error) {
	var ordered []tableRow
	for len(tables) > 0 {
		next := slices.IndexFunc(tables, func(t tableRow) bool {
			return !slices.ContainsFunc(t.Needs, func(name string) bool {
				return !slices.ContainsFunc(ordered, func(o tableRow) bool { return o.Name == name })
			})
		})
		if next < 0 {
			return nil, inconsistent(fmt.Sprintf("table %s refers to one that is left out, or that refers to it", tables[0].Name))
		}
		ordered, tables = append(ordered, tables[next]), slices.Delete(tables, next, next+1)
	}
	return ordered, nil
}

// table copies one table's rows.
func (d *dump) table(ctx context.Context, tx pgx.Tx, w *backup.Writer, t backup.Table) error {
	var total int64
	from := pgx.Identifier{t.Name}.Sanitize()
	if err := tx.QueryRow(ctx, `select count(*) from `+from).Scan(&total); err != nil {
		return err
	}
	return w.Table(t.Name, func(rows io.Writer) error {
		counted := &countingWriter{to: rows, told: func(done int64) { d.o.progress(t.Name, done, total) }}
		// A query, because a table in partitions cannot be copied itself.
		_, err := tx.Conn().PgConn().CopyTo(ctx, counted, `copy (select `+columns(t.Columns)+` from `+from+`) to stdout`)
		if err == nil && counted.rows != total {
			err = inconsistent(fmt.Sprintf("table %s has %d rows and gave %d", t.Name, total, counted.rows))
		}
		return err
	})
}

func (o BackupOptions) progress(table string, done, total int64) {
	if o.Progress != nil {
		o.Progress(table, done, total)
	}
}

// tableRow is a table of the database's schema.
type tableRow struct {
	Name    string
	Columns []string // those that are not computed
	Needs   []string // tables that its rows refer to
}

func (t tableRow) sql() string { return pgx.Identifier{t.Name}.Sanitize() }

func readTables(ctx context.Context, q querier) ([]tableRow, error) {
	return list(ctx, q, func(t tableRow) tableRow { return t }, `
		select c.relname::text as name, array(
				select a.attname::text
				from pg_attribute a
				where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
				order by a.attnum
			) as columns, array(
				select r.relname::text
				from pg_constraint f
				join pg_class r on r.oid = f.confrelid
				where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
			) as needs
		from pg_class c
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		order by c.relname`, nil)
}

func columns(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = pgx.Identifier{name}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}

// countingWriter counts rows; COPY writes each one by itself.
type countingWriter struct {
	to   io.Writer
	rows int64
	told func(int64)
}

func (c *countingWriter) Write(b []byte) (int, error) {
	if c.rows++; c.rows%1000 == 0 {
		c.told(c.rows)
	}
	return c.to.Write(b)
}

// rememberingWriter keeps why writing failed: the driver's own errors may quote
// rows and are not shown, so a full disk would go unnamed.
type rememberingWriter struct {
	to  io.Writer
	err error
}

func (w *rememberingWriter) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}
