package serving_test

import (
	"net/http"
	"testing"

	"github.com/teammem/teammem/internal/serving"
)

func TestNetwork(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.1:80":            "192.0.2.1",
		"[2001:db8:1:2:3::4]:80":  "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::]:1": "2001:db8:1:2::/64",
		"[::ffff:192.0.2.1]:80":   "::ffff:192.0.2.1",
		"[fe80::1%eth0]:80":       "fe80::/64",
		"odd":                     "",
		"nonsense:80":             "nonsense",
	} {
		if got := serving.Network(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s counts with %q, want %q", remote, got, want)
		}
	}
}

func TestMethod(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{http.MethodGet: "GET", "get": "other", "TEAMMEM": "other", "": "other"} {
		if got := serving.Method(method); got != want {
			t.Errorf("%q is %q, want %q", method, got, want)
		}
	}
}
