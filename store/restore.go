package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store/backup"
)

// RestoreOptions of [Restore].
type RestoreOptions struct {
	// KeepEpoch lets clients go on as if nothing had happened. That is right only
	// if nothing was written since the backup: numbers that clients saw would
	// name other changes.
	KeepEpoch bool
	Row       memory.AuditRow                       // for the instance's chain
	Progress  func(table string, done, total int64) // told about rows; may be nil
}

// Restore makes the database the instance that the file holds, with its
// identity, as the URL's role and in one transaction: whatever ends it, nothing
// is there or everything. It refuses a database in which there is a member, a
// project or anything of theirs, and one that a server serves; it
// never deletes what somebody may want. Before the end it recomputes all that
// must hold, and compares it with the manifest.
func Restore(ctx context.Context, url string, f *backup.File, o RestoreOptions) ([]ProjectState, error) {
	files, err := readMigrations()
	if err != nil {
		return nil, err
	}
	r := &restore{file: f, files: files, upTo: len(f.Manifest().Schema), o: o}
	if err := Restorable(f.Manifest()); err != nil {
		return nil, err
	}
	err = alone(ctx, url, func(conn *pgx.Conn) error {
		if err := useAlone(ctx, conn); err != nil {
			return err
		}
		defer leave(ctx, conn)
		if err := r.check(ctx, conn); err != nil {
			return err
		}
		if err := ensureServingRole(ctx, conn); err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return r.run(ctx, tx) })
	})
	return r.projects, ownerFault("restore", err)
}

// restore is one in progress.
type restore struct {
	file     *backup.File
	files    []migration
	upTo     int // how many of them had run where the backup was made
	o        RestoreOptions
	projects []ProjectState
}

// Restorable reports whether this program knows the schema of a backup.
func Restorable(m backup.Manifest) error {
	files, err := readMigrations()
	if err != nil {
		return err
	}
	if len(m.Schema) > len(files) {
		return &memory.Error{
			Code: memory.CodeUpgradeRequired, Message: fmt.Sprintf("the backup is newer than this program: it has schema %d, this build knows %d", len(m.Schema), len(files)),
			Hint: "restore it with teammem " + m.Program + " or a newer one",
		}
	}
	for i, s := range m.Schema {
		if known := files[i]; s.Name != known.name || s.Checksum != hex.EncodeToString(known.sum[:]) {
			return &memory.Error{
				Code: memory.CodeUpgradeRequired, Message: "the migration " + known.name + " is not the one that ran where the backup was made",
				Hint: "restore it with an unchanged release of teammem",
			}
		}
	}
	return nil
}

// check refuses a database that is too new for the rows.
func (r *restore) check(ctx context.Context, conn *pgx.Conn) error {
	applied, err := appliedMigrations(ctx, conn)
	if err != nil {
		return err
	}
	if len(applied) > r.upTo {
		return &memory.Error{
			Code: memory.CodeConflict, Message: fmt.Sprintf("this database has schema %d already, and the backup is of schema %d", len(applied), r.upTo),
			Hint: "restore into a new data folder, or an empty database; the backup is brought to this version there",
		}
	}
	return nil
}

func (r *restore) run(ctx context.Context, tx pgx.Tx) error {
	if err := migrateTo(ctx, tx, r.files[:r.upTo]); err != nil {
		return err
	}
	if err := plainText(ctx, tx); err != nil {
		return err
	}
	if err := r.empty(ctx, tx); err != nil {
		return err
	}
	if err := r.file.Tables(func(t backup.Table, rows io.Reader) error { return r.load(ctx, tx, t, rows) }); err != nil {
		return err
	}
	// Checks that were put off would be in the way of migrations.
	if _, err := tx.Exec(ctx, `set constraints all immediate`); err != nil {
		return err
	}
	if err := migrateTo(ctx, tx, r.files); err != nil {
		return err
	}
	if err := finish(ctx, tx); err != nil {
		return err
	}
	// Else the first queries are planned for empty tables. After the transaction
	// it could still fail, and say that nothing was restored.
	if _, err := tx.Exec(ctx, `analyze`); err != nil {
		return err
	}
	if err := r.verify(ctx, tx); err != nil {
		return err
	}
	return r.renew(ctx, tx)
}

