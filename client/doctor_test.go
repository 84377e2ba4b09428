package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// answering is a server that only tells its version, at its own time.
func answering(t *testing.T, v wire.Version, date string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Teammem-Instance", v.Instance)
		w.Header().Set("Date", date)
		if r.URL.Path != "/version" {
			w.Header().Set("Content-Type", wire.ProblemType)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"type":"about:blank","title":"Unauthorized","status":401,"code":"unauthenticated","detail":"this token is unknown"}`))
			return
		}
		b, err := wire.Encode(v)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(b)
	}))
	t.Cleanup(s.Close)
	return s
}

// F48: a clock that is off is named, and both ways; the header's whole seconds
// are no difference.
func TestField_F48_ClockOff(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 400e6, time.UTC)
	for _, tt := range []struct {
		name   string
		server time.Duration // ahead of us
		grade  Grade
		detail string
	}{
		{"equal", 0, Well, "as the server's"},
		{"a second", time.Second, Well, "as the server's"},
		{"six seconds", 6 * time.Second, Well, "6s behind the server's"},
		{"ten minutes behind", 10 * time.Minute, Look, "10m0s behind the server's"},
		{"ten minutes ahead", -10 * time.Minute, Look, "10m0s ahead of the server's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := answering(t, wire.Version{Version: "1.2.3", API: 1, Instance: "ins_1"}, now.Add(tt.server).Format(http.TimeFormat))
			s, err := NewServer(hs.URL, ServerOptions{Token: "x", Instance: "ins_1", Version: "1.0.0"})
			if err != nil {
				t.Fatal(err)
			}
			checks := s.CheckServer(t.Context(), "acme/app", func() time.Time { return now })
			if len(checks) != 3 || checks[0].Detail != "answers, version 1.2.3" || checks[2].Name != "login" || checks[2].Grade != Wrong {
				t.Fatalf("got %+v", checks)
			}
			if c := checks[1]; c.Grade != tt.grade || c.Detail != tt.detail || (c.Fix == "") != (c.Grade == Well) {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestCheckServer_Wrong(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	date := time.Now().UTC().Format(http.TimeFormat)
	const slow = time.Minute // on a busy machine an answer may take long
	for _, tt := range []struct {
		name, address, detail string
		patience              time.Duration
	}{
		{"nobody there", "http://127.0.0.1:1", "no answer: ", slow},
		{"no word", "http://" + silent.Addr().String(), "no answer: it took too long", 200 * time.Millisecond},
		{"another instance", answering(t, wire.Version{Instance: "ins_2"}, date).URL, "another server answers", slow},
		{"newer than we are", answering(t, wire.Version{Version: "2.0.0", Instance: "ins_1", MinClient: "1.1.0"}, date).URL, "wants a client of 1.1.0 or newer", slow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
			defer cancel()
			s, err := NewServer(tt.address, ServerOptions{Token: "x", Instance: "ins_1", Version: "1.0.9"})
			if err != nil {
				t.Fatal(err)
			}
			checks := s.CheckServer(ctx, "acme/app", memory.Clock(time.Now))
			if len(checks) != 1 || checks[0].Grade != Wrong || !strings.Contains(checks[0].Detail, tt.detail) || checks[0].Fix == "" {
				t.Errorf("got %+v; want words on %q", checks, tt.detail)
			}
		})
	}
}

func TestOlderThan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		version, wanted string
		older           bool
	}{
		{"2.1.227", "2.1.228", true},
		{"2.1.228", "2.1.228", false},
		{"2.1.99", "2.1.228", true},
		{"10.0.0", "2.1.228", false},
		{"v1.2.3", "1.2.4", true},
		{"1.2.3-dev", "1.2.3", false},
		{"1.2", "1.2.3", false},
		{"", "1.2.3", false},
		{"1.2.3", "", false},
		{"a.b.c", "1.2.3", false},
		{"1.-2.3", "1.2.3", false},
	} {
		if got := OlderThan(tt.version, tt.wanted); got != tt.older {
			t.Errorf("OlderThan(%q, %q) = %t", tt.version, tt.wanted, got)
		}
	}
}
