package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize/secrets"
	"github.com/teammem/teammem/store"
)

func (a *app) newServeCommand() *cobra.Command {
	var db databaseOptions
	var listen string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server until it is interrupted. Without a database URL it runs a private
Postgres of its own in the data folder. When it is ready it prints one line,
"listening on http://HOST:PORT", on stdout; the log goes to stderr. Exit 0: it
was asked to end; 2: wrong usage; 5: the data folder is in use.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runServe(c.Context(), db, listen) },
	}
	db.addFlags(c)
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	return c
}

func (a *app) runServe(ctx context.Context, o databaseOptions, listen string) (err error) {
	if err := loopback(listen); err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	db, err := a.serveDatabase(ctx, o, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	hub := api.NewHub()
	handler, err := a.newAPI(ctx, db.store, hub, log)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", listen, err)
	}
	if _, err := fmt.Fprintf(a.stdout, "listening on http://%s\n", l.Addr()); err != nil {
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
	err = api.NewServer(handler, hub, log).Serve(serving, l)
	cause := context.Cause(serving)
	stop(nil)
	<-kept
	if ctx.Err() != nil {
		return err // asked to end
	}
	return errors.Join(cause, err)
}

// newAPI joins store, scanner and authentication behind the HTTP interface.
func (a *app) newAPI(ctx context.Context, s *store.Store, hub *api.Hub, log *slog.Logger) (*api.API, error) {
	scanner, err := secrets.New()
	if err != nil {
		return nil, err
	}
	instance, err := s.Instance(ctx)
	if err != nil {
		return nil, err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a signing key: %w", err)
	}
	keys, err := auth.NewKeyring(key)
	if err != nil {
		return nil, err
	}
	service := memory.NewService(s, scanner, hub, a.now, memory.Limits{})
	authenticator := auth.NewAuthenticator(s, auth.NewAccessTokens(keys, instance, a.now), a.now)
	return api.New(service, authenticator, a.now, api.Options{Version: version, Instance: instance, Ready: s.Ping, Log: log}), nil
}

// loopback refuses to listen in plain HTTP where others could listen in.
func loopback(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return memory.Invalid("listen", "an address reads HOST:PORT, such as 127.0.0.1:8080")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return &memory.Error{
			Code: memory.CodeInvalid, Field: "listen", Message: fmt.Sprintf("%s can be reached from outside, and tokens would travel unencrypted", listen),
			Hint: "listen on 127.0.0.1, and put a proxy with TLS on the same machine in front",
		}
	}
	return nil
}
