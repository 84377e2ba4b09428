package testdb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/teammem/teammem/migrations"
	"github.com/teammem/teammem/store"
)

// Advisory locks, in the two-number form: the class is ours.
const (
	lockClass = 0x746d7464
	setupLock = 0 // one process at a time prepares the cluster; other numbers are runs
)

// prefix of a test's database; the number of its run follows.
const prefix = "teammem_test_"

// template is what databases are copied from.
type template struct {
	name    string
	migrate func(ctx context.Context, url string) error
}

// schema is the template of our migrations.
func schema() template {
	sum := sha256.New()
	err := fs.WalkDir(migrations.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.FS, path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		panic(err) // an embedded file system is always readable
	}
	return template{name: fmt.Sprintf("teammem_template_%.8x", sum.Sum(nil)), migrate: store.Migrate}
}

// A cluster is a server that this process makes databases on.
type cluster struct {
	base     *url.URL
	admin    *pgxpool.Pool
	template template
	run      int // one go test has many processes, and their parent is go
	strategy string
	made     atomic.Int64
	scratch  func() (*pgxpool.Pool, error) // the shared database, for transactions
}

// connect prepares the cluster that the environment names.
func connect(ctx context.Context, tpl template) (*cluster, error) {
	raw := os.Getenv(Env)
	if raw == "" {
		return nil, errors.New(Env + " is not set: run all tests with make test, or some with: go run ./internal/testdb/cluster -- go test ./store")
	}
	base, err := url.Parse(raw)
	if err != nil || !strings.HasPrefix(base.Scheme, "postgres") {
		return nil, errors.New(Env + " is no address of the form postgres://user@host/database")
	}
	c := &cluster{base: base, template: tpl, run: os.Getppid()}
	c.scratch = sync.OnceValues(func() (*pgxpool.Pool, error) { return pgxpool.New(ctx, c.address(c.scratchName())) })
	if c.admin, err = pgxpool.New(ctx, raw); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", Env, err)
	}
	return c, c.prepare(ctx)
}

func (c *cluster) scratchName() string { return c.template.name + "_tx" }

// address is that of a database on the cluster.
func (c *cluster) address(name string) string {
	u := *c.base
	u.Path = "/" + name
	return u.String()
}

// newName is not given twice in this run, nor in others that are going on.
func (c *cluster) newName() string {
	return fmt.Sprintf("%s%d_%d_%d", prefix, c.run, os.Getpid(), c.made.Add(1))
}

// prepare makes the template and the shared database if they are missing, and
// drops what earlier runs left.
func (c *cluster) prepare(ctx context.Context) error {
	// This connection is never given back: it holds the lock that marks the run
	// as going on for as long as the process lives.
	conn, err := c.admin.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", Env, err)
	}
	var version int
	if err := conn.QueryRow(ctx, `select current_setting('server_version_num')::int`).Scan(&version); err != nil {
		return err
	}
	if version >= 150000 {
		c.strategy = " strategy file_copy" // 14 knows no other
	}
	if _, err := conn.Exec(ctx, `select pg_advisory_lock_shared($1, $2)`, lockClass, c.run); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `select pg_advisory_lock($1, $2)`, lockClass, setupLock); err != nil {
		return err
	}
	err = errors.Join(c.dropLeftovers(ctx, conn), c.makeTemplate(ctx))
	_, unlockErr := conn.Exec(ctx, `select pg_advisory_unlock($1, $2)`, lockClass, setupLock)
	return errors.Join(err, unlockErr)
}

// dropLeftovers drops the databases of runs that are over. This run's own may
// be those of failed tests in another package.
func (c *cluster) dropLeftovers(ctx context.Context, conn *pgxpool.Conn) error {
	names, err := c.databases(ctx, prefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		var run int
		if _, err := fmt.Sscanf(name, prefix+"%d_", &run); err != nil || run == c.run {
			continue
		}
		var over bool
		if err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1, $2)`, lockClass, run).Scan(&over); err != nil {
			return err
		}
		if !over {
			continue
		}
		_, unlockErr := conn.Exec(ctx, `select pg_advisory_unlock($1, $2)`, lockClass, run)
		if err := errors.Join(c.drop(ctx, name), unlockErr); err != nil {
			return err
		}
	}
	return nil
}

// makeTemplate migrates a database under another name first, so that one whose
// migration was interrupted is never copied from.
func (c *cluster) makeTemplate(ctx context.Context) error {
	names, err := c.databases(ctx, c.template.name)
	if err != nil || slices.Contains(names, c.template.name) && slices.Contains(names, c.scratchName()) {
		return err
	}
	unfinished := c.template.name + "_new"
	for _, name := range []string{unfinished, c.scratchName(), c.template.name} {
		if err := c.drop(ctx, name); err != nil {
			return err
		}
	}
	if err := c.exec(ctx, `create database %s template template0`, unfinished); err != nil {
		return err
	}
	if err := c.template.migrate(ctx, c.address(unfinished)); err != nil {
		return fmt.Errorf("migrate the template: %w", err)
	}
	if err := c.exec(ctx, `alter database %s rename to `+c.template.name, unfinished); err != nil {
		return err
	}
	// A connection to it would be in the way of every copy.
	if err := c.exec(ctx, `alter database %s allow_connections false`, c.template.name); err != nil {
		return err
	}
	return c.copyTemplate(ctx, c.scratchName())
}

func (c *cluster) databases(ctx context.Context, start string) ([]string, error) {
	rows, err := c.admin.Query(ctx, `select datname from pg_database where starts_with(datname, $1)`, start)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (c *cluster) copyTemplate(ctx context.Context, name string) error {
	return c.exec(ctx, `create database %s template `+c.template.name+c.strategy, name)
}

func (c *cluster) drop(ctx context.Context, name string) error {
	return c.exec(ctx, `drop database if exists %s with (force)`, name)
}

// exec runs a statement on a database, whose name takes no parameter in SQL.
func (c *cluster) exec(ctx context.Context, format, name string) error {
	sql := fmt.Sprintf(format, name)
	if _, err := c.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}
