package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/store/embedded"
)

// databaseOptions say where the server's data is.
type databaseOptions struct {
	data     string
	url      string
	password string // name of the file
}

func (o *databaseOptions) addFlags(c *cobra.Command) {
	flags := c.PersistentFlags()
	bind(flags, &o.data, "data")
	bind(flags, &o.url, "database-url")
	bind(flags, &o.password, "database-password-file")
}

// fullURL is the database's address with the password that is in a file of its
// own: an address can be shown to others then.
func (o *databaseOptions) fullURL() (string, error) {
	if o.password == "" || o.url == "" {
		return o.url, nil
	}
	u, err := url.Parse(o.url)
	if err != nil || u.Host == "" && u.Path == "" || u.User.Username() == "" {
		return "", memory.Invalid("database-url", "with a password in a file it reads postgres://USER@HOST/NAME")
	}
	if _, twice := u.User.Password(); twice || u.Query().Has("password") {
		return "", memory.Invalid("database-url", "it has a password, and --database-password-file names another")
	}
	password, err := readSecret(o.password)
	if err != nil {
		return "", memory.Invalid("database-password-file", err.Error())
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String(), nil
}

// database is an open store with the cluster that it may run on.
type database struct {
	url   string                                                              // as the role that owns it
	store *store.Store                                                        // nil from openPlace
	clock *store.Clock                                                        // likewise
	start func(ctx context.Context, existing bool) (*embedded.Cluster, error) // nil with a database URL

	mu      sync.Mutex
	cluster *embedded.Cluster
}

// serveDatabase opens the database for the one process that serves it, and
// brings its schema up to date.
func (a *app) serveDatabase(ctx context.Context, o databaseOptions, log *slog.Logger) (*database, error) {
	return a.openDatabase(ctx, o, store.Options{Log: log, Serves: true}, embedded.Start)
}

// adminDatabase opens it beside a server that may be running.
func (a *app) adminDatabase(ctx context.Context, o databaseOptions) (*database, error) {
	return a.openDatabase(ctx, o, store.Options{Log: slog.New(slog.DiscardHandler)}, embedded.Open)
}

// existingDatabase opens it where there has to be an instance already.
func (a *app) existingDatabase(ctx context.Context, o databaseOptions) (*database, error) {
	return a.openDatabase(ctx, o, store.Options{Log: slog.New(slog.DiscardHandler)}, func(ctx context.Context, dir string, o embedded.Options) (*embedded.Cluster, error) {
		o.Existing = true
		return embedded.Open(ctx, dir, o)
	})
}

type startCluster func(ctx context.Context, dir string, o embedded.Options) (*embedded.Cluster, error)

func (a *app) openDatabase(ctx context.Context, o databaseOptions, so store.Options, start startCluster) (*database, error) {
	db, err := a.openPlace(ctx, o, so.Log, start, false)
	if err != nil {
		return nil, err
	}
	if err := store.Migrate(ctx, db.url); err != nil {
		return nil, errors.Join(err, db.close())
	}
	s, err := store.Open(ctx, db.url, so)
	if err != nil {
		return nil, errors.Join(err, db.close())
	}
	db.store = s
	if db.clock, err = s.Clock(ctx, a.now); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return db, nil
}

// openPlace makes sure that a Postgres answers, and leaves what is in it alone.
// With existing, there has to be an instance already.
func (a *app) openPlace(ctx context.Context, o databaseOptions, log *slog.Logger, start startCluster, existing bool) (*database, error) {
	url, err := o.fullURL()
	if err != nil {
		return nil, err
	}
	db := &database{url: url}
	if url != "" {
		return db, nil
	}
	if o.data == "" {
		return nil, memory.Invalid("data", "name the instance's folder with --data DIR, or a database with --database-url URL")
	}
	db.start = func(ctx context.Context, existing bool) (*embedded.Cluster, error) {
		return start(ctx, o.data, embedded.Options{BinDir: a.getenv("TEAMMEM_PG_BIN"), Existing: existing, Logger: log})
	}
	if db.cluster, err = db.start(ctx, existing); err != nil {
		return nil, err
	}
	db.url = db.cluster.URL()
	return db, nil
}

// keep starts a private Postgres again whenever it ends by itself, until ctx is
// done. Postgres recovers what it acknowledged; meanwhile requests are answered
// with "unavailable". If it cannot be started, keep returns the reason, unless
// that is a full disk: it waits for room then.
func (d *database) keep(ctx context.Context, log *slog.Logger) error {
	for d.start != nil {
		select {
		case <-ctx.Done():
			return nil
		case <-d.cluster.Done():
		}
		select {
		case <-ctx.Done():
			return nil
		default:
		}
		log.LogAttrs(ctx, slog.LevelError, "postgres ended and is started again", slog.Any("error", d.cluster.Err()))
		if err := d.restartWithRoom(ctx, log); err != nil {
			return fmt.Errorf("start Postgres again: %w", err)
		}
	}
	<-ctx.Done()
	return nil
}

// restartWithRoom tries to restart until the disk has room for it.
func (d *database) restartWithRoom(ctx context.Context, log *slog.Logger) error {
	const pause = 5 * time.Second
	for told := false; ; told = true {
		err := d.restart(ctx)
		if !errors.Is(err, embedded.ErrFull) {
			return err
		}
		if !told { // or the log would fill what somebody has just freed
			log.LogAttrs(ctx, slog.LevelError, "postgres has no room on its disk and is started again when it has", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (d *database) restart(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	url := d.cluster.URL()
	if err := d.cluster.Stop(ctx); err != nil {
		return err
	}
	cluster, err := d.start(ctx, true) // were its folder gone, a new one would not be this instance
	if err != nil {
		return err
	}
	d.cluster = cluster
	if cluster.URL() != url {
		return errors.New("its socket is in another place now; start the server again")
	}
	return nil
}

func (d *database) close() error {
	if d.store != nil {
		d.store.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cluster == nil {
		return nil
	}
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return d.cluster.Stop(ctx)
}
