package serving

import (
	"errors"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/memory"
)

// ID is something that a line of the log names. Without a value it is left out.
type ID struct{ Key, Value string }

// Log writes the one line of a request. It has no query, which may hold path
// keys, and once a token.
func Log(log *slog.Logger, ctx echo.Context, id string, took time.Duration, about []ID) {
	r, w := ctx.Request(), ctx.Response()
	attrs := []slog.Attr{
		slog.String("method", Method(r.Method)), slog.String("route", ctx.Path()), slog.Int("status", w.Status), slog.Int64("bytes", w.Size),
		slog.Float64("dur_ms", float64(took.Microseconds())/1000), slog.String("request_id", id), slog.String("remote", Remote(r)),
	}
	for _, a := range about {
		if a.Value != "" {
			attrs = append(attrs, slog.String(a.Key, a.Value))
		}
	}
	log.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
}

// Failed logs a request that failed by the server's own fault.
func Failed(log *slog.Logger, ctx echo.Context, id string, err error, e *memory.Error) {
	level := slog.LevelError
	if e.Code == memory.CodeUnavailable {
		level = slog.LevelWarn
	}
	log.LogAttrs(ctx.Request().Context(), level, "request failed",
		slog.String("request_id", id), slog.String("route", ctx.Path()), slog.String("code", string(e.Code)), slog.String("err", Cause(err, e)))
}

// Cause is what is logged of an error: its text, and what a domain error keeps
// to itself.
func Cause(err error, e *memory.Error) string {
	if e.Err == nil || errors.Is(e.Err, err) {
		return err.Error()
	}
	return err.Error() + ": " + e.Err.Error()
}
