package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize/secrets"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/web"
	"github.com/teammem/teammem/web/static"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	db        databaseOptions
	listen    string
	url       string
	forwarded bool
}

func (a *app) newServeCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server until it is interrupted: the API for the members' clients, and
the console for their browsers. Without a database URL it runs a private
Postgres of its own in the data folder. When it is ready it prints one line,
"listening on http://HOST:PORT", on stdout; the log goes to stderr. Exit 0: it
was asked to end; 2: wrong usage; 5: the data folder is in use.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runServe(c.Context(), o) },
	}
	o.db.addFlags(c)
	c.Flags().StringVar(&o.listen, "listen", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	c.Flags().StringVar(&o.url, "url", "", "address at which members reach the server through a proxy with TLS, such as https://memory.example.com")
	c.Flags().BoolVar(&o.forwarded, "forwarded-for", false, "take members' addresses from the last X-Forwarded-For, which the proxy in front must set")
	return c
}

func (a *app) runServe(ctx context.Context, o serveOptions) (err error) {
	if err := loopback(o.listen); err != nil {
		return err
	}
	if o.url != "" {
		if o.url, err = publicURL(o.url); err != nil {
			return err
		}
	}
	log := slog.New(slog.NewJSONHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	db, err := a.serveDatabase(ctx, o.db, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	hub := api.NewHub()
	handler, err := a.newHandler(ctx, db.store, hub, o, log)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", o.listen, err)
	}
	address := "http://" + l.Addr().String()
	if err := db.store.SetURL(ctx, cmp.Or(o.url, address)); err != nil {
		return errors.Join(err, l.Close())
	}
	if _, err := fmt.Fprintf(a.stdout, "listening on %s\n", address); err != nil {
		return err
	}
	serving, stop := context.WithCancelCause(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		if err := db.keep(serving, log); err != nil {
			stop(err)
		}
	}()
	err = api.NewServer(handler, hub, api.ServerOptions{Log: log}).Serve(serving, l)
	cause := context.Cause(serving)
	stop(nil)
	<-kept
	if ctx.Err() != nil {
		return err // asked to end
	}
	return errors.Join(cause, err)
}

// newHandler joins store, scanner and authentication behind what listens: the
// API under its own paths, and the console everywhere else.
func (a *app) newHandler(ctx context.Context, s *store.Store, hub *api.Hub, o serveOptions, log *slog.Logger) (http.Handler, error) {
	scanner, err := secrets.New()
	if err != nil {
		return nil, err
	}
	service := memory.NewService(s, scanner, hub, a.now, memory.Limits{})
	calls, err := a.newAPI(ctx, s, service, log)
	if err != nil {
		return nil, err
	}
	files, err := static.Open()
	if err != nil {
		return nil, err
	}
	tls := strings.HasPrefix(o.url, "https:")
	pages := web.New(service, auth.NewSessions(s, a.now), files, a.now, web.Options{TLS: tls, Log: log})
	if o.forwarded {
		return forwarded(split(calls, pages)), nil
	}
	return split(calls, pages), nil
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

// forwarded believes the proxy in front about where a request comes from: the
// last address in the header is the one that the proxy itself saw.
func forwarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if a, err := netip.ParseAddr(strings.TrimSpace(all[len(all)-1])); err == nil {
			r.RemoteAddr = netip.AddrPortFrom(a.WithZone(""), 0).String()
		}
		h.ServeHTTP(w, r)
	})
}

// loopback refuses to listen in plain HTTP where others could listen in.
func loopback(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return memory.Invalid("listen", "an address reads HOST:PORT, such as 127.0.0.1:8080")
	}
	if !isLoopback(host) {
		return &memory.Error{
			Code: memory.CodeInvalid, Field: "listen", Message: fmt.Sprintf("%s can be reached from outside, and tokens would travel unencrypted", listen),
			Hint: "listen on 127.0.0.1, and put a proxy with TLS on the same machine in front",
		}
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
