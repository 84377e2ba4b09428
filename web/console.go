package web

import (
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/static"
)

// Options are what a console can do without.
type Options struct {
	Dates   memory.Clock        // by which everything is dated that pages show the age of; nil for the console's own
	TLS     bool                // browsers reach it by https: they are told to stay there
	Scans   *serving.ScanBudget // of each member; nil for no bound
	Observe observer            // told of each answered request; nil for nobody
	Log     *slog.Logger        // nil for none
}

// observer counts an answered request. The route is a pattern, "" for a path
// that is in no table.
type observer func(method, route string, status int, took time.Duration)

// Console answers browsers. It is an [http.Handler] for every path that is not
// the API's.
type Console struct {
	service  *memory.Service
	sessions *auth.Sessions
	files    *static.Files
	clock    memory.Clock
	options  Options
	log      *slog.Logger

	signIns  *auth.Limiter // by address
	writes   *auth.Limiter // by member
	origins  *http.CrossOriginProtection
	declared serving.Declared
	echo     *echo.Echo
	handler  http.Handler
}

// How often one address may try to sign in, and one member may change
// something. A link's token cannot be guessed; this is so that nobody fills the
// audit with attempts, or the database with restored texts. No person at a
// browser gets near it.
const (
	signInsPerMinute = 10
	writesPerMinute  = 120
	minute           = time.Minute
)

// New builds the console of one server process, which counts deadlines by the
// clock.
func New(service *memory.Service, sessions *auth.Sessions, files *static.Files, clock memory.Clock, o Options) *Console {
	c := &Console{
		service: service, sessions: sessions, files: files, clock: clock, options: o, log: o.Log,
		signIns: auth.NewLimiter(signInsPerMinute, minute), writes: auth.NewLimiter(writesPerMinute, minute),
		origins: http.NewCrossOriginProtection(), declared: serving.Declared{}, echo: echo.New(),
	}
	if c.options.Dates == nil {
		c.options.Dates = clock
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.echo.Logger.SetOutput(io.Discard) // it has nothing to say that the request log does not
	c.echo.Use(c.observe, c.declared.Refuse)
	for _, r := range routes() {
		pattern := serving.Pattern(r.path)
		c.declared[r.method+pattern] = true
		c.echo.Add(r.method, pattern, c.guard(r))
	}
	c.origins.SetDenyHandler(http.HandlerFunc(c.deny))
	c.handler = compressed(c.origins.Handler(c.echo))
	return c
}

// ServeHTTP answers one request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// compressed compresses what is worth it, as the browser asks.
func compressed(h http.Handler) http.Handler {
	const minCompressed = 1024 // fits into one packet anyway
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.SetContentType(false))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(h)
}
