package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// pair is a certificate in two files.
type pair struct {
	cert, key string
}

// certify writes a certificate for the names, which it signs itself. Writing it
// to the same folder again replaces it.
func certify(t testing.TB, dir string, names ...string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: serial, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
			continue
		}
		template.DNSNames = append(template.DNSNames, name)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	p := pair{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")}
	writePEM(t, p.cert, "CERTIFICATE", der)
	writePEM(t, p.key, "PRIVATE KEY", private)
	return p
}

// writePEM replaces a file as programs that renew certificates do.
func writePEM(t testing.TB, name, kind string, der []byte) {
	t.Helper()
	replaceFile(t, name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func replaceFile(t testing.TB, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

// watch opens the pair with a clock that stands still until it is moved.
func watchPair(t *testing.T, p pair) (get func() *tls.Certificate, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	now := time.Now()
	c, err := openCertificate(p.cert, p.key, func() time.Time { return now }, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return func() *tls.Certificate {
		now = now.Add(time.Minute)
		current, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return current
	}, log
}

func TestCertificate_Renewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	get, log := watchPair(t, certify(t, dir, "a.example.com"))
	first := get()
	if get() != first {
		t.Error("the same files are read again")
	}
	certify(t, dir, "b.example.com")
	if got := get(); got.Leaf.DNSNames[0] != "b.example.com" || !strings.Contains(log.String(), "renewed") {
		t.Errorf("still %v: %s", got.Leaf.DNSNames, log)
	}
}

// A renewal that went wrong, or is half done, leaves the old certificate in
// use, and is told of once.
func TestCertificate_BrokenRenewal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, p pair)
	}{
		{"cut short", func(t *testing.T, p pair) { replaceFile(t, p.cert, []byte("-----BEGIN CERT")) }},
		{"empty", func(t *testing.T, p pair) { replaceFile(t, p.key, nil) }},
		{"gone", func(t *testing.T, p pair) {
			if err := os.Remove(p.cert); err != nil {
				t.Fatal(err)
			}
		}},
		{"only the certificate is new yet", func(t *testing.T, p pair) {
			key, err := os.ReadFile(p.key)
			if err != nil {
				t.Fatal(err)
			}
			certify(t, filepath.Dir(p.key), "b.example.com")
			replaceFile(t, p.key, key)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := certify(t, dir, "a.example.com")
			get, log := watchPair(t, p)
			tt.spoil(t, p)
			for range 3 {
				if got := get(); got.Leaf.DNSNames[0] != "a.example.com" {
					t.Fatalf("now it is %v", got.Leaf.DNSNames)
				}
			}
			if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
				t.Errorf("told of %d times: %s", n, log)
			}
			certify(t, dir, "c.example.com")
			if got := get(); got.Leaf.DNSNames[0] != "c.example.com" {
				t.Errorf("a good one does not help: %v", got.Leaf.DNSNames)
			}
		})
	}
}

func TestCertificate_Refused(t *testing.T) {
	t.Parallel()
	one, other := certify(t, t.TempDir(), "a.example.com"), certify(t, t.TempDir(), "a.example.com")
	for _, tt := range []struct {
		name, cert, key string
		says            []string
	}{
		{"of another key", one.cert, other.key, []string{one.cert, other.key, "does not match"}},
		{"swapped", one.key, one.cert, []string{one.cert, one.key}},
		{"missing", one.cert, one.key + ".none", []string{one.key + ".none"}},
		{"only one file", one.cert, "", []string{"--tls-key"}},
		{"only the other", "", one.key, []string{"--tls-cert"}},
	} {
		_, err := openCertificate(tt.cert, tt.key, time.Now, slog.New(slog.DiscardHandler))
		if err == nil {
			t.Errorf("%s: accepted", tt.name)
			continue
		}
		for _, s := range tt.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not name %s", tt.name, err, s)
			}
		}
	}
}

// What counts is who can read the key itself, not the link to it.
func TestCertificate_KeyForEverybody(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // where the folder's own rights decide
	}
	p := certify(t, t.TempDir(), "a.example.com")
	link := filepath.Join(t.TempDir(), "key")
	if err := os.Symlink(p.key, link); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o600, 0o640, 0o604} {
		if err := os.Chmod(p.key, mode); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		if _, err := openCertificate(p.cert, link, time.Now, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(log.String(), "every user"); warned != (mode == 0o604) {
			t.Errorf("mode %o: warned %v: %s", mode, warned, &log)
		}
	}
}
