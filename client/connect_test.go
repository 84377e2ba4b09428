package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// versioned answers like a server that is asked for its version.
func versioned() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Teammem-Instance", instance)
		_, _ = fmt.Fprintf(w, `{"version":"1.0.0","api":1,"instance":%q}`, instance)
	})
}

// askVersion talks to a server once.
func askVersion(t *testing.T, url, caFile string, now time.Time) error {
	t.Helper()
	s, err := client.NewServer(url, client.ServerOptions{Version: "1.0.0", CAFile: caFile, Clock: func() time.Time { return now }})
	if err == nil {
		_, err = s.Version(t.Context())
	}
	return err
}

// Why there is no talk with whoever answers is told in plain words, with what
// to do, and is no answer as far as a script is concerned.
func TestConnect_Explained(t *testing.T) {
	t.Parallel()
	ours, other, now := newAuthority(t, "Acme team authority"), newAuthority(t, "Another authority"), time.Now()
	hour := func(n int) time.Time { return now.Add(time.Duration(n) * time.Hour) }
	plain := httptest.NewServer(versioned())
	t.Cleanup(plain.Close)
	good := serveTLS(t, ours.local(), versioned())
	named := serveTLS(t, ours.issue(hour(-1), hour(1), []string{"memory.example.com", "mem\x1b[2J"}, "10.0.0.7"), versioned())
	nameless := serveTLS(t, ours.issue(hour(-1), hour(1), nil), versioned())
	expired := serveTLS(t, ours.issue(hour(-3), hour(-2), nil, "127.0.0.1"), versioned())
	early := serveTLS(t, ours.issue(hour(2), hour(3), nil, "127.0.0.1"), versioned())
	trusted := bundle(t, ours)
	for _, tt := range []struct {
		name, url, caFile string
		words             []string
	}{
		{"unknown authority", good.URL, "", []string{good.URL, "Acme team authority", "does not know", "--ca-file FILE"}},
		{"another authority", good.URL, bundle(t, other), []string{"Acme team authority", "authorities.pem", "put the new one into that file"}},
		{"another name", named.URL, trusted, []string{`is for memory.example.com, "mem\x1b[2J" and 10.0.0.7, not for 127.0.0.1`}},
		{"no name", nameless.URL, trusted, []string{"names neither hosts nor addresses", "not for 127.0.0.1"}},
		{"ended", expired.URL, trusted, []string{"until " + stamp(hour(-2)), "clock says " + stamp(now), "check this computer's clock"}},
		{"not yet", early.URL, trusted, []string{"valid from " + stamp(hour(2)), "clock says " + stamp(now), "check this computer's clock"}},
		{"plain to TLS", strings.Replace(good.URL, "https", "http", 1), "", []string{"wants TLS", "https://"}},
		{"TLS to plain", strings.Replace(plain.URL, "http", "https", 1), "", []string{"without TLS", "http://"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := askVersion(t, tt.url, tt.caFile, now)
			c, ok := errors.AsType[*client.ConnectError](err)
			if !ok || !errors.Is(err, client.ErrOffline) {
				t.Fatalf("got %v, want an explanation", err)
			}
			for _, w := range tt.words {
				if !strings.Contains(c.Message+"\n"+c.Hint, w) {
					t.Errorf("nothing is said of %q:\n%s\n%s", w, c.Message, c.Hint)
				}
			}
		})
	}
}

// A token that left in plain text is everybody's, whatever the server answers,
// so there is no server to talk to.
func TestServer_PlainOnThisMachineOnly(t *testing.T) {
	t.Parallel()
	for address, allowed := range map[string]bool{
		"http://127.0.0.1:8080": true, "http://127.9.9.9": true, "http://[::1]:8080/": true, "http://localhost": true, "http://LOCALHOST:1": true,
		"http://[::ffff:127.0.0.1]:1": true, "https://memory.example.com": true, "https://10.0.0.1:8443": true,
		"http://memory.example.com": false, "HTTP://memory.example.com": false, "http://10.0.0.1:8080": false, "http://0.0.0.0": false,
		"http://[2001:db8::1]:1": false, "http://localhost.example.com": false, "http://127.0.0.1.example.com": false, "http://127.1": false,
	} {
		_, err := client.NewServer(address, client.ServerOptions{})
		if (err == nil) != allowed || err != nil && !strings.Contains(err.Error(), "unencrypted") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// F61: the authority is replaced while clients still know the old one. A file
// with both of them works before and after, and one that went away is named.
func TestField_F61_Bundle(t *testing.T) {
	t.Parallel()
	before, after := newAuthority(t, "before"), newAuthority(t, "after")
	both := bundle(t, before, after)
	for _, a := range []*authority{before, after} {
		if err := askVersion(t, serveTLS(t, a.local(), versioned()).URL, both, time.Now()); err != nil {
			t.Errorf("signed by %s: %v", a.cert.Subject.CommonName, err)
		}
	}
	b, err := os.ReadFile(both)
	must(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"nothing.pem": "", "words.pem": "no certificate\n", "cut.pem": string(b[:len(b)-100]), "spoilt.pem": strings.Replace(string(b), "MII", "AAA", 1),
		"gone.pem": "-",
	} {
		file := filepath.Join(dir, name)
		if text != "-" {
			must(t, os.WriteFile(file, []byte(text), 0o600))
		}
		_, err := client.NewServer("https://127.0.0.1", client.ServerOptions{CAFile: file})
		if err == nil || !strings.Contains(err.Error(), file) || memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%s: got %v, want an error that names the file", name, err)
		}
	}
}

// A certificate that ends soon deserves a look, before anybody is locked out.
func TestCheckServer_Certificate(t *testing.T) {
	t.Parallel()
	ours, now := newAuthority(t, "Acme team authority"), time.Now()
	s, err := client.NewServer(serveTLS(t, ours.local(), versioned()).URL, client.ServerOptions{CAFile: bundle(t, ours), Clock: time.Now})
	must(t, err)
	for _, c := range s.CheckServer(t.Context(), "", time.Now) {
		if c.Name == "certificate" {
			want := "for localhost and 127.0.0.1, by CN=Acme team authority, until " + stamp(now.Add(12*time.Hour))
			if c.Detail[:len(want)-10] != want[:len(want)-10] || c.Grade != client.Look || c.Fix == "" {
				t.Errorf("got %+v, want %q", c, want)
			}
			return
		}
	}
	t.Error("nothing is said of the certificate")
}

// F54: what stands between client and server refuses large bodies, or cuts
// answers off. The first is told as what it is, and the second is no answer.
func TestField_F54_ProxyCuts(t *testing.T) {
	t.Parallel()
	answers := map[string]func(w http.ResponseWriter){
		"the whole length, half the body": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"version":"1.0.0",`))
		},
		"half the body as if it were whole": func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"version":"1.0.0","api":1,"instance":"ins`))
		},
		"the connection breaks": func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"version":"1.0.0","api":1,"instance":"ins_1"}`))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"nothing": func(http.ResponseWriter) {},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Teammem-Instance", instance)
				answer(w)
			}))
			t.Cleanup(cut.Close)
			if err := askVersion(t, cut.URL, "", time.Now()); err == nil {
				t.Error("half an answer is taken for a whole one")
			}
		})
	}
}
