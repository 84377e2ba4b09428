package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/sanitize/secrets"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/web"
	"github.com/teammem/teammem/web/static"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	db      databaseOptions
	listen  string
	url     string
	cert    string
	key     string
	proxies string
	level   string
	metrics string
	master  string // name of the file
}

func (a *app) newServeCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server until it is interrupted: the API for the members' clients, and
the console for their browsers. Without a database URL it runs a private
Postgres of its own in the data folder.

Tokens never travel unencrypted. Off this machine the server speaks TLS, with
--tls-cert and --tls-key, or plain HTTP to the proxies that --behind-proxy
names, and to nobody else.

When it is ready it prints "listening on http://HOST:PORT", or https://, on
stdout, and with --metrics-listen a second line, "metrics on http://HOST:PORT";
the log goes to stderr. Every flag has a variable in its place; see
docs/environment.md. Asked to end, it finishes what runs, for 15 seconds at
most; asked twice, it ends at once. Exit 0: it was asked to end; 2: wrong
usage; 5: the data folder is in use.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runServe(c.Context(), o) },
	}
	o.db.addFlags(c)
	bind(c.Flags(), &o.master, "master-key-file")
	bind(c.Flags(), &o.listen, "listen")
	bind(c.Flags(), &o.url, "url")
	bind(c.Flags(), &o.cert, "tls-cert")
	bind(c.Flags(), &o.key, "tls-key")
	bind(c.Flags(), &o.proxies, "behind-proxy")
	bind(c.Flags(), &o.level, "log-level")
	bind(c.Flags(), &o.metrics, "metrics-listen")
	return c
}

// server is a running teammem serve.
type server struct {
	app      *app
	log      *slog.Logger
	entrance entrance
	db       *database
	master   masterOptions
	keys     *auth.StoredKeys
	seen     *auth.Sightings
	clockOff bool // the machine's, as it was said in the log
	hub      *api.Hub
	hints    *store.Hints
	counts   *api.Metrics
	calls    *api.API
	scanner  timedScanner
	service  *memory.Service
	handler  http.Handler // for members
	probes   http.Handler // for whoever watches over the server
}

func (a *app) runServe(ctx context.Context, o serveOptions) (err error) {
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(200) // an idle server's heap is so small that every push would be collected several times
	}
	level, err := logLevel(o.level)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(a.stderr, &slog.HandlerOptions{Level: level}))
	s := &server{app: a, log: log, master: masterOptions{o.master, o.db.data}, hub: api.NewHub(), counts: api.NewMetrics()}
	if s.entrance, err = a.newEntrance(o, log); err != nil {
		return err
	}
	if err := checkMetrics(o.metrics); err != nil {
		return err
	}
	a.warnOfVariables(log)
	warnOfReaders(log, o.db.password, a.getenv("TEAMMEM_DATABASE_URL_FILE"))
	if s.db, err = a.serveDatabase(ctx, o.db, log); err != nil {
		return unlessAsked(ctx, err)
	}
	defer func() { err = errors.Join(err, s.db.close()) }()
	if err := s.open(ctx); err != nil {
		return unlessAsked(ctx, err)
	}
	if o.metrics == "" {
		return s.run(ctx)
	}
	return s.watched(ctx, o.metrics)
}

