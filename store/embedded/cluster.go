package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// Role is the superuser that owns the cluster. The name is an ordinary one,
	// so a dump restores into a server that calls its superuser otherwise.
	Role = "teammem"
	// Database is the instance's database.
	Database = "teammem"
)

// How long we wait for others before we say what is in the way.
const (
	lockPatience   = 10 * time.Second // a server process that is being replaced
	attachPatience = time.Minute      // one that has just begun to start
	orphanPatience = time.Minute      // a server whose parent was killed
	stopPatience   = 30 * time.Second // open transactions and a checkpoint
	startPatience  = 5 * time.Second  // before we say that starting takes long
	logInterval    = 10 * time.Minute
)

// ErrRunning means that another process runs the cluster.
var ErrRunning = errors.New("another teammem runs this cluster")

// ErrFull means that the cluster's disk is full. Postgres does not start then,
// and recovers everything that it acknowledged once there is room.
var ErrFull = errors.New("its disk is full")

// leastFree is what Postgres needs to start after a crash: two files of its log.
const leastFree = 32 << 20

// Options of a cluster; the zero value is the default.
type Options struct {
	// BinDir holds postgres and initdb. If it is empty, TEAMMEM_PG_BIN says
	// where they are, and without that they are searched for.
	BinDir string
	// Settings override postgresql.conf. Those that keep the cluster private and
	// its log free of content cannot be overridden.
	Settings map[string]string
	// Existing refuses to make a new cluster where there is none.
	Existing bool
	// Throwaway gives up durability for speed: for tests only.
	Throwaway bool
	// Logger gets a line when a cluster is made, started and stopped.
	Logger *slog.Logger

	noNamespaces bool          // as on a system without them
	patience     time.Duration // with others, instead of the constants above; for tests
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// patienceOf is how long to wait where usual is the rule.
func (o Options) patienceOf(usual time.Duration) time.Duration {
	if o.patience > 0 {
		return o.patience
	}
	return usual
}

// A Cluster is a running Postgres, with database [Database] in it.
type Cluster struct {
	url       string
	socketDir string
	made      bool
	folder    *folder // nil if another process runs the cluster, as are those below
	server    *server
	stopping  atomic.Bool
	done      chan struct{}
	err       error // why it ended, once done is closed
}

// Start runs the cluster of the instance in dir, and makes both if there are
// none. It returns when Postgres takes connections; ctx bounds that, not the
// cluster's life. It fails with [ErrRunning] if another process runs the
// cluster and does not let go of it soon.
func Start(ctx context.Context, dir string, opt Options) (*Cluster, error) {
	return enter(ctx, dir, opt, lockPatience, func(context.Context, *folder) *Cluster { return nil })
}

// Open uses the cluster of the instance in dir beside the process that runs it,
// and runs it like [Start] where no process does.
func Open(ctx context.Context, dir string, opt Options) (*Cluster, error) {
	return enter(ctx, dir, opt, attachPatience, attach)
}

// enter takes the lock and runs the cluster, unless beside finds a way to use
// the one of the process that has the lock.
func enter(ctx context.Context, dir string, opt Options, patience time.Duration, beside func(context.Context, *folder) *Cluster) (*Cluster, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	f, err := openFolder(dir, opt.withDefaults())
	if err != nil {
		return nil, err
	}
	c, err := f.lockOr(ctx, patience, beside)
	if err == nil && c == nil {
		if c, err = f.run(ctx); err != nil && f.full(err) {
			err = fmt.Errorf("%w: %w", err, ErrFull)
		}
	}
	if err != nil || c.folder == nil {
		err = errors.Join(err, f.unlock())
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// lockOr waits until we have the lock, or until beside returns a cluster.
func (f *folder) lockOr(ctx context.Context, patience time.Duration, beside func(context.Context, *folder) *Cluster) (*Cluster, error) {
	wait, cancel := context.WithTimeout(ctx, f.opt.patienceOf(patience))
	defer cancel()
	var c *Cluster
	err := poll(wait, func() (bool, error) {
		locked, err := f.lock.TryLock()
		if locked || err != nil {
			return true, err
		}
		c = beside(wait, f)
		return c != nil, nil
	})
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("use %s: %w: %s does; stop it, or give this one another data folder", f.dir, ErrRunning, f.holder())
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("lock the cluster: %w; run teammem as the account that %s belongs to", err, f.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the cluster: %w", err)
	}
	return c, nil
}

// attach connects to the cluster that another process runs, or returns nil
// while it is not ready.
func attach(ctx context.Context, f *folder) *Cluster {
	p, err := readPIDFile(f.data())
	if err != nil || !p.ready || !answers(ctx, p.socketDir) {
		return nil
	}
	return &Cluster{url: socketURL(p.socketDir, Database)}
}

// run starts the cluster. The caller holds the lock.
func (f *folder) run(ctx context.Context) (*Cluster, error) {
	if err := f.note(); err != nil {
		return nil, fmt.Errorf("note our process in %s: %w", f.path(LockName), err)
	}
	o, b, err := f.prepare(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.give(LockName, o); err != nil {
		return nil, err
	}
	if err := f.awaitOrphan(ctx); err != nil {
		return nil, err
	}
	socketDir, err := f.socketDir(o)
	if err != nil {
		return nil, err
	}
	if err := removeStaleSocket(socketDir); err != nil {
		return nil, fmt.Errorf("remove the socket of a server that is gone: %w", err)
	}
	s, err := f.startPostmaster(ctx, b, o, socketDir)
	if err != nil {
		return nil, err
	}
	if err := ensureDatabase(ctx, socketDir); err != nil {
		return nil, errors.Join(err, s.stop(ctx, stopPatience))
	}
	f.opt.Logger.LogAttrs(ctx, slog.LevelInfo, "postgres started",
		slog.String("folder", f.data()), slog.String("owner", o.String()), slog.String("version", b.version))
	c := &Cluster{url: socketURL(socketDir, Database), socketDir: socketDir, made: f.created, folder: f, server: s, done: make(chan struct{})}
	go c.watch(context.WithoutCancel(ctx))
	return c, nil
}

// full reports whether a start failed for want of room. Postgres cannot always
// say so: its own log may be on the same disk.
func (f *folder) full(err error) bool {
	free := freeBytes(f.dir)
	return errors.Is(err, syscall.ENOSPC) || free >= 0 && free < leastFree || strings.Contains(err.Error(), noSpace)
}

// watch waits for the server's end and keeps its log small meanwhile.
func (c *Cluster) watch(ctx context.Context) {
	defer close(c.done)
	tick := time.NewTicker(logInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := c.folder.trimLog(); err != nil {
				c.folder.opt.Logger.LogAttrs(ctx, slog.LevelWarn, "postgres log not trimmed", slog.Any("error", err))
			}
		case <-c.server.ended:
			if !c.stopping.Load() {
				c.err = fmt.Errorf("run Postgres in %s: it ended by itself: %w; %s may say why", c.folder.data(), c.server.state, c.folder.path(logName))
			}
			return
		}
	}
}

// URL addresses the instance's database as its superuser, for pgx and libpq.
func (c *Cluster) URL() string { return c.url }

// Owned reports whether this process runs the cluster, and not another one.
func (c *Cluster) Owned() bool { return c.server != nil }

// Made reports whether there was no cluster before, and this one was made.
func (c *Cluster) Made() bool { return c.made }

// Done is closed when Postgres has ended; [Cluster.Err] then says why. It is
// nil for a cluster that another process runs.
func (c *Cluster) Done() <-chan struct{} { return c.done }

// Err is nil until Done is closed, and after a Stop.
func (c *Cluster) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Stop ends Postgres and lets others run the cluster. Clients are disconnected
// and their open transactions rolled back. If ctx ends, or half a minute is not
// enough for that, Postgres is killed, and the next start recovers. Stop leaves
// a cluster alone that another process runs.
func (c *Cluster) Stop(ctx context.Context) error {
	if !c.Owned() || !c.stopping.CompareAndSwap(false, true) {
		return nil
	}
	if err := c.server.stop(ctx, stopPatience); err != nil {
		return err // and keep the lock: the data folder is still in use
	}
	<-c.done
	c.folder.opt.Logger.LogAttrs(ctx, slog.LevelInfo, "postgres stopped", slog.String("folder", c.folder.data()))
	if c.socketDir != c.folder.path(socketName) {
		os.Remove(c.socketDir) //nolint:errcheck,gosec // an empty folder in /tmp; the next start takes it again
	}
	return c.folder.unlock()
}
