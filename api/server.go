package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// ServerOptions are what a server can do without.
type ServerOptions struct {
	TLS *tls.Config  // nil for plain HTTP
	Log *slog.Logger // told of what was cut off, and at debug level what net/http has to say; nil for nobody
}

// Server is the process's listening side.
type Server struct {
	http *http.Server
	hub  *Hub
	log  *slog.Logger
}

// NewServer serves a handler over HTTP/1 and HTTP/2, the latter without TLS
// too. The hub, if there is one, is closed when the server stops, which ends
// its long polls.
func NewServer(h http.Handler, hub *Hub, o ServerOptions) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(o.TLS != nil)
	protocols.SetUnencryptedHTTP2(o.TLS == nil)
	return &Server{hub: hub, log: o.Log, http: &http.Server{
		Handler:           h,
		TLSConfig:         o.TLS,
		Protocols:         protocols,
		ReadHeaderTimeout: 10 * time.Second, // the handshake's as well
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
		// No WriteTimeout: long polls outlive any. Each call has its own deadlines.
	}}
}

// Serve answers on the listener until ctx is done. Then it takes no more
// connections, lets running calls finish for a while, and returns nil: whoever
// sends or reads slowly does not make the end of the server a failure.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.answer(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	if s.hub != nil {
		s.hub.Close()
	}
	// Whoever asked the process to end waits 15 s for it; the database needs the rest.
	const grace = 12 * time.Second
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := s.http.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.LogAttrs(ctx, slog.LevelWarn, "requests took too long and were cut off", slog.String("listen", l.Addr().String()))
		err = s.http.Close()
	}
	if closed := <-served; !errors.Is(closed, http.ErrServerClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

func (s *Server) answer(l net.Listener) error {
	if s.http.TLSConfig == nil {
		return s.http.Serve(l)
	}
	return s.http.ServeTLS(l, "", "") // the certificate comes from the configuration
}