// unlessAsked is the error of a start, which is none if it was asked to end
// meanwhile.
func unlessAsked(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// run serves members until ctx is done. When they can be served it says so, and
// what else there is to say.
func (s *server) run(ctx context.Context, more ...string) error {
	l, err := listen(ctx, s.entrance.listen)
	if err != nil {
		return err
	}
	if err := s.db.store.SetURL(ctx, s.entrance.address(l.Addr())); err != nil {
		return errors.Join(err, l.Close())
	}
	lines := append([]string{"listening on " + s.entrance.scheme() + l.Addr().String()}, more...)
	if _, err := fmt.Fprintln(s.app.stdout, strings.Join(lines, "\n")); err != nil {
		return errors.Join(err, l.Close())
	}
	serving, stop := context.WithCancelCause(ctx)
	var kept sync.WaitGroup
	kept.Go(func() {
		if err := s.db.keep(serving, s.log); err != nil {
			stop(err)
		}
	})
	kept.Go(func() { s.upkeep(serving) })
	kept.Go(func() { s.rescan(serving) })
	kept.Go(func() { s.calls.KeepPages(serving) })
	draining, drained := context.WithCancel(context.WithoutCancel(ctx)) // what is written until the end is told to others
	kept.Go(func() { s.hints.Run(draining) })
	err = api.NewServer(s.handler, s.hub, api.ServerOptions{TLS: s.entrance.tls(), Log: s.log}).Serve(serving, l)
	cause := context.Cause(serving)
	stop(nil)
	drained()
	kept.Wait()
	if ctx.Err() != nil {
		return err // asked to end
	}
	return errors.Join(cause, err)
}

// logLevel reads the name of a level.
func logLevel(s string) (slog.Level, error) {
	for _, l := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if strings.EqualFold(s, l.String()) {
			return l, nil
		}
	}
	return 0, usageError{fmt.Errorf("--log-level %q: it is debug, info, warn or error", s), "teammem serve"}
}

// open joins store, scanner and authentication behind what listens: the API
// under its own paths, and the console everywhere else.
func (s *server) open(ctx context.Context) error {
	found, err := secrets.New()
	if err != nil {
		return err
	}
	s.hints = s.db.store.Hints(s.hub.Notify)
	a, scans := s.app, serving.NewScanBudget(s.app.now)
	s.scanner = timedScanner{found, a.now, s.counts, &atomic.Int64{}}
	s.service = memory.NewService(s.db.store, s.scanner, notifier{s.hub, s.hints}, s.db.clock.Now, memory.Limits{})
	calls, err := s.newAPI(ctx, s.service, api.Options{Version: version, Ready: s.ready, Hub: s.hub, Scans: scans, Metrics: s.counts, Log: s.log})
	if err != nil {
		return err
	}
	files, err := static.Open()
	if err != nil {
		return err
	}
	pages := web.New(s.service, auth.NewSessions(s.db.store, s.db.clock.Now), files, a.now, web.Options{
		Dates: s.db.clock.Now, TLS: s.entrance.encrypted(), Scans: scans, Observe: s.counts.Request, Log: s.log,
	})
	s.calls = calls
	s.handler, s.probes = s.entrance.guard(split(calls, pages)), s.newProbes(calls)
	return nil
}

// ready reports whether requests can be served: not any more once the server
// was asked to end, nor while it cannot sign: a backup of this very instance
// that is restored under it brings no keys. That the scanner works was proven
// before it began.
func (s *server) ready(ctx context.Context) error {
	if s.hub.Closed() {
		return errors.New("the server is about to end")
	}
	if err := s.keys.Ring().Signs(); err != nil {
		return err
	}
	return s.db.store.Ready(ctx)
}

// timedScanner tells the metrics how long scans take, has the member pay for
// whom they are, and knows whether there are any.
type timedScanner struct {
	memory.KeyedScanner

	clock  memory.Clock
	counts *api.Metrics
	scans  *atomic.Int64 // that go on
}

func (t timedScanner) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	return t.ScanKeyed(ctx, text, nil)
}

func (t timedScanner) ScanKeyed(ctx context.Context, text string, key []byte) ([]sanitize.Finding, error) {
	start := t.clock()
	t.scans.Add(1)
	defer func() {
		t.scans.Add(-1)
		took := t.clock().Sub(start)
		t.counts.Scan(took)
		serving.PayScan(ctx, len(text), took)
	}()
	return t.KeyedScanner.ScanKeyed(ctx, text, key)
}

// split sends each request to the one it is for. No path is rewritten on the
// way, so that each of them sees what was asked.
func split(calls, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch first {
		case "api", "healthz", "readyz", "version":
			calls.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	})
}
