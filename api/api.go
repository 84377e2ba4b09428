package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/zstd"
	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
)

// Options are what an API can do without.
type Options struct {
	Version   string                      // of this program
	Instance  string                      // id of the instance
	MinClient string                      // oldest teammem client that is let in; "" for all
	Ready     func(context.Context) error // whether requests can be served; nil for always
	Hub       *Hub                        // that the service notifies; nil for none, and streams look for themselves
	Scans     *serving.ScanBudget         // of each member; nil for no bound
	Metrics   *Metrics                    // nil for none
	Log       *slog.Logger                // nil for none
}

// API answers the protocol's calls. It is an [http.Handler].
type API struct {
	service  *memory.Service
	auth     *auth.Authenticator
	exchange *auth.Exchange
	clock    memory.Clock
	options  Options
	log      *slog.Logger

	pushes    *auth.Limiter
	pushBytes *auth.Limiter
	reports   *auth.Limiter
	guesses   *auth.Limiter
	room      *room
	streams   *streams
	progress  *Progress
	zstd      *zstd.Decoder
	kept      *keptPages
	bursts    *bursts
	declared  serving.Declared
	echo      *echo.Echo
	handler   http.Handler
}

// New builds the API of one server process.
func New(service *memory.Service, authenticator *auth.Authenticator, clock memory.Clock, o Options) *API {
	a := &API{
		service: service, auth: authenticator, exchange: auth.NewExchange(authenticator, service), clock: clock, options: o, log: o.Log,
		pushes: auth.NewLimiter(pushesPerMinute, minute), pushBytes: auth.NewLimiter(pushBytesPerDay, day),
		reports: auth.NewLimiter(reportsPerMinute, minute), guesses: auth.NewLimiter(guessesPerMinute, minute),
		room: newRoom(), streams: newStreams(o.Hub), progress: newProgress(), zstd: newZstd(),
		kept: newKeptPages(keptBytes, o.Metrics), bursts: newBursts(),
		declared: serving.Declared{}, echo: echo.New(),
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.echo.Logger.SetOutput(io.Discard) // it has nothing to say that the request log does not
	a.echo.Use(a.observe, a.declared.Refuse)
	for _, r := range routes() {
		a.add(r.method, r)
		if r.method == http.MethodGet {
			a.add(http.MethodHead, r) // net/http leaves the body out
		}
	}
	a.handler = compressed(a.echo)
	return a
}

func (a *API) add(method string, r route) {
	pattern := serving.Pattern(r.path)
	a.declared[method+pattern] = true
	a.echo.Add(method, pattern, a.guard(r))
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// compressed compresses what is worth it, as the client asks.
func compressed(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed),
		gzhttp.ZstdCompressionLevel(int(zstd.SpeedFastest)),
		gzhttp.SetContentType(false),
	)
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(h)
}

// minCompressed is what fits into one packet anyway.
const minCompressed = 1024
