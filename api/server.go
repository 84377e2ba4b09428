package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server is the process's listening side.
type Server struct {
	http *http.Server
	hub  *Hub
}

// NewServer serves a handler over HTTP/1 and, without TLS too, HTTP/2. The hub
// is closed when the server stops, which ends its long polls.
func NewServer(h http.Handler, hub *Hub, log *slog.Logger) *Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &Server{hub: hub, http: &http.Server{
		Handler:           h,
		Protocols:         protocols,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// No WriteTimeout: long polls outlive any. Each call has its own deadlines.
	}}
}

// Serve answers on the listener until ctx is done. Then it takes no more
// connections, lets running calls finish for a while, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	s.hub.Close()
	const grace = 15 * time.Second
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := s.http.Shutdown(last)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop serving: %w", err), s.http.Close())
	}
	if closed := <-served; !errors.Is(closed, http.ErrServerClosed) {
		err = errors.Join(err, closed)
	}
	return err
}
