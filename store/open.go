package store

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/teammem/teammem/memory"
)

// Store is the database of one instance. It is safe for use by many goroutines.
type Store struct {
	pool        *pgxpool.Pool
	log         *slog.Logger
	lockTimeout time.Duration
	instance    atomic.Pointer[string] // that the first connection found
}

var _ memory.Store = (*Store)(nil)

// Options of a [Store]. The zero value is the default.
type Options struct {
	Log         *slog.Logger  // told about what should be impossible; nil for nobody
	MaxConns    int32         // 0: what the URL says, else pgx's default
	LockTimeout time.Duration // longest wait of a push for its project; 0: 5 s
	Serves      bool          // keeps a connection while nobody asks anything, so that it shows that the database is in use
}

// Open connects to a database that was migrated by this very version of the
// schema. All its connections act as the serving role, whatever role the URL
// names: the owner that [Migrate] used will do, and so will any login that is
// a member of the serving role, which keeps the owner's password away from the
// serving process.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, badURL()
	}
	if o.MaxConns > 0 {
		config.MaxConns = o.MaxConns
	}
	if o.Serves {
		config.MinConns = max(config.MinConns, 1)
	}
	serve(config.ConnConfig.RuntimeParams)

	s := &Store{log: o.Log, lockTimeout: o.LockTimeout}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.lockTimeout == 0 {
		s.lockTimeout = 5 * time.Second
	}
	config.AfterConnect = s.use
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, unreachable(err)
	}
	if err := s.Ready(ctx); err != nil {
		s.pool.Close()
		return nil, err
	}
	return s, nil
}

// applicationName is how our connections are known to the database.
const applicationName = "teammem"

// serve sets what every connection starts with. A role that is set here is
// also what RESET ROLE returns to.
func serve(params map[string]string) {
	params["role"] = servingRole
	params["timezone"] = "UTC"
	params["jit"] = "off" // compiling a plan costs more than any of our queries
	if params["application_name"] == "" {
		params["application_name"] = applicationName
	}
	// A machine that is gone lets its locks go within two minutes, not hours. On
	// a socket of Postgres' own machine this means nothing.
	for name, value := range map[string]string{"tcp_keepalives_idle": "60", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3"} {
		if params[name] == "" {
			params[name] = value
		}
	}
}

// Ready reports whether the database answers, and has exactly this program's
// schema: a newer program may have been at work since.
func (s *Store) Ready(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return unreachable(err)
	}
	defer conn.Release()
	files, err := readMigrations()
	if err != nil {
		return err
	}
	applied, err := appliedMigrations(ctx, conn.Conn())
	if err != nil {
		return s.fault(ctx, "read applied migrations", err)
	}
	pending, err := pendingMigrations(files, applied)
	if err != nil {
		return err
	}
	if len(pending) > 0 {
		return notMigrated()
	}
	return nil
}

// Pool returns how many connections are at work, are open, and may be open.
func (s *Store) Pool() (used, open, most int32) {
	stat := s.pool.Stat()
	return stat.AcquiredConns(), stat.TotalConns(), stat.MaxConns()
}

// Close waits for running calls and closes all connections.
func (s *Store) Close() { s.pool.Close() }

// Instance returns the identity that the database was given by its first
// migration.
func (s *Store) Instance(ctx context.Context) (string, error) {
	var id string
	err := s.pool.QueryRow(ctx, `
		select instance_id
		from instance`).Scan(&id)
	return id, s.fault(ctx, "read instance", err)
}

// inTx runs f in a transaction and commits if it returns nil.
func (s *Store) inTx(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, f)
}

// inSnapshot runs queries that must see one and the same state.
func (s *Store) inSnapshot(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}

// querier is a pool, a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// list runs a query and converts its rows.
func list[Row, T any](ctx context.Context, q querier, convert func(Row) T, sql string, args pgx.StrictNamedArgs) ([]T, error) {
	rows, err := q.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, converted(convert))
}

// one runs a query that returns a row, and converts it. Without a row the
// error is that what was asked for is not found.
func one[Row, T any](ctx context.Context, q querier, what string, convert func(Row) T, sql string, args pgx.StrictNamedArgs) (T, error) {
	var none T
	rows, err := q.Query(ctx, sql, args)
	if err != nil {
		return none, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, converted(convert))
	return found, missing(err, what)
}

// converted reads a row by its column names and converts it at once, so that
// no list of rows is kept beside the list of results.
func converted[Row, T any](convert func(Row) T) pgx.RowToFunc[T] {
	return func(row pgx.CollectableRow) (T, error) {
		r, err := pgx.RowToStructByName[Row](row)
		if err != nil {
			var none T
			return none, err
		}
		return convert(r), nil
	}
}
