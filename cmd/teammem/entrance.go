package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/teammem/teammem/memory"
)

// entrance is how requests reach the server.
type entrance struct {
	listen  string
	url     string // at which members reach it; "" for where it listens
	cert    *certificate
	proxies proxies
}

// newEntrance checks how the server is to be reached. Tokens must not travel
// unencrypted, so off this machine that takes TLS, here or in front.
func (a *app) newEntrance(o serveOptions, log *slog.Logger) (e entrance, err error) {
	e.listen = o.listen
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return e, memory.Invalid("listen", "an address reads HOST:PORT, such as 127.0.0.1:8080")
	}
	if o.cert != "" || o.key != "" {
		if e.cert, err = openCertificate(o.cert, o.key, a.now, log); err != nil {
			return e, err
		}
	}
	if o.proxies != "" {
		if e.proxies, err = parseProxies(o.proxies); err != nil {
			return e, err
		}
	}
	if o.url != "" {
		if e.url, err = publicURL(o.url); err != nil {
			return e, err
		}
	}
	return e, e.check(host)
}

func (e entrance) check(host string) error {
	switch {
	case e.cert != nil && e.url != "" && !strings.HasPrefix(e.url, "https:"):
		return memory.Invalid("url", "the server speaks TLS: the address at which members reach it begins with https://")
	case e.cert != nil || isLoopback(host):
		return nil
	case e.proxies == nil:
		return &memory.Error{
			Code: memory.CodeInvalid, Field: "listen", Message: e.listen + " can be reached from outside, and tokens would travel unencrypted",
			Hint: "use TLS with --tls-cert and --tls-key, name the proxy with TLS in front with --behind-proxy, or listen on 127.0.0.1",
		}
	case !strings.HasPrefix(e.url, "https:"):
		return memory.Invalid("url", "behind a proxy members use another address than the server's own: name it with --url https://HOST")
	}
	return nil
}

// encrypted reports whether browsers reach the server by https.
func (e entrance) encrypted() bool { return e.cert != nil || strings.HasPrefix(e.url, "https:") }

func (e entrance) scheme() string {
	if e.cert != nil {
		return "https://"
	}
	return "http://"
}

func (e entrance) tls() *tls.Config {
	if e.cert == nil {
		return nil
	}
	return e.cert.config()
}

// address is at which members reach the server, as far as it can know.
func (e entrance) address(l net.Addr) string {
	if e.url != "" {
		return e.url
	}
	if e.cert == nil || e.cert.host() == "" {
		return e.scheme() + l.String()
	}
	at, err := netip.ParseAddrPort(l.String())
	if err != nil || at.Port() == 443 {
		return e.scheme() + e.cert.host()
	}
	return e.scheme() + net.JoinHostPort(e.cert.host(), fmt.Sprint(at.Port()))
}

// guard lets requests in as the entrance demands.
func (e entrance) guard(h http.Handler) http.Handler {
	if e.proxies == nil {
		return h
	}
	h = e.proxies.forwarded(h)
	if e.cert == nil {
		h = e.proxies.only(h, e.url)
	}
	return h
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // which repeats no address
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
