package client_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates, as a team's own one does.
type authority struct {
	testing.TB

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	a := &authority{TB: t, key: newKey(t)}
	a.cert = a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}, a.key)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return key
}

func (a *authority) sign(c *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	a.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	must(a, err)
	c.SerialNumber = serial
	parent := a.cert
	if parent == nil {
		parent = c
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), a.key)
	must(a, err)
	signed, err := x509.ParseCertificate(der)
	must(a, err)
	return signed
}

// issue returns a certificate for names and addresses, with its key.
func (a *authority) issue(from, until time.Time, names []string, ips ...string) tls.Certificate {
	a.Helper()
	c := &x509.Certificate{
		Subject: pkix.Name{CommonName: "memory server"}, DNSNames: names, NotBefore: from, NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, ip := range ips {
		c.IPAddresses = append(c.IPAddresses, net.ParseIP(ip))
	}
	key := newKey(a)
	return tls.Certificate{Certificate: [][]byte{a.sign(c, key).Raw}, PrivateKey: key}
}

// local returns a certificate that is good for a server of this test.
func (a *authority) local() tls.Certificate {
	a.Helper()
	return a.issue(time.Now().Add(-time.Hour), time.Now().Add(12*time.Hour), []string{"localhost"}, "127.0.0.1")
}

// bundle writes the authorities into a file.
func bundle(t testing.TB, all ...*authority) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "authorities.pem")
	var b []byte
	for _, a := range all {
		b = append(b, "# "+a.cert.Subject.CommonName+"\n"...)
		b = append(b, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})...)
	}
	must(t, os.WriteFile(file, b, 0o600))
	return file
}

// serveTLS serves with a certificate.
func serveTLS(t testing.TB, c tls.Certificate, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that hang up, which is what they should do
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}
