package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestProxies_Forwarded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		peer   string
		values []string
		want   string
	}{
		{"none", "10.0.0.1:5", nil, "10.0.0.1:0"},
		{"one", "10.0.0.1:5", []string{"192.0.2.1"}, "192.0.2.1:0"},
		{"the client's own claim before it", "10.0.0.1:5", []string{"203.0.113.9, 192.0.2.1"}, "192.0.2.1:0"},
		{"the claim that it is a proxy", "10.0.0.1:5", []string{"203.0.113.9, 10.0.0.7, 192.0.2.1"}, "192.0.2.1:0"},
		{"two proxies", "10.0.0.1:5", []string{"203.0.113.9, 192.0.2.1, 10.0.0.2"}, "192.0.2.1:0"},
		{"two proxies, of which one writes a header of its own", "10.0.0.1:5", []string{"192.0.2.1", "10.0.0.2"}, "192.0.2.1:0"},
		{"a proxy's own request", "10.0.0.1:5", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3:0"},
		{"the last header", "10.0.0.1:5", []string{"10.0.0.1", "192.0.2.1 , 2001:db8::1"}, "[2001:db8::1]:0"},
		{"a zone", "10.0.0.1:5", []string{"fe80::1%eth0"}, "[fe80::1]:0"},
		{"an IPv4 address in IPv6", "[::ffff:10.0.0.1]:5", []string{"::ffff:192.0.2.1"}, "192.0.2.1:0"},
		{"made up", "10.0.0.1:5", []string{"192.0.2.1, <script>"}, "10.0.0.1:0"},
		{"made up before a proxy", "10.0.0.1:5", []string{"x, 10.0.0.2"}, "10.0.0.2:0"},
		{"with a port", "10.0.0.1:5", []string{"192.0.2.1:80, 10.0.0.2:7"}, "192.0.2.1:0"},
		{"IPv6 with a port", "10.0.0.1:5", []string{"[2001:db8::1]:80"}, "[2001:db8::1]:0"},
		{"with half a port", "10.0.0.1:5", []string{"192.0.2.1:"}, "10.0.0.1:0"},
		{"empty", "10.0.0.1:5", []string{""}, "10.0.0.1:0"},
		{"from somebody else", "192.0.2.66:5", []string{"192.0.2.1"}, "192.0.2.66:5"},
		{"from this machine, which was not named", "127.0.0.1:5", []string{"192.0.2.1"}, "127.0.0.1:5"},
		{"from nowhere", "@", []string{"192.0.2.1"}, "@"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := parseProxies("10.0.0.0/24, 2001:db8:1::1")
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
			r.RemoteAddr, r.Header["X-Forwarded-For"] = tt.peer, tt.values
			p.forwarded(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.RemoteAddr != tt.want {
					t.Errorf("remote %q, want %q", r.RemoteAddr, tt.want)
				}
			})).ServeHTTP(httptest.NewRecorder(), r)
		})
	}
}

func TestProxies_Parse(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"true", "proxy.example.com", "10.0.0.1,", ",", "0.0.0.0/0", "::/0", "10.0.0.0/0", "10.0.0.0/33", "fe80::1%eth0", "10.0.0.1:80", "::ffff:10.0.0.0/104"} {
		if p, err := parseProxies(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, p)
		}
	}
}

// Where plain HTTP is taken from proxies, it is taken from nobody else: their
// tokens would travel unencrypted, and their addresses would be their own claim.
func TestEntrance_TakesPlainHTTPFromProxiesOnly(t *testing.T) {
	t.Parallel()
	a := newTestApp(t)
	e, err := a.newEntrance(serveOptions{listen: "0.0.0.0:1", url: "https://memory.example.com", proxies: "10.0.0.1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		peer, path string
		want       int
	}{
		{"10.0.0.1:5", "/api/v1/me", http.StatusOK},
		{"127.0.0.1:5", "/api/v1/me", http.StatusOK},
		{"10.0.0.2:5", "/api/v1/me", http.StatusForbidden},
		{"10.0.0.2:5", "/login", http.StatusForbidden},
		{"10.0.0.2:5", "/readyz/x", http.StatusForbidden},
		{"10.0.0.2:5", "/readyz", http.StatusOK},
		{"@", "/login", http.StatusForbidden},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, tt.path, nil)
		r.RemoteAddr = tt.peer
		r.Header.Set("X-Forwarded-For", "10.0.0.1")
		w := httptest.NewRecorder()
		e.guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s from %s: status %d, want %d", tt.path, tt.peer, w.Code, tt.want)
		}
	}
}
