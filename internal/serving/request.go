package serving

import (
	"net"
	"net/http"
	"net/netip"
)

// Method keeps made-up methods, which could be anything, out of the log.
func Method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

// Remote is the address that a request came from; "" if it is none.
func Remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return host
}

// Network is the part of a request's address that one party has whole: of IPv6
// a network, else the address.
func Network(r *http.Request) string {
	const party = 64
	remote := Remote(r)
	address, err := netip.ParseAddr(remote)
	if err != nil || address.Unmap().Is4() {
		return remote
	}
	prefix, err := address.WithZone("").Prefix(party)
	if err != nil {
		return remote
	}
	return prefix.String()
}