// empty refuses a database that somebody used. What an instance has that nobody
// used, its identity, its audit and which rules it knows, goes: the file brings its
// own.
func (r *restore) empty(ctx context.Context, tx pgx.Tx) error {
	tables, err := readTables(ctx, tx)
	if err != nil {
		return err
	}
	for _, t := range r.file.Manifest().Tables {
		i := slices.IndexFunc(tables, func(known tableRow) bool { return known.Name == t.Name })
		if i < 0 || !made(r.files[:r.upTo], t.Name) {
			return fmt.Errorf("%w: its table %q is not one of schema %d", backup.ErrFile, t.Name, r.upTo)
		}
		if !slices.Equal(slices.Sorted(slices.Values(t.Columns)), slices.Sorted(slices.Values(tables[i].Columns))) {
			return fmt.Errorf("%w: its table %q has other columns than that of schema %d", backup.ErrFile, t.Name, r.upTo)
		}
		if err := r.clear(ctx, tx, tables[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *restore) clear(ctx context.Context, tx pgx.Tx, t tableRow) error {
	if _, err := tx.Exec(ctx, `lock table `+t.sql()+` in share row exclusive mode`); err != nil {
		return err
	}
	if t.Name == "instance" || t.Name == "audit" || t.Name == "rescan" {
		_, err := tx.Exec(ctx, `delete from `+t.sql())
		return err
	}
	var used bool
	if err := tx.QueryRow(ctx, `select exists (select from `+t.sql()+`)`).Scan(&used); err != nil {
		return err
	}
	if used {
		return &memory.Error{
			Code: memory.CodeConflict, Message: "this instance is in use: it has " + t.Name,
			Hint: "restore into a new data folder, or an empty database; nothing was changed",
		}
	}
	return nil
}

// load puts the rows of one table in.
func (r *restore) load(ctx context.Context, tx pgx.Tx, t backup.Table, rows io.Reader) error {
	total := r.file.Rows(t.Name)
	counted := &rowReader{from: rows, told: func(done int64) {
		if r.o.Progress != nil {
			r.o.Progress(t.Name, done, total)
		}
	}}
	sql := `copy ` + pgx.Identifier{t.Name}.Sanitize() + ` (` + columns(t.Columns) + `) from stdin`
	tag, err := tx.Conn().PgConn().CopyFrom(ctx, counted, sql)
	if counted.err != nil {
		return counted.err
	}
	if err == nil && tag.RowsAffected() != total {
		return fmt.Errorf("%w: of %d rows of %s the database took %d", backup.ErrFile, total, t.Name, tag.RowsAffected())
	}
	return err
}

// verify examines what was loaded, and compares it with the manifest.
func (r *restore) verify(ctx context.Context, tx pgx.Tx) error {
	var x Examined
	if err := examine(ctx, tx, &x); err != nil {
		return err
	}
	m := r.file.Manifest()
	if x.InstanceErr != nil {
		return fmt.Errorf("%w: %v", backup.ErrFile, x.InstanceErr) //nolint:errorlint // the file is what is wrong
	}
	if x.Instance != m.Instance {
		return fmt.Errorf("%w: its manifest is of another instance than its rows", backup.ErrFile)
	}
	found := map[string]backup.Project{}
	for _, p := range x.Projects {
		if p.Err != nil {
			return fmt.Errorf("%w: project %s: %v", backup.ErrFile, p.Slug, p.Err) //nolint:errorlint // the file is what is wrong
		}
		found[string(p.ID)] = manifestOf(p)
	}
	for _, want := range m.Projects {
		if found[want.ID] != want {
			return fmt.Errorf("%w: project %s is not as its manifest says", backup.ErrFile, want.Slug)
		}
	}
	if len(x.Projects) != len(m.Projects) {
		return fmt.Errorf("%w: it has %d projects and its manifest %d", backup.ErrFile, len(x.Projects), len(m.Projects))
	}
	r.projects = x.Projects
	return nil
}

// renew gives each project's history another name, since clients may have seen
// more of it than the file holds, and notes in the audit what was done.
func (r *restore) renew(ctx context.Context, tx pgx.Tx) error {
	row := r.o.Row
	// By the clock that all other rows of the chain go by.
	if err := tx.QueryRow(ctx, `select clock_timestamp()`).Scan(&row.At); err != nil {
		return err
	}
	row.Decision = "epochs kept"
	if !r.o.KeepEpoch {
		row.Decision = "new epochs"
		for i := range r.projects {
			p := &r.projects[i]
			p.Head.Epoch = memory.NewEpoch()
			_, err := tx.Exec(ctx, `
				update projects
				set epoch = @epoch
				where project_id = @project`,
				pgx.StrictNamedArgs{"project": p.ID, "epoch": p.Head.Epoch})
			if err != nil {
				return err
			}
		}
	}
	row.Object = r.file.Manifest().Instance
	return appendInstance(ctx, tx, row)
}

// rowReader counts rows, and keeps why reading failed: the driver's own error
// says only that a copy was cut.
type rowReader struct {
	from io.Reader
	rows int64
	told func(int64)
	err  error
}

func (c *rowReader) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.rows += int64(bytes.Count(b[:n], []byte{'\n'}))
	c.told(c.rows)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}
