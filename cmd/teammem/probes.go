package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/memory"
)

// checkMetrics refuses to show the metrics to everybody by mistake: whoever
// wants them off this machine says under which address.
func checkMetrics(address string) error {
	if address == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return memory.Invalid("metrics-listen", "an address reads HOST:PORT, such as 127.0.0.1:9464")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return &memory.Error{
			Code: memory.CodeInvalid, Field: "metrics-listen", Message: address + " shows the metrics on every network of this machine, without a password",
			Hint: "listen on 127.0.0.1, or name the machine's address in a network where only those are who may see them",
		}
	}
	return nil
}

// watched runs the server with a listener beside it for whoever watches over
// it. It answers until the very end, so that they see the server drain.
func (s *server) watched(ctx context.Context, address string) (err error) {
	l, err := listen(ctx, address)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- api.NewServer(s.probes, nil, api.ServerOptions{Log: s.log}).Serve(watching, l) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	return s.run(ctx, fmt.Sprintf("metrics on http://%s", l.Addr()))
}

// newProbes answers /metrics, and what else does not concern members.
func (s *server) newProbes(calls http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", calls)
	mux.Handle("GET /readyz", calls)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		const patience = 10 * time.Second // with who reads slowly
		_ = http.NewResponseController(w).SetWriteDeadline(s.app.now().Add(patience))
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		if err := s.writeMetrics(w); err != nil {
			s.log.LogAttrs(r.Context(), slog.LevelInfo, "metrics were not read to their end", slog.Any("err", err))
		}
	})
	return mux
}

func (s *server) writeMetrics(w io.Writer) error {
	if err := s.counts.Write(w); err != nil {
		return err
	}
	used, open, most := s.db.store.Pool()
	for _, g := range []struct {
		name, help string
		value      any
	}{
		{"teammem_database_connections_used", "Connections to the database that are at work.", used},
		{"teammem_database_connections_open", "Connections to the database that are open.", open},
		{"teammem_database_connections_max", "Connections to the database that may be open.", most},
	} {
		if err := writeMetric(w, g.name, "gauge", g.help, g.value); err != nil {
			return err
		}
	}
	const name = "teammem_build_info"
	if _, err := fmt.Fprintf(w, "# HELP %s What runs here.\n# TYPE %s gauge\n%s{version=%q,go=%q} 1\n", name, name, name, version, runtime.Version()); err != nil {
		return err
	}
	return writeRuntime(w)
}

// writeRuntime writes what Go's runtime knows of itself, under the names that
// dashboards for Go programs use.
func writeRuntime(w io.Writer) error {
	// Package runtime/metrics would cost every hook a tenth of a millisecond at start.
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, v := range []struct {
		name, kind, help string
		value            any
	}{
		{"go_goroutines", "gauge", "Goroutines.", runtime.NumGoroutine()},
		{"go_sched_gomaxprocs_threads", "gauge", "Threads that run Go code at the same time, at most.", runtime.GOMAXPROCS(0)},
		{"go_memstats_heap_alloc_bytes", "gauge", "Bytes of live and not yet swept objects.", m.HeapAlloc},
		{"go_memstats_sys_bytes", "gauge", "Bytes from the system.", m.Sys},
		{"go_memstats_alloc_bytes_total", "counter", "Bytes that were allocated, freed ones too.", m.TotalAlloc},
		{"go_gc_cycles_total", "counter", "Garbage collections.", m.NumGC},
	} {
		if err := writeMetric(w, v.name, v.kind, v.help, v.value); err != nil {
			return err
		}
	}
	return nil
}

func writeMetric(w io.Writer, name, kind, help string, value any) error {
	_, err := fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", name, help, name, kind, name, value)
	return err
}
