package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/store/embedded"
)

// databaseOptions say where the server's data is.
type databaseOptions struct {
	data string
	url  string
}

func (o *databaseOptions) addFlags(c *cobra.Command) {
	c.PersistentFlags().StringVar(&o.data, "data", "", "folder of the instance; holds its own Postgres unless a database URL is given")
	c.PersistentFlags().StringVar(&o.url, "database-url", "", "Postgres database to use instead (or TEAMMEM_DATABASE_URL)")
}

// database is an open store with the cluster that it may run on.
type database struct {
	store   *store.Store
	cluster *embedded.Cluster // nil with a database URL
}

// serveDatabase opens the database for the one process that serves it, and
// brings its schema up to date.
func (a *app) serveDatabase(ctx context.Context, o databaseOptions, log *slog.Logger) (*database, error) {
	return a.openDatabase(ctx, o, log, embedded.Start)
}

// adminDatabase opens it beside a server that may be running.
func (a *app) adminDatabase(ctx context.Context, o databaseOptions) (*database, error) {
	return a.openDatabase(ctx, o, slog.New(slog.DiscardHandler), embedded.Open)
}

type startCluster func(ctx context.Context, dir string, o embedded.Options) (*embedded.Cluster, error)

func (a *app) openDatabase(ctx context.Context, o databaseOptions, log *slog.Logger, start startCluster) (*database, error) {
	if o.url == "" {
		o.url = a.getenv("TEAMMEM_DATABASE_URL")
	}
	db := &database{}
	if o.url == "" {
		if o.data == "" {
			return nil, memory.Invalid("data", "name the instance's folder with --data DIR, or a database with --database-url URL")
		}
		cluster, err := start(ctx, o.data, embedded.Options{BinDir: a.getenv("TEAMMEM_PG_BIN"), Logger: log})
		if err != nil {
			return nil, err
		}
		db.cluster, o.url = cluster, cluster.URL()
	}
	if err := store.Migrate(ctx, o.url); err != nil {
		return nil, errors.Join(err, db.close())
	}
	s, err := store.Open(ctx, o.url, store.Options{Log: log})
	if err != nil {
		return nil, errors.Join(err, db.close())
	}
	db.store = s
	return db, nil
}

// done is closed when a private cluster ends by itself.
func (d *database) done() <-chan struct{} {
	if d.cluster == nil {
		return nil
	}
	return d.cluster.Done()
}

func (d *database) close() error {
	if d.store != nil {
		d.store.Close()
	}
	if d.cluster == nil {
		return nil
	}
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return d.cluster.Stop(ctx)
}
