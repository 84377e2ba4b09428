package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/teammem/teammem/memory"
)

// proxies are the networks of the proxies in front. Nobody else is believed
// about where a request comes from.
type proxies []netip.Prefix

// parseProxies reads addresses and networks with commas between them.
func parseProxies(s string) (proxies, error) {
	var p proxies
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		network, err := netip.ParsePrefix(name)
		if a, addrErr := netip.ParseAddr(name); addrErr == nil && a.Zone() == "" {
			a = a.Unmap()
			network, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() { // which no peer's address is, once it is read
			return nil, &memory.Error{
				Code: memory.CodeInvalid, Field: "behind-proxy", Message: fmt.Sprintf("%q is no address and no network", name),
				Hint: "name the proxies' own addresses, such as 127.0.0.1 or 10.1.2.0/24,10.1.3.4",
			}
		}
		if network.Bits() == 0 {
			return nil, memory.Invalid("behind-proxy", "a network of all addresses lets anybody claim to be anybody; name the proxies' own")
		}
		p = append(p, network.Masked())
	}
	return p, nil
}

func (p proxies) contain(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(a) })
}

// forwarded takes the address of a request from what its proxies say. Each
// appends whom it saw, so the last one that is no proxy of ours is the client;
// what stands before it is the client's own claim.
func (p proxies) forwarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := peer(r); p.contain(at) {
			r.RemoteAddr = netip.AddrPortFrom(p.client(at, r.Header.Values("X-Forwarded-For")), 0).String()
		}
		h.ServeHTTP(w, r)
	})
}

func (p proxies) client(at netip.Addr, headers []string) netip.Addr {
	seen := strings.Split(strings.Join(headers, ","), ",")
	for _, s := range slices.Backward(seen) {
		a, err := parseForwarded(strings.TrimSpace(s))
		if err != nil {
			break // the proxy before it cannot have written this
		}
		if at = a.WithZone("").Unmap(); !p.contain(at) {
			break
		}
	}
	return at
}

// parseForwarded reads an address, to which some proxies add the port.
func parseForwarded(s string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(s); err == nil {
		return at.Addr(), nil
	}
	return netip.ParseAddr(s)
}

// only lets requests in that come from a proxy or from this machine: whoever
// goes around the proxy sends tokens unencrypted. Probes carry none.
func (p proxies) only(h http.Handler, url string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := peer(r)
		if at.IsLoopback() || p.contain(at) || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		http.Error(w, "this is where the proxy reaches the server; members use "+url, http.StatusForbidden)
	})
}

// peer is who is at the other end of the connection.
func peer(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return a.WithZone("").Unmap()
}
